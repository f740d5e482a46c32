public import FoundationEssentials

/// The proof that Apple signed a message: only `SignatureVerifier` creates one.
public struct VerifiedSignature: Hashable, Sendable {
    /// When the token was signed, by Apple's clock, to the second.
    public let signingTime: Date

    /// The certificate whose key signed the token.
    public let signer: SignerCertificate

    /// The last second of the validity of the intermediate that issued ``signer``.
    package let intermediateEnd: Date

    /// What the caller stated about the token's age, and the check was held to.
    public let agePolicy: AgePolicy

    /// The time of receipt from which the age was counted: the clock's or the stated one; nil when the
    /// age does not matter.
    public let receiptTime: Date?

    /// How far signing and receipt were allowed to lie apart.
    public let window: FreshnessWindow

    /// The environment that the signer's common name indicates, by Apple's convention.
    public var environment: SigningEnvironment { signer.environment }
}

/// How old a token may be when it is used: a statement by the caller, recorded in the result.
public enum AgePolicy: Hashable, Sendable {
    /// The token was received now, by the clock of this machine.
    case now

    /// The merchant's server received the token at this time; the window is counted from it.
    ///
    /// For a token that waited in a queue this is when it came in, not when its turn came.
    case received(at: Date)

    /// The age does not matter, as for a token from an archive or a dispute.
    case anyAge
}

/// The seconds by which the signing time may differ from the time of receipt, both ends included.
///
/// Source: Apple, *Payment token format reference*, "verify the signature", step 1.e: a difference
/// of more than five minutes may be a replay.
public struct FreshnessWindow: Hashable, Sendable {
    /// How long before its receipt a token may have been signed, in seconds; 300 by default.
    public let maximumAge: Int

    /// How far ahead of the receiver's clock the signing time may be, in seconds; 300 by default.
    public let maximumSkew: Int

    /// Makes a window; a negative number of seconds counts as none.
    ///
    /// - Parameters:
    ///   - maximumAge: Seconds before the receipt.
    ///   - maximumSkew: Seconds after the receipt.
    public init(maximumAge: Int = 300, maximumSkew: Int = 300) {
        self.maximumAge = max(maximumAge, 0)
        self.maximumSkew = max(maximumSkew, 0)
    }
}
