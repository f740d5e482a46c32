public import FoundationEssentials

/// The part of a decrypted payment that a ledger needs to claim its transaction.
public struct ClaimRequest: Hashable, Sendable {
    /// The transaction.
    public let transaction: TransactionIdentifier

    /// When Apple signed the token, to the second.
    public let signingTime: Date

    /// The greatest age in seconds, counted from the signing time, at which the token was accepted.
    public let window: Int

    /// Whether the ledger may forget the claim once its token is too old for the ledger's window: only if the token's
    /// age was computed with the clock, and not with a stated time.
    public let isExpiring: Bool

    /// Creates a request from an opened payment.
    ///
    /// A `VerifiedToken` is not enough: until the token is decrypted, its transactionId may differ from the one that
    /// Apple signed, see `VerifiedToken`.
    ///
    /// - Parameter payment: The opened payment.
    public init(_ payment: Payment) { self.init(unproven: payment.token) }

    /// Creates a request from a token that the gateway decrypts, whose transactionId is not proven.
    package init(unproven token: VerifiedToken) {
        self.init(
            transaction: TransactionIdentifier(token.parsed.transactionIdOctets),
            signingTime: token.signature.signingTime,
            window: token.signature.window.maximumAge,
            isExpiring: token.signature.agePolicy == .now
        )
    }

    /// Creates a request without a token, for tests of ledgers.
    package init(
        transaction: TransactionIdentifier,
        signingTime: Date,
        window: Int,
        isExpiring: Bool
    ) {
        self.transaction = transaction
        self.signingTime = signingTime
        self.window = window
        self.isExpiring = isExpiring
    }
}

extension Date {
    /// The date in whole seconds since 1970, rounded down and clamped to the range of `Int64`.
    package var secondsSince1970: Int64 {
        Int64(exactly: timeIntervalSince1970.rounded(.down))
            ?? (timeIntervalSince1970 > 0 ? .max : .min)
    }
}
