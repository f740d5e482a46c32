import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("The command and the signer's certificates")
struct SignerTests {
    private let apple = TestVectors.appleSigned.appending(path: "bepaid-documented.json").path()
    private let demo = TestVectors.demoToken.path()
    private let testOptions = ["--test-trust-anchor", TestVectors.root.path()]

    /// The options with the time at which the demo token was received.
    private let receipt = ["--at", "2026-05-04T09:30:00Z"]

    private func object(_ command: Command) throws -> [String: Any] {
        try #require(
            JSONSerialization.jsonObject(with: Data(command.output.utf8)) as? [String: Any])
    }

    @Test("reports the environment of the signer's name with verify, decrypt and inspect")
    func environment() throws {
        let time = ["--at", "2020-02-19T08:27:00Z"]
        let verified = try Command(["verify", apple] + time)
        #expect(try object(verified)["environment"] as? String == "production")
        let inspected = try Command(["inspect", apple] + time)
        #expect(inspected.output.contains(#/ └ environment +production, by the/#))
        #expect(inspected.output.hasPrefix("EC_v1 token: accepted\n"))
        let decrypted = try Command(
            ["decrypt", demo, "--keys", TestVectors.keys.path()] + testOptions + receipt)
        #expect(try object(decrypted)["environment"] as? String == "unknown")
        let vector = try #require(
            try TestVectors.syntheticCases().first { $0.id == "valid/sandbox-leaf" })
        let sandbox = try Command(
            ["verify"] + testOptions + receipt, input: String(decoding: vector.token, as: UTF8.self)
        )
        #expect(try object(sandbox)["environment"] as? String == "sandbox")
    }

    @Test("refuses other environments than that of --environment, and inspects their tokens")
    func policy() throws {
        let production = ["--environment", "production"]
        let time = ["--at", "2020-02-19T08:27:00Z"]
        #expect(try Command(["verify", apple] + time + production).status == 0)
        let other = try Command(["verify", apple] + time + ["--environment", "sandbox"])
        #expect(other.status == 1)
        #expect(other.output.contains(#""stage":"signature","code":"environment-mismatch""#))
        let keys = ["--keys", TestVectors.keys.path()]
        let decrypted = try Command(["decrypt", demo] + keys + testOptions + receipt + production)
        #expect(decrypted.status == 1)
        #expect(decrypted.output.contains(#""code":"environment-mismatch""#))
        let inspected = try Command(["inspect", demo] + keys + testOptions + receipt + production)
        #expect(inspected.status == 0)
        #expect(
            inspected.output.contains(#/ └ environment +unknown, by the signer's common name\n/#))
        #expect(
            inspected.output.hasPrefix("EC_v1 token: refused, signature/environment-mismatch\n"))
        #expect(inspected.output.contains("nothing is wrong with the keys.\n"))
        let usage = try Command(["verify", apple, "--environment", "unknown"])
        #expect(usage.status == 2)
        #expect(usage.error.contains("--environment takes production or sandbox, not unknown."))
    }

    @Test(
        "warns with inspect from 180 days before the end of a certificate of the token's chain on",
        arguments: [
            // The signer's certificate expires on 2029-04-28T00:00:00Z, the intermediate's on
            // 2034-05-06.
            ("2028-10-29T23:59:59Z", []), ("2028-10-30T00:00:00Z", ["the signer's certificate"]),
            ("2029-04-28T00:00:00Z", ["the signer's certificate"]), ("2029-04-28T00:00:01Z", []),
            ("2034-05-05T00:00:00Z", ["the intermediate certificate"]),
        ] as [(String, [String])])
    func warnings(_ time: String, _ expected: [String]) throws {
        let words = ["inspect", demo, "--at", time] + testOptions
        let text = try Command(words)
        let shown = text.output.split { $0.isWhitespace }.joined(separator: " ")
        let count = shown.split(separator: " ").count { $0 == "!" }
        let machine = try object(try Command(words + ["--json"]))
        let sentences = try #require(machine["warnings"] as? [String])
        #expect(count == expected.count && sentences.count == expected.count)
        for (sentence, name) in zip(sentences, expected) {
            #expect(sentence.hasPrefix("\(name) ends on 20"))
            #expect(shown.contains("! \(sentence)"))
        }
    }

    @Test("warns of no certificate, and reports no environment, where the signature is not proven")
    func forged() throws {
        let vector = try #require(
            try TestVectors.syntheticCases().first { $0.id == "signature/other-signature" })
        let forged = try Command(
            ["inspect", "--at", "2029-04-01T00:00:00Z"] + testOptions,
            input: String(decoding: vector.token, as: UTF8.self))
        #expect(forged.output.hasPrefix("EC_v1 token: refused, signature/"))
        #expect(!forged.output.contains("! "))
        #expect(!forged.output.contains("environment"))
    }
}
