internal import ApplePayWire

/// One element, as positions in the document it stands in.
///
/// It holds no reference to the document: a message has some eighty elements, and counting
/// references for each would cost more than reading them. Four words, which travel in registers.
struct ASN1Element {
    /// The identifier octet.
    let tag: ASN1Tag

    /// Whether the length is indefinite, so that two octets of end-of-contents follow the contents.
    private let isIndefinite: Bool

    /// Where the element begins in the document.
    let offset: Int

    private let contentStart: Int
    private let end: Int

    /// An element from `offset` to `end`, its end-of-contents included.
    init(
        _ tag: ASN1Tag,
        from offset: Int,
        contentStart: Int,
        to end: Int,
        isIndefinite: Bool = false
    ) {
        self.tag = tag
        self.offset = offset
        self.contentStart = contentStart
        self.end = end
        self.isIndefinite = isIndefinite
    }

    /// Identifier, length and contents octets, and the end-of-contents where there is one.
    var encoding: Range<Int> { offset..<end }

    /// The contents octets.
    var content: Range<Int> { contentStart..<(isIndefinite ? end - 2 : end) }

    /// Whether the contents octets are these.
    func holds<let count: Int>(
        _ octets: InlineArray<count, UInt8>,
        _ document: Span<UInt8>
    ) -> Bool {
        octets.equals(document.extracting(content))
    }
}
