/// The first check of a signature that failed, by its stage.
package enum TrustError: Error, Hashable, Sendable {
    /// The chain to the anchor.
    case chain(ChainError)

    /// The signature itself.
    case signature(SignatureError)

    /// The signing time.
    case signingTime(SigningTimeError)
}
