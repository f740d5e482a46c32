import ApplePayLedger
import Foundation
import TestVectors
import Testing

@testable import ApplePaySQLite

@Suite("SQLite ledgers with older or newer tables")
struct SQLiteVersionTests {
    typealias Fixture = LedgerFixture

    /// Creates a ledger whose tables have another version, with a claim, and returns its path.
    ///
    /// A backup has no write-ahead log. Every version has the version and the window in the same columns.
    private func create(
        version: Int, in fixture: Fixture, isBackup: Bool
    ) throws -> String {
        let path = fixture.folder.appending(path: "other").path()
        try LedgerFile(path, allowsFUSE: false).create()
        if !isBackup { try fixture.run("PRAGMA journal_mode = WAL", at: path) }
        for statement in [
            "PRAGMA application_id = 1095786873",
            """
            CREATE TABLE apple_pay_ledger (
                only_row INTEGER PRIMARY KEY DEFAULT 1 CHECK (only_row = 1),
                version INTEGER NOT NULL CHECK (typeof(version) = 'integer'),
                window_seconds INTEGER NOT NULL
                    CHECK (typeof(window_seconds) = 'integer' AND window_seconds >= 0),
                forgotten_to INTEGER NOT NULL DEFAULT 0
                    CHECK (typeof(forgotten_to) = 'integer'))
            """,
            """
            CREATE TABLE apple_pay_claims (
                transaction_id BLOB PRIMARY KEY NOT NULL
                    CHECK (typeof(transaction_id) = 'blob' AND length(transaction_id) = 32),
                serial TEXT NOT NULL CHECK (typeof(serial) = 'text'),
                state TEXT NOT NULL CHECK (state IN ('claimed', 'confirmed', 'released')),
                signed_at INTEGER NOT NULL CHECK (typeof(signed_at) = 'integer'),
                expires INTEGER NOT NULL CHECK (expires IN (0, 1)))
            """,
            "INSERT INTO apple_pay_ledger (version, window_seconds) VALUES (\(version), 300)",
            """
            INSERT INTO apple_pay_claims
            VALUES (zeroblob(32), '0123456789abcdef0123456789abcdef', 'claimed', 1800000000, 0)
            """,
        ] { try fixture.run(statement, at: path) }
        return path
    }

    @Test(
        "are refused with a sentence that states what to do, and are not changed",
        arguments: [1, 2, 3, 5, Int.max], [false, true])
    func refused(_ version: Int, isBackup: Bool) async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let path = try create(version: version, in: fixture, isBackup: isBackup)
        func files() throws -> [Data?] {
            ["", "-wal", "-journal"].map { try? Data(contentsOf: URL(filePath: path + $0)) }
        }
        let before = try files()
        let reason =
            version < 4
            ? "\(path) was made by a version of ApplePayToken that was never released (version "
                + "\(version) of the tables, not 4), and cannot be used: keep it, and read it with that version"
            : "\(path) has version \(version) of the tables, and this version of ApplePayToken reads only version 4; "
                + "upgrade ApplePayToken"
        for window in [nil, 300, 301] {
            let error = await #expect(throws: LedgerError.self) {
                if let window {
                    try await SQLiteLedger.create(path, window: window)
                } else {
                    _ = try await SQLiteLedger(path)
                }
            }
            #expect(error == LedgerError(.ledgerUnavailable, reason: reason))
        }
        #expect(try files() == before)
    }
}
