import ApplePayAcceptance
import ApplePayLedger
import ApplePayPrimitives
import ApplePaySQLite
import Foundation

#if PostgreSQL
    import ApplePayPostgreSQL
#endif

/// The ledger under test, and the transactions to claim in it.
enum RaceLedger {
    /// The window of the ledgers under test in seconds, longer than any run.
    static let window = 86_400

    /// The account of the attempts.
    static let account = AttemptAccount(gateway: "sandbox", identifier: "", mode: .test)

    /// The path of this program, from which it starts further processes.
    static let program = ProcessInfo.processInfo.arguments[0]

    /// Returns whether a location is a URI or a string of libpq's `name=value` pairs.
    static func isDatabase(_ location: String) -> Bool {
        location.hasPrefix("postgresql://") || location.contains("=")
    }

    static func open(_ location: String, timeout: Int = 5) async throws -> any AttemptLedger {
        #if PostgreSQL
            if isDatabase(location) {
                return try await PostgreSQLLedger(location, timeout: timeout)
            }
        #endif
        return try await SQLiteLedger(location)
    }

    static func create(
        _ location: String,
        window: Int = window
    ) async throws -> any AttemptLedger {
        #if PostgreSQL
            if isDatabase(location) {
                return try await PostgreSQLLedger.create(location, window: window)
            }
        #endif
        return try await SQLiteLedger.create(location, window: window)
    }

    /// Returns the transaction with a number; the transactions of different groups differ.
    static func transaction(_ number: Int, of group: Int) throws -> TransactionIdentifier {
        // The first bytes vary, as in real identifiers.
        let first = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15
        let words = [first, UInt64(bitPattern: Int64(group)), 0, UInt64(bitPattern: Int64(number))]
        let bytes = words.flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
        guard let octets = Octets32(bytes.span) else { throw Failure("\(bytes) is no transaction") }
        return TransactionIdentifier(octets)
    }

    static func request(_ transaction: TransactionIdentifier) -> ClaimRequest {
        ClaimRequest(
            transaction: transaction, signingTime: AttemptRecord.second(Date()), window: window,
            isExpiring: true)
    }
}

/// A finding of the run, as a sentence.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
