import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("The tree of inspect")
struct InspectTests {
    private let apple = TestVectors.appleSigned.appending(path: "bepaid-documented.json").path()
    private let demo = TestVectors.demoToken.path()
    private let trust = ["--test-trust-anchor", TestVectors.root.path()]
    private let time = ["--at", "2026-05-04T09:30:00Z"]
    private let keys = TestVectors.keys.path() + "/"

    private func inspect(_ words: [String], input: String = "") throws -> Command {
        let run = try Command(["inspect"] + words, input: input)
        #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
        return run
    }

    /// Returns the output with two spaces for each run of more, since the longest name on a page moves all texts.
    private func text(_ run: Command) -> String {
        run.output.replacing(#/ {3,}/#, with: "  ")
    }

    /// Returns the marks and the names of the first level.
    private func checks(_ run: Command) -> [String] {
        run.output.split(separator: "\n").filter { "✓✗·!".contains($0.prefix(1)) }
            .map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    }

    @Test("marks every check of a token that is accepted and decrypted")
    func accepted() throws {
        let run = try inspect([demo, "--keys", keys] + trust + time)
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("EC_v1 token: accepted\n\n✓ json "))
        #expect(
            checks(run) == [
                "✓ json", "✓ field", "✓ cms", "✓ chain", "✓ signature", "✓ signing-time",
                "✓ key-selection", "✓ key-agreement", "✓ decrypt", "✓ payment-data", "✓ keys",
            ])
        for text in [
            " 91 bytes\n", "├ signature ", "to the test root", "  ├ signer ", "  └ intermediate ",
            " 1.2.840.113635.100.6.29\n", " 1.2.840.113635.100.6.2.14\n",
            "signed 30 seconds before receipt, at 2026-05-04T09:29:30Z\n",
            "environment  unknown, by the signer's common name\n",
            "71929 in minor units of USD, account number 4000••••••••2615\n",
            "derived for merchant.example.one\n", "nothing is wrong with the keys.\n",
        ] {
            #expect(self.text(run).contains(text), "\(text)")
        }
    }

    @Test("marks the check that refused a token, and explains how to judge it at its time")
    func refused() throws {
        let run = try inspect([apple])
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("EC_v1 token: refused, signing-time/too-old\n"))
        #expect(
            checks(run) == [
                "✓ json", "✓ field", "✓ cms", "✓ chain", "✓ signature", "✗ signing-time",
                "· key-selection", "· key-agreement", "· decrypt", "· payment-data", "· keys",
            ])
        let line = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("✗") })
        let words = #/signed \d+ years( and \d+ months?)? ago, at 2020-02-19T08:26:36Z; /#
        #expect(line.firstMatch(of: words) != nil, "\(line)")
        let advice = try #require(run.output.firstMatch(of: #/try (--at) (\S+)\n/#))
        let judged = try inspect([apple, String(advice.1), String(advice.2)])
        #expect(judged.output.hasPrefix("EC_v1 token: accepted\n"))
        #expect(judged.output.contains("signed 0 seconds before receipt"))
        let future = try inspect([apple, "--at", "2020-02-19T08:00:00Z"])
        #expect(future.output.contains("signed 26 minutes and 36 seconds after receipt, at 2020"))
    }

    @Test("marks the first check of a text that is not a token, with exit 1 and the next step")
    func unreadable() throws {
        let run = try inspect([], input: "{")
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("Not a readable token: refused, json/unexpected-end\n"))
        #expect(checks(run).prefix(2) == ["✗ json", "· field"])
        #expect(
            run.output.contains("\n  → The end of the text is missing: compare its length, 1 bytes")
        )
    }

    @Test("names the wanted key, whether it is loaded, and what to do")
    func wantedKey() throws {
        let hash = "aluDJiMkv1U+dJ4PZk2cCExJgU+q1MaPwz1QVzKlEl4="
        let words = [demo] + trust + time
        let none = try inspect(words)
        #expect(text(none).contains("└ wanted  \(hash)\n"))
        #expect(none.output.contains("→ Add --keys PATH to see whether the wanted key is loaded"))
        let loaded = try inspect(words + ["--keys", keys])
        #expect(text(loaded).contains("├ wanted  \(hash)\n  │ ├ loaded from  \(keys)"))
        #expect(text(loaded).contains("└ merchants tried  merchant.example.one\n"))
        let wrong = try inspect(words + ["--keys", keys + "two.key.pem"])
        #expect(checks(wrong).suffix(5).first == "✗ key-selection")
        #expect(text(wrong).contains("\(hash), not loaded\n"))
        #expect(checks(wrong).last == "✗ keys")
        #expect(wrong.output.contains("None of the loaded keys has this hash."))
        let merchant = ["--keys", keys + "one.key.pem", "--merchant-id", "example.one"]
        let other = try inspect(words + merchant)
        #expect(checks(other).contains("✗ decrypt"))
        let text = other.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(text.contains("the token decrypts for merchant.example.one."))
    }

    @Test("takes an EC key without its certificate and without a merchant identifier")
    func keyAlone() throws {
        let run = try inspect([demo, "--keys", keys + "one.key.pem"] + trust + time)
        #expect(run.status == 0)
        #expect(checks(run).contains("✓ key-selection"))
        #expect(checks(run).contains("✗ key-agreement"))
        #expect(run.output.contains("awaits its certificate"))
    }

    @Test("tries the keys on a token that is too old, and not on one that is not proven")
    func triedKeys() throws {
        let late = ["--at", "2026-06-01T00:00:00Z"]
        let old = try inspect([demo, "--keys", keys] + trust + late)
        #expect(checks(old).contains("✗ signing-time"))
        #expect(checks(old).contains("· key-selection"))
        #expect(checks(old).last == "✓ keys")
        let vector = try #require(
            try TestVectors.syntheticCases().first { $0.id == "signature/other-signature" })
        let forged = try inspect(
            ["--keys", keys] + trust + time, input: String(decoding: vector.token, as: UTF8.self))
        #expect(checks(forged).contains("✗ signature"))
        #expect(checks(forged).last == "· keys")
        #expect(forged.output.contains("The keys were not tried"))
        #expect(!forged.output.contains("merchants tried"))
    }

    @Test("lists the files that could not be loaded, and uses the keys of the others")
    func problems() throws {
        let key = try String(contentsOfFile: keys + "one.key.pem", encoding: .utf8)
        let certificate = try String(contentsOfFile: keys + "one.cert.pem", encoding: .utf8)
        let files = ["one.pem": key + certificate, "x\u{1B}[2J.pem": "no key"]
        try KeyFolder.with(files) { folder in
            let run = try inspect([demo, "--keys", folder] + trust + time)
            #expect(run.status == 0)
            #expect(checks(run).last == "✓ keys")
            #expect(run.output.contains("! "))
            #expect(run.output.contains(#"x\1B[2J.pem"#))
            #expect(!run.output.contains("\u{1B}"))
        }
    }

    @Test("contains neither account number nor cryptogram")
    func secrets() throws {
        let words = [demo, "--keys", keys] + trust + time
        let revealed = try Command(["decrypt", "--reveal"] + words).output
        let answer = try JSONDecoder().decode(JSONTree.self, from: Data(revealed.utf8))
        let payload = answer.members["paymentData"]?.members ?? [:]
        let account = try #require(payload["applicationPrimaryAccountNumber"]?.string)
        let cryptogram = try #require(
            payload["paymentData"]?.members["onlinePaymentCryptogram"]?.string)
        for option in [[], ["--json"], ["--color", "always"]] {
            let output = try Command(["inspect"] + words + option).output
            #expect(!output.contains(account) && !output.contains(cryptogram))
            #expect(output.contains("••••"))
        }
    }

    @Test("is colored only if the option requests it, or on a terminal without NO_COLOR")
    func color() throws {
        let words = [apple, "--at", "2020-02-19T08:27:00Z"]
        let plain = try inspect(words).output
        #expect(!plain.contains("\u{1B}"))
        let always = try Command(["inspect", "--color", "always"] + words)
        #expect(always.output.contains("\u{1B}[32m✓\u{1B}[0m"))
        #expect(always.output.replacing(#/\x1B\[[0-9;]+m/#, with: "") == plain)
        #expect(try inspect(["--color", "never"] + words).output == plain)
        let usage = try inspect(["--color", "red"] + words)
        #expect(usage.status == 2)
        #expect(usage.error.contains("--color takes one of auto, always, never, not red."))
    }

    private static let terminal = "/usr/bin/script"

    @Test(
        "fits the terminal's width, in color unless NO_COLOR is set",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: terminal), "needs script(1)"),
        arguments: [60, 80, 100])
    func terminalWidth(_ width: Int) throws {
        let paytoken = Command.path(of: "paytoken")
        let line =
            "'\(paytoken)' inspect '\(demo)' --keys '\(keys)' --any-age "
            + "--test-trust-anchor '\(TestVectors.root.path())' 2>/dev/null"
        func shown(_ environment: [String: String]) throws -> String {
            let run = try Command(
                ["-qec", "stty cols \(width) -onlcr; \(line)", "/dev/null"],
                program: Self.terminal,
                environment: ["TERM": "xterm", "SHELL": "/bin/sh"].merging(environment) { $1 })
            #expect(run.status == 0, "\(run.output)\(run.error)")
            return run.output
        }
        let colored = try shown(["NO_COLOR": ""])
        #expect(colored.contains("\u{1B}[32m✓\u{1B}[0m"))
        let plain = try shown(["NO_COLOR": "1"])
        #expect(!plain.contains("\u{1B}"))
        #expect(try shown(["TERM": "dumb", "NO_COLOR": ""]) == plain)
        let longest = plain.split(separator: "\n").map(\.count).max() ?? 0
        #expect((width - 20...width).contains(longest), "\(longest)")
    }
}
