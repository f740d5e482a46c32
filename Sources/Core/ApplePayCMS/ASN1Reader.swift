internal import ApplePayWire

/// Reads a series of elements in strict DER; the caller can permit indefinite lengths.
///
/// CMS may be sent in BER, and Apple sends the outer layers with indefinite lengths; other forms of BER
/// are refused. A reader consists of two positions, and every call passes the document: a message has
/// about eighty elements, and counting a reference for each reader would cost more than reading them.
struct ASN1Reader {
    /// The maximum number of nested indefinite lengths: twice as many as any form of SignedData has.
    static let maximumDepth = 16

    /// The position of the next element.
    private(set) var offset: Int

    /// The position after the last element.
    private(set) var limit: Int

    /// Creates a reader of the elements in a range, which must be inside the document.
    init(_ range: Range<Int>) {
        offset = range.lowerBound
        limit = range.upperBound
    }

    /// Creates a reader of the elements inside `element`.
    init(_ element: ASN1Element) {
        self.init(element.content)
    }

    /// Whether no element is left.
    var isAtEnd: Bool { offset == limit }

    func nextTag(_ document: Span<UInt8>) -> ASN1Tag? {
        isAtEnd ? nil : ASN1Tag(rawValue: document[offset])
    }

    /// Reads one element of any tag, with a definite length in its shortest form.
    mutating func element(_ document: Span<UInt8>) throws(PaymentTokenError) -> ASN1Element {
        let start = offset
        let (tag, length) = try header(document)
        guard let length else { throw PaymentTokenError(.invalidLength, offset: start) }
        return take(length, of: tag, from: start)
    }

    /// Reads one element, which must carry `tag` and a definite length in its shortest form.
    mutating func element(
        _ tag: ASN1Tag,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) -> ASN1Element {
        try expect(tag, document)
        return try element(document)
    }

    /// Reads one element, which must carry `tag`; its length may be indefinite.
    mutating func elementOfAnyLength(
        _ tag: ASN1Tag,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) -> ASN1Element {
        try expect(tag, document)
        return try elementOfAnyLength(document)
    }

    /// Reads one element of any tag; its length and the lengths inside it may be indefinite.
    mutating func elementOfAnyLength(_ document: Span<UInt8>) throws(PaymentTokenError)
        -> ASN1Element
    {
        let start = offset
        let (tag, length) = try header(document)
        if let length { return take(length, of: tag, from: start) }
        let contentStart = offset
        var open = 1
        while true {
            let position = offset
            if try takeEndOfContents(document) {
                open -= 1
                guard open == 0 else { continue }
                return ASN1Element(
                    tag, from: start, contentStart: contentStart, to: offset, isIndefinite: true)
            }
            if let length = try header(document).length {
                offset += length
            } else {
                open += 1
                guard open <= Self.maximumDepth else {
                    throw PaymentTokenError(.cmsDepthExceeded, offset: position)
                }
            }
        }
    }

    /// Moves to the contents of the element just read, and restricts the reader to them.
    mutating func enter(_ element: ASN1Element) {
        offset = element.content.lowerBound
        limit = element.content.upperBound
    }

    /// Restores the limit that the reader had before ``enter(_:)``.
    mutating func leave(to limit: Int) {
        self.limit = limit
    }

    /// Refuses further octets.
    func end() throws(PaymentTokenError) {
        guard isAtEnd else { throw PaymentTokenError(.trailingBytes, offset: offset) }
    }

    @inline(__always)
    private func expect(_ tag: ASN1Tag, _ document: Span<UInt8>) throws(PaymentTokenError) {
        guard let nextTag = nextTag(document) else {
            throw PaymentTokenError(.truncated, offset: offset)
        }
        guard nextTag == tag else { throw PaymentTokenError(.unexpectedTag, offset: offset) }
    }

    @inline(__always)
    private mutating func take(_ length: Int, of tag: ASN1Tag, from start: Int) -> ASN1Element {
        let contentStart = offset
        offset += length
        return ASN1Element(tag, from: start, contentStart: contentStart, to: offset)
    }

    /// Reads a tag and a length, which is nil when indefinite and never exceeds the remaining octets.
    @inline(__always)
    private mutating func header(
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) -> (tag: ASN1Tag, length: Int?) {
        let start = offset
        let tag = ASN1Tag(rawValue: try octet(document))
        // Zero is the tag of end-of-contents, which occurs only after an indefinite length.
        guard tag.rawValue != 0, !tag.hasLongNumber else {
            throw PaymentTokenError(.unexpectedTag, offset: start)
        }
        let lengthOffset = offset
        let first = try octet(document)
        if first == 0x80 {
            guard tag.isConstructed else {
                throw PaymentTokenError(.invalidLength, offset: lengthOffset)
            }
            return (tag, nil)
        }
        var length = Int(first)
        if first > 0x80 {
            let count = Int(first & 0x7F)
            // A length in more than four octets exceeds every limit.
            guard count <= 4 else { throw PaymentTokenError(.invalidLength, offset: lengthOffset) }
            length = 0
            for _ in 0..<count { length = length << 8 | Int(try octet(document)) }
            // X.690 §10.1: the length is encoded in as few octets as possible.
            guard length >= 0x80, length >> (8 * (count - 1)) != 0 else {
                throw PaymentTokenError(.invalidLength, offset: lengthOffset)
            }
        }
        guard length <= limit - offset else { throw PaymentTokenError(.truncated, offset: start) }
        return (tag, length)
    }

    /// Reads the two zero octets that end an indefinite length (X.690 §8.1.5).
    ///
    /// Returns false, and reads nothing, if other octets follow.
    private mutating func takeEndOfContents(_ document: Span<UInt8>) throws(PaymentTokenError)
        -> Bool
    {
        guard limit - offset >= 2 else { throw PaymentTokenError(.truncated, offset: offset) }
        guard document[offset] == 0, document[offset + 1] == 0 else { return false }
        offset += 2
        return true
    }

    @inline(__always)
    private mutating func octet(_ document: Span<UInt8>) throws(PaymentTokenError) -> UInt8 {
        guard !isAtEnd else { throw PaymentTokenError(.truncated, offset: offset) }
        defer { offset += 1 }
        return document[offset]
    }
}
