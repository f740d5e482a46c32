/// Changes signatures, deterministically for each seed.
struct Mutator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// SplitMix64.
    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// Returns a number from 0 to `limit` − 1; `limit` is positive.
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    /// Returns a changed signature: one change of the bytes, or one to three changes of the tree.
    mutating func mutant(of signature: [UInt8], _ tree: ASN1Node, other: ASN1Node) -> [UInt8] {
        if below(4) == 0 { return bytes(signature) }
        let changed = tree.copy
        for _ in 0...below(3) { change(changed, other: other) }
        let encoded = changed.encoded
        return below(8) == 0 ? bytes(encoded) : encoded
    }

    private mutating func bytes(_ signature: [UInt8]) -> [UInt8] {
        var bytes = signature
        let position = below(bytes.count)
        switch below(7) {
        case 0: bytes[position] ^= 1 << below(8)
        case 1: bytes[position] = UInt8(below(256))
        case 2: bytes.removeSubrange(position..<min(bytes.count, position + 1 + below(4)))
        case 3: bytes.insert(UInt8(below(256)), at: position)
        case 4: bytes += (0...below(8)).map { _ in 0 }
        case 5: bytes.removeLast(1 + below(min(16, bytes.count - 1)))
        default:
            let end = min(bytes.count, position + 1 + below(64))
            bytes.insert(contentsOf: bytes[position..<end], at: below(bytes.count))
        }
        return bytes
    }

    private mutating func change(_ tree: ASN1Node, other: ASN1Node) {
        let nodes = tree.all
        let node = nodes[below(nodes.count)]
        switch below(10) {
        case 0: if node.isConstructed { node.isIndefinite.toggle() }
        case 1: node.tag ^= 1 << below(8)
        case 2: if !node.children.isEmpty { node.children.remove(at: below(node.children.count)) }
        case 3:
            guard let child = node.children.first else { return }
            node.children.insert(
                node.children.count > 1
                    ? node.children[below(node.children.count)].copy : child.copy,
                at: below(node.children.count + 1))
        case 4:
            guard node.children.count > 1 else { return }
            node.children.swapAt(below(node.children.count), below(node.children.count))
        case 5:
            let others = other.all
            let foreign = others[below(others.count)].copy
            guard !node.children.isEmpty else { return }
            node.children[below(node.children.count)] = foreign
        case 6:
            // Use the corresponding element of another signature, for example its certificates or
            // its signer.
            guard below(2) == 0, let twin = zip(nodes, other.all).first(where: { $0.0 === node })
            else {
                return
            }
            (node.tag, node.isIndefinite) = (twin.1.tag, twin.1.isIndefinite)
            (node.content, node.children) = (twin.1.content, twin.1.copy.children)
        case 7: if !node.content.isEmpty { node.content.removeLast() }
        case 8: if !node.isConstructed { node.content.insert(UInt8(below(256)), at: 0) }
        default:
            guard !node.content.isEmpty else { return }
            node.content[below(node.content.count)] ^= 1 << below(8)
        }
    }
}
