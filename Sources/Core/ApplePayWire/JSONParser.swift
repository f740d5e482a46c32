/// Reads a text once, from start to end, into the nodes of a ``JSONIndex``.
///
/// The parser does not use recursion. Each open container's node refers to the container around it, so
/// that the nodes form a stack, whose size the depth limit bounds.
///
/// Source: RFC 8259.
struct JSONParser {
    /// The number of nodes to reserve at the start: an ordinary token has 19 values and names.
    private static let ordinaryNodeCount = 32

    /// The values and names read so far; a container precedes its contents.
    private(set) var nodes: [JSONValue] = []

    private let limits: JSONIndex.Limits
    private var offset = 0
    private var depth = 0
    private var names = JSONNames()

    /// The position of the innermost open container's node; `.max` if no container is open.
    private var container = UInt32.max

    /// Creates a parser at the start of a text.
    init(limits: JSONIndex.Limits) {
        self.limits = limits
    }

    /// Reads the whole text: one value with white space around it.
    ///
    /// - Throws: The first fault in the text. A repeated name is detected at the end of its object.
    mutating func parse(_ text: Span<UInt8>) throws(JSONError) {
        // Positions are stored in 32 bits, which bounds the caller's limit.
        let longest = min(limits.textLength, Int(Int32.max))
        guard text.count <= longest else { throw JSONError(.textTooLong, at: longest) }
        nodes.reserveCapacity(Self.ordinaryNodeCount)
        repeat {
            try readValue(text)
        } while try advanceToValue(text)
    }

    // MARK: Structure

    /// Reads a number, string or literal, or only the opening bracket of an object or array.
    private mutating func readValue(_ text: Span<UInt8>) throws(JSONError) {
        skipWhiteSpace(text)
        switch try current(text) {
        case UInt8(ascii: "{"): try open(.object)
        case UInt8(ascii: "["): try open(.array)
        case UInt8(ascii: "\""): try readString(text)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber(text)
        case UInt8(ascii: "t"): try readLiteral("true", .true, text)
        case UInt8(ascii: "f"): try readLiteral("false", .false, text)
        case UInt8(ascii: "n"): try readLiteral("null", .null, text)
        default: throw fault(.unexpectedCharacter, text)
        }
    }

    /// Reads the text between the value or bracket just read and the next value, including its name.
    ///
    /// - Returns: False if another value does not follow, because the text is complete.
    private mutating func advanceToValue(_ text: Span<UInt8>) throws(JSONError) -> Bool {
        while container != .max {
            skipWhiteSpace(text)
            let byte = try current(text)
            let isObject = nodes[Int(container)].kind == .object
            if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                try close(text)
                continue
            }
            let isFirst = nodes.count == Int(container) + 1
            if !isFirst {
                try expect(UInt8(ascii: ","), text)
                skipWhiteSpace(text)
            }
            if isObject {
                guard try current(text) == UInt8(ascii: "\"") else {
                    throw fault(.unexpectedCharacter, text)
                }
                try readString(text)
                skipWhiteSpace(text)
                try expect(UInt8(ascii: ":"), text)
            }
            return true
        }
        skipWhiteSpace(text)
        guard offset == text.count else { throw fault(.trailingText, text) }
        return false
    }

    private mutating func open(_ kind: JSONValue.Kind) throws(JSONError) {
        guard depth < limits.depth else { throw JSONError(.jsonDepthExceeded, at: offset) }
        depth += 1
        let position = nodes.count
        nodes.append(JSONValue(opening: kind, at: offset, position: position, inside: container))
        container = UInt32(truncatingIfNeeded: position)
        offset += 1
    }

    private mutating func close(_ text: Span<UInt8>) throws(JSONError) {
        offset += 1
        depth -= 1
        let closing = Int(container)
        container = nodes[closing].next
        nodes[closing].close(end: offset, next: nodes.count)
        guard nodes[closing].kind == .object else { return }
        if let name = names.firstRepeated(of: nodes[closing], among: nodes, in: text) {
            throw JSONError(.duplicateKey, at: name.range.lowerBound)
        }
    }

    private mutating func append(
        _ kind: JSONValue.Kind,
        from start: Int,
        hasEscapes: Bool = false
    ) {
        let range = start..<offset
        nodes.append(JSONValue(kind, range, hasEscapes: hasEscapes, position: nodes.count))
    }

    // MARK: Values

    private mutating func readString(_ text: Span<UInt8>) throws(JSONError) {
        let start = offset
        var hasEscapes = false
        offset += 1
        while true {
            offset = PlainCharacters.end(from: offset, in: text)
            switch try current(text) {
            case UInt8(ascii: "\""):
                offset += 1
                append(.string, from: start, hasEscapes: hasEscapes)
                return
            case UInt8(ascii: "\\"):
                hasEscapes = true
                let byteEscapes = limits.byteEscapes
                offset += try JSONEscape(at: offset, in: text, byteEscapes: byteEscapes).length
            case 0x00..<0x20:
                throw JSONError(.controlCharacter, at: offset)
            default:
                guard let length = UTF8Sequence.length(at: offset, in: text) else {
                    throw JSONError(.invalidUTF8, at: offset)
                }
                offset += length
            }
        }
    }

    private mutating func readNumber(_ text: Span<UInt8>) throws(JSONError) {
        let start = offset
        if text[offset] == UInt8(ascii: "-") { offset += 1 }
        if try current(text) == UInt8(ascii: "0") {
            offset += 1
            if offset < text.count, text[offset].isDigit {
                throw JSONError(.invalidNumber, at: offset)
            }
        } else {
            try readDigits(text)
        }
        if offset < text.count, text[offset] == UInt8(ascii: ".") {
            offset += 1
            try readDigits(text)
        }
        // This bit distinguishes `e` from `E`.
        if offset < text.count, text[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            let sign = try current(text)
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { offset += 1 }
            try readDigits(text)
        }
        append(.number, from: start)
    }

    /// Reads at least one digit.
    private mutating func readDigits(_ text: Span<UInt8>) throws(JSONError) {
        guard try current(text).isDigit else { throw fault(.invalidNumber, text) }
        repeat { offset += 1 } while offset < text.count && text[offset].isDigit
    }

    private mutating func readLiteral(
        _ literal: String,
        _ kind: JSONValue.Kind,
        _ text: Span<UInt8>
    ) throws(JSONError) {
        let start = offset
        for byte in literal.utf8 { try expect(byte, text) }
        append(kind, from: start)
    }

    // MARK: Bytes

    private mutating func skipWhiteSpace(_ text: Span<UInt8>) {
        while offset < text.count, Self.isWhiteSpace(text[offset]) { offset += 1 }
    }

    private mutating func expect(_ byte: UInt8, _ text: Span<UInt8>) throws(JSONError) {
        guard try current(text) == byte else { throw fault(.unexpectedCharacter, text) }
        offset += 1
    }

    private func current(_ text: Span<UInt8>) throws(JSONError) -> UInt8 {
        guard offset < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
        return text[offset]
    }

    /// Returns the error for the byte at the current position, which is `invalidUTF8` if it is not UTF-8.
    private func fault(_ fault: JSONError.Fault, _ text: Span<UInt8>) -> JSONError {
        let isCharacter = UTF8Sequence.length(at: offset, in: text) != nil
        return JSONError(isCharacter ? fault : .invalidUTF8, at: offset)
    }

    /// Returns whether a byte is a space, tab, line feed or carriage return (RFC 8259 §2).
    static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
