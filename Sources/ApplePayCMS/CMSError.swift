/// Why the bytes of `signature` are not a CMS SignedData of the form that Apple signs tokens with.
public struct CMSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The bytes end inside an element, or an element is longer than what contains it.
        case truncated = "truncated"

        /// An element has another tag than the one that must stand there.
        case unexpectedTag = "unexpected-tag"

        /// A length is not in its shortest form, or indefinite where it must be definite.
        case invalidLength = "invalid-length"

        /// Something follows where nothing may.
        case trailingBytes = "trailing-bytes"

        /// Indefinite lengths are nested too deep.
        case depthExceeded = "depth-exceeded"

        /// The content type is not id-signedData.
        case notSignedData = "not-signed-data"

        /// SignedData or SignerInfo has another version than 1.
        case unsupportedVersion = "unsupported-version"

        /// A digest algorithm is not SHA-256, or there is not exactly one.
        case unsupportedDigestAlgorithm = "unsupported-digest-algorithm"

        /// The encapsulated content is not of the type id-data.
        case unsupportedContentType = "unsupported-content-type"

        /// The signature carries a content of its own, which nobody may trust.
        case attachedContent = "attached-content"

        /// There is no certificate.
        case noCertificates = "no-certificates"

        /// There are more certificates than anyone needs.
        case tooManyCertificates = "too-many-certificates"

        /// A certificate is not X.509 version 3 in DER, as far as it is read here.
        case malformedCertificate = "malformed-certificate"

        /// There is not exactly one signer.
        case signerCount = "signer-count"

        /// The signer is not named by issuer and serial number.
        case unsupportedSignerIdentifier = "unsupported-signer-identifier"

        /// There are no signed attributes.
        case signedAttributesMissing = "signed-attributes-missing"

        /// The signed attributes are not DER, or not in the order that DER wants.
        case signedAttributesNotDER = "signed-attributes-not-der"

        /// There are more signed attributes than anyone needs.
        case tooManyAttributes = "too-many-attributes"

        /// A signed attribute stands twice.
        case attributeRepeated = "attribute-repeated"

        /// A signed attribute does not have exactly one value.
        case attributeValueCount = "attribute-value-count"

        /// contentType, messageDigest or signingTime is missing.
        case attributeMissing = "attribute-missing"

        /// The attribute contentType is not the type of the encapsulated content.
        case contentTypeMismatch = "content-type-mismatch"

        /// The attribute messageDigest is not 32 bytes.
        case invalidMessageDigest = "invalid-message-digest"

        /// The attribute signingTime is not a UTCTime or GeneralizedTime to the second, in UTC.
        case invalidSigningTime = "invalid-signing-time"

        /// CMSAlgorithmProtection names other algorithms than the signer does.
        case algorithmProtectionMismatch = "algorithm-protection-mismatch"

        /// The signature algorithm is neither ecdsa-with-SHA256 nor sha256WithRSAEncryption.
        case unsupportedSignatureAlgorithm = "unsupported-signature-algorithm"

        /// The signature value is empty or longer than any signature used here.
        case invalidSignatureValue = "invalid-signature-value"
    }

    /// What is wrong.
    public let code: Code

    /// Where, as an offset into the decoded `signature`.
    public let offset: Int

    init(_ code: Code, _ offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// One sentence for people.
    public var description: String {
        let reason =
            switch code {
            case .truncated: "it ends too early"
            case .unexpectedTag: "an element is not of the expected kind"
            case .invalidLength: "a length is not in the required form"
            case .trailingBytes: "something follows where nothing may"
            case .depthExceeded: "it is nested too deep"
            case .notSignedData: "it is not signed data"
            case .unsupportedVersion: "its version is not 1"
            case .unsupportedDigestAlgorithm: "its digest is not SHA-256 alone"
            case .unsupportedContentType: "the content type is not id-data"
            case .attachedContent: "it carries a content of its own"
            case .noCertificates: "it carries no certificate"
            case .tooManyCertificates: "it carries too many certificates"
            case .malformedCertificate: "a certificate is malformed"
            case .signerCount: "it has not exactly one signer"
            case .unsupportedSignerIdentifier:
                "the signer is not named by issuer and serial number"
            case .signedAttributesMissing: "it has no signed attributes"
            case .signedAttributesNotDER: "the signed attributes are not in DER"
            case .tooManyAttributes: "it has too many signed attributes"
            case .attributeRepeated: "a signed attribute stands twice"
            case .attributeValueCount: "a signed attribute has not exactly one value"
            case .attributeMissing: "contentType, messageDigest or signingTime is missing"
            case .contentTypeMismatch: "the signed content type is another"
            case .invalidMessageDigest: "the message digest is not of 32 bytes"
            case .invalidSigningTime: "the signing time is not a time"
            case .algorithmProtectionMismatch: "the protected algorithms are others"
            case .unsupportedSignatureAlgorithm: "the signature algorithm is not one of Apple's"
            case .invalidSignatureValue: "the signature value has an impossible length"
            }
        return "The signature is not one that Apple makes: \(reason) (byte \(offset))."
    }
}
