/// One success of claiming: who has it may charge, and then confirm or release this claim and no other.
///
/// A transaction that was released and claimed again has another claim, so a release that is sent
/// twice cannot take away what somebody else claimed in between.
public struct Claim: Hashable, Sendable {
    /// What was claimed.
    public let transaction: TransactionIdentifier

    /// What tells this claim from every other: 32 small hexadecimal digits, drawn at random.
    public let serial: String

    /// Puts a claim together again, as from a record of your own.
    ///
    /// - Parameters:
    ///   - transaction: What was claimed.
    ///   - serial: The claim's serial; one that no ledger gave names no claim.
    public init(transaction: TransactionIdentifier, serial: String) {
        self.transaction = transaction
        self.serial = serial
    }

    /// A new claim.
    package init(_ transaction: TransactionIdentifier) {
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
