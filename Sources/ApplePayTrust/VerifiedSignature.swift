public import FoundationEssentials

/// The proof that Apple signed a message: only ``SignatureVerifier`` makes one.
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
