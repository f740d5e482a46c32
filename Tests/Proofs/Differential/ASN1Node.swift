/// A mutable element of a BER tree, which can be encoded again.
final class ASN1Node {
    var tag: UInt8
    var isIndefinite: Bool
    var content: [UInt8]
    var children: [ASN1Node]

    init(tag: UInt8, isIndefinite: Bool = false, content: [UInt8] = [], children: [ASN1Node] = []) {
        self.tag = tag
        self.isIndefinite = isIndefinite
        self.content = content
        self.children = children
    }

    var isConstructed: Bool { tag & 0x20 != 0 }

    /// Parses well-formed BER; ends at bytes that are not well-formed.
    static func parse(_ bytes: [UInt8]) -> ASN1Node? {
        var rest = bytes[...]
        return parse(&rest, depth: 0)
    }

    private static func parse(_ rest: inout ArraySlice<UInt8>, depth: Int) -> ASN1Node? {
        guard depth < 32, let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst()
        else { return nil }
        let node = ASN1Node(tag: tag)
        if first == 0x80 {
            node.isIndefinite = true
            while !rest.starts(with: [0, 0]) {
                guard let child = parse(&rest, depth: depth + 1) else { return nil }
                node.children.append(child)
            }
            rest = rest.dropFirst(2)
            return node
        }
        var count = Int(first)
        if first > 0x80 {
            count = 0
            for _ in 0..<Int(first & 0x7F) {
                guard let octet = rest.popFirst(), count < 1 << 20 else { return nil }
                count = count << 8 | Int(octet)
            }
        }
        guard count <= rest.count else { return nil }
        var inner = rest.prefix(count)
        rest = rest.dropFirst(count)
        if node.isConstructed {
            while !inner.isEmpty {
                guard let child = parse(&inner, depth: depth + 1) else { return nil }
                node.children.append(child)
            }
        } else {
            node.content = Array(inner)
        }
        return node
    }

    /// The encoding, with correct lengths.
    var encoded: [UInt8] {
        let inner = isConstructed ? children.flatMap(\.encoded) : content
        if isIndefinite { return [tag, 0x80] + inner + [0, 0] }
        switch inner.count {
        case 0..<0x80: return [tag, UInt8(inner.count)] + inner
        case 0x80..<0x100: return [tag, 0x81, UInt8(inner.count)] + inner
        case 0x100..<0x10000:
            return [tag, 0x82, UInt8(inner.count >> 8), UInt8(inner.count & 0xFF)] + inner
        default:
            return [tag, 0x83, UInt8(inner.count >> 16), UInt8(inner.count >> 8 & 0xFF)]
                + [UInt8(inner.count & 0xFF)] + inner
        }
    }

    var copy: ASN1Node {
        ASN1Node(
            tag: tag, isIndefinite: isIndefinite, content: content, children: children.map(\.copy))
    }

    /// This element and all elements inside it.
    var all: [ASN1Node] { [self] + children.flatMap(\.all) }
}
