import ApplePayAcceptance
import ApplePayLedger
import ApplePayPrimitives
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import ApplePaySQLite

/// D6: the advice of each fault of a ledger in a file, followed to the letter; what the ledger knew, it knows afterwards.
@Suite("The advice about a ledger in a file")
struct LedgerAdviceTests {
    typealias Fixture = LedgerFixture

    /// A fault, and the advice that its error gives.
    enum Fault: String, CaseIterable {
        case writableFile = "can be changed by other users; `chmod go-w "
        case writableFolder = "can be changed by other users; run `chmod go-w "
        case folder = "is a folder; name the ledger's file in it; only for a new shop, `paytoken "
        case lockIsFolder = "is not a file; name the ledger's file, or move this one aside"
        case sharedFolder = "; use a folder for the ledger that only its user may write"
        case otherOwner =
            "belongs to the user 65534, and this program runs as root: run it as the user 65534; only for a ledger that no program uses, give all of its files to this user"
        case otherOwnerOfFolder =
            "belongs to the user 65533, and this program runs as root: run it as the user 65533; only for a ledger that no program uses, give all of its files to this user"
        case otherWindow =
            "has a window of 300 seconds, which cannot be changed; give the same window"
        case missing =
            "contains no ledger: restore the last backup if there was one, because a new ledger charges paid orders again"
        case missingBesideLog =
            "is missing, but its log is there: restore the last backup after you moved all files of the ledger aside"
        case empty = "contains no ledger: restore the last backup if there was one"
        case noDatabase =
            "; name the ledger's file, or if this was it, keep its files, and restore it from a backup"
        case otherProgram =
            "is a database of another program; name the ledger's file, or if this was it, keep its files"
        case damagedSettings = "are damaged; keep its files, and restore it from a backup"
        case damaged = "it is damaged: stop payments, keep its files, and restore it from a backup"
        case restored = "was restored from a backup; `paytoken ledger init --window 300 --ledger "
        case laterVersion = "reads only version 4; upgrade ApplePayToken"
        case earlierVersion = "cannot be used: keep it, and read it with that version"
        case locked = "or another process that has the lock, did not answer within"

        /// Whether another user is needed, whom only root can have.
        var needsRoot: Bool { self == .otherOwner || self == .otherOwnerOfFolder }
    }

    /// What a ledger knows: the serials of the attempts of its orders, and those of its claims.
    private struct Knowledge: Equatable {
        var serials: [ExactText] = []
        var claims: [ExactText] = []

        init(_ ledger: any AttemptLedger) async throws {
            for number in 1...3 {
                serials += try await ledger.attempts(of: "order-\(number)").map(\.serial)
                let attempt = try Fixture.attempt("order-\(number)", number)
                if let claim = try await ledger.record(of: attempt.transaction) {
                    claims.append(claim.serial)
                }
            }
        }
    }

    @Test("keeps its attempts and claims", arguments: Fault.allCases)
    func followed(_ fault: Fault) async throws {
        guard !fault.needsRoot || FileStatus.user == 0 else { return }
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        for number in 1...3 {
            _ = try await Fixture.begin("order-\(number)", number, in: fixture.ledger)
        }
        let before = try await Knowledge(fixture.ledger)
        #expect(before.serials.count == 3 && before.claims.count == 3)
        let backup = fixture.folder.path() + ".backup"
        defer { try? FileManager.default.removeItem(atPath: backup) }
        try fixture.run("VACUUM INTO '\(backup)'")
        try Self.make(fault, in: fixture, backup)
        let first = await Self.error(fault, fixture)
        #expect(first?.reason?.contains(fault.rawValue) == true)
        var error = first
        for _ in 0..<3 {
            guard let reason = error?.reason else { break }
            try await Self.follow(reason, fault, in: fixture, backup)
            error = await Self.error(nil, fixture)
        }
        #expect(error == nil)
        let ledger = try await SQLiteLedger(fixture.path)
        #expect(try await Knowledge(ledger) == before)
        // After a restore, an order that the backup lacks is asked for.
        let isRestored = reason(first, names: "backup")
        #expect((try await ledger.history.restored != nil) == isRestored)
    }

    private func reason(_ error: LedgerError?, names word: String) -> Bool {
        error?.reason?.contains(word) == true
    }

    /// Opens the ledger as the fault needs it, and returns its error.
    private static func error(_ fault: Fault?, _ fixture: LedgerFixture) async -> LedgerError? {
        do throws(LedgerError) {
            switch fault {
            case .folder: _ = try await SQLiteLedger(fixture.folder.path())
            case .otherWindow: try await SQLiteLedger.create(fixture.path, window: 600)
            case .locked:
                let ledger = try await SQLiteLedger(fixture.path, limit: .milliseconds(50)) {
                    Date()
                }
                guard let lock = try? HeldLock(fixture.path + ".lock") else { return nil }
                defer { lock.end() }
                _ = try await ledger.prune()
            default:
                let ledger = try await SQLiteLedger(fixture.path)
                _ = try await ledger.check()
                _ = try await ledger.prune()
                _ = try await ledger.attempts(of: "order-1")
            }
            return nil
        } catch {
            return error
        }
    }

    private static func make(_ fault: Fault, in fixture: LedgerFixture, _ backup: String) throws {
        let (manager, path) = (FileManager.default, fixture.path)
        func set(_ key: FileAttributeKey, _ value: Int, _ path: String) throws {
            try manager.setAttributes([key: value], ofItemAtPath: path)
        }
        func overwrite(_ range: Range<Int>) throws {
            try fixture.run("PRAGMA wal_checkpoint(TRUNCATE)")
            var data = try Data(contentsOf: URL(filePath: path))
            data.replaceSubrange(range, with: Data(repeating: 0x5A, count: range.count))
            try data.write(to: URL(filePath: path))
        }
        switch fault {
        case .writableFile: try set(.posixPermissions, 0o666, path)
        case .writableFolder: try set(.posixPermissions, 0o777, fixture.folder.path())
        case .sharedFolder: try run("chmod 1777 .", in: fixture)
        case .lockIsFolder:
            try manager.removeItem(atPath: path + ".lock")
            try manager.createDirectory(
                atPath: path + ".lock", withIntermediateDirectories: false)
        case .otherOwner: try set(.ownerAccountID, 65_534, path)
        case .otherOwnerOfFolder: try set(.ownerAccountID, 65_533, fixture.folder.path())
        case .missing:
            for suffix in ["", "-wal", "-shm"] { try? manager.removeItem(atPath: path + suffix) }
        case .missingBesideLog: try manager.removeItem(atPath: path)
        case .empty:
            for suffix in ["-wal", "-shm"] { try? manager.removeItem(atPath: path + suffix) }
            try Data().write(to: URL(filePath: path))
        case .noDatabase: try overwrite(0..<100)
        case .otherProgram: try fixture.run("PRAGMA application_id = 1")
        case .damagedSettings: try fixture.run("DELETE FROM apple_pay_ledger")
        case .damaged: try overwrite(4_096..<16_384)
        case .restored:
            try run("mkdir damaged && mv ledger ledger-* damaged", in: fixture)
            try manager.copyItem(atPath: backup, toPath: path)
            try set(.posixPermissions, 0o600, path)
        case .laterVersion: try fixture.run("UPDATE apple_pay_ledger SET version = 5")
        case .earlierVersion: try fixture.run("UPDATE apple_pay_ledger SET version = 3")
        case .folder, .otherWindow, .locked: break
        }
    }

    // MARK: Following

    /// Does what an error says, and no more.
    private static func follow(
        _ reason: String, _ fault: Fault, in fixture: LedgerFixture, _ backup: String
    ) async throws {
        // Another version of the program reads it.
        if fault == .laterVersion || fault == .earlierVersion {
            try fixture.run("UPDATE apple_pay_ledger SET version = 4")
        }
        if reason.contains("move this one aside") {
            try run("mv ledger.lock aside", in: fixture)
        }
        // In these tests no program uses the ledger as another user; a folder cannot be moved, because its path is the fixture's.
        if reason.contains("give all of its files") { try run("chown 0 . ledger*", in: fixture) }
        if reason.contains("use a folder for the ledger") { try run("chmod 700 .", in: fixture) }
        if reason.contains("keep its files") || reason.contains("moved all files") {
            try run("mkdir damaged && mv ledger ledger-* ledger.lock damaged; true", in: fixture)
        }
        if reason.contains("restore the last backup") || reason.contains("restore it from") {
            try run("install -m 600 \(backup) ledger", in: fixture)
        }
        // There was a ledger, so nothing for a new shop is done.
        let advice = reason.components(separatedBy: "only for a new shop")[0]
        for command in commands(in: advice) {
            guard command.hasPrefix("paytoken") else {
                try run(command, in: fixture)
                continue
            }
            let words = command.split(separator: " ").map(String.init)
            let window = try #require(
                words.firstIndex(of: "--window").flatMap { Int(words[$0 + 1]) })
            #expect(words.prefix(3) == ["paytoken", "ledger", "init"])
            #expect(words.last == fixture.path)
            try await SQLiteLedger.create(
                fixture.path, window: window, isRestored: words.contains("--restored"))
        }
    }

    /// Returns the commands between backquotes.
    private static func commands(in text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    private static func run(_ command: String, in fixture: LedgerFixture) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = fixture.folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(command)")
    }

    // MARK: What these tests know

    @Test("of each text in the sources is followed here")
    func texts() throws {
        let root = URL(filePath: #filePath).pathComponents.prefix { $0 != "Tests" }
        let sources = URL(filePath: root.joined(separator: "/")).appending(path: "Sources/Payments")
        var texts = ""
        for folder in ["ApplePaySQLite", "ApplePayLedger"] {
            let files = try FileManager.default.contentsOfDirectory(
                at: sources.appending(path: folder), includingPropertiesForKeys: nil)
            for file in files where file.pathExtension == "swift" {
                let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                texts += lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }
                    .joined(separator: "\n")
            }
        }
        // Two words of a text that asks for something; each occurs only in texts that are followed here, or known to be safe.
        let known = Fault.allCases.map(\.rawValue) + Self.safe
        let verbs = [
            "restore it", "restore the", "paytoken ", "name the", "name a", "create a",
            "another file",
            "another ledger", "give the", "give it", "keep the", "keep it", "move ", "remove ",
            "chmod ", "chown ", "mkdir ", "mount ", "upgrade", "start the", "make room",
            "raise the",
        ]
        for verb in verbs where texts.contains(verb) {
            #expect(known.contains { $0.contains(verb) }, "\(verb)")
        }
    }

    /// Texts that advise something about a ledger without a fault of its files.
    private static let safe = [
        "run `chmod go-w FOLDER`, or move all of the ledger's files to a folder that only its user may write",
        // installations.py follows these, with a ledger that root made.
        "only for a ledger that no program uses, `chown USER FILES`, as root, gives its files to this user",
        "keep the ledger on a local disk",
        "make room on its disk, and keep the ledger's files",
        "`paytoken doctor --ledger LEDGER` tests its disk, the free space and the limits",
        "`mount -o remount,rw FOLDER`, as root, makes it writable",
        "`mkdir -p -m 700 FOLDER` creates the folder",
        "start the process again", "raise the limit on processes",
    ]
}

/// A lock on a ledger's lock file, as another process has it.
private struct HeldLock {
    private let process = Process()

    init(_ path: String) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "exec 9>>\"$0\"; flock 9; echo; exec sleep 60", path]
        process.standardOutput = output
        try process.run()
        _ = try output.fileHandleForReading.read(upToCount: 1)
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }
}
