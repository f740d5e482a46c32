/// Why the ephemeral key of a token does not agree with a merchant's key.
public struct KeyAgreementError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The ephemeral public key is not a point of P-256.
        case invalidPoint = "invalid-point"

        /// libcrypto failed for a reason of its own.
        case libraryFailure = "library-failure"
    }

    /// What is wrong.
    public let code: Code

    /// Makes an error.
    package init(_ code: Code) {
        self.code = code
    }

    /// One sentence for people.
    public var description: String {
        switch code {
        case .invalidPoint: "The token's ephemeralPublicKey is not a point of the curve P-256."
        case .libraryFailure: "libcrypto failed while the content key was restored."
        }
    }
}
