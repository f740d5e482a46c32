/// Why no valid chain leads from the certificate that signed to the trust anchor.
public struct ChainError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// No certificate in the signature has the issuer and serial number of the signer id.
        case signerCertificateMissing = "signer-certificate-missing"

        /// Two different certificates have the issuer and serial number of the signer id.
        case signerCertificateAmbiguous = "signer-certificate-ambiguous"

        /// No certificate in the signature has the name that the signer's certificate gives as its issuer.
        case intermediateMissing = "intermediate-missing"

        /// A certificate of the chain is not DER throughout.
        case certificateNotDER = "certificate-not-der"

        /// A certificate of the chain is not X.509 that OpenSSL reads.
        case malformedCertificate = "malformed-certificate"

        /// The signer's certificate lacks Apple's marker 1.2.840.113635.100.6.29.
        case signerMarkerMissing = "signer-marker-missing"

        /// The intermediate lacks Apple's marker 1.2.840.113635.100.6.2.14.
        case intermediateMarkerMissing = "intermediate-marker-missing"

        /// The signer's certificate is an authority's.
        case signerIsAuthority = "signer-is-authority"

        /// The signer's key usage is absent, lacks digitalSignature, or allows signing certificates or revocation lists.
        case signerKeyUsage = "signer-key-usage"

        /// The signer's key is not of the kind that the token's version asks for: P-256 or RSA-2048.
        case signerKeyKind = "signer-key-kind"

        /// The intermediate is not a certificate authority.
        case intermediateNotAuthority = "intermediate-not-authority"

        /// The intermediate's key usage is absent or lacks keyCertSign.
        case intermediateKeyUsage = "intermediate-key-usage"

        /// The intermediate's key is not EC on P-256 or P-384.
        case intermediateKeyKind = "intermediate-key-kind"

        /// A certificate is signed otherwise than with ECDSA and SHA-256 or SHA-384.
        case certificateAlgorithm = "certificate-algorithm"

        /// The signing time lies outside the validity of a certificate.
        case outsideValidity = "outside-validity"

        /// Path validation finds no valid path of three to the anchor.
        case noPathToAnchor = "no-path-to-anchor"

        /// The signer's certificate or the intermediate is among those that the caller revoked.
        case certificateRevoked = "certificate-revoked"

        /// libcrypto failed for a reason of its own.
        case libraryFailure = "library-failure"
    }

    /// What is wrong.
    public let code: Code

    /// What OpenSSL's path validation reports when it refused, or by how much a limit was exceeded.
    public let reason: String?

    init(_ code: Code, reason: String? = nil) {
        self.code = code
        self.reason = reason
    }

    /// One sentence for people.
    public var description: String {
        let sentence =
            switch code {
            case .signerCertificateMissing:
                "The signature carries no certificate with the signer's issuer and serial number"
            case .signerCertificateAmbiguous:
                "Two certificates in the signature claim to be the signer's"
            case .intermediateMissing:
                "The signature carries no certificate of the authority that issued the signer's"
            case .certificateNotDER: "A certificate of the chain is not in DER"
            case .malformedCertificate: "A certificate of the chain is not readable"
            case .signerMarkerMissing:
                "The signer's certificate lacks Apple's marker 1.2.840.113635.100.6.29"
            case .intermediateMarkerMissing:
                "The intermediate lacks Apple's marker 1.2.840.113635.100.6.2.14"
            case .signerIsAuthority: "The signer's certificate is a certificate authority's"
            case .signerKeyUsage: "The signer's certificate is not for signing messages"
            case .signerKeyKind: "The signer's key is not of the kind that the token's version uses"
            case .intermediateNotAuthority: "The intermediate is not a certificate authority"
            case .intermediateKeyUsage: "The intermediate is not for signing certificates"
            case .intermediateKeyKind: "The intermediate's key is not P-256 or P-384"
            case .certificateAlgorithm:
                "A certificate of the chain is not signed with ECDSA and SHA-256 or SHA-384"
            case .outsideValidity: "A certificate of the chain was not valid at the signing time"
            case .noPathToAnchor: "No valid path leads from the signer to the trust anchor"
            case .certificateRevoked: "A certificate of the chain is revoked"
            case .libraryFailure: "libcrypto failed while the chain was checked"
            }
        return reason.map { "\(sentence): \($0)." } ?? "\(sentence)."
    }
}
