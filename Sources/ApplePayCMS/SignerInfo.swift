/// Who signed, what and how.
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
/// Source: RFC 5652 §5.3, of whose choices Apple uses these.
package struct SignerInfo: Sendable {
    /// The encoding of the name of the signer's issuer.
    package var issuer: ArraySlice<UInt8> { document[issuerRange] }

    /// The contents of the signer's serial number.
    package var serialNumber: ArraySlice<UInt8> { document[serialNumberRange] }

    /// The signed attributes as they were sent; what is signed has the tag 0x31 in place of the first byte.
    package var signedAttributes: ArraySlice<UInt8> { document[signedAttributesRange] }

    /// The messageDigest attribute: 32 bytes.
    package var messageDigest: ArraySlice<UInt8> { document[messageDigestRange] }

    /// The signingTime attribute.
    package let signingTime: ASN1Time

    /// How the attributes are signed.
    package let signatureAlgorithm: SignatureAlgorithm

    /// The signature value.
    package var signatureValue: ArraySlice<UInt8> { document[signatureValueRange] }

    // Positions instead of slices: one reference to count, not five.
    private let document: ArraySlice<UInt8>
    private let issuerRange: Range<Int>
    private let serialNumberRange: Range<Int>
    private let signedAttributesRange: Range<Int>
    private let messageDigestRange: Range<Int>
    private let signatureValueRange: Range<Int>

    /// RSA with 8192 bits has this many bytes; Apple's have 256.
    private static let maximumSignatureCount = 1024

    init(contents: consuming ASN1Reader) throws(CMSError) {
        var members = contents
        document = members.document
        let version = try members.element(.integer)
        guard members.contents(of: version, are: [1]) else {
            throw CMSError(.unsupportedVersion, version.offset)
        }
        guard members.nextTag != .primitiveContext(0), members.nextTag != .context(0) else {
            throw CMSError(.unsupportedSignerIdentifier, members.offset)
        }
        var identifier = members.contents(of: try members.element(.sequence))
        issuerRange = try identifier.element(.sequence).encoding
        serialNumberRange = try identifier.element(.integer).content
        try identifier.end()

        let digestAlgorithm = try AlgorithmIdentifier(&members)
        guard digestAlgorithm.isSHA256 else {
            throw CMSError(.unsupportedDigestAlgorithm, digestAlgorithm.offset)
        }
        guard members.nextTag == .context(0) else {
            throw CMSError(.signedAttributesMissing, members.offset)
        }
        let attributes = try SignedAttributes(&members)
        let algorithm = try AlgorithmIdentifier(&members)
        guard let signatureAlgorithm = algorithm.signatureAlgorithm else {
            throw CMSError(.unsupportedSignatureAlgorithm, algorithm.offset)
        }
        self.signatureAlgorithm = signatureAlgorithm
        let signature = try members.element(.octetString)
        guard (1...Self.maximumSignatureCount).contains(signature.content.count) else {
            throw CMSError(.invalidSignatureValue, signature.offset)
        }
        signatureValueRange = signature.content
        if members.nextTag == .context(1) {
            // Not signed, so of no meaning to us; only its bounds are read.
            _ = try members.elementOfAnyLength(.context(1))
        }
        try members.end()

        signedAttributesRange = attributes.encoding
        messageDigestRange = try Self.messageDigest(attributes)
        signingTime = try Self.signingTime(attributes, in: document)
        try Self.checkContentType(attributes, members)
        try Self.checkAlgorithmProtection(attributes, signatureAlgorithm, members)
    }

    private static func messageDigest(
        _ attributes: SignedAttributes
    ) throws(CMSError) -> Range<Int> {
        let value = attributes.messageDigest
        guard value.tag == .octetString, value.content.count == 32 else {
            throw CMSError(.invalidMessageDigest, value.offset)
        }
        return value.content
    }

    private static func signingTime(
        _ attributes: SignedAttributes,
        in document: ArraySlice<UInt8>
    ) throws(CMSError) -> ASN1Time {
        guard let time = ASN1Time(attributes.signingTime, in: document) else {
            throw CMSError(.invalidSigningTime, attributes.signingTime.offset)
        }
        return time
    }

    /// RFC 5652 §11.1: the attribute must match the type of the encapsulated content.
    private static func checkContentType(
        _ attributes: SignedAttributes,
        _ reader: borrowing ASN1Reader
    ) throws(CMSError) {
        let value = attributes.contentType
        guard value.tag == .objectIdentifier,
            reader.contents(of: value, are: ObjectIdentifiers.data)
        else { throw CMSError(.contentTypeMismatch, value.offset) }
    }

    /// The algorithms once more, signed this time.
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
        _ reader: borrowing ASN1Reader
    ) throws(CMSError) {
        guard let value = attributes.algorithmProtection else { return }
        guard value.tag == .sequence else {
            throw CMSError(.algorithmProtectionMismatch, value.offset)
        }
        var members = reader.contents(of: value)
        let digest = try AlgorithmIdentifier(&members)
        guard digest.isSHA256, members.nextTag == .context(1) else {
            throw CMSError(.algorithmProtectionMismatch, value.offset)
        }
        let signature = try AlgorithmIdentifier(&members, .context(1))
        guard signature.signatureAlgorithm == signatureAlgorithm, members.isAtEnd else {
            throw CMSError(.algorithmProtectionMismatch, value.offset)
        }
    }
}
