import ApplePayLedger
import ApplePayToken
import Foundation

#if PostgreSQL
    import ApplePayPostgreSQL
#endif

/// The ledger under test, and the transactions that are claimed in it.
enum RaceLedger {
    /// The window that the ledgers under test are made for: longer than any run.
    static let window = 86_400

    /// This program, for the processes that it starts.
    static let program = ProcessInfo.processInfo.arguments[0]

    /// A URI or libpq's `name=value` pairs.
    static func isDatabase(_ location: String) -> Bool {
        location.hasPrefix("postgresql://") || location.contains("=")
    }

    static func open(_ location: String, timeout: Int = 5) async throws -> any ReplayLedger {
        #if PostgreSQL
            if isDatabase(location) {
                return try await PostgreSQLLedger(location, timeout: timeout)
            }
        #endif
        return try await FileLedger(location)
    }

    static func create(_ location: String) async throws -> any ReplayLedger {
        #if PostgreSQL
            if isDatabase(location) {
                return try await PostgreSQLLedger.create(location, window: window)
            }
        #endif
        return try await FileLedger.create(location, window: window)
    }

    /// The transaction of a number, the numbers of a group apart from those of another.
    static func transaction(_ number: Int, of group: Int) throws -> TransactionIdentifier {
        // Spread over all first bytes, as real identifiers are.
        let first = String(format: "%016lx", UInt(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15)
        let text = first + String(format: "%016lx%032lx", group, number)
        guard let transaction = TransactionIdentifier(hexadecimal: text) else {
            throw Failure("\(text) is no transaction")
        }
        return transaction
    }

    static func request(
        _ transaction: TransactionIdentifier,
        isExpiring: Bool = true
    ) -> ClaimRequest {
        ClaimRequest(
            transaction: transaction, signingTime: Date(), window: window, isExpiring: isExpiring)
    }
}

/// What the run found wrong.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
