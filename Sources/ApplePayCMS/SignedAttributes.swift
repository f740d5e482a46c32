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
    let encoding: Range<Int>

    let contentType: ASN1Element
    let messageDigest: ASN1Element
    let signingTime: ASN1Element
    let algorithmProtection: ASN1Element?

    /// Reads the element [0] of a SignerInfo.
    ///
    /// The digest is over the DER of the SET; what was sent must therefore be that DER, ascending
    /// order included, or the digest would be over something that nobody sent.
    init(_ members: inout ASN1Reader) throws(CMSError) {
        let element = try members.element(.context(0))
        let document = members.document
        guard DERStructure.isValid(document[element.encoding]) else {
            throw CMSError(.signedAttributesNotDER, element.offset)
        }
        encoding = element.encoding
        var contentType: ASN1Element?
        var messageDigest: ASN1Element?
        var signingTime: ASN1Element?
        var algorithmProtection: ASN1Element?
        // Apple signs no others, so that this array is never allocated.
        var otherTypes: [ArraySlice<UInt8>] = []
        var previous = element.content.lowerBound..<element.content.lowerBound
        var count = 0
        var reader = members.contents(of: element)
        while !reader.isAtEnd {
            let attribute = try reader.element(.sequence)
            count += 1
            guard count <= Self.maximumCount else {
                throw CMSError(.tooManyAttributes, attribute.offset)
            }
            // X.690 §11.6: ascending as octet strings.
            guard Self.precedes(previous, attribute.encoding, in: document) else {
                throw CMSError(
                    document[previous] == document[attribute.encoding]
                        ? .attributeRepeated : .signedAttributesNotDER,
                    attribute.offset)
            }
            previous = attribute.encoding
            var members = reader.contents(of: attribute)
            let type = try members.element(.objectIdentifier)
            let values = try members.element(.set)
            try members.end()
            let repeated = CMSError(.attributeRepeated, attribute.offset)
            if members.contents(of: type, are: ObjectIdentifiers.contentType) {
                guard contentType == nil else { throw repeated }
                contentType = try Self.value(members, values)
            } else if members.contents(of: type, are: ObjectIdentifiers.messageDigest) {
                guard messageDigest == nil else { throw repeated }
                messageDigest = try Self.value(members, values)
            } else if members.contents(of: type, are: ObjectIdentifiers.signingTime) {
                guard signingTime == nil else { throw repeated }
                signingTime = try Self.value(members, values)
            } else if members.contents(of: type, are: ObjectIdentifiers.algorithmProtection) {
                guard algorithmProtection == nil else { throw repeated }
                algorithmProtection = try Self.value(members, values)
            } else {
                guard !otherTypes.contains(document[type.content]) else { throw repeated }
                otherTypes.append(document[type.content])
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

    /// Whether one encoding comes before another, compared octet by octet.
    private static func precedes(
        _ left: Range<Int>,
        _ right: Range<Int>,
        in document: ArraySlice<UInt8>
    ) -> Bool {
        for (first, second) in zip(left, right) where document[first] != document[second] {
            return document[first] < document[second]
        }
        return left.count < right.count
    }

    private static func value(
        _ attribute: borrowing ASN1Reader,
        _ values: ASN1Element
    ) throws(CMSError) -> ASN1Element {
        var reader = attribute.contents(of: values)
        guard !reader.isAtEnd else { throw CMSError(.attributeValueCount, values.offset) }
        let value = try reader.element()
        guard reader.isAtEnd else { throw CMSError(.attributeValueCount, values.offset) }
        return value
    }
}
