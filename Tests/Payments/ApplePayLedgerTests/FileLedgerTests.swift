import ApplePayLedger
import ApplePayPrimitives
import Foundation
import Testing

@Suite("A ledger of files")
struct FileLedgerTests {
    typealias Fixture = LedgerFixture

    private func names(_ fixture: Fixture, _ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: fixture.folder.appending(path: path).path())
    }

    private func file(_ fixture: Fixture, _ transaction: TransactionIdentifier) -> URL {
        fixture.folder.appending(
            path: "claims/\(transaction.description.prefix(2))/\(transaction)")
    }

    private func openFile(_ fixture: Fixture, _ transaction: TransactionIdentifier) -> URL {
        fixture.folder.appending(path: "open/\(transaction)")
    }

    @Test("keeps its claims and its window when it is opened again")
    func reopened() async throws {
        let fixture = try await Fixture(.files, window: 1_000)
        defer { fixture.remove() }
        let path = fixture.folder.path()
        let claim = try await fixture.ledger.claim(Fixture.request(1))
        try await fixture.ledger.confirm(claim)
        let again = try await FileLedger(path)
        #expect(again.window == 1_000)
        let record = try await again.record(of: claim.transaction)
        #expect(try await fixture.ledger.record(of: claim.transaction) == record)
        #expect(record?.state == .confirmed)
        #expect(try await FileLedger.create(path, window: 1_000).window == 1_000)
        let refusal = await Fixture.refusal { try await FileLedger.create(path, window: 1_001) }
        #expect(refusal == "ledger-unavailable")
        #expect(try await FileLedger(path).window == 1_000)
    }

    @Test("is refused in a folder that contains other files or in which none was created")
    func strangers() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        func opened() async -> String? {
            await Fixture.refusal { _ = try await FileLedger(folder.path()) }
        }
        #expect(await opened() == "ledger-unavailable")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(await opened() == "ledger-unavailable")
        let file = folder.appending(path: "accounts")
        try Data().write(to: file)
        #expect(
            await Fixture.refusal { try await FileLedger.create(folder.path(), window: 1) }
                == "ledger-unavailable")
        try FileManager.default.removeItem(at: file)
        try await FileLedger.create(folder.path(), window: 1)
        let settings = folder.appending(path: "ledger")
        let form = "ApplePayToken ledger 2\n"
        for text in [
            "", form, "ApplePayToken ledger 1\nwindow 1\n", form + "windows1\n",
            form + "window -1\n", form + "window 1\nwindow 2\n",
        ] {
            try Data(text.utf8).write(to: settings)
            #expect(await opened() == "ledger-unavailable", "\(text)")
        }
        try Data((form + "window 1\n").utf8).write(to: settings)
        #expect(await opened() == nil)
    }

    @Test("refuses claims while its horizon is damaged")
    func damagedHorizon() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        func claim() async -> String? {
            await Fixture.refusal { _ = try await fixture.ledger.claim(Fixture.request(1)) }
        }
        let digits = String(repeating: "0", count: 20)
        for text in ["", "5\n", digits + "5", digits + "5\n", digits.dropLast() + "x\n"] {
            try Data(text.utf8).write(to: fixture.folder.appending(path: "horizon"))
            #expect(await claim() == "ledger-unavailable", "\(text)")
        }
        _ = try await FileLedger(fixture.folder.path()).repair()
        #expect(await claim() == nil)
    }

    @Test("is refused where other users may write", arguments: [".", "claims", "open"])
    func permissions(_ path: String) async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        let folder = fixture.folder.appending(path: path).path()
        for (mode, isAccepted) in [(0o755, true), (0o775, false), (0o777, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
            let opened = await Fixture.refusal { _ = try await FileLedger(fixture.folder.path()) }
            #expect((opened == nil) == isAccepted)
            let created = await Fixture.refusal {
                try await FileLedger.create(fixture.folder.path(), window: 300)
            }
            #expect((created == nil) == isAccepted)
        }
    }

    @Test("is refused where one of its folders is a file", arguments: ["claims", "open"])
    func fileInsteadOfFolder(_ path: String) async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        let folder = fixture.folder.appending(path: path)
        try FileManager.default.removeItem(at: folder)
        try Data().write(to: folder)
        let opened = await Fixture.refusal { _ = try await FileLedger(fixture.folder.path()) }
        #expect(opened == "ledger-unavailable")
    }

    @Test(
        "is completed where its creation was interrupted",
        arguments: ["ledger", "claims/7f", "open", "horizon"])
    func halfMade(_ missing: String) async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        try FileManager.default.removeItem(at: fixture.folder.appending(path: missing))
        let ledger = try await FileLedger.create(fixture.folder.path(), window: 300)
        let transaction = try #require(
            TransactionIdentifier(hexadecimal: String(repeating: "7f", count: 32)))
        _ = try await ledger.claim(
            ClaimRequest(
                transaction: transaction, signingTime: Date(), window: 300, isExpiring: true))
    }

    @Test("has one file in claims for each transaction, and one in open for each open claim")
    func names() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let claim = try await ledger.claim(Fixture.request(1))
        let name = claim.transaction.description
        #expect(try names(fixture, "claims/01") == [name])
        #expect(try names(fixture, "open") == [name])
        try await ledger.release(claim)
        #expect(try names(fixture, "claims/01") == [name])
        #expect(try names(fixture, "open").isEmpty)
        let second = try await ledger.claim(Fixture.request(1))
        #expect(try names(fixture, "open") == [name])
        try await ledger.confirm(second)
        #expect(try names(fixture, "claims/01") == [name])
        #expect(try names(fixture, "open").isEmpty)
        #expect(try names(fixture, "new").isEmpty)
    }

    @Test("finds a claim whose file in claims was lost with the power")
    func lostName() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        for state in [ClaimState.confirmed, .released] {
            let claim = try await ledger.claim(Fixture.request(1))
            // Granting a claim syncs only `open`.
            try FileManager.default.removeItem(at: file(fixture, claim.transaction))
            #expect(try await ledger.record(of: claim.transaction)?.claim == claim)
            #expect(
                await Fixture.refusal { try await ledger.claim(Fixture.request(1)) }
                    == "already-claimed")
            #expect(try await ledger.openClaims(limit: 9).map(\.claim) == [claim])
            if state == .released {
                try await ledger.release(claim)
            } else {
                try await ledger.confirm(claim)
                #expect(
                    await Fixture.refusal { try await ledger.claim(Fixture.request(1)) }
                        == "already-confirmed")
                try FileManager.default.removeItem(at: file(fixture, claim.transaction))
            }
            #expect(try names(fixture, "open").isEmpty)
        }
        // A power failure restores an earlier, released claim in `claims`.
        let transaction = try Fixture.transaction(1)
        let released = try Data(contentsOf: file(fixture, transaction))
        let second = try await ledger.claim(Fixture.request(1))
        try FileManager.default.removeItem(at: file(fixture, transaction))
        try released.write(to: file(fixture, transaction))
        #expect(try await ledger.record(of: transaction)?.claim == second)
        #expect(
            await Fixture.refusal { try await ledger.claim(Fixture.request(1)) }
                == "already-claimed")
        try await ledger.confirm(second)
        #expect(try await ledger.record(of: transaction)?.state == .confirmed)
        #expect(
            await Fixture.refusal { try await ledger.claim(Fixture.request(1)) }
                == "already-confirmed")
    }

    @Test("releases the claim of a process that died between writing its two files")
    func died() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let claim = try await ledger.claim(Fixture.request(1))
        try FileManager.default.removeItem(at: file(fixture, claim.transaction))
        try await ledger.release(claim)
        #expect(
            await Fixture.refusal { try await ledger.confirm(claim) } == "not-claimed")
        let second = try await ledger.claim(Fixture.request(1))
        #expect(second != claim)
        #expect(await Fixture.refusal { try await ledger.release(claim) } == "not-claimed")
    }

    @Test("refuses a claimed transaction as claimed also where nothing can be written")
    func refusalWhereNothingCanBeWritten() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        _ = try await fixture.ledger.claim(Fixture.request(1))
        // New files are written here.
        try FileManager.default.removeItem(at: fixture.folder.appending(path: "new"))
        for (number, code) in [(1, "already-claimed"), (2, "ledger-unavailable")] {
            let refusal = await Fixture.refusal {
                _ = try await fixture.ledger.claim(Fixture.request(UInt8(number)))
            }
            #expect(refusal == code)
        }
    }

    @Test("counts a damaged claim as a claim, and repair makes it an open one")
    func damaged() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        let ledger = try await FileLedger(fixture.folder.path())
        let faults: [(String) -> String] = [
            { _ in "" }, { _ in "claimed" }, { _ in "f00d o e 1800000000\n" },
            { $0.replacing("\n", with: " 1\n") }, { $0.replacing(" o ", with: "0 o ") },
            { $0.replacing(" o ", with: " oo ") }, { $0.replacing(" e ", with: " x ") },
        ]
        for (number, fault) in faults.enumerated() {
            let claim = try await fixture.ledger.claim(Fixture.request(UInt8(number)))
            // All names are links to one file.
            let path = file(fixture, claim.transaction)
            try Data(fault(String(contentsOf: path, encoding: .utf8)).utf8).write(to: path)
            let transaction = claim.transaction
            func again() async -> String? {
                await Fixture.refusal {
                    _ = try await fixture.ledger.claim(Fixture.request(UInt8(number)))
                }
            }
            #expect(await again() == "ledger-unavailable")
            #expect(
                await Fixture.refusal { try await fixture.ledger.release(claim) }
                    == "ledger-unavailable")
            #expect(try await ledger.openClaims(limit: 9).isEmpty)
            #expect(try await ledger.warnings().count == 1)
            #expect(try await ledger.prune() == 0)
            #expect(try await ledger.repair().contains { $0.contains("\(transaction)") })
            #expect(try await ledger.warnings().isEmpty)
            #expect(await again() == "already-claimed")
            let open = try await ledger.openClaims(limit: 9)
            #expect(open.map(\.claim.transaction) == [transaction])
            #expect(open.first?.isExpiring == false)
            try await ledger.release(#require(open.first).claim)
            #expect(await again() == nil)
            try await ledger.confirm(#require(ledger.record(of: transaction)).claim)
        }
        #expect(try await ledger.repair().isEmpty)
    }

    @Test("skips and reports files that are not claims, and repair moves them away")
    func foreign() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        let ledger = try await FileLedger(fixture.folder.path())
        let claim = try await fixture.ledger.claim(Fixture.request(1, isExpiring: false))
        for path in [
            "claims/01/notes", "open/notes", "expiring/notes", "expiring/01", "expiring/1",
        ] {
            try Data("?".utf8).write(to: fixture.folder.appending(path: path))
        }
        #expect(try await ledger.openClaims(limit: 9).map(\.claim) == [claim])
        #expect(try await ledger.warnings().count == 1)
        let other = try await FileLedger(fixture.folder.path())
        #expect(try await other.prune() == 0)
        #expect(try await other.warnings().count == 2)
        #expect(try await ledger.repair().count == 5)
        try FileManager.default.createDirectory(
            at: fixture.folder.appending(path: "expiring/1"), withIntermediateDirectories: false)
        try Data("?".utf8).write(to: fixture.folder.appending(path: "expiring/1/file"))
        #expect(try await ledger.prune() == 0)
        #expect(try await ledger.warnings().count == 1)
        #expect(try await ledger.repair().count == 1)
        #expect(try names(fixture, "set-aside").count == 6)
        #expect(try names(fixture, "open").count == 1)
        #expect(try await ledger.repair().isEmpty)
        #expect(try await ledger.record(of: claim.transaction)?.claim == claim)
    }

    @Test("does not remove a folder that has the name of a claim")
    func folderInsteadOfClaim() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        let ledger = try await FileLedger(fixture.folder.path())
        let claim = try await fixture.ledger.claim(Fixture.request(1))
        let path = file(fixture, claim.transaction)
        try FileManager.default.removeItem(at: path)
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
        let findings = try await ledger.repair()
        #expect(findings.count == 1)
        #expect(findings.first?.hasSuffix("is not a file; remove it and repair again") == true)
        try FileManager.default.removeItem(at: path)
        #expect(try await ledger.repair().count == 1)
        #expect(try await ledger.openClaims(limit: 9).map(\.claim) == [claim])
    }

    @Test("repairs names and lists that are missing")
    func repairedNames() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        let ledger = try await FileLedger(fixture.folder.path()) { Fixture.signingTime }
        let open = try await ledger.claim(Fixture.request(1))
        let charged = try await ledger.claim(Fixture.request(2))
        try await ledger.confirm(charged)
        for path in [
            openFile(fixture, open.transaction), fixture.folder.appending(path: "expiring"),
            fixture.folder.appending(path: "horizon"),
        ] { try FileManager.default.removeItem(at: path) }
        try FileManager.default.createDirectory(
            at: fixture.folder.appending(path: "expiring"), withIntermediateDirectories: false)
        #expect(try await ledger.openClaims(limit: 9).isEmpty)
        #expect(try await ledger.repair().count == 4)
        #expect(try await ledger.openClaims(limit: 9).map(\.claim) == [open])
        #expect(try await ledger.repair().isEmpty)
        fixture.setAge(900 + 3_600)
        #expect(try await fixture.ledger.prune() == 2)
    }

    @Test("removes old files of killed processes from new")
    func abandoned() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        _ = try await fixture.ledger.claim(Fixture.request(1))
        #expect(try names(fixture, "new").isEmpty)
        let seconds = Int(Fixture.signingTime.timeIntervalSince1970)
        for age in [0, 3600, 3601] {
            try Data().write(to: fixture.folder.appending(path: "new/\(seconds - age).serial"))
        }
        _ = try await FileLedger(fixture.folder.path()) { Fixture.signingTime }.prune()
        #expect(
            try names(fixture, "new").sorted() == ["\(seconds - 3600).serial", "\(seconds).serial"])
    }

    @Test("forgets expired claims while claiming")
    func forgetting() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        for number in 0..<40 as Range<UInt8> {
            let claim = try await ledger.claim(Fixture.request(number))
            if number % 2 == 0 { try await ledger.confirm(claim) }
        }
        fixture.setAge(900 + 3_600)
        for number in 100..<120 as Range<UInt8> {
            _ = try await ledger.claim(Fixture.request(number, isExpiring: false))
        }
        for number in 0..<40 as Range<UInt8> {
            #expect(try await ledger.record(of: Fixture.transaction(number)) == nil)
        }
        #expect(try await ledger.openClaims(limit: 99).count == 20)
        #expect(try await ledger.prune() == 0)
        #expect(try names(fixture, "expiring").isEmpty)
    }

    @Test("refuses transactions that it forgot while the clock was an hour fast")
    func clock() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        try await ledger.confirm(ledger.claim(Fixture.request(1)))
        fixture.setAge(2 * 3_600)
        #expect(try await ledger.prune() == 1)
        fixture.setAge(1)
        #expect(
            await Fixture.refusal { try await ledger.claim(Fixture.request(1)) } == "too-late")
        // Another process that opens the ledger later reads the same horizon.
        let again = try await FileLedger(fixture.folder.path()) { Fixture.signingTime }
        #expect(await Fixture.refusal { try await again.claim(Fixture.request(1)) } == "too-late")
        // Tokens signed after the last forgotten one are accepted immediately.
        let later = ClaimRequest(
            transaction: try Fixture.transaction(2), signingTime: Fixture.signingTime + 1,
            window: 300, isExpiring: true)
        _ = try await again.claim(later)
    }

    @Test("fails to claim when its folder is removed")
    func gone() async throws {
        let fixture = try await Fixture(.files)
        defer { fixture.remove() }
        try FileManager.default.removeItem(at: fixture.folder)
        #expect(
            await Fixture.refusal { _ = try await fixture.ledger.claim(Fixture.request(1)) }
                == "ledger-unavailable")
    }
}
