internal import ApplePayPrimitives

/// Why the ephemeral key of a token does not agree with a merchant's key.
public struct KeyAgreementError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The ephemeral public key is not a point of P-256.
        case invalidPoint = "invalid-point"

        /// The merchant's key cannot be used now: its device, such as an HSM, fails, or the key still
        /// awaits its certificate.
        case keyUnavailable = "key-unavailable"

        /// libcrypto failed for a reason of its own.
        case libraryFailure = "library-failure"
    }

    /// What is wrong.
    public let code: Code

    /// What the key's device says; nil for the other codes, and for a key that awaits its certificate.
    public let device: String?

    /// Makes an error.
    package init(_ code: Code, device: String? = nil) {
        self.code = code
        self.device = device
    }

    /// What a primitive's error says of a key agreement.
    init(of error: PrimitivesError) {
        switch error {
        case .invalidPoint: self.init(.invalidPoint)
        case .keyUnavailable(let device): self.init(.keyUnavailable, device: device)
        default: self.init(.libraryFailure)
        }
    }

    /// One sentence for people.
    public var description: String {
        switch code {
        case .invalidPoint: "The token's ephemeralPublicKey is not a point of the curve P-256."
        case .keyUnavailable:
            "The merchant's key cannot be used now: "
                + (device
                    ?? "its certificate is not loaded, so its merchant identifier is not known")
                + "."
        case .libraryFailure: "libcrypto failed while the content key was restored."
        }
    }
}
