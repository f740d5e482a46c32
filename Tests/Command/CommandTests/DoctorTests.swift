import ApplePayTokenTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

@Suite("The doctor")
struct DoctorTests {
    private let time = ["--at", "2026-05-04T09:30:00Z"]

    /// Returns the keys of merchants one and two in one file each, which only their owner can read.
    private func keyFiles() throws -> [String: String] {
        var files: [String: String] = [:]
        for name in ["one", "two"] {
            let parts = try ["key", "cert"].map { part in
                try String(
                    contentsOf: TestVectors.keys.appending(path: "\(name).\(part).pem"),
                    encoding: .utf8)
            }
            files["\(name).pem"] = parts.joined()
        }
        return files
    }

    /// Returns the findings with a result: `check: message`, and with `advice` also that: `check: message | advice`.
    private func findings(
        _ run: Command, _ result: String, advice: Bool = false
    ) throws -> [String] {
        let object = try JSONDecoder().decode(JSONTree.self, from: Data(run.output.utf8))
        #expect(object.members["status"]?.string == (run.status == 0 ? "ok" : "error"))
        return (object.members["checks"]?.elements ?? []).map(\.members)
            .filter { $0["result"]?.string == result }
            .map { finding in
                let text = advice ? finding["advice"]?.string.map { " | \($0)" } : nil
                return
                    "\(finding["check"]?.string ?? ""): \(finding["message"]?.string ?? "")\(text ?? "")"
            }
    }

    private func doctor(_ words: [String], environment: [String: String] = [:]) throws -> Command {
        try Command(["doctor", "--json"] + words, environment: environment)
    }

    @Test("finds nothing to fix in a good installation, with exit 0 and a line for each check")
    func good() throws {
        try KeyFolder.with(try keyFiles()) { folder in
            let ledger = folder + "/ledger"
            let made = try Command(["ledger", "init", "--window", "300", "--ledger", ledger])
            #expect(made.status == 0)
            let words = ["--keys", folder, "--ledger", ledger] + time
            let run = try Command(["doctor"] + words)
            #expect(run.status == 0 && run.error.isEmpty)
            #expect(run.output.hasPrefix("Ready"))
            #expect(!run.output.contains("✗"))
            #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
            let machine = try doctor(words)
            #expect(machine.status == 0)
            let passed = try findings(machine, "passed")
            #expect(passed.contains { $0.hasPrefix("openssl: OpenSSL 3.") })
            #expect(passed.contains("clock: 2026-05-04T09:30:00Z is plausible"))
            #expect(
                passed.contains {
                    $0.hasPrefix("key: \(folder)/one.pem, EC P-256, merchant.example.one: works")
                })
            #expect(
                passed.contains {
                    $0.hasPrefix("key: \(folder)/two.pem, RSA 2048, merchant.example.two: works")
                })
            #expect(passed.contains { $0.hasPrefix("permissions: other users can neither") })
            #expect(passed.contains("ledger: sqlite, for tokens of at most 300 s"))
            #expect(try findings(machine, "failed") == [])
        }
    }

    @Test(
        "prints nothing with --quiet if all is well, and else what warns or fails; --strict fails for warnings"
    )
    func quiet() throws {
        let files = try keyFiles()
        try KeyFolder.with(files) { folder in
            // The clock of a test machine may not be synchronized, so only the findings about keys are compared.
            let words = ["--keys", folder] + time
            let plain = try doctor(words)
            let warned = try findings(plain, "warning")
            let run = try doctor(words + ["--quiet"])
            #expect(run.status == 0)
            #expect(run.output.isEmpty == warned.isEmpty)
            let strict = try doctor(words + ["--strict"])
            #expect(strict.status == (warned.isEmpty ? 0 : 3))
        }
        let bare = try String(
            contentsOf: TestVectors.keys.appending(path: "three.key.pem"), encoding: .utf8)
        try KeyFolder.with(files.merging(["bare.pem": bare]) { $1 }) { folder in
            let words = ["--keys", folder, "--quiet"] + time
            let lenient = try doctor(words)
            #expect(lenient.status == 0)
            #expect(lenient.output.contains(#""verdict":"ready-with-warnings""#))
            #expect(try findings(lenient, "warning").contains { $0.contains("/bare.pem") })
            #expect(try findings(lenient, "passed").isEmpty)
            let strict = try doctor(words + ["--strict"])
            #expect(strict.status == 3)
            #expect(strict.output.contains(#""verdict":"not-ready""#))
            let text = try Command(["doctor", "--strict"] + words)
            #expect(text.status == 3 && text.output.hasPrefix("Not ready: "))
        }
    }

    @Test("names open files and folders, with their modes and how to close them")
    func permissions() throws {
        var files = try keyFiles()
        files["passphrase"] = "secret\n"
        try KeyFolder.with(files) { folder in
            for (file, mode) in [("/one.pem", 0o604), ("/passphrase", 0o644), ("", 0o777)] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: mode], ofItemAtPath: folder + file)
            }
            let run = try doctor(
                ["--keys", folder, "--passphrase-file", folder + "/passphrase"] + time)
            #expect(run.status == 3)
            let failed = try findings(run, "failed", advice: true)
            #expect(failed.count == 3)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o1777], ofItemAtPath: folder)
            let shared = try findings(
                doctor(["--keys", folder] + time), "failed", advice: true)
            #expect(
                shared.contains {
                    $0.hasSuffix("use a folder that only its owner may write.")
                })
            #expect(!shared.contains { $0.contains("go-w \(folder)`") })
            for (start, end) in [
                ("/one.pem contains a private key and has mode 0604", "/one.pem`."),
                ("/passphrase contains a passphrase and has mode 0644", "/passphrase`."),
                (" has mode 0777", "`chmod go-w \(folder)`."),
            ] {
                #expect(failed.contains { $0.contains(start) && $0.hasSuffix(end) }, "\(failed)")
            }
        }
    }

    @Test("names keys that cannot be used, and what each of them needs")
    func keys() throws {
        let one = try keyFiles()["one.pem"] ?? ""
        let bare = try String(
            contentsOf: TestVectors.keys.appending(path: "three.key.pem"), encoding: .utf8)
        try KeyFolder.with(["one.pem": one, "bare.pem": bare, "bad.pem": "no key"]) { folder in
            let run = try doctor(["--keys", folder] + time)
            #expect(run.status == 3)
            let failed = try findings(run, "failed")
            #expect(failed.count == 1)
            #expect(failed.first?.contains("/bad.pem ") == true)
            let warned = try findings(run, "warning")
            #expect(
                warned.contains { $0.contains("/bare.pem, EC P-256: it awaits its certificate") })
        }
        try KeyFolder.with(["bare.pem": bare]) { folder in
            let run = try doctor(["--keys", folder] + time)
            #expect(run.status == 3)
            #expect(try findings(run, "failed").contains { $0.hasPrefix("keys: no key can") })
        }
        let missing = try doctor(["--keys", "/nowhere"])
        #expect(missing.status == 3)
        let failed = try findings(missing, "failed")
        #expect(failed.contains { $0.hasPrefix("keys: /nowhere cannot be read") })
    }

    @Test("names a certificate that ended without a successor, and warns before the end")
    func certificates() throws {
        try KeyFolder.with(["one.pem": try keyFiles()["one.pem"] ?? ""]) { folder in
            let list = try Command(["keys", "list", "--json", "--keys", folder]).output
            let keys = try JSONDecoder().decode(JSONTree.self, from: Data(list.utf8))
            let end = try #require(keys.elements.first?.members["notAfter"]?.string)
            let day = Date.ISO8601FormatStyle()
            let date = try day.parse(end)
            func run(_ days: Double) throws -> Command {
                try doctor(
                    ["--keys", folder, "--at", day.format(date.addingTimeInterval(days * 86_400))])
            }
            let sentence = "and no later one for its merchant and kind is loaded"
            let early = try run(-181)
            #expect(early.status == 0)
            #expect(try findings(early, "warning").allSatisfy { !$0.contains(sentence) })
            let soon = try run(-10)
            #expect(soon.status == 0)
            #expect(try findings(soon, "warning").contains { $0.hasSuffix(sentence) })
            let late = try run(1)
            #expect(late.status == 3)
            #expect(
                try findings(late, "failed").contains {
                    $0.contains("its certificate ended on \(end.prefix(10)), \(sentence)")
                })
        }
    }

    @Test("fails for a clock before this version or after Apple's root")
    func clock() throws {
        for (time, sentence) in [
            ("2025-12-31T23:59:59Z", "is before this version of paytoken existed"),
            ("2039-04-30T18:19:07Z", "is after the end of Apple Root CA - G3"),
        ] {
            let run = try doctor(["--keys", TestVectors.keys.path(), "--at", time])
            #expect(run.status == 3)
            #expect(try findings(run, "failed").contains("clock: \(time) \(sentence)"))
        }
    }

    @Test("names a missing legacy provider, and fails only for files that need it")
    func legacyProvider() throws {
        let environment = ["OPENSSL_MODULES": "/nowhere", "PASSPHRASE": "apple-pay"]
        try KeyFolder.with(try keyFiles()) { folder in
            let run = try doctor(["--keys", folder] + time, environment: environment)
            #expect(run.status == 0)
            #expect(
                try findings(run, "passed").contains { $0.hasPrefix("legacy-provider: missing") })
            let present = try doctor(["--keys", folder] + time)
            #expect(
                try findings(present, "passed").contains { $0.hasPrefix("legacy-provider: ") })
        }
        let file = TestVectors.keyFiles.appending(path: "accepted/one.keychain.p12").path()
        let run = try doctor(
            ["--keys", file, "--passphrase-env", "PASSPHRASE"] + time, environment: environment)
        #expect(run.status == 3)
        #expect(
            try findings(run, "failed").contains { $0.contains("openssl-provider-legacy") })
    }

    @Test("names a ledger that is missing or too small")
    func ledger() throws {
        try KeyFolder.with(try keyFiles()) { folder in
            let ledger = folder + "/ledger"
            let words = ["--keys", folder, "--ledger", ledger] + time
            let missing = try doctor(words)
            #expect(missing.status == 3)
            #expect(try findings(missing, "failed").contains { $0.hasPrefix("ledger: \(ledger)") })
            #expect(
                try Command(["ledger", "init", "--window", "300", "--ledger", ledger]).status == 0)
            let small = try doctor(words + ["--max-age", "301"])
            #expect(small.status == 3)
            #expect(
                try findings(small, "failed") == [
                    "ledger: sqlite, for tokens of at most 300 s, but 301 s are permitted to them"
                ])
        }
    }

    /// Runs the doctor on `shop.json` in a folder with `secret`, which only their owner can read unless `modes` differ.
    private func gateway(
        _ text: String, modes: [String: Int] = [:], environment: [String: String] = [:],
        _ check: (_ run: Command, _ folder: String) throws -> Void
    ) throws {
        try KeyFolder.with(["shop.json": "", "secret": "top-secret"]) { folder in
            let file = "\(folder)/shop.json"
            try Data(text.replacing("FOLDER", with: folder).utf8).write(to: URL(filePath: file))
            for name in ["shop.json", "secret"] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: modes[name] ?? 0o640], ofItemAtPath: "\(folder)/\(name)")
            }
            let run = try doctor(["--gateway", file] + time, environment: environment)
            #expect(!(run.output + run.error).contains("top-secret"))
            try check(run, folder)
        }
    }

    private static let bePaid =
        #"{"gateway":"bepaid","environment":"live","account":{"shopId":"361"},"#
        + #""credentials":{"secretKey":{"file":"FOLDER/secret"}}}"#

    @Test("names the account of a gateway file, and that it and its secrets can be read")
    func gatewayFile() throws {
        try gateway(Self.bePaid) { run, folder in
            #expect(run.status == 0)
            let passed = try findings(run, "passed")
            #expect(
                passed.contains(
                    "gateway: \(folder)/shop.json: bepaid, live, shopId 361; the file and its secrets can be read"
                ))
            #expect(
                passed.contains(
                    "permissions: other users can neither change \(folder)/shop.json nor read its secrets in files"
                ))
            #expect(!run.output.contains(#""check":"key""#))
        }
        let files = GatewayFiles.accounts.sorted { $0.key < $1.key }
        try GatewayFiles.with { folder in
            let run = try doctor(files.flatMap { ["--gateway", "\(folder)/\($0.key)"] } + time)
            let found = try findings(run, "passed") + findings(run, "warning")
            for (name, account) in [
                ("adyen", "adyen, test, merchantAccount S;"),
                ("checkout", "checkout, live, identifier s;"),
                ("cybersource", "cybersource, live, merchantId m;"),
                ("dintero", "dintero, live, accountId P00000000;"),
                ("paypal", "paypal, live, identifier s;"),
                ("rbs", "rbs, live, at https://bank.example, identifier s; the file"),
            ] {
                #expect(
                    found.contains { $0.hasPrefix("gateway: \(folder)/\(name).json: \(account)") },
                    "\(found)")
            }
        }
    }

    @Test("warns of an account for tests and of other servers than the vendor's")
    func gatewayServers() throws {
        let test = Self.bePaid.replacing("live", with: "test")
        try gateway(test) { run, folder in
            #expect(run.status == 0)
            let warnings = try findings(run, "warning")
            #expect(
                warnings.contains(
                    "gateway: \(folder)/shop.json: bepaid, test, shopId 361; its payments are tests, which move no money"
                ))
        }
        let proxy = test.replacing(
            #""environment""#, with: #""origin":"https://proxy.example","environment""#)
        try gateway(proxy) { run, folder in
            #expect(run.status == 0)
            let warnings = try findings(run, "warning")
            #expect(
                warnings.contains(
                    "gateway: \(folder)/shop.json: bepaid, test, at https://proxy.example, shopId 361; its requests do "
                        + "not go to the vendor's servers"))
        }
    }

    @Test("fails for a gateway file that is wrong or whose secrets are missing, as request does")
    func gatewayFaults() throws {
        let variable = Self.bePaid.replacing(
            #"{"file":"FOLDER/secret"}"#, with: #"{"env":"SHOP_SECRET"}"#)
        for (text, sentence) in [
            (
                variable,
                "cannot be used: its member credentials.secretKey names the environment variable SHOP_SECRET, which is not set"
            ),
            (
                Self.bePaid.replacing("FOLDER/secret", with: "FOLDER/nowhere"),
                "cannot be used: its member credentials.secretKey names a file that cannot be used"
            ),
            (Self.bePaid.replacing("shopId", with: "shop"), "its member account.shop is unknown"),
            (#"{"gateway":"bepaid","#, "is not a gateway file: The JSON text ends too early"),
            ("{}", "is not a gateway file: its member gateway must be"),
        ] {
            try gateway(text) { run, folder in
                #expect(run.status == 3)
                let failed = try findings(run, "failed")
                let fault = try #require(failed.first)
                #expect(failed.count == 1 && fault.hasPrefix("gateway: \(folder)/shop.json "))
                #expect(fault.contains(sentence))
                let passed = try findings(run, "passed")
                #expect(!passed.contains { $0.hasPrefix("permissions: ") })
            }
        }
        try gateway(variable, environment: ["SHOP_SECRET": "top-secret"]) { run, _ in
            #expect(run.status == 0)
        }
        let missing = try doctor(["--gateway", "/nowhere.json"] + time)
        #expect(missing.status == 3)
        #expect(
            try findings(missing, "failed") == [
                "gateway: /nowhere.json cannot be read: No such file or directory; check the name and the folder."
            ])
    }

    @Test(
        "fails for a secret that all can read, and for a secret or a gateway file that others can change",
        arguments: [
            (0o640, true, true), (0o440, true, true), (0o600, true, true), (0o644, true, false),
            (0o660, false, false), (0o602, false, false), (0o601, true, false),
        ])
    func gatewayPermissions(
        _ mode: Int, _ isPermittedForFile: Bool, _ isPermittedForSecret: Bool
    ) throws {
        for (name, fault, advice, isPermitted) in [
            (
                "shop.json", "a merchant's account and has mode MODE, so other users can change it",
                "go-w", isPermittedForFile
            ),
            (
                "secret", "a secret and has mode MODE, so other users can read or change it",
                "g-w,o=", isPermittedForSecret
            ),
        ] {
            try gateway(Self.bePaid, modes: [name: mode]) { run, folder in
                #expect(run.status == (isPermitted ? 0 : 3))
                let path = "\(folder)/\(name)"
                let text = fault.replacing("MODE", with: "0\(String(mode, radix: 8))")
                let expected =
                    "permissions: \(path) contains \(text) | Take this permission away: `chmod \(advice) \(path)`."
                let failed = try findings(run, "failed", advice: true)
                #expect(failed == (isPermitted ? [] : [expected]))
            }
        }
    }

    @Test("lets all read a public key that a gateway file names, and its owner alone change it")
    func publicKey() throws {
        try OrderShop.with { shop in
            let key = "\(shop.folder)/gateways/bepaid.pub"
            for (mode, faults) in [
                (0o644, []),
                (
                    0o666,
                    [
                        "permissions: \(key) contains a public key and has mode 0666, so other users can change it"
                    ]
                ),
            ] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
                let run = try doctor(["--gateway", "\(shop.folder)/gateways/bepaid.json"])
                #expect(try findings(run, "failed") == faults)
            }
        }
    }

    @Test("names the options that are missing, with exit 2")
    func usage() throws {
        let needed =
            "doctor needs --keys PATH (or --gateway, --identity, --domain-file, --ledger or --socket). "
            + "`paytoken doctor --help` describes the options."
        for (words, sentence) in [
            ([], needed), (["keys"], needed),
            (
                ["--keys", "k", "more"],
                "doctor takes its keys with --keys PATH; write --keys before more."
            ),
            (["--keys", "k", "--connect"], "--connect needs --gateway FILE."),
            (["--gateway", "f", "--clock"], "--clock needs --connect."),
            (["--gateway", "f", "--proxy", "p:1"], "--proxy needs --connect."),
        ] {
            let run = try Command(["doctor"] + words)
            #expect(run.status == 2)
            #expect(run.error == "paytoken: \(sentence)\n")
        }
    }
}
