/// One element, as positions in the document it stands in.
///
/// It holds no reference to the document: a message has some eighty elements, and counting
/// references for each would cost more than reading them.
struct ASN1Element {
    /// The identifier octet.
    let tag: ASN1Tag

    /// Identifier, length and contents octets, and the end-of-contents where there is one.
    let encoding: Range<Int>

    /// The contents octets.
    let content: Range<Int>

    /// Where the element begins in the document.
    var offset: Int { encoding.lowerBound }

    /// Whether the contents octets are these.
    func holds(_ octets: [UInt8], _ document: Span<UInt8>) -> Bool {
        guard content.count == octets.count else { return false }
        var index = content.lowerBound
        for octet in octets {
            guard document[index] == octet else { return false }
            index += 1
        }
        return true
    }
}
