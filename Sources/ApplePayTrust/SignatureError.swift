/// Why a signature by a trusted signer does not hold for the token.
public struct SignatureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The signature's algorithm is not the one that belongs to the token's version.
        case algorithmMismatch = "algorithm-mismatch"

        /// The messageDigest attribute is not the SHA-256 of the token's signed fields.
        case messageDigestMismatch = "message-digest-mismatch"

        /// The signature value is not the signer's over the signed attributes.
        case signatureMismatch = "signature-mismatch"

        /// The signer's certificate is not for the environment that the caller requires.
        case environmentMismatch = "environment-mismatch"

        /// libcrypto failed for a reason of its own.
        case libraryFailure = "library-failure"
    }

    /// What is wrong.
    public let code: Code

    /// The environment that the signer's name indicates, when it is not the required one.
    public let environment: SigningEnvironment?

    init(_ code: Code, environment: SigningEnvironment? = nil) {
        self.code = code
        self.environment = environment
    }

    /// One sentence for people.
    public var description: String {
        switch code {
        case .algorithmMismatch: "The signature algorithm is not the one of the token's version."
        case .messageDigestMismatch:
            "The signature is for other contents: key, data, transactionId or applicationData differ."
        case .signatureMismatch: "The signature value does not verify with the signer's key."
        case .environmentMismatch:
            "The signer's certificate is not for the required environment: its name indicates "
                + "\(environment.map { $0 == .unknown ? "none" : $0.rawValue } ?? "another")."
        case .libraryFailure: "libcrypto failed while the signature was checked."
        }
    }
}
