import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("The command")
struct CommandTests {
    private let apple = TestVectors.appleSigned.appending(path: "bepaid-documented.json").path()
    private let demo = TestVectors.demoToken.path()
    private let testOptions = [
        "--test-trust-anchor", TestVectors.root.path(), "--at", "2026-05-04T09:30:00Z",
    ]
    private let keys = ["--keys", TestVectors.keys.path()]

    private func json(_ text: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test("verifies Apple's token at its time, from a file and from standard input")
    func verify() throws {
        let file = try Command(["verify", apple, "--at", "2020-02-19T08:27:00Z"])
        #expect(file.status == 0)
        let answer = try json(file.output)
        #expect(answer["status"] as? String == "ok")
        #expect(answer["version"] as? String == "EC_v1")
        #expect(answer["signingTime"] as? String == "2020-02-19T08:26:36Z")
        #expect(answer["unwrapped"] as? [String] == ["paymentData"])
        #expect(answer["paymentData"] == nil)
        let input = try String(contentsOfFile: apple, encoding: .utf8)
        for operands in [["-"], []] {
            let piped = try Command(
                ["verify", "--at=2020-02-19T08:27:00Z"] + operands, input: input)
            #expect(piped.output == file.output)
        }
    }

    @Test("refuses Apple's token today with its stage and exit 1")
    func stale() throws {
        let refused = try Command(["verify", apple])
        #expect(refused.status == 1)
        let answer = try json(refused.output)
        #expect(answer["status"] as? String == "error")
        #expect(answer["stage"] as? String == "signing-time")
        #expect(answer["code"] as? String == "too-old")
        #expect(
            refused.error.hasPrefix("paytoken: \(apple): The token was signed ")
                && refused.error.contains(" years and ")
                && refused.error.hasSuffix(
                    " before its receipt; the limit is 5 minutes. Ask the customer for another payment. To examine a "
                        + "stored token, state when it was received with --at, in UTC with Z or with an offset such as +02:00, or "
                        + "accept any age with --any-age.\n"
                ))
        #expect(try Command(["verify", apple, "--any-age"]).status == 0)
        #expect(try Command(["verify", apple, "--max-age", "999999999"]).status == 0)
    }

    @Test("masks secrets when it decrypts, unless --reveal is given")
    func decrypt() throws {
        let masked = try Command(["decrypt", demo] + keys + testOptions)
        #expect(masked.status == 0)
        #expect(masked.error.contains("test root"))
        let payload = try #require(json(masked.output)["paymentData"] as? [String: Any])
        let shown = try #require(payload["applicationPrimaryAccountNumber"] as? String)
        let revealed = try Command(["decrypt", demo, "--reveal"] + keys + testOptions)
        let plain = try #require(json(revealed.output)["paymentData"] as? [String: Any])
        let account = try #require(plain["applicationPrimaryAccountNumber"] as? String)
        #expect(shown.contains("•"))
        #expect(shown.suffix(4) == account.suffix(4))
        #expect(shown.filter(\.isNumber).count <= account.count / 2)
        #expect(!masked.output.contains(account))
        let authentication = try #require(plain["paymentData"] as? [String: Any])
        let cryptogram = try #require(authentication["onlinePaymentCryptogram"] as? String)
        #expect(!masked.output.contains(cryptogram))
        #expect(payload["transactionAmount"] as? Int == plain["transactionAmount"] as? Int)
    }

    @Test("names the members of the card's metadata that were left out, and shows a null")
    func omittedMembers() throws {
        let cases = try TestVectors.syntheticCases()
        let art = "merchantTokenMetadata.cardArt"
        for (id, omitted) in [
            ("payload/metadata-art-elements", ["\(art)[0]", "\(art)[1]"]),
            ("payload/metadata-art-object", [art]), ("payload/metadata-null", nil),
            ("payload/null-cardholderName", nil), ("payload/merchant-token", nil),
        ] {
            let vector = try #require(cases.first { $0.id == id })
            let text = String(decoding: vector.token, as: UTF8.self)
            let masked = try Command(["decrypt"] + keys + testOptions, input: text)
            #expect(masked.status == 0)
            let answer = try json(masked.output)
            #expect(answer["omittedMembers"] as? [String] == omitted)
            let payload = try #require(answer["paymentData"] as? [String: Any])
            #expect((payload["cardholderName"] is NSNull) == (id == "payload/null-cardholderName"))
        }
    }

    @Test("says what to do about an EMV payment, as inspect does, and nothing about another one")
    func emv() throws {
        let cases = try TestVectors.syntheticCases()
        for (id, isEMV) in [("payload/ec-emv", true), ("payload/merchant-token", false)] {
            let vector = try #require(cases.first { $0.id == id })
            let text = String(decoding: vector.token, as: UTF8.self)
            let decrypted = try Command(["decrypt"] + keys + testOptions, input: text)
            let advice = try json(decrypted.output)["advice"] as? String
            #expect(advice?.contains("Remove supportsEMV") ?? false == isEMV)
            let inspected = try Command(["inspect"] + keys + testOptions, input: text)
            #expect(inspected.output.contains("Remove supportsEMV") == isEMV)
            let answer = try Command(["inspect", "--json"] + keys + testOptions, input: text)
            let warnings = try #require(json(answer.output)["warnings"] as? [String])
            #expect(warnings.contains { $0.contains("Remove supportsEMV") } == isEMV)
        }
    }

    @Test("verifies a token whose fields are shifted, and does not decrypt it")
    func shiftedFields() throws {
        let cases = try TestVectors.syntheticCases()
        for vector in cases where vector.id.hasPrefix("decrypt/shifted-fields-") {
            let text = String(decoding: vector.token, as: UTF8.self)
            #expect(try Command(["verify"] + testOptions, input: text).status == 0)
            let refused = try Command(["decrypt"] + keys + testOptions, input: text)
            #expect(refused.status == 1)
            #expect(try json(refused.output)["stage"] as? String == "decrypt")
            #expect(try json(refused.output)["code"] as? String == "decryption-failed")
        }
    }

    @Test("masks cardholder names, merchant tokens and unknown members")
    func masks() throws {
        let cases = try TestVectors.syntheticCases()
        for id in ["payload/unknown-members", "payload/escapes"] {
            let vector = try #require(cases.first { $0.id == id })
            let masked = try Command(
                ["decrypt"] + keys + testOptions,
                input: String(decoding: vector.token, as: UTF8.self))
            #expect(masked.status == 0)
            let payload = try #require(json(masked.output)["paymentData"] as? [String: Any])
            for name in ["cardholderName", "futureMember"] {
                guard let value = payload[name] else { continue }
                #expect((value as? String)?.contains("masked") == true, "\(id): \(name)")
            }
        }
    }

    @Test(
        "reports a wrong command line and the next step, with exit 2",
        arguments: [
            ([], "no command was given"),
            (["frobnicate"], "there is no command frobnicate"),
            (["verify", "--nonsense"], "--nonsense is not an option here"),
            (["verify", "--at"], "--at needs a value: --at TIME."),
            (["verify", "--at", "yesterday"], "--at takes a time"),
            (["verify", "a", "b"], "one file at a time, not both a and b: leave out one of them."),
            (["verify", "--max-age", "-5"], "--max-age takes a whole number of seconds, not -5."),
            (["decrypt", "-"], "decrypt needs --keys PATH."),
            (["inspect", "-", "--hex=1"], "--hex takes no value; write --hex alone."),
            (["request", "-"], "request needs --gateway FILE, --order FILE and --keys PATH."),
            (["gateway", "example", "acme"], "there is no gateway acme"),
        ] as [([String], String)]
    )
    func usage(_ words: [String], _ sentence: String) throws {
        let refused = try Command(words)
        #expect(refused.status == 2)
        #expect(refused.output.isEmpty)
        #expect(refused.error.contains(sentence))
    }

    @Test(
        "reports a wrong file, with exit 3",
        arguments: [
            (
                ["verify", "/nowhere/token.json"],
                "/nowhere/token.json cannot be read: No such file"
            ),
            (["decrypt", "-", "--keys", "/nowhere/keys"], "/nowhere/keys cannot be read"),
            (
                ["decrypt", "-", "--keys", "/dev/null"],
                "/dev/null is empty; give a file in PEM, DER, PKCS#12 or base64 of these."
            ),
            (
                ["verify", "-", "--test-trust-anchor", "/dev/null"],
                "/dev/null is not a certificate in PEM or DER; it is empty; give the root of the test tool, such as root.pem."
            ),
        ] as [([String], String)]
    )
    func means(_ words: [String], _ sentence: String) throws {
        let failed = try Command(words)
        #expect(failed.status == 3)
        #expect(failed.error.contains(sentence))
    }

    @Test("prints its help to standard output")
    func help() throws {
        for (words, text) in [
            (["--help"], "\n  decrypt           payment data"), (["-h"], "\n  3     a key, a file"),
            (["verify", "--help"], "--max-age SECONDS"),
            (["keys", "--help"], "--fail-within DAYS"),
            (["keys", "new", "--help"], "paytoken keys new --out NAME"),
            (["request", "--help"], "two taps give two bodies"),
        ] {
            let help = try Command(words)
            #expect(help.status == 0 && help.error.isEmpty)
            #expect(help.output.contains(text))
        }
    }

    @Test("answers every line of vectors with exactly one line, in order, whatever is in it")
    func conform() throws {
        let lines = [
            #"{"id":"a","token":"","now":"2026-05-04T09:30:00Z"}"#, "", "not JSON", "{}", "[]",
            #"{"id":7,"token":{},"now":"2026-05-04T09:30:00Z"}"#,
            #"{"id":"b","token":"\udcff","now":"2026-05-04T09:30:00Z"}"#,
            #"{"id":"raw","tokenBase64":"/w==","now":"2026-05-04T09:30:00Z"}"#,
            #"{"id":"c","token":"{}","now":"soon"}"#, String(repeating: "x", count: 3 << 20),
            #"{"id":"last","token":{},"now":"2026-05-04T09:30:00Z"}"#,
        ]
        let conform = try Command(
            ["conform", "-", "--trust-anchor", TestVectors.root.path()] + keys,
            program: "paytoken-testing", input: lines.joined(separator: "\n"))
        #expect(conform.status == 0)
        let answers = conform.output.split(separator: "\n")
        #expect(
            answers == [
                #"{"id":"a","status":"error","stage":"json","code":"unexpected-end"}"#,
                #"{"id":null,"status":"error","stage":"json","code":"unexpected-end"}"#,
                #"{"id":null,"status":"error","stage":"json","code":"unexpected-character"}"#,
                #"{"id":null,"status":"error","stage":"json","code":"invalid-case"}"#,
                #"{"id":null,"status":"error","stage":"json","code":"invalid-case"}"#,
                #"{"id":7,"status":"error","stage":"field","code":"missing-member"}"#,
                #"{"id":"b","status":"error","stage":"json","code":"invalid-utf8"}"#,
                #"{"id":"raw","status":"error","stage":"json","code":"invalid-utf8"}"#,
                #"{"id":"c","status":"error","stage":"json","code":"invalid-case"}"#,
                #"{"id":null,"status":"error","stage":"json","code":"text-too-long"}"#,
                #"{"id":"last","status":"error","stage":"field","code":"missing-member"}"#,
            ])
    }
}
