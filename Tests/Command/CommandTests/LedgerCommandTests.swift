import ApplePayPrimitives
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@Suite("The command's ledger")
struct LedgerCommandTests {
    private let testOptions = [
        "--keys", TestVectors.keys.path(), "--test-trust-anchor", TestVectors.root.path(), "--at",
        "2026-05-04T09:30:00Z",
    ]

    private func json(_ text: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        try KeyFolder.with([String: String]()) { try body(URL(filePath: $0)) }
    }

    @Test("claims the demo token once, and shows the claim")
    func road() throws {
        try withFolder { folder in
            let ledger = ["--ledger", folder.appending(path: "ledger").path()]
            let demo = ["decrypt", TestVectors.demoToken.path()] + testOptions + ledger
            #expect(try Command(demo).status == 3)
            let made = try Command(["ledger", "init", "--window", "300"] + ledger)
            #expect(made.status == 0)
            #expect(try json(made.output)["window"] as? Int == 300)

            let first = try Command(demo)
            #expect(first.status == 0)
            #expect(try json(first.output)["claimed"] as? Bool == true)
            let transaction = try #require(json(first.output)["transactionId"] as? String)
            let replay = try Command(demo)
            #expect(replay.status == 1)
            #expect(try json(replay.output)["stage"] as? String == "replay")
            #expect(try json(replay.output)["code"] as? String == "already-claimed")

            let whole = try json(Command(["ledger", "show"] + ledger).output)
            #expect(whole["ledger"] as? String == "sqlite" && whole["window"] as? Int == 300)
            let shown = try json(
                Command(["ledger", "show", transaction.uppercased()] + ledger).output)
            #expect(shown["transactionId"] as? String == transaction)
            #expect(shown["claimed"] as? Bool == true && shown["expires"] as? Bool == false)
            #expect((shown["serial"] as? String)?.count == 32)
            let other = try json(
                Command(["ledger", "show", String(repeating: "0", count: 64)] + ledger).output)
            #expect(other["claimed"] as? Bool == false && other["serial"] == nil)
            let pruned = try Command(["ledger", "prune"] + ledger)
            #expect(try json(pruned.output)["pruned"] as? Int == 0)
            #expect(try Command(demo).status == 1)
        }
    }

    @Test("claims nothing for another order or a wider window, and keeps a claim without a reader")
    func nothing() throws {
        try withFolder { folder in
            let ledger = ["--ledger", folder.appending(path: "ledger").path()]
            _ = try Command(["ledger", "init", "--window", "300"] + ledger)
            let demo = ["decrypt", TestVectors.demoToken.path()] + testOptions + ledger
            let other = try Command(demo + ["--amount", "1", "--currency", "USD"])
            #expect(other.status == 1)
            #expect(try json(other.output)["stage"] as? String == "order")
            let wide = try Command(demo + ["--max-age", "301"])
            #expect(try json(wide.output)["code"] as? String == "window-too-wide")
            let command = (["$0"] + demo.map { "'\($0)'" }).joined(separator: " ")
            let lost = try Command(
                ["-c", "\(command) > /dev/full", Command.path(of: "paytoken")], program: "/bin/sh")
            #expect(lost.status == 3)
            // Nobody can know whether a lost answer was acted on, so that the claim is final.
            let again = try Command(demo)
            #expect(try json(again.output)["code"] as? String == "already-claimed")
        }
    }

    @Test("compares a whole order from a file")
    func order() throws {
        let words = Array("order 1001".utf8)
        let pki = TestPKI(seed: "order files")
        let merchant = try pki.merchant("one")
        let token = try pki.token(to: merchant) {
            $0.payload.amount = 1099
            $0.payload["currencyCode"] = "978"
            $0.applicationData = try Digest.sha256.hash(words)
            $0.payload["authenticationResponses"] = .array([
                .object([
                    "merchantIdentifier": "a", "authenticationData": "AAAA",
                    "transactionAmount": "99",
                ])
            ])
        }
        let base64 = Data(words).base64EncodedString()
        let merchants = #"[{"merchantIdentifier": "a", "amount": 99}]"#
        let whole =
            #"{"amount": 1099, "currency": "EUR", "applicationData": "\#(base64)", "merchants": "#
        let files = [
            "one.pem": merchant.keyPEM + merchant.certificatePEM,
            "root.txt": try pki.root.certificate.pem,
            "right.json": whole + merchants + "}",
            "zero.json": whole + merchants + #", "zeroAmount": "refused"}"#,
            "nobody.json": whole + "[]}",
            "short.json": #"{"amount": 1098, "currency": "EUR"}"#,
            "strange.json": whole + merchants + #", "tip": 1}"#,
            "half.json": #"{"amount": 1099}"#,
            "broken.json": "{",
        ]
        try KeyFolder.with(files) { folder in
            let options = [
                "decrypt", "--keys", "\(folder)/one.pem", "--any-age", "--test-trust-anchor",
                "\(folder)/root.txt",
            ]
            func run(_ more: [String]) throws -> Command {
                try Command(options + more, input: token.text)
            }
            for name in ["right", "zero"] {
                #expect(try run(["--order", "\(folder)/\(name).json"]).status == 0)
            }
            for (name, message) in [
                ("nobody", "order: authenticationResponses differs"),
                (
                    "short",
                    "transactionAmount and applicationData and authenticationResponses differ"
                ),
            ] {
                let refused = try run(["--order", "\(folder)/\(name).json"])
                #expect(refused.status == 1)
                #expect(refused.output.contains(message))
            }
            for name in ["strange", "half", "broken"] {
                #expect(try run(["--order", "\(folder)/\(name).json"]).status == 2)
            }
            #expect(try run(["--application-data", base64]).status == 0)
            #expect(try run(["--application-data", "AAAA"]).status == 1)
            #expect(try run(["--application-data", "?"]).status == 2)
            #expect(try run(["--order", "\(folder)/right.json", "--amount", "1"]).status == 2)
        }
    }

    @Test(
        "reports a wrong command line and the next step",
        arguments: [
            (["ledger"], "ledger needs one of"), (["ledger", "burn"], "ledger needs one of"),
            (["ledger", "init", "--ledger", "x"], "ledger init needs --window SECONDS."),
            (["ledger", "init"], "ledger init needs --ledger LEDGER and --window SECONDS."),
            (["ledger", "show"], "ledger show needs --ledger LEDGER."),
            (["ledger", "confirm"], "ledger needs one of"),
            (["ledger", "show", "12", "12", "--ledger", "x"], "takes one transactionId"),
            (
                ["ledger", "prune", "12", "--ledger", "x"],
                "ledger prune takes only a ledger; leave out 12."
            ),
            (["ledger", "show", "--window", "1"], "--window is not an option here"),
            (["ledger", "show", "--ledger", ""], "the value of --ledger is empty"),
        ] as [([String], String)]
    )
    func usage(_ words: [String], _ message: String) throws {
        let command = try Command(words)
        #expect(command.status == 2)
        #expect(command.error.contains(message))
    }

    @Test(
        "repeats nothing of a text that looks like a connection string",
        arguments: [
            "host=db password='PASSWORD'", "password = 'PASSWORD", "postgres:/shop:PASSWORD@db/pay",
            "Postgresql://shop:PASSWORD@db/pay", " postgresql://shop:PASSWORD@db/pay",
            "shop:PASSWORD@db/pay", "PASSWORD@db", "postgresql://shop:PASS/WORD@db/pay",
        ]
    )
    func connectionStrings(_ text: String) throws {
        let password = "Zq7Kw9Xv2PmTj4"
        let location = text.replacing("PASSWORD", with: password)
            .replacing("PASS", with: password.prefix(7))
            .replacing("WORD", with: password.dropFirst(7))
        let characters = Array(password)
        let pieces = (0...characters.count - 4).map { String(characters[$0..<$0 + 4]) }
        for words in [["show", "--ledger", location], ["show", location]] {
            let command = try Command(["ledger"] + words)
            #expect(command.status != 0)
            #expect(!command.error.isEmpty)
            let shown = pieces.filter { (command.output + command.error).contains($0) }
            #expect(shown.isEmpty)
        }
    }

    @Test("takes a file with a colon in its name when that begins with ./ or /")
    func fileWithColon() throws {
        try withFolder { folder in
            let ledger = folder.appending(path: "a:b=c@d").path()
            let made = try Command(["ledger", "init", "--window", "300", "--ledger", ledger])
            #expect(made.status == 0, "\(made.error)")
        }
    }

    @Test("grants each claim once to eight processes of which some are killed")
    func race() throws {
        try withFolder { folder in
            let ledger = folder.appending(path: "ledger").path()
            for words in [
                ["contract", ledger], ["race", ledger, "300"], ["crash", ledger, "3", "60"],
            ] {
                let run = try Command(words, program: "ledger-race")
                #expect(run.status == 0, "\(run.error)")
            }
        }
    }

    @Test("run by root, leaves all files to the ledger's user")
    func root() throws {
        guard FileStatus.user == 0 else { return }
        try withFolder { folder in
            let nobody: UInt32 = 65_534
            // The folder above is root's alone.
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o711], ofItemAtPath: folder.path())
            let shop = folder.appending(path: "shop").path()
            try FileManager.default.createDirectory(
                atPath: shop, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            try FileManager.default.setAttributes([.ownerAccountID: nobody], ofItemAtPath: shop)
            let ledger = ["--ledger", "\(shop)/ledger"]
            let made = try Command(["ledger", "init", "--window", "300"] + ledger)
            #expect(made.status == 0, "\(made.error)")
            let token = try String(contentsOf: TestVectors.demoToken, encoding: .utf8)
            let first = try Command(["decrypt"] + testOptions + ledger, input: token)
            #expect(first.status == 0, "\(first.error)")
            for words in [["ledger", "prune"], ["ledger", "show"]] {
                #expect(try Command(words + ledger).status == 0)
            }
            let keys = ["--keys", TestVectors.keys.path()]
            let doctor = try Command(["doctor", "--at", "2026-05-04T09:30:00Z"] + keys + ledger)
            #expect(doctor.output.contains("sqlite, for tokens of at most 300 s"))
            let names = try FileManager.default.contentsOfDirectory(atPath: shop)
            #expect(names.count == 4)
            for name in names {
                #expect(try FileStatus("\(shop)/\(name)").owner == nobody, "\(name)")
            }
        }
    }
}
