/// A granted claim: its owner may charge, and then confirms or releases this claim and no other.
///
/// A transaction that was released and claimed again has another claim, so a release that is sent
/// twice cannot remove what another caller claimed in between.
public struct Claim: Hashable, Sendable {
    /// The transaction.
    public let transaction: TransactionIdentifier

    /// Distinguishes this claim from every other: 32 lower-case hexadecimal digits, chosen at random.
    public let serial: String

    /// Puts a claim together again, as from a record of your own.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - serial: The claim's serial; one that no ledger gave names no claim.
    public init(transaction: TransactionIdentifier, serial: String) {
        self.transaction = transaction
        self.serial = serial
    }

    /// Creates a new claim with a random serial; a ledger of your own calls this once per granted request.
    ///
    /// - Parameter transaction: The transaction.
    public init(transaction: TransactionIdentifier) {
        self.init(transaction: transaction, serial: Self.newSerial())
    }

    /// 128 random bits in hexadecimal.
    package static func newSerial() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
