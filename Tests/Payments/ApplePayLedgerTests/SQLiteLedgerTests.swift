import ApplePayLedger
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

@testable import ApplePaySQLite

@Suite("A ledger in SQLite")
struct SQLiteLedgerTests {
    typealias Fixture = LedgerFixture

    private func opened(_ path: String) async -> String? {
        await Fixture.refusal { _ = try await SQLiteLedger(path) }
    }

    private func created(_ path: String, window: Int = 300) async -> String? {
        await Fixture.refusal { try await SQLiteLedger.create(path, window: window) }
    }

    @Test("keeps its claims and its window when it is opened again")
    func reopened() async throws {
        let fixture = try await Fixture(.sqlite, window: 1_000)
        defer { fixture.remove() }
        let claim = try await fixture.ledger.claim(Fixture.request(1))
        let again = try await SQLiteLedger(fixture.path)
        #expect(again.window == 1_000)
        #expect(try await again.record(of: claim.transaction) == claim)
        #expect(try await fixture.ledger.record(of: claim.transaction) == claim)
        #expect(try await SQLiteLedger.create(fixture.path, window: 1_000).window == 1_000)
        #expect(await created(fixture.path, window: 1_001) == "ledger-unavailable")
        #expect(try await SQLiteLedger(fixture.path).window == 1_000)
    }

    @Test("is refused in a file that contains something else, or in which none was created")
    func strangers() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let path = fixture.folder.appending(path: "other")
        #expect(await opened(path.path()) == "ledger-unavailable")
        try Data("The accounts of the shop.".utf8).write(to: path)
        #expect(await opened(path.path()) == "ledger-unavailable")
        #expect(await created(path.path()) == "ledger-unavailable")
        #expect(try Data(contentsOf: path).count == 25)
        #expect(await created("\(fixture.folder.path())/none/ledger") == "ledger-unavailable")
        let empty = fixture.path + "2"
        try Data().write(to: URL(filePath: empty))
        try fixture.run("PRAGMA application_id = 1", at: empty)
        #expect(await created(empty) == "ledger-unavailable")
        try fixture.run("PRAGMA application_id = 1")
        #expect(await opened(fixture.path) == "ledger-unavailable")
        #expect(await created(fixture.path) == "ledger-unavailable")
    }

    @Test("is refused if its settings are damaged or those of another version")
    func settings() async throws {
        for statement in [
            "DELETE FROM apple_pay_ledger", "UPDATE apple_pay_ledger SET version = 5",
            "UPDATE apple_pay_ledger SET version = 3", "UPDATE apple_pay_ledger SET version = 0",
            "UPDATE apple_pay_ledger SET version = -4",
            "UPDATE apple_pay_ledger SET version = 'x'",
            "UPDATE apple_pay_ledger SET window_seconds = 'x'",
            "DROP TABLE apple_pay_ledger",
        ] {
            let fixture = try await Fixture(.sqlite)
            defer { fixture.remove() }
            try fixture.run(statement)
            #expect(await opened(fixture.path) == "ledger-unavailable", "\(statement)")
            #expect(await created(fixture.path) == "ledger-unavailable", "\(statement)")
        }
    }

    @Test("refuses claims while its horizon is damaged")
    func damagedHorizon() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        func claim() async -> String? {
            await Fixture.refusal { _ = try await fixture.ledger.claim(Fixture.request(1)) }
        }
        try fixture.run("UPDATE apple_pay_ledger SET forgotten_to = 'x'")
        #expect(await claim() == "ledger-unavailable")
        try fixture.run("UPDATE apple_pay_ledger SET forgotten_to = 0")
        #expect(await claim() == nil)
    }

    @Test(
        "is refused if other users may write to it", arguments: ["", "ledger", "ledger-wal"])
    func permissions(_ name: String) async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let path = fixture.folder.appending(path: name).path()
        for (mode, isAccepted) in [(0o755, true), (0o775, false), (0o777, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect((await opened(fixture.path) == nil) == isAccepted)
            #expect((await created(fixture.path) == nil) == isAccepted)
        }
    }

    @Test("is refused if a file or the folder belongs to another user")
    func owner() async throws {
        // Only root can give files away.
        guard FileStatus.user == 0 else { return }
        for name in ["", "ledger", "ledger-wal", "ledger.lock"] {
            let fixture = try await Fixture(.sqlite)
            defer { fixture.remove() }
            let path = fixture.folder.appending(path: name).path()
            try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: path)
            #expect(await opened(fixture.path) == "ledger-unavailable", "\(name)")
        }
    }

    @Test("is refused if it has a second name, or if a folder has its name")
    func names() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        try FileManager.default.linkItem(atPath: fixture.path, toPath: fixture.path + "2")
        #expect(await opened(fixture.path) == "ledger-unavailable")
        try FileManager.default.removeItem(atPath: fixture.path + "2")
        #expect(await opened(fixture.path) == nil)
        #expect(await opened(fixture.folder.path()) == "ledger-unavailable")
        #expect(await created(fixture.folder.path()) == "ledger-unavailable")
    }

    @Test("is created only in a folder that exists; the error has the command that makes it")
    func missingFolder() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let folder = fixture.folder.appending(path: "a/b c").path()
        for isNew in [false, true] {
            let error = await #expect(throws: LedgerError.self) {
                _ =
                    isNew
                    ? try await SQLiteLedger.create("\(folder)/ledger", window: 1)
                    : try await SQLiteLedger("\(folder)/ledger")
            }
            #expect(
                error?.reason?.contains(
                    "its folder does not exist; mount its disk, or restore the last backup; only for a new shop, `mkdir -p -m 700 '\(folder)'` creates the folder"
                )
                    == true)
        }
    }

    @Test("is refused if its user may not write to it or its folder")
    func withoutWriteRight() async throws {
        // Nothing is refused to root.
        guard FileStatus.user != 0 else { return }
        for (name, mode) in [("", 0o500), ("ledger", 0o400)] {
            let fixture = try await Fixture(.sqlite)
            defer { fixture.remove() }
            let path = fixture.folder.appending(path: name).path()
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let error = await #expect(throws: LedgerError.self) {
                _ = try await SQLiteLedger(fixture.path)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
            #expect(
                error?.reason?.contains("cannot be written by its own user; `chmod u+w ") == true)
        }
    }

    @Test("has one lock for the paths with and without a symbolic link")
    func symbolicLink() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let link = fixture.folder.path() + "-link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: fixture.folder.path())
        defer { try? FileManager.default.removeItem(atPath: link) }
        let file = try LedgerFile("\(link)/ledger", allowsFUSE: false)
        #expect(try file.lockPath == LedgerFile(fixture.path, allowsFUSE: false).lockPath)
    }

    @Test("is refused if it is a folder", arguments: [false, true])
    func folder(isNew: Bool) async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let path = fixture.folder.path()
        let error = await #expect(throws: LedgerError.self) {
            _ =
                isNew
                ? try await SQLiteLedger.create(path, window: 1) : try await SQLiteLedger(path)
        }
        #expect(error?.reason?.contains("is a folder; name the ledger's file in it") == true)
    }

    @Test("is refused if one of its files is a folder")
    func folderInPlace() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let path = fixture.folder.appending(path: "other").path()
        try FileManager.default.createDirectory(
            atPath: path + "-wal", withIntermediateDirectories: true)
        let error = await #expect(throws: LedgerError.self) {
            try await SQLiteLedger.create(path, window: 300)
        }
        #expect(error?.reason?.contains("is not a file; name the ledger's file") == true)
    }

    @Test("is refused on file systems of other machines, and on FUSE unless it is allowed")
    func fileSystems() {
        for type in [0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42] {
            #expect(LedgerFile.refusedFileSystem(type, allowsFUSE: true) != nil)
        }
        #expect(LedgerFile.refusedFileSystem(0x6573_5546, allowsFUSE: false) != nil)
        #expect(LedgerFile.refusedFileSystem(0x6573_5546, allowsFUSE: true) == nil)
        // ext4 and tmpfs.
        for type in [0xEF53, 0x0102_1994] {
            #expect(LedgerFile.refusedFileSystem(type, allowsFUSE: false) == nil)
        }
    }

    @Test("is completed where its creation was interrupted")
    func halfMade() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let other = fixture.folder.appending(path: "other").path()
        #expect(FileManager.default.createFile(atPath: other, contents: nil))
        #expect(await opened(other) == "ledger-unavailable")
        let ledger = try await SQLiteLedger.create(other, window: 300)
        _ = try await ledger.claim(Fixture.request(1, isExpiring: false))
        try FileManager.default.removeItem(atPath: "\(other).lock")
        _ = try await ledger.claim(Fixture.request(2, isExpiring: false))
        #expect(FileManager.default.fileExists(atPath: "\(other).lock"))
    }

    @Test("is created once by many callers at the same time")
    func createdTogether() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let path = fixture.folder.appending(path: "other").path()
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 { group.addTask { await created(path) } }
            for await refusal in group { #expect(refusal == nil) }
        }
    }

    @Test("keeps its files to its user")
    func modes() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        _ = try await fixture.ledger.claim(Fixture.request(1))
        for suffix in ["", "-wal", "-shm", ".lock"] {
            #expect(try FileStatus(fixture.path + suffix).permissions == 0o600, "\(suffix)")
        }
    }

    @Test("refuses a claimed transaction as claimed also where nothing can be written")
    func refusalWhereNothingCanBeWritten() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        _ = try await fixture.ledger.claim(Fixture.request(1))
        try FileManager.default.removeItem(atPath: fixture.path + ".lock")
        try FileManager.default.createDirectory(
            atPath: fixture.path + ".lock", withIntermediateDirectories: false)
        for (number, code) in [(1, "already-claimed"), (2, "ledger-unavailable")] {
            let refusal = await Fixture.refusal {
                _ = try await fixture.ledger.claim(Fixture.request(UInt8(number)))
            }
            #expect(refusal == code)
        }
    }

    @Test("never grants a claim that is damaged, and reports the damage")
    func damaged() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = try await SQLiteLedger(fixture.path)
        #expect(try await ledger.check().isEmpty)
        for (number, fault) in [
            "serial = x'00'", "signed_at = 'x'", "expires = 'x'", "transaction_id = x'00'",
        ].enumerated() {
            let claim = try await fixture.ledger.claim(Fixture.request(UInt8(number)))
            try fixture.run(
                "UPDATE apple_pay_claims SET \(fault) WHERE serial = '\(claim.serial)'")
            let again = await Fixture.refusal {
                _ = try await fixture.ledger.claim(Fixture.request(UInt8(number)))
            }
            let lookup = await Fixture.refusal {
                _ = try await ledger.record(of: claim.transaction)
            }
            // A row with another transaction is a row of another transaction.
            let isOther = fault.hasPrefix("transaction")
            #expect(again == (isOther ? nil : "already-claimed"))
            #expect(lookup == (isOther ? nil : "ledger-unavailable"))
            #expect(try await !ledger.check().isEmpty, "\(fault)")
            try fixture.run("DELETE FROM apple_pay_claims")
        }
        #expect(try await ledger.check().isEmpty)
    }

    @Test("fails, and reports it, when its file is overwritten")
    func overwritten() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let path = fixture.folder.appending(path: "other").path()
        let ledger = try await SQLiteLedger.create(path, window: 300)
        _ = try await ledger.claim(Fixture.request(1, isExpiring: false))
        try fixture.run("VACUUM INTO '\(path)2'")
        var bytes = try Data(contentsOf: URL(filePath: path + "2"))
        bytes.replaceSubrange(4_096..<bytes.count, with: Data(count: bytes.count - 4_096))
        try bytes.write(to: URL(filePath: path + "3"))
        #expect(await opened(path + "3") == "ledger-unavailable")
    }

    @Test("reports that it cannot be written")
    func unwritable() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = try await SQLiteLedger(fixture.path)
        try fixture.run(
            "CREATE TRIGGER no BEFORE UPDATE ON apple_pay_ledger BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
        #expect(await Fixture.refusal { _ = try await ledger.check() } == "ledger-unavailable")
    }

    @Test("forgets two expired claims with each new one")
    func forgetting() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        for number in 0..<40 as Range<UInt8> {
            _ = try await ledger.claim(Fixture.request(number))
        }
        fixture.setAge(901)
        for number in 100..<120 as Range<UInt8> {
            _ = try await ledger.claim(Fixture.request(number, isExpiring: false))
            #expect(try fixture.claimCount() == 40 - Int64(number - 99))
        }
        for number in 0..<40 as Range<UInt8> {
            #expect(try await ledger.record(of: Fixture.transaction(number)) == nil)
        }
        for number in 100..<120 as Range<UInt8> {
            #expect(try await ledger.record(of: Fixture.transaction(number)) != nil)
        }
        #expect(try await ledger.prune() == 0)
    }

    @Test(
        "fails to claim when its files are removed, and uses new ones only when it is opened again")
    func gone() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        func claim() async -> String? {
            await Fixture.refusal {
                _ = try await fixture.ledger.claim(Fixture.request(1, isExpiring: false))
            }
        }
        #expect(await claim() == nil)
        for suffix in ["", "-wal", "-shm", ".lock"] {
            try FileManager.default.removeItem(atPath: fixture.path + suffix)
        }
        #expect(await claim() == "ledger-unavailable")
        let new = try await SQLiteLedger.create(fixture.path, window: 300)
        let error = await #expect(throws: LedgerError.self) {
            _ = try await fixture.ledger.claim(Fixture.request(1, isExpiring: false))
        }
        #expect(error?.reason?.hasSuffix("start the process again") == true)
        _ = try await new.claim(Fixture.request(1, isExpiring: false))
        #expect(await claim() == "ledger-unavailable")
        try FileManager.default.removeItem(at: fixture.folder)
        #expect(await claim() == "ledger-unavailable")
    }

    @Test("forgets on request more claims than one transaction forgets, those of the oldest tokens")
    func slices() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        var requests: [ClaimRequest] = []
        for number in 0..<2_500 {
            let digits = String(format: "%064x", number)
            requests.append(
                ClaimRequest(
                    transaction: try #require(TransactionIdentifier(hexadecimal: digits)),
                    signingTime: Fixture.signingTime + Double(number * 7 % 100), window: 300,
                    isExpiring: true))
        }
        let results = await fixture.ledger.claim(requests)
        #expect(results.allSatisfy { (try? $0.get()) != nil })
        #expect(try fixture.claimCount() == 2_500)
        // Tokens that were signed in the seconds 0 to 50, 25 in each, are older than 900 seconds.
        fixture.setAge(951)
        #expect(try await fixture.ledger.prune() == 51 * 25)
        for (number, request) in requests.enumerated() where number % 50 < 4 {
            let isKept = number * 7 % 100 > 50
            let record = try await fixture.ledger.record(of: request.transaction)
            #expect((record != nil) == isKept)
        }
        fixture.setAge(1_000)
        #expect(try await fixture.ledger.prune() == 49 * 25)
        #expect(try fixture.claimCount() == 0)
    }

    @Test("refuses tokens of claims that a restored backup may lack")
    func restored() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let before = try await fixture.ledger.claim(Fixture.request(1, isExpiring: false))
        let copy = fixture.folder.appending(path: "copy").path()
        try fixture.run("VACUUM INTO '\(copy)'")
        #expect(await opened(copy) == "ledger-unavailable")
        let restored = try await SQLiteLedger.create(copy, window: 300)
        #expect(try await restored.record(of: before.transaction) == before)
        func claim(signed age: Double) async -> String? {
            await Fixture.refusal {
                let request = ClaimRequest(
                    transaction: try Fixture.transaction(2), signingTime: Date() - age,
                    window: 300, isExpiring: true)
                _ = try await restored.claim(request)
            }
        }
        for age in [100.0, 0, -290] { #expect(await claim(signed: age) == "too-late") }
        #expect(await claim(signed: -310) == nil)
        // It is restored only once.
        let again = try await SQLiteLedger.create(copy, window: 300)
        let later = ClaimRequest(
            transaction: try Fixture.transaction(3), signingTime: Date() + 310, window: 300,
            isExpiring: true)
        _ = try await again.claim(later)
    }

    @Test("answers in time while another process has the lock, and then claims nothing")
    func hangingLock() async throws {
        let fixture = try await Fixture(.sqlite, limit: .milliseconds(300))
        defer { fixture.remove() }
        let lock = TurnLock(of: try LedgerFile(fixture.path, allowsFUSE: false))
        try lock.take()
        let requests = try (0..<100 as Range<UInt8>).map { try Fixture.request($0) }
        let start = ContinuousClock.now
        let results = await fixture.ledger.claim(requests)
        #expect(ContinuousClock.now - start < .seconds(5))
        for result in results {
            #expect(throws: LedgerError.self) { try result.get() }
        }
        lock.give()
        // The thread takes the lock now, and must claim nothing.
        let again = try await SQLiteLedger(fixture.path)
        #expect(try await again.check().isEmpty)
        #expect(try fixture.claimCount() == 0)
    }

    @Test("answers in time while the disk hangs, and withdraws what is claimed too late")
    func hangingDisk() async throws {
        let fixture = try await Fixture(.sqlite, limit: .milliseconds(500))
        defer { fixture.remove() }
        // A trigger notes the claims that are withdrawn.
        try fixture.run("CREATE TABLE withdrawn (transaction_id BLOB)")
        try fixture.run(
            """
            CREATE TRIGGER note AFTER DELETE ON apple_pay_claims
                BEGIN INSERT INTO withdrawn VALUES (old.transaction_id); END
            """)
        // Another program's transaction delays the ledger's for at most five seconds, as a disk may.
        let other = try SQLiteConnection(LedgerFile(fixture.path, allowsFUSE: false))
        let again = try await fixture.another()
        var withdrawn: [SQLiteValue] = []
        // On a busy machine, the time may be over before the claim is sent.
        for number in 0..<20 as Range<UInt8> where withdrawn.isEmpty {
            try other.run("BEGIN IMMEDIATE")
            let start = ContinuousClock.now
            let request = try Fixture.request(number)
            let refusal = await Fixture.refusal { _ = try await fixture.ledger.claim(request) }
            #expect(refusal == "ledger-unavailable")
            let lookup = await Fixture.refusal {
                _ = try await fixture.ledger.record(of: request.transaction)
            }
            #expect(lookup == "ledger-unavailable")
            let isInTime = ContinuousClock.now - start < .seconds(4)
            try other.run("COMMIT")
            for _ in 0..<40 where isInTime && withdrawn.isEmpty {
                try await Task.sleep(for: .milliseconds(50))
                withdrawn = try fixture.run("SELECT transaction_id FROM withdrawn")
            }
            guard !withdrawn.isEmpty else { continue }
            #expect(withdrawn == [.blob(request.transaction.bytes)])
            #expect(try await again.record(of: request.transaction) == nil)
            #expect(try fixture.claimCount() == 0)
            // It can be claimed again.
            _ = try await again.claim(request)
        }
        #expect(!withdrawn.isEmpty)
    }

    @Test("answers a claim in time that waits behind a longer call")
    func longCall() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = try await SQLiteLedger(fixture.path, limit: .seconds(2)) { Date() }
        let lock = TurnLock(of: try LedgerFile(fixture.path, allowsFUSE: false))
        try lock.take()
        let check = Task { try await ledger.check() }
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        let refusal = await Fixture.refusal {
            _ = try await ledger.claim(Fixture.request(1, isExpiring: false))
        }
        #expect(refusal == "ledger-unavailable")
        #expect(ContinuousClock.now - start < .seconds(20))
        lock.give()
        #expect(try await check.value.isEmpty)
    }
}
