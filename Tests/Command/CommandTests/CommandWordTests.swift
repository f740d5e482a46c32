import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@testable import paytoken

@Suite("The words of commands")
struct CommandWordTests {
    /// Returns the failure of a command, which is run in this process.
    private func failure(_ words: String) -> String? {
        let words = words.split(separator: " ").map(String.init)
        let command = Program.paytoken.commands.first { $0.name == words[0] }
        let failure = #expect(throws: CommandFailure.self) {
            try command?.run(Array(words.dropFirst()), .paytoken)
        }
        return failure.map { "\($0.status) \($0.message)" }
    }

    @Test(
        "are refused where they are too many, too few or do not fit",
        arguments: [
            ("completions", "completions needs one shell: bash, zsh, fish."),
            ("completions bash zsh", "completions needs one shell: bash, zsh, fish."),
            ("verify --batch --jobs 1025", "--jobs takes a number from 1 to 1024, not 1025."),
            ("verify --batch --jobs 0", "--jobs takes a number from 1 to 1024, not 0."),
            ("verify --jobs 1", "--jobs needs --batch."),
        ])
    func refused(_ words: String, _ sentence: String) {
        #expect(failure(words) == "usage \(sentence)")
    }

    @Test(
        "name a secret that has at least one byte",
        arguments: [("", 3), ("s", 0)] as [(String, Int32)])
    func secret(_ secret: String, _ status: Int32) throws {
        let account =
            #"{"gateway":"dintero","environment":"live","account":{"accountId":"P00000000"},"#
            + #""credentials":{"clientId":"c","clientSecret":{"env":"SECRET"}}}"#
        try KeyFolder.with(["shop.json": account]) { folder in
            let run = try Command(
                ["doctor", "--gateway", "\(folder)/shop.json", "--at", "2026-05-04T09:30:00Z"],
                environment: ["SECRET": secret])
            #expect(run.status == status, "\(run.error)\(run.output)")
        }
    }

    @Test(
        "make a key with a passphrase of at least one byte",
        arguments: [("\n", true), ("p\n", false)])
    func passphrase(_ text: String, _ isRefused: Bool) throws {
        try KeyFolder.with(["passphrase": text]) { folder in
            let words = ["--out", "\(folder)/x", "--passphrase-file", "\(folder)/passphrase"]
            let arguments = try Arguments(words, KeysNewCommand.options)
            if isRefused {
                let failure = #expect(throws: CommandFailure.self) {
                    try KeysNewCommand.run(arguments)
                }
                #expect(
                    failure?.message
                        == "the passphrase is empty; write it to the first line of the file, or to the variable."
                )
            } else {
                #expect(try KeysNewCommand.run(arguments) == .done)
            }
        }
    }

    @Test("warn of no test key that others can read")
    func testKeys() throws {
        let pair = try ["one.key.pem", "one.cert.pem"].map {
            try String(contentsOf: TestVectors.keys.appending(path: $0), encoding: .utf8)
        }
        try KeyFolder.with(["one.pem": pair.joined()]) { folder in
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: "\(folder)/one.pem")
            let root = TestVectors.root.path()
            let conform = try Command(
                ["conform", "-", "--trust-anchor", root, "--keys", folder],
                program: "paytoken-testing")
            #expect(conform.status == 0 && conform.output.isEmpty)
            #expect(!conform.error.contains("warning"))
            let words = ["inspect", TestVectors.demoToken.path(), "--keys", folder]
            let inspect = try Command(words + ["--test-trust-anchor", root, "--any-age"])
            #expect(!inspect.error.contains("warning"))
        }
    }

    private static let terminal = "/usr/bin/script"

    @Test(
        "have help as wide as the terminal",
        .enabled(if: FileManager.default.isExecutableFile(atPath: terminal), "needs script"),
        arguments: [0, 70])
    func width(_ columns: Int) throws {
        let run = try Command(
            [
                "-qec",
                "stty cols \(columns) -onlcr; \(Command.path(of: "paytoken")) verify --help",
                "/dev/null",
            ],
            program: Self.terminal)
        let verify = try #require(Program.paytoken.commands.first { $0.name == "verify" })
        #expect(
            run.output == Usage(of: .paytoken, columns: columns == 0 ? nil : columns).text([verify])
        )
    }

    @Test("choose colors, and text has 100 columns if the terminal's width is unknown")
    func page() throws {
        for (choice, text) in [("always", "\u{1B}[1;31mt\u{1B}[0m"), ("never", "t")] {
            let style = try TerminalStyle(Arguments(["--color", choice], [.color]))
            #expect(style.text("t", .bold, .red) == text && style.text("", .bold).isEmpty)
            #expect(style.width == max(StandardStream.output.columns ?? 100, 40))
        }
    }
}
