import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayToken
import ApplePayTokenTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import paytoken

/// A line of Tests/Command/messages.txt.
private struct MessageLine {
    /// The exit status, and after a blank the stage and code of a refusal; nil for a line that prepares files.
    let outcome: String?

    /// The words for a shell.
    let command: String

    /// What standard error must contain.
    let pieces: [String]

    /// All lines of the file, in its order.
    static func all() throws -> [MessageLine] {
        let file = TestVectors.directory.deletingLastPathComponent()
            .appending(path: "Tests/Command/messages.txt")
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            guard !line.hasPrefix("! ") else {
                return MessageLine(outcome: nil, command: String(line.dropFirst(2)), pieces: [])
            }
            let parts = line.split(separator: " | ").map(String.init)
            return MessageLine(
                outcome: parts[0], command: parts.count > 1 ? parts[1] : "",
                pieces: Array(parts.dropFirst(2)))
        }
    }
}

@Suite("Messages of the command")
struct MessageTests {
    private static func run(_ command: String, in folder: String) throws -> Command {
        let products = URL(filePath: Command.path(of: "paytoken")).deletingLastPathComponent()
        return try Command(
            ["-o", "pipefail", "-c", "cd \"$0\" || exit 99\n\(command)", folder],
            program: "/bin/bash",
            environment: [
                "PATH": "\(products.path()):/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                "SECRET": "sk_top_secret",
                "TEST": "--test-trust-anchor root.pem --at 2026-05-04T09:30:00Z",
            ])
    }

    /// Returns the exit status, with the stage and code of a refusal.
    private static func outcome(_ run: Command) throws -> String {
        guard run.status == 1, let line = run.output.split(separator: "\n").first,
            let answer = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let stage = answer["stage"] as? String, let code = answer["code"] as? String
        else { return "\(run.status)" }
        return "\(run.status) \(stage)/\(code)"
    }

    /// Calls `body` with a new folder that has the demo token, the merchant's key, the root of the test PKI and the vectors.
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let text = { try String(contentsOf: $0, encoding: .utf8) }
        let files = try [
            "token.json": text(TestVectors.demoToken), "root.pem": text(TestVectors.root),
        ]
        try KeyFolder.with(files) { folder in
            let manager = FileManager.default
            try manager.createDirectory(
                atPath: "\(folder)/keys", withIntermediateDirectories: false)
            for name in ["keys/one.key.pem", "keys/one.cert.pem"] {
                try manager.copyItem(
                    atPath: TestVectors.synthetic.appending(path: name).path(),
                    toPath: "\(folder)/\(name)")
                try manager.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: "\(folder)/\(name)")
            }
            try manager.createSymbolicLink(
                atPath: "\(folder)/vectors",
                withDestinationPath: TestVectors.directory.path())
            try body(folder)
        }
    }

    @Test(
        "say what is wrong and what to do, repeat no secret, and propose commands that work",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "needs openssl"))
    func lines() throws {
        let lines = try MessageLine.all()
        for command in Program.paytoken.commands {
            let isThere = lines.contains { $0.command.contains("paytoken \(command.name)") }
            #expect(isThere, "no line for \(command.name)")
        }
        try Self.withFolder { folder in
            let key = try String(contentsOfFile: "\(folder)/keys/one.key.pem", encoding: .utf8)
            let token = try String(contentsOfFile: "\(folder)/token.json", encoding: .utf8)
            let data = try #require(token.firstMatch(of: /"data":"([^"]{40})/)?.1)
            let secrets = [
                String(key.split(separator: "\n")[1].prefix(40)), String(data), "shop:secret",
                "sk_top_secret",
            ]
            for line in lines {
                let run = try Self.run(line.command, in: folder)
                guard let outcome = line.outcome else {
                    try #require(run.status == 0, "\(line.command): \(run.error)")
                    continue
                }
                let found = try Self.outcome(run)
                #expect(found == outcome, "\(line.command): \(run.error)")
                #expect(!line.pieces.isEmpty, "\(line.command)")
                for piece in line.pieces {
                    #expect(run.error.contains(piece), "\(line.command): \(run.error)")
                }
                let controls = run.error.unicodeScalars.filter {
                    $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
                }
                #expect(controls.isEmpty, "\(line.command)")
                #expect(!secrets.contains(where: run.error.contains), "\(line.command)")
                for match in run.error.matches(of: /`([^`]+)`/) {
                    let proposed = try Self.run(String(match.1), in: folder)
                    #expect(![2, 126, 127].contains(proposed.status), "\(match.1)")
                }
            }
        }
    }

    /// How root runs the built command as another user, who may read fewer files; nil if that user cannot reach it.
    private static let otherUser: String? = {
        guard geteuid() == 0 else { return "" }
        let words = "setpriv --reuid 65534 --regid 65534 --clear-groups "
        let program = Command.path(of: "paytoken")
        let run = try? Command(["-c", "\(words)\(program) --version"], program: "/bin/sh")
        return run?.status == 0 ? words : nil
    }()

    @Test(
        "name the user, and the owner and the mode of what it may not read",
        .enabled(if: otherUser != nil, "another user cannot run the command"))
    func permissions() throws {
        let other = Self.otherUser ?? ""
        try Self.withFolder { folder in
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o711], ofItemAtPath: folder)
            for (name, mode, words) in [
                ("token.json", "000", "verify token.json"),
                ("keys", "000", "keys list --keys keys"),
                ("keys", "000", "keys new --out keys/x"), ("keys", "555", "keys new --out keys/x"),
            ] {
                let command = "exec \(other)$(command -v paytoken) \(words)"
                let run = try Self.run("chmod \(mode) \(name) && \(command)", in: folder)
                _ = try Self.run("chmod 700 \(name)", in: folder)
                #expect(run.status == 3)
                let facts =
                    other.isEmpty
                    ? "\(name) has mode 0\(mode), which its owner, \(ProcessUser.name), can change: `chmod u+"
                    : ", and \(name) belongs to the user root and the group root, with mode 0\(mode): run it as a user"
                let reason = ": Permission denied; "
                #expect(run.error.contains(reason) && run.error.contains(facts), "\(run.error)")
            }
        }
    }

    @Test("state the code, a sentence and advice for each fault of a token")
    func refusals() throws {
        let pki = TestPKI(testSeed: "tokens on request")
        let merchants = (try pki.testMerchant("one"), try pki.testMerchant("two", .rsa))
        let files = [
            "root.pem": try pki.rootPEM, "a.pem": merchants.0.keyPEM + merchants.0.certificatePEM,
            "b.pem": merchants.1.keyPEM + merchants.1.certificatePEM,
        ]
        try KeyFolder.with(files) { folder in
            for fault in TokenFault.all {
                let merchant = fault.versions.contains(.ec) ? merchants.0 : merchants.1
                let token = try pki.testToken(for: merchant, refusedWith: fault.code)
                try token.write(to: URL(filePath: "\(folder)/token"))
                let run = try Command([
                    "decrypt", "\(folder)/token", "--test-trust-anchor", "\(folder)/root.pem",
                    "--keys", "\(folder)/a.pem", "--keys", "\(folder)/b.pem",
                ])
                #expect(try Self.outcome(run) == "1 \(fault.code.rawValue)", "\(fault.code)")
                let message = run.error.split(separator: "\n").last ?? ""
                #expect(message.hasPrefix("paytoken: "), "\(run.error)")
                #expect(message.contains("\(folder)/token"), "\(run.error)")
                #expect(message.split(separator: ". ").count > 1, "\(run.error)")
            }
        }
    }

    @Test(
        "announce that a terminal is read",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script"),
        arguments: [
            ("verify", "a token"), ("verify --batch", "tokens, one a line,"),
            ("verify x --crl -", "a file"),
            ("request --gateway - --order x --keys x", "a gateway file"),
            ("decrypt --keys \(TestVectors.keys.path()) --order -", "an order"),
            ("conform - --check x", "test vectors"),
            (
                "conform - --trust-anchor \(TestVectors.root.path()) --keys \(TestVectors.keys.path())",
                "test vectors"
            ),
            ("conform \(TestVectors.syntheticCasesFile.path()) --check -", "answers"),
            ("keys hash -", "a key"),
            ("keys list --keys -", "a key"),
            ("keys csr --key - --out x", "a key"),
            ("keys new --out /nowhere/x --passphrase-file -", "a passphrase"),
        ])
    func terminal(_ words: String, _ contents: String) throws {
        let program = words.hasPrefix("conform") ? "paytoken-testing" : "paytoken"
        // The terminal delivers Ctrl-D as the end of the input.
        let run = try Command(
            ["-qec", "\(Command.path(of: program)) \(words)", "/dev/null"],
            program: "/usr/bin/script", input: "\u{04}\u{04}")
        #expect(
            run.output.contains(
                "\(program): Reading \(contents) from the terminal; end it with Ctrl-D.\r\n"))
    }
}
