internal import ApplePayPrimitives

/// Why the ephemeral key of a token does not agree with a merchant's key.
public struct KeyAgreementError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The ephemeral public key is not a point of P-256.
        case invalidPoint = "invalid-point"

        /// The device that holds the merchant's key, such as an HSM, cannot be used now.
        case keyUnavailable = "key-unavailable"

        /// libcrypto failed for a reason of its own.
        case libraryFailure = "library-failure"
    }

    /// What is wrong.
    public let code: Code

    /// What the key's device says; nil for the other codes.
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
            "The merchant's key cannot be used now: \(device ?? "its device is out")."
        case .libraryFailure: "libcrypto failed while the content key was restored."
        }
    }
}
