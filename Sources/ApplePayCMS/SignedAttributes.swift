/// What the signer signed beside the message.
///
///     SignedAttributes ::= SET SIZE (1..MAX) OF Attribute
///     Attribute ::= SEQUENCE {
///         attrType    OBJECT IDENTIFIER,
///         attrValues  SET OF AttributeValue }
///
/// Source: RFC 5652 §5.3 and §11.
struct SignedAttributes {
    /// Apple signs four.
    private static let maximumCount = 16

    /// The encoding as it was sent, under the tag [0].
    let encoding: ArraySlice<UInt8>

    let contentType: ASN1Element
    let messageDigest: ASN1Element
    let signingTime: ASN1Element
    let algorithmProtection: ASN1Element?

    /// Reads the element [0] of a SignerInfo.
    ///
    /// The digest is over the DER of the SET; what was sent must therefore be that DER, ascending
    /// order included, or the digest would be over something that nobody sent.
    init(_ element: ASN1Element) throws(CMSError) {
        guard DERStructure.isValid(element.encoding) else {
            throw CMSError(.signedAttributesNotDER, element.offset)
        }
        encoding = element.encoding
        var contentType: ASN1Element?
        var messageDigest: ASN1Element?
        var signingTime: ASN1Element?
        var algorithmProtection: ASN1Element?
        var types: [ArraySlice<UInt8>] = []
        var previous: ArraySlice<UInt8> = []
        var reader = ASN1Reader(element.content)
        while !reader.isAtEnd {
            let attribute = try reader.element(.sequence)
            guard types.count < Self.maximumCount else {
                throw CMSError(.tooManyAttributes, attribute.offset)
            }
            // X.690 §11.6: ascending as octet strings.
            guard previous.lexicographicallyPrecedes(attribute.encoding) else {
                throw CMSError(
                    previous == attribute.encoding ? .attributeRepeated : .signedAttributesNotDER,
                    attribute.offset)
            }
            previous = attribute.encoding
            var members = ASN1Reader(attribute.content)
            let type = try members.element(.objectIdentifier).content
            let values = try members.element(.set)
            try members.end()
            guard !types.contains(type) else {
                throw CMSError(.attributeRepeated, attribute.offset)
            }
            types.append(type)
            if type.elementsEqual(ObjectIdentifiers.contentType) {
                contentType = try Self.value(values)
            } else if type.elementsEqual(ObjectIdentifiers.messageDigest) {
                messageDigest = try Self.value(values)
            } else if type.elementsEqual(ObjectIdentifiers.signingTime) {
                signingTime = try Self.value(values)
            } else if type.elementsEqual(ObjectIdentifiers.algorithmProtection) {
                algorithmProtection = try Self.value(values)
            }
        }
        guard let contentType, let messageDigest, let signingTime else {
            throw CMSError(.attributeMissing, element.offset)
        }
        self.contentType = contentType
        self.messageDigest = messageDigest
        self.signingTime = signingTime
        self.algorithmProtection = algorithmProtection
    }

    private static func value(_ values: ASN1Element) throws(CMSError) -> ASN1Element {
        var reader = ASN1Reader(values.content)
        guard !reader.isAtEnd else { throw CMSError(.attributeValueCount, values.offset) }
        let value = try reader.element()
        guard reader.isAtEnd else { throw CMSError(.attributeValueCount, values.offset) }
        return value
    }
}
