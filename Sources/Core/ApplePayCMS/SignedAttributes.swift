internal import ApplePayPrimitives
internal import ApplePayWire

/// The attributes that the signer signs; one of them contains the digest of the message.
///
///     SignedAttributes ::= SET SIZE (1..MAX) OF Attribute
///     Attribute ::= SEQUENCE {
///         attrType    OBJECT IDENTIFIER,
///         attrValues  SET OF AttributeValue }
///
/// Source: RFC 5652 §5.3 and §11.
struct SignedAttributes {
    /// The maximum number of attributes; Apple signs four.
    private static let maximumCount = 16

    /// The range of the encoding as it was sent, with the tag [0].
    let encoding: Range<Int>

    let contentType: ASN1Element
    let messageDigest: ASN1Element
    let signingTime: ASN1Element
    let algorithmProtection: ASN1Element?

    /// Reads the element [0] of a SignerInfo.
    ///
    /// The signature covers the DER encoding of the SET. The attributes must therefore be sent in DER, including its
    /// ascending order; otherwise the signature would be verified over other bytes than those sent.
    init(_ members: inout ASN1Reader, _ document: Span<UInt8>) throws(PaymentTokenError) {
        let element = try members.element(.context(0), document)
        guard DERStructure.isValid(element.encoding, in: document) else {
            throw PaymentTokenError(.signedAttributesNotDER, offset: element.offset)
        }
        encoding = element.encoding
        var contentType: ASN1Element?
        var messageDigest: ASN1Element?
        var signingTime: ASN1Element?
        var algorithmProtection: ASN1Element?
        // Apple does not sign other attributes, so this array is not allocated for its signatures.
        var otherTypes: [Range<Int>] = []
        var previous = element.content.lowerBound..<element.content.lowerBound
        var count = 0
        var reader = ASN1Reader(element)
        while !reader.isAtEnd {
            let attribute = try reader.element(.sequence, document)
            count += 1
            guard count <= Self.maximumCount else {
                throw PaymentTokenError(.tooManyAttributes, offset: attribute.offset)
            }
            // X.690 §11.6: the attributes are in ascending order, compared as octet strings.
            guard Self.precedes(previous, attribute.encoding, in: document) else {
                let isRepeated = Self.areEqual(previous, attribute.encoding, in: document)
                throw PaymentTokenError(
                    isRepeated ? .attributeRepeated : .signedAttributesNotDER,
                    offset: attribute.offset)
            }
            previous = attribute.encoding
            var members = ASN1Reader(attribute)
            let type = try members.element(.objectIdentifier, document)
            let values = try members.element(.set, document)
            try members.end()
            let repeated = PaymentTokenError(.attributeRepeated, offset: attribute.offset)
            if type.contentEquals(ObjectIdentifiers.contentType, document) {
                guard contentType == nil else { throw repeated }
                contentType = try Self.value(values, document)
            } else if type.contentEquals(ObjectIdentifiers.messageDigest, document) {
                guard messageDigest == nil else { throw repeated }
                messageDigest = try Self.value(values, document)
            } else if type.contentEquals(ObjectIdentifiers.signingTime, document) {
                guard signingTime == nil else { throw repeated }
                signingTime = try Self.value(values, document)
            } else if type.contentEquals(ObjectIdentifiers.algorithmProtection, document) {
                guard algorithmProtection == nil else { throw repeated }
                algorithmProtection = try Self.value(values, document)
            } else {
                for other in otherTypes where Self.areEqual(other, type.content, in: document) {
                    throw repeated
                }
                otherTypes.append(type.content)
            }
        }
        guard let contentType, let messageDigest, let signingTime else {
            throw PaymentTokenError(.attributeMissing, offset: element.offset)
        }
        self.contentType = contentType
        self.messageDigest = messageDigest
        self.signingTime = signingTime
        self.algorithmProtection = algorithmProtection
    }

    /// Returns whether one encoding comes before another, compared octet by octet.
    private static func precedes(
        _ left: Range<Int>,
        _ right: Range<Int>,
        in document: Span<UInt8>
    ) -> Bool {
        for offset in 0..<min(left.count, right.count) {
            let first = document[left.lowerBound + offset]
            let second = document[right.lowerBound + offset]
            if first != second { return first < second }
        }
        return left.count < right.count
    }

    private static func areEqual(
        _ left: Range<Int>,
        _ right: Range<Int>,
        in document: Span<UInt8>
    ) -> Bool {
        ByteComparison.areEqual(document.extracting(left), document.extracting(right))
    }

    private static func value(
        _ values: ASN1Element,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) -> ASN1Element {
        var reader = ASN1Reader(values)
        guard !reader.isAtEnd else {
            throw PaymentTokenError(.attributeValueCount, offset: values.offset)
        }
        let value = try reader.element(document)
        guard reader.isAtEnd else {
            throw PaymentTokenError(.attributeValueCount, offset: values.offset)
        }
        return value
    }
}
