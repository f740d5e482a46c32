import ApplePayLedger
import Foundation
import Testing

@Suite("A ledger of files")
struct FileLedgerTests {
    typealias Fixture = LedgerFixture

    @Test("is there when it is opened again, with its window")
    func reopened() throws {
        let fixture = try Fixture(.files, window: 1_000)
        defer { fixture.remove() }
        let path = fixture.folder.path()
        let claim = try fixture.ledger.claim(Fixture.request(1))
        try fixture.ledger.confirm(claim)
        let again = try FileLedger(path)
        #expect(again.window == 1_000)
        #expect(
            try again.record(of: claim.transaction) == fixture.ledger.record(of: claim.transaction))
        #expect(try FileLedger.create(path, window: 1_000).window == 1_000)
        #expect(
            Fixture.refusal { try FileLedger.create(path, window: 1_001) } == "ledger-unavailable")
        #expect(try FileLedger(path).window == 1_000)
    }

    @Test("is not made of a folder that holds other things, nor found where none was made")
    func strangers() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        #expect(Fixture.refusal { _ = try FileLedger(folder.path()) } == "ledger-unavailable")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(Fixture.refusal { _ = try FileLedger(folder.path()) } == "ledger-unavailable")
        let file = folder.appending(path: "accounts")
        try Data().write(to: file)
        #expect(
            Fixture.refusal { try FileLedger.create(folder.path(), window: 1) }
                == "ledger-unavailable")
        try FileManager.default.removeItem(at: file)
        try FileLedger.create(folder.path(), window: 1)
        try Data("ApplePayToken ledger 2\n".utf8).write(to: folder.appending(path: "ledger"))
        #expect(Fixture.refusal { _ = try FileLedger(folder.path()) } == "ledger-unavailable")
    }

    @Test("goes on where one that was being made broke off")
    func halfMade() throws {
        let fixture = try Fixture(.files)
        defer { fixture.remove() }
        try FileManager.default.removeItem(at: fixture.folder.appending(path: "ledger"))
        try FileManager.default.removeItem(at: fixture.folder.appending(path: "claims/7f"))
        let ledger = try FileLedger.create(fixture.folder.path(), window: 1_000_000_000)
        _ = try ledger.claim(Fixture.request(1, isExpiring: false))
    }

    @Test("takes a damaged claim for a claim, and says that it is damaged")
    func damaged() throws {
        let fixture = try Fixture(.files)
        defer { fixture.remove() }
        let claim = try fixture.ledger.claim(Fixture.request(1))
        let file = fixture.folder.appending(
            path: "claims/\(claim.transaction.description.prefix(2))/\(claim.transaction)")
        for text in ["", "claimed", "charged 1800000000 expires \(claim.serial)\n"] {
            try Data(text.utf8).write(to: file)
            #expect(
                Fixture.refusal { _ = try fixture.ledger.claim(Fixture.request(1)) }
                    == "ledger-unavailable")
            #expect(Fixture.refusal { try fixture.ledger.release(claim) } == "ledger-unavailable")
        }
    }

    @Test("sweeps away what a process left that died while it claimed, once it is old")
    func abandoned() throws {
        let fixture = try Fixture(.files)
        defer { fixture.remove() }
        let new = fixture.folder.appending(path: "new")
        _ = try fixture.ledger.claim(Fixture.request(1))
        #expect(try FileManager.default.contentsOfDirectory(atPath: new.path()).isEmpty)
        let seconds = Int(Fixture.signingTime.timeIntervalSince1970)
        for age in [0, 3600, 3601] {
            try Data().write(to: new.appending(path: "\(seconds - age).serial"))
        }
        _ = try fixture.ledger.prune()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: new.path()).sorted()
                == ["\(seconds - 3600).serial", "\(seconds).serial"])
    }

    @Test("claims nothing when its folder is gone")
    func gone() throws {
        let fixture = try Fixture(.files)
        defer { fixture.remove() }
        try FileManager.default.removeItem(at: fixture.folder)
        #expect(
            Fixture.refusal { _ = try fixture.ledger.claim(Fixture.request(1)) }
                == "ledger-unavailable")
    }
}
