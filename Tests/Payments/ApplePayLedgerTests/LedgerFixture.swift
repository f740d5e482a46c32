import ApplePayLedger
import ApplePayPrimitives
import ApplePaySQLite
import ApplePayToken
import Foundation
import Testing

/// A ledger under test, with a clock that the test sets.
final class LedgerFixture: Sendable {
    /// The kinds of ledger that give the same guarantees.
    enum Kind: CaseIterable {
        case memory
        case sqlite
    }

    let ledger: any ReplayLedger
    let folder: URL

    /// The path of the SQLite ledger.
    var path: String { folder.appending(path: "ledger").path() }

    private let clock: Lock<Date>

    /// The signing time of the tests' tokens.
    static let signingTime = Date(timeIntervalSince1970: 1_800_000_000)

    /// Creates a ledger; `limit` is the time within which an SQLite ledger answers.
    init(_ kind: Kind, window: Int = 300, limit: Duration = .seconds(30)) async throws {
        let clock = Lock(Self.signingTime)
        self.clock = clock
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        switch kind {
        case .memory:
            ledger = InMemoryLedger(capacity: 1_000, window: window) { clock.withLock { $0 } }
        case .sqlite:
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            let path = folder.appending(path: "ledger").path()
            try await SQLiteLedger.create(path, window: window)
            ledger = try await SQLiteLedger(path, limit: limit) { clock.withLock { $0 } }
        }
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

    /// Returns the code with which `body` fails; nil if it succeeds.
    static func refusal(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as LedgerError {
            return PaymentTokenError(error).code.name
        } catch let error as PaymentTokenError {
            return error.code.rawValue
        } catch {
            return "\(error)"
        }
    }
}
