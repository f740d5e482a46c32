/// One element: its contents and all of its encoding, both parts of the document it stands in.
struct ASN1Element {
    let tag: ASN1Tag

    /// The contents octets; indices are those of the whole document.
    let content: ArraySlice<UInt8>

    /// Identifier, length and contents octets, and the end-of-contents where there is one.
    let encoding: ArraySlice<UInt8>

    /// Where the element begins in the document.
    var offset: Int { encoding.startIndex }
}
