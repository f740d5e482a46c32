internal import ApplePayWire

/// One element, stored as positions in its document.
///
/// It does not refer to the document: a message has about eighty elements, and counting references for
/// each would cost more than reading them. The value has four words, so it is passed in registers.
struct ASN1Element {
    /// The identifier octet.
    let tag: ASN1Tag

    /// Whether the length is indefinite, so that two octets of end-of-contents follow the contents.
    private let isIndefinite: Bool

    /// The position of the element's first octet in the document.
    let offset: Int

    private let contentStart: Int
    private let end: Int

    /// Creates an element from `offset` to `end`, including its end-of-contents.
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

    /// The identifier, length and contents octets, and the end-of-contents if there is one.
    var encoding: Range<Int> { offset..<end }

    /// The contents octets.
    var content: Range<Int> { contentStart..<(isIndefinite ? end - 2 : end) }

    /// Returns whether the contents octets equal `octets`.
    func contentEquals<let count: Int>(
        _ octets: InlineArray<count, UInt8>,
        _ document: Span<UInt8>
    ) -> Bool {
        octets.equals(document.extracting(content))
    }
}
