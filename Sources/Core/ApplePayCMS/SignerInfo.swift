internal import ApplePayWire

/// The signer, the signed attributes and the signature.
///
///     SignerInfo ::= SEQUENCE {
///         version             INTEGER { v1(1) },
///         sid                 IssuerAndSerialNumber,
///         digestAlgorithm     DigestAlgorithmIdentifier,
///         signedAttrs     [0] IMPLICIT SignedAttributes,
///         signatureAlgorithm  SignatureAlgorithmIdentifier,
///         signature           OCTET STRING,
///         unsignedAttrs   [1] IMPLICIT UnsignedAttributes OPTIONAL }
///
/// Source: RFC 5652 §5.3, restricted to the choices that Apple uses.
package struct SignerInfo: Sendable {
    // The properties are positions in the signature, as in Certificate.

    /// The range of the encoded name of the signer's issuer.
    package let issuer: Range<Int>

    /// The range of the contents octets of the signer's serial number.
    package let serialNumber: Range<Int>

    /// The range of the signed attributes as they were sent.
    ///
    /// To verify the signature, replace their first byte with the tag 0x31.
    package let signedAttributes: Range<Int>

    /// The range of the messageDigest attribute's value: 32 bytes.
    package let messageDigest: Range<Int>

    /// The value of the signingTime attribute.
    package let signingTime: ASN1Time

    /// The algorithm with which the attributes are signed.
    package let signatureAlgorithm: SignatureAlgorithm

    package let signatureValue: Range<Int>

    /// The maximum length of the signature in bytes, which fits RSA with 8192 bits; Apple's RSA keys need 256.
    private static let maximumSignatureCount = 1024

    init(_ element: ASN1Element, _ document: Span<UInt8>) throws(PaymentTokenError) {
        var members = ASN1Reader(element)
        let version = try members.element(.integer, document)
        guard version.contentEquals(SignedData.version1, document) else {
            throw PaymentTokenError(.unsupportedCMSVersion, offset: version.offset)
        }
        let next = members.nextTag(document)
        guard next != .primitiveContext(0), next != .context(0) else {
            throw PaymentTokenError(.unsupportedSignerIdentifier, offset: members.offset)
        }
        var identifier = ASN1Reader(try members.element(.sequence, document))
        issuer = try identifier.element(.sequence, document).encoding
        serialNumber = try identifier.element(.integer, document).content
        try identifier.end()

        let digestAlgorithm = try AlgorithmIdentifier(&members, document)
        guard digestAlgorithm.isSHA256 else {
            throw PaymentTokenError(.unsupportedDigestAlgorithm, offset: digestAlgorithm.offset)
        }
        guard members.nextTag(document) == .context(0) else {
            throw PaymentTokenError(.signedAttributesMissing, offset: members.offset)
        }
        let attributes = try SignedAttributes(&members, document)
        let algorithm = try AlgorithmIdentifier(&members, document)
        guard let signatureAlgorithm = algorithm.signatureAlgorithm else {
            throw PaymentTokenError(.unsupportedSignatureAlgorithm, offset: algorithm.offset)
        }
        self.signatureAlgorithm = signatureAlgorithm
        let signature = try members.element(.octetString, document)
        guard (1...Self.maximumSignatureCount).contains(signature.content.count) else {
            throw PaymentTokenError(.invalidSignatureValue, offset: signature.offset)
        }
        signatureValue = signature.content
        if members.nextTag(document) == .context(1) {
            // These attributes are not signed, so they are ignored; only their bounds are read.
            _ = try members.elementOfAnyLength(.context(1), document)
        }
        try members.end()

        signedAttributes = attributes.encoding
        let digest = attributes.messageDigest
        guard digest.tag == .octetString, digest.content.count == 32 else {
            throw PaymentTokenError(.invalidMessageDigest, offset: digest.offset)
        }
        messageDigest = digest.content
        guard let signingTime = ASN1Time(attributes.signingTime, document) else {
            throw PaymentTokenError(.invalidSigningTime, offset: attributes.signingTime.offset)
        }
        self.signingTime = signingTime
        try Self.checkContentType(attributes, document)
        try Self.checkAlgorithmProtection(attributes, signatureAlgorithm, document)
    }

    /// Checks that the attribute matches the type of the encapsulated content (RFC 5652 §11.1).
    private static func checkContentType(
        _ attributes: SignedAttributes,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) {
        let value = attributes.contentType
        guard value.tag == .objectIdentifier, value.contentEquals(ObjectIdentifiers.data, document)
        else {
            throw PaymentTokenError(.contentTypeMismatch, offset: value.offset)
        }
    }

    /// Checks that the algorithms match the signed attribute that repeats them.
    ///
    ///     CMSAlgorithmProtection ::= SEQUENCE {
    ///         digestAlgorithm         DigestAlgorithmIdentifier,
    ///         signatureAlgorithm  [1] SignatureAlgorithmIdentifier OPTIONAL,
    ///         macAlgorithm        [2] MessageAuthenticationCodeAlgorithm OPTIONAL }
    ///
    /// Source: RFC 6211 §2; NULL and absent parameters of SHA-256 count as equal.
    private static func checkAlgorithmProtection(
        _ attributes: SignedAttributes,
        _ signatureAlgorithm: SignatureAlgorithm,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) {
        guard let value = attributes.algorithmProtection else { return }
        guard value.tag == .sequence else {
            throw PaymentTokenError(.algorithmProtectionMismatch, offset: value.offset)
        }
        var members = ASN1Reader(value)
        let digest = try AlgorithmIdentifier(&members, document)
        guard digest.isSHA256, members.nextTag(document) == .context(1) else {
            throw PaymentTokenError(.algorithmProtectionMismatch, offset: value.offset)
        }
        let signature = try AlgorithmIdentifier(&members, tag: .context(1), document)
        guard signature.signatureAlgorithm == signatureAlgorithm, members.isAtEnd else {
            throw PaymentTokenError(.algorithmProtectionMismatch, offset: value.offset)
        }
    }
}
