import ApplePayAcceptance
import ApplePayLedger
import ApplePayPrimitives
import ApplePayWire
import Foundation
import Testing

@testable import ApplePaySQLite

/// A ledger under test, with a clock that the test sets.
final class LedgerFixture: Sendable {
    /// The kinds of ledger that give the same guarantees.
    enum Kind: CaseIterable {
        case memory
        case sqlite
    }

    /// An attempt to pay an order, and the request for the transaction of its token.
    struct Attempt {
        let record: AttemptRecord
        let request: ClaimRequest

        var transaction: TransactionIdentifier { request.transaction }

        /// The claim with which the attempt begins.
        var claim: Claim { Claim(request, serial: record.serial) }
    }

    let ledger: any AttemptLedger
    let folder: URL

    /// The path of the SQLite ledger.
    var path: String { folder.appending(path: "ledger").path() }

    private let clock: Lock<Date>

    /// The signing time of the tests' tokens.
    static let signingTime = Date(timeIntervalSince1970: 1_800_000_000)

    /// The account of the tests' attempts.
    static let account = AttemptAccount(gateway: "adyen", identifier: "Shop", mode: .test)

    /// Creates a ledger; `limit` is the time within which an SQLite ledger answers, and `capacity` what one in memory
    /// remembers.
    init(
        _ kind: Kind, window: Int = 300, limit: Duration = .seconds(30), capacity: Int = 1_000
    ) async throws {
        let clock = Lock(Self.signingTime)
        self.clock = clock
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        switch kind {
        case .memory:
            ledger = InMemoryLedger(capacity: capacity, window: window) { clock.withLock { $0 } }
        case .sqlite:
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            let path = folder.appending(path: "ledger").path()
            try await SQLiteLedger.create(path, window: window)
            ledger = try await SQLiteLedger(path, limit: limit) { clock.withLock { $0 } }
        }
    }

    /// Returns another object for the same ledger, as another process has one; a ledger in memory has one object only.
    func another() async throws -> any AttemptLedger {
        guard ledger is SQLiteLedger else { return ledger }
        let clock = clock
        return try await SQLiteLedger(path, limit: .seconds(30)) { clock.withLock { $0 } }
    }

    /// Removes the ledger's folder.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Sets the ledger's clock to the given number of seconds after the signing time.
    func setAge(_ seconds: Int) {
        clock.withLock { $0 = Self.signingTime + Double(seconds) }
    }

    /// Returns the request of a token; the same number gives the same transaction.
    static func request(
        _ number: UInt8,
        window: Int = 300,
        isExpiring: Bool = true
    ) throws -> ClaimRequest {
        ClaimRequest(
            transaction: try transaction(number), signingTime: signingTime, window: window,
            isExpiring: isExpiring)
    }

    static func transaction(_ number: UInt8) throws -> TransactionIdentifier {
        try #require(
            TransactionIdentifier(
                hexadecimal: String(repeating: "0123456789aBcDeF", count: 4).dropLast(2)
                    + String(format: "%02X", number)))
    }

    /// Returns an attempt to pay an order whose token has the transaction with a number, which may be any.
    static func attempt(
        _ reference: ExactText, _ number: Int, seconds: Double = 0,
        account: AttemptAccount = account, sessionID: ExactText? = nil, contents: ExactText = "{}"
    ) throws -> Attempt {
        // The first bytes vary, as in real identifiers.
        let first = String(format: "%016lx", number &* 0x1E37_79B9_7F4A_7C15)
        let transaction = try #require(
            TransactionIdentifier(hexadecimal: first + String(format: "%048lx", number)))
        return Attempt(
            record: AttemptRecord(
                reference: reference, account: account, sessionID: sessionID,
                at: signingTime + seconds, contents: contents),
            request: ClaimRequest(
                transaction: transaction, signingTime: signingTime, window: 300, isExpiring: true)
        )
    }

    /// Begins an attempt after the order's last one, which must succeed, and returns it.
    static func begin(
        _ reference: ExactText, _ number: Int, seconds: Double = 0,
        account: AttemptAccount = account, sessionID: ExactText? = nil, in ledger: any AttemptLedger
    ) async throws -> Attempt {
        let attempt = try attempt(
            reference, number, seconds: seconds, account: account, sessionID: sessionID)
        let last = try await ledger.attempts(of: reference).last
        #expect(try await ledger.begin(attempt.record, claiming: attempt.request, after: last))
        return attempt
    }

    /// Replaces an attempt, which must succeed, and returns its successor.
    @discardableResult
    static func replace(
        _ record: AttemptRecord, in ledger: any AttemptLedger, seconds: Double = 1,
        freeing transactions: [TransactionIdentifier] = [],
        _ change: (inout AttemptRecord) -> Void
    ) async throws -> AttemptRecord {
        var next = record.next(at: signingTime + seconds)
        change(&next)
        #expect(try await ledger.replace(record, with: next, freeing: transactions))
        return next
    }

    /// Runs a statement of another program on an SQLite database, the ledger's unless a path is given.
    ///
    /// - Returns: The first column of its rows.
    @discardableResult
    func run(_ statement: String, at path: String? = nil) throws -> [SQLiteValue] {
        let connection = try SQLiteConnection(LedgerFile(path ?? self.path, allowsFUSE: false))
        try connection.run("PRAGMA ignore_check_constraints = ON")
        return try connection.run(statement).compactMap(\.first)
    }

    /// Returns the number of claims of the SQLite ledger.
    func claimCount() throws -> Int64? {
        try run("SELECT count(*) FROM apple_pay_claims").first?.integer
    }

    /// Returns the code with which `body` fails; nil if it succeeds.
    static func refusal(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as LedgerError {
            return PaymentError(error).name.split(separator: "/").last.map(String.init)
        } catch let error as PaymentError {
            return error.name
        } catch {
            return "\(error)"
        }
    }
}
