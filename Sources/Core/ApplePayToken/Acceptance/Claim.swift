/// A granted claim: its owner may charge the transaction, and then confirms or releases exactly this claim.
///
/// A transaction that was released and claimed again has a claim with another serial. A release that is sent twice
/// therefore cannot remove the claim that another caller made in between.
public struct Claim: Hashable, Codable, Sendable {
    /// The transaction.
    public let transaction: TransactionIdentifier

    /// The serial that distinguishes this claim from all others: 32 lowercase hexadecimal digits, chosen at random.
    public let serial: String

    /// Creates a claim from a stored transaction and serial, for example from your own database.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - serial: The claim's serial; a serial that no ledger issued does not match any claim.
    public init(transaction: TransactionIdentifier, serial: String) {
        self.transaction = transaction
        self.serial = serial
    }

    /// Creates a claim with a new random serial; your own ledger calls this once per granted request.
    ///
    /// - Parameter transaction: The transaction.
    public init(transaction: TransactionIdentifier) {
        self.init(transaction: transaction, serial: Self.newSerial())
    }

    /// Returns 128 random bits as 32 hexadecimal digits.
    package static func newSerial() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
