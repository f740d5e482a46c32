public import ApplePayToken
public import FoundationEssentials

/// The part of a decrypted payment that a ledger needs to claim its transaction.
public struct ClaimRequest: Hashable, Sendable {
    /// The transaction.
    public let transaction: TransactionIdentifier

    /// When Apple signed the token, to the second.
    public let signingTime: Date

    /// How many seconds after its signing the token was let in at most.
    public let window: Int

    /// Whether the claim may be forgotten once its token is too old for the ledger's window: only if
    /// the token's age was counted by the clock.
    public let isExpiring: Bool

    /// Reads what a ledger must know from an opened payment.
    ///
    /// A `VerifiedToken` is not enough: until the token is decrypted its transactionId may be another one
    /// than Apple's, see `VerifiedToken`.
    ///
    /// - Parameter payment: The opened payment.
    public init(_ payment: Payment) {
        let token = payment.token
        self.init(
            transaction: TransactionIdentifier(token.token.transactionIdOctets),
            signingTime: token.signature.signingTime,
            window: token.signature.window.maximumAge,
            isExpiring: token.signature.agePolicy == .now
        )
    }

    /// A request without a token, for tests of ledgers.
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
    /// Whole seconds since 1970; the nearest that a number can hold.
    package var secondsSince1970: Int64 {
        Int64(exactly: timeIntervalSince1970.rounded(.down))
            ?? (timeIntervalSince1970 > 0 ? .max : .min)
    }
}
