import ApplePayGatewayFiles
import Foundation
import TestVectors
import Testing

/// One of the files in Tests/Command/Messages: command lines with the messages that they provoke.
///
/// A line that begins with `!` prepares files. A line that begins with `$` is a command line; the lines below it are the
/// expected standard error, and the line that begins with `=` has the expected exit status, the stage and code of a refusal,
/// and after a semicolon the exit status of each command that the message proposes between backquotes. A command line with
/// `>&2` shows its standard output there as well. GATEWAYS represents the names of all gateways, and ANY-GATEWAY the same
/// with "or" before the last one.
///
/// `# Mistake, grade 3: TEXT` above a command line names a mistake that a person makes, and grades what is printed, as a
/// newcomer reads it once: 3 says what is wrong, where or why, and what to do next; 2 lacks one of these; 1 misleads or says
/// almost nothing; 0 says nothing. Read the message again, and grade it anew, when you change it.
struct MessageTranscript: CustomTestStringConvertible {
    /// A command line with what it must write.
    struct Entry {
        let command: String
        var error = ""
        var outcome: String?

        /// The mistake that the command line makes, with the grade of what is printed.
        var mistake: Mistake?
    }

    /// A mistake of a person's.
    struct Mistake {
        let grade: Int
        let text: String
    }

    let name: String

    /// The entries; one without an outcome prepares files.
    let entries: [Entry]

    var testDescription: String { name }

    private static let folder = TestVectors.directory.deletingLastPathComponent()
        .appending(path: "Tests/Command/Messages")

    /// All transcripts, by name.
    static let all: [MessageTranscript] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return names.sorted().filter { $0.hasSuffix(".txt") }.map(MessageTranscript.init)
    }()

    /// The number of marks of mistakes in all files, wherever they are.
    static var markCount: Int {
        all.map(\.name).reduce(0) { count, name in
            let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
            return count + (text?.matches(of: /(?m)^# Mistake,/).count ?? 0)
        }
    }

    private init(_ name: String) {
        self.name = name
        let names = DeclaredGateway.all.map(\.name)
        let text =
            ((try? String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)) ?? "")
            .replacing("ANY-GATEWAY", with: names.alternatives)
            .replacing("GATEWAYS", with: names.joined(separator: ", "))
        var entries: [Entry] = []
        var mistake: Mistake?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isInMessage =
                entries.last.map { $0.command.hasPrefix("$") && $0.outcome == nil } ?? false
            if isInMessage, line.hasPrefix("= ") {
                entries[entries.count - 1].outcome = String(line.dropFirst(2))
            } else if isInMessage {
                entries[entries.count - 1].error += line + "\n"
            } else if let match = line.wholeMatch(of: /# Mistake, grade ([0-3]): (.+\.)/),
                let grade = Int(match.1)
            {
                mistake = Mistake(grade: grade, text: String(match.2))
            } else if line.hasPrefix("! ") || line.hasPrefix("$ ") {
                entries.append(Entry(command: String(line), mistake: mistake))
                mistake = nil
            }
        }
        self.entries = entries
    }

    /// Runs all entries in a new folder with a token, a merchant's keys and the root of the test PKI.
    func check() throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: UUID().uuidString)
        let path = folder.path()
        try files.createDirectory(
            at: folder.appending(path: "keys"), withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        try files.copyItem(at: TestVectors.demoToken, to: folder.appending(path: "token.json"))
        try files.copyItem(at: TestVectors.root, to: folder.appending(path: "root.pem"))
        for name in ["keys/one.key.pem", "keys/one.cert.pem"] {
            let file = folder.appending(path: name)
            try files.copyItem(at: TestVectors.synthetic.appending(path: name), to: file)
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path())
        }
        try files.createSymbolicLink(
            at: folder.appending(path: "vectors"), withDestinationURL: TestVectors.directory)
        let secrets = try Self.secrets(in: folder)
        for entry in entries {
            let run = try Self.run(String(entry.command.dropFirst(2)), in: path)
            guard let outcome = entry.outcome else {
                try #require(run.status == 0, "\(entry.command): \(run.error)")
                continue
            }
            #expect(run.error.replacing("\(path)/", with: "") == entry.error, "\(entry.command)")
            #expect(try Self.outcome(run, in: path) == outcome, "\(entry.command)")
            let controls = run.error.unicodeScalars.filter {
                $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
            }
            #expect(controls.isEmpty, "\(entry.command)")
            #expect(!secrets.contains(where: run.error.contains), "\(entry.command)")
        }
    }

    /// Returns texts that no message may repeat: a part of the token and of the key, and the passwords of the transcripts.
    private static func secrets(in folder: URL) throws -> [String] {
        let key = try String(
            contentsOf: folder.appending(path: "keys/one.key.pem"), encoding: .utf8)
        let token = try String(contentsOf: folder.appending(path: "token.json"), encoding: .utf8)
        let line = try #require(key.split(separator: "\n").first { !$0.hasPrefix("-") })
        let data = try #require(token.firstMatch(of: /"data":"([^"]{40})/)?.1)
        return [String(line.prefix(40)), String(data), "shop:secret", "first secret", "sk_live"]
    }

    /// Returns the exit status, the stage and code of a refusal, and the exit statuses of the proposed commands, which are
    /// run.
    private static func outcome(_ run: Command, in folder: String) throws -> String {
        var outcome = "\(run.status)"
        if run.status == 1, let line = run.output.split(separator: "\n").first,
            let answer = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let stage = answer["stage"] as? String, let code = answer["code"] as? String
        {
            outcome += " \(stage)/\(code)"
            let message = try #require(answer["message"] as? String)
            #expect(run.error.contains(message))
        }
        let proposed = try run.error.matches(of: /`([^`]+)`/).map { match in
            try Self.run(String(match.1), in: folder).status
        }
        return proposed.isEmpty
            ? outcome : outcome + " ; " + proposed.map(String.init).joined(separator: " ")
    }

    private static func run(_ command: String, in folder: String) throws -> Command {
        let products = URL(filePath: Command.path(of: "paytoken")).deletingLastPathComponent()
        return try Command(
            ["-o", "pipefail", "-c", "cd \"$0\" || exit 99\n\(command)", folder],
            program: "/bin/bash",
            environment: [
                "PATH": "\(products.path()):/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                "TEST": "--test-trust-anchor root.pem --at 2026-05-04T09:30:00Z",
            ])
    }
}
