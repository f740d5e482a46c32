import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import paytoken

@Suite("Help")
struct HelpTests {
    /// Creates a folder with the files that the examples use.
    private func withExampleFiles(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let files = FileManager.default
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        let token = try String(contentsOf: TestVectors.demoToken, encoding: .utf8)
        try token.write(to: folder.appending(path: "token.json"), atomically: true, encoding: .utf8)
        let line = token.split(separator: "\n").joined() + "\n"
        try line.write(
            to: folder.appending(path: "tokens.jsonl"), atomically: true, encoding: .utf8)
        let keys = folder.appending(path: "keys")
        try files.createDirectory(at: keys, withIntermediateDirectories: true)
        for name in ["one.key.pem", "one.cert.pem"] {
            try files.copyItem(
                at: TestVectors.keys.appending(path: name), to: keys.appending(path: name))
            // The doctor finds fault with a key that others can read.
            try files.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: keys.appending(path: name).path())
        }
        try files.copyItem(at: TestVectors.root, to: folder.appending(path: "root.pem"))
        try "".write(to: folder.appending(path: "cases.jsonl"), atomically: true, encoding: .utf8)
        let order =
            #"{"reference":"order-1001","amount":71929,"currency":"USD","returnURL":"https://shop.example/back"}"#
        try order.write(
            to: folder.appending(path: "order.json"), atomically: true, encoding: .utf8)
        let account =
            #"{"gateway":"worldline-direct","environment":"test","account":{"merchantId":"shop"},"#
            + #""credentials":{"apiKeyId":"key-1","secretApiKey":{"env":"HOME"}},"#
            + #""webhooks":{"keys":{"key-1":{"env":"HOME"}}}}"#
        try account.write(
            to: folder.appending(path: "shop.json"), atomically: true, encoding: .utf8)
        // The doctor finds fault with an account that others can read.
        try files.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: folder.appending(path: "shop.json").path())
        try "GET / HTTP/1.1\r\nX-GCS-Webhooks-Endpoint-Verification: a\r\n\r\n".write(
            to: folder.appending(path: "message.http"), atomically: true, encoding: .utf8)
        try body(folder.path())
    }

    @Test("shows examples that work")
    func examples() throws {
        // These fail: a database needs the package's trait, and the example of request has claimed the token. The session's
        // key, two gateway files and the ledger of orders are missing, so that neither Apple nor a gateway is asked. No
        // service is installed here.
        let refused = [
            "postgresql://": 2, "decrypt token.json --keys keys --ledger": 1,
            "session --identity": 3, "bepaid.json": 3, "intergiro.json": 3, "--ledger orders": 3,
            "--socket /run": 3,
        ]
        let test = ["--test-trust-anchor", "root.pem", "--at", "2026-05-04T09:30:00Z"]
        var count = 0
        try withExampleFiles { folder in
            let paytoken = Command.path(of: "paytoken")
            // `ledger init` comes first, because an example of decrypt claims in the ledger.
            let commands =
                Program.paytoken.commands.filter { $0.name == "ledger init" }
                + Program.paytoken.commands
            for (index, command) in commands.enumerated() {
                if index > 0, command.name == "ledger init" { continue }
                #expect(!command.examples.isEmpty, "\(command.name)")
                for example in command.examples {
                    var words = example.split(separator: " ").map(String.init)
                    let takesToken = words.contains { $0.hasPrefix("token") }
                    if takesToken {
                        words += words.contains("--any-age") ? Array(test[..<2]) : test
                    }
                    if command.name == "doctor" { words += test[2...] }
                    let line = words.joined(separator: " ")
                    let run = try Command(
                        ["-c", "cd \"$0\" && exec \"$1\" \(line)", folder, paytoken],
                        program: "/bin/sh",
                        // The example of `gateway example` replaces shop.json.
                        environment: ["WORLDLINE_SECRET": "secret"])
                    let expected = refused.first { example.contains($0.key) }?.value ?? 0
                    #expect(run.status == expected, "\(example): \(run.error)\(run.output)")
                    count += 1
                }
            }
        }
        #expect(count > 20)
    }

    @Test(
        "proposes the word that a misspelled one means",
        arguments: [
            (["decript", "t"], "there is no command decript; did you mean decrypt?"),
            (["key", "list"], "there is no command key; did you mean keys?"),
            (["keys", "lsit"], "Did you mean keys list?"),
            (
                ["verify", "--max-agee", "1"],
                "--max-agee is not an option here; did you mean --max-age?"
            ),
            (
                ["gateway", "example", "dinetro"],
                "there is no gateway dinetro; did you mean dintero?"
            ),
            (["gateway", "exampel", "rbs"], "Did you mean gateway example?"),
        ] as [([String], String)])
    func suggestions(_ words: [String], _ sentence: String) throws {
        let refused = try Command(words)
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.error.contains(sentence), "\(refused.error)")
    }

    @Test("proposes nothing for a word that resembles no other")
    func noSuggestion() {
        let names = ["verify", "decrypt"]
        #expect(names.suggestion(for: "frobnicate") == nil)
        #expect(names.suggestion(for: String(repeating: "verify", count: 1000)) == nil)
        #expect(["rbs"].suggestion(for: "xyz") == nil)
        #expect(names.suggestion(for: "evrify") == "verify")
        #expect(names.suggestion(for: "") == nil)
    }

    @Test("is an option before -- and a file after it")
    func endOfOptions() throws {
        #expect(try Command(["verify", "--help"]).status == 0)
        let file = try Command(["verify", "--", "--help"])
        #expect(file.status == 3 && file.error.contains("--help cannot be read"))
        let ended = try Command(["verify", "--any-age", "--", "-"], input: "{")
        #expect(ended.status == 1)
    }

    @Test("names the version, the commit and the OpenSSL in use")
    func version() throws {
        let version = try Command(["--version"])
        #expect(version.status == 0 && version.error.isEmpty)
        let lines = version.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("paytoken 0.1.0 (commit "))
        #expect(lines[1].hasPrefix("OpenSSL 3."))
    }
}
