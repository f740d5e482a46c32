public import FoundationEssentials

/// The proof that Apple signed a message; only `SignatureVerifier` creates one.
public struct VerifiedSignature: Hashable, Sendable {
    /// The time at which the token was signed, by Apple's clock, to the second.
    public let signingTime: Date

    /// The certificate whose key signed the token.
    public let signer: SignerCertificate

    /// The last second of the validity of the intermediate that issued ``signer``.
    package let intermediateEnd: Date

    /// The age policy that the caller stated and the verifier applied.
    public let agePolicy: AgePolicy

    /// The time of receipt with which the signing time was compared; nil when the age does not matter.
    ///
    /// It is the current time or the time that the caller stated.
    public let receiptTime: Date?

    /// The longest permitted time between signing and receipt.
    public let window: FreshnessWindow

    /// The environment that the signer's common name indicates, by Apple's convention.
    public var environment: SigningEnvironment { signer.environment }
}

/// The time of receipt that determines a token's age; the result records it.
public enum AgePolicy: Hashable, Sendable {
    /// The token was received now, by the clock of this machine.
    case now

    /// The merchant's server received the token at this time, with which the signing time is compared.
    ///
    /// For a token from a queue, this is the time at which it arrived, not the time at which it is processed.
    case received(at: Date)

    /// The age does not matter, as for a token from an archive or a dispute.
    case anyAge
}

/// The seconds by which the signing time may differ from the time of receipt, including both limits.
///
/// Source: Apple, *Payment token format reference*, "verify the signature", step 1.e: a difference
/// of more than five minutes may be a replay.
public struct FreshnessWindow: Hashable, Sendable {
    /// The maximum number of seconds by which the signing time may precede the receipt; 300 by default.
    public let maximumAge: Int

    /// The maximum number of seconds by which the signing time may follow the receipt; 300 by default.
    public let maximumSkew: Int

    /// Creates a window; a negative number of seconds counts as 0.
    ///
    /// - Parameters:
    ///   - maximumAge: The seconds by which the signing time may precede the receipt.
    ///   - maximumSkew: The seconds by which the signing time may follow the receipt.
    public init(maximumAge: Int = 300, maximumSkew: Int = 300) {
        self.maximumAge = max(maximumAge, 0)
        self.maximumSkew = max(maximumSkew, 0)
    }
}
