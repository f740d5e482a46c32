public import ApplePayWire
public import FoundationEssentials

/// A claim: the right to charge a transaction, which one caller gets and which is final.
///
/// If its owner dies before the charge, the customer pays again, with another token and so another transaction.
public struct Claim: Hashable, Sendable {
    /// The transaction.
    public let transaction: TransactionIdentifier

    /// The serial that distinguishes this claim from all others: 32 lowercase hexadecimal digits; for a claim that was made
    /// together with an attempt to pay an order, that of the attempt.
    public let serial: ExactText

    /// When Apple signed the token, to the second.
    public let signingTime: Date

    /// Whether the ledger may forget the claim once its token is too old for the ledger's window.
    public let isExpiring: Bool

    /// Creates a claim from its stored members, for a ledger that you write.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - serial: The serial, 32 lowercase hexadecimal digits.
    ///   - signingTime: When Apple signed the token.
    ///   - isExpiring: Whether the ledger may forget the claim.
    public init(
        transaction: TransactionIdentifier, serial: ExactText, signingTime: Date, isExpiring: Bool
    ) {
        self.transaction = transaction
        self.serial = serial
        self.signingTime = signingTime
        self.isExpiring = isExpiring
    }

    /// Creates the claim that grants a request, for a ledger that you write.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serial: The serial of the attempt that begins with the claim; a new one, chosen at random, by default.
    public init(_ request: ClaimRequest, serial: ExactText? = nil) {
        self.init(
            transaction: request.transaction, serial: serial ?? Self.newSerial(),
            signingTime: request.signingTime, isExpiring: request.isExpiring)
    }

    /// Returns 128 random bits as 32 hexadecimal digits.
    package static func newSerial() -> ExactText {
        ExactText(
            (0..<2).map { _ in
                let digits = String(UInt64.random(in: .min ... .max), radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined())
    }
}
