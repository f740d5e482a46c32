import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Foundation
import Testing

@Suite("paytoken answer message")
struct WebhookTests {
    private static let body =
        #"{"id":"e-1","created":"2026-11-21T08:30:00.123+0000","type":"payment.captured","#
        + #""merchantId":"m-1","apiVersion":"v1","payment":{"id":"3066019730_1","status":"CAPTURED","paymentOutput":{"amountOfMoney":{"#
        + #""amount":3000,"currencyCode":"EUR"},"references":{"merchantReference":"order-1"}}}}"#

    /// Returns a webhook message of Worldline, signed with `secret`.
    private func message(_ body: String = body) -> String {
        // printf BODY | openssl dgst -sha256 -hmac hello+world -binary | base64
        "POST /hook?x=1 HTTP/1.1\r\nHost: shop.example\r\nX-GCS-KeyId: key-2\r\n"
            + "X-GCS-Signature: \(Self.signature)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let signature = "u4oIn29kN12Hm2C7oZqczVwb2+9G/WgoF/FIoMzMsK0="

    /// Runs `paytoken answer message` with a gateway file and, unless it is nil, an order file.
    private func run(
        _ gateway: String, order: String? = "order.json", words: [String] = [],
        files: [String: String] = [:], _ input: String
    ) throws -> Command {
        try GatewayFiles.answer(
            gateway, "message", order: order, words: words,
            files: Self.files.merging(files) { $1 }, input: input)
    }

    private static let files = [
        "old": "old-secret", "new": "hello+world\n", "direct.json": worldline("direct", "m-1"),
        "connect.json": worldline("connect", "m-1"),
        "other-account.json": worldline("direct", "m-2"),
    ]

    private static func worldline(_ platform: String, _ merchant: String) -> String {
        #"{"gateway":"worldline-\#(platform)","environment":"live","account":{"merchantId":"\#(merchant)"},"#
            + #""credentials":{"apiKeyId":"k","secretApiKey":SECRET},"webhooks":{"keys":{"#
            + #""key-1":{"file":"FOLDER/old"},"key-2":{"file":"FOLDER/new"}}}}"#
    }

    @Test("verifies a webhook of Worldline with the key that it names, and reads its event")
    func worldline() throws {
        // The amount of Connect's events is the order's; Direct's events can be about an operation.
        for (gateway, id, ordered) in [
            ("direct", "3066019730_0", ""), ("connect", "3066019730_1", #""ordered":3000,"#),
        ] {
            func expected(_ outcome: String, _ reason: String) -> String {
                #"{"outcome":"\#(outcome)","gateway":"worldline-\#(gateway)","paymentId":"\#(id)","#
                    + #""reference":"order-1","status":"CAPTURED","currency":"EUR","#
                    + #"\#(ordered)"reason":"\#(reason)","event":{"id":"e-1","type":"payment.captured","#
                    + #""about":"payment","time":"2026-11-21T08:30:00Z"}}"# + "\n"
            }
            // A message is about one event, and does not state how much is captured by now.
            let read = try run(gateway, message())
            #expect(read.status == 4, "\(read.output) \(read.error)")
            #expect(
                read.output
                    == expected("pending", "The gateway states that money moved, but not how much.")
            )
            let bare = try run(gateway, order: nil, message())
            #expect(bare.status == 5, "\(bare.output) \(bare.error)")
            #expect(
                bare.output
                    == expected(
                        "unknown", "The message is authentic, and was not compared with an order."))
        }
        for (old, new) in [("order-1", "order-2"), ("EUR", "USD")] {
            let order = #"{"reference":"order-1","amount":3000,"currency":"EUR"}"#.replacing(
                old, with: new)
            let read = try run("direct", order: "o.json", files: ["o.json": order], message())
            #expect(read.status == 5)
        }
    }

    @Test("never concludes the order's state from a message about a refund")
    func refund() throws {
        let body =
            #"{"id":"e-2","created":"2026-11-21T08:30:00.123+0000","type":"refund.refunded","#
            + #""merchantId":"m-1","apiVersion":"v1","refund":{"id":"3066019730_2","#
            + #""status":"REFUNDED","refundOutput":{"amountOfMoney":{"amount":3000,"#
            + #""currencyCode":"EUR"},"references":{"merchantReference":"order-1"}}}}"#
        let text = message(body).replacing(
            Self.signature, with: "m/eCQSoOfWZyjmtTVNldQJ3R1RRO2/uuHwoupaid4Yw=")
        let read = try run("direct", text)
        #expect(read.status == 5)
        #expect(read.output.hasPrefix(#"{"outcome":"unknown","#))
        #expect(read.output.contains("The report is about a refund, not about the payment;"))
        #expect(read.output.contains(#""about":"refund""#), "\(read.output)")
    }

    @Test("prints the reply to a check of the address, which is no proof of a payment")
    func endpointCheck() throws {
        let text =
            "GET /hook HTTP/1.1\r\nHost: shop.example\r\nX-GCS-Webhooks-Endpoint-Verification: abc-1\r\n\r\n"
        for gateway in ["direct", "connect"] {
            let read = try run(gateway, text)
            #expect(read.status == 4, "\(read.error)")
            #expect(
                read.output
                    == #"{"outcome":"endpoint-check","gateway":"worldline-\#(gateway)","reply":"abc-1"}"#
                    + "\n")
        }
    }

    @Test("concludes unknown from a forged or altered message")
    func forgeries() throws {
        let altered = Self.body.replacing("3000", with: "1")
        for (text, code) in [
            (message(altered), "wrong-signature"),
            (message().replacing("key-2", with: "key-1"), "wrong-signature"),
            (message().replacing("key-2", with: "key-3"), "unknown-key"),
            (message().replacing("X-GCS-Signature", with: "X-Other"), "missing-member"),
            (message().replacing(Self.signature, with: "AAAA"), "malformed"),
        ] {
            let read = try run("direct", order: nil, text)
            #expect(read.status == 5, "\(read.error)")
            #expect(read.output.hasPrefix(#"{"outcome":"unknown","gateway":"worldline-direct""#))
            #expect(read.output.contains(#""code":"\#(code)""#), "\(read.output)")
            #expect(!read.output.contains("hello+world"))
        }
        let read = try run("other-account", order: nil, message())
        #expect(read.status == 5 && read.output.contains(#""code":"other-account""#))
        for text in [
            "", "x", "POST\r\n\r\n", "POST hook HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n{}",
        ] {
            let read = try run("direct", order: nil, text)
            #expect(read.status == 5 && read.output.contains("does not begin with a method"))
        }
    }

    @Test("verifies bePaid's notification with the shop's public key")
    func bePaid() throws {
        let key = try RSAKey.seeded("bepaid", label: "shop")
        let body =
            #"{"transaction":{"uid":"1","status":"failed","code":"P.1","message":"no","#
            + #""type":"payment","tracking_id":"order-1"}}"#
        let signature = Data(
            try key.sign(hash: Digest.sha256.hash(Array(body.utf8)), digest: .sha256)
        ).base64EncodedString()
        let text = "POST /hook HTTP/1.1\nContent-Signature: \(signature)\n\n\(body)"
        let pem = Data(PrivateKey.rsa(key).subjectPublicKeyInfo).base64EncodedString()
        let account = GatewayFiles.accounts["bepaid.json"]?.dropLast() ?? ""
        func run(_ text: String, order: String? = "order.json") throws -> Command {
            try self.run(
                "shop", order: order,
                files: [
                    "shop.json": account
                        + #","webhooks":{"publicKey":{"file":"FOLDER/shop.pem"}}}"#,
                    "shop.pem": pem,
                ], text)
        }
        let read = try run(text)
        #expect(
            read.status == 1 && read.output.contains(#""code":"P.1""#),
            "\(read.output)\(read.error)")
        #expect(try run(text, order: nil).status == 5)
        let altered = try run(text.replacing("failed", with: "successful"))
        #expect(altered.status == 5 && altered.output.contains(#""code":"wrong-signature""#))
        // Without the key, no message is proven.
        let keyless = try self.run("bepaid", text)
        #expect(keyless.status != 0 && keyless.status != 1, "\(keyless.output)\(keyless.error)")
    }

    @Test("verifies Dintero's callback of a stated time")
    func dintero() throws {
        // The example of Dintero's documentation, whose callback does not contain a transaction.
        let text =
            "GET /callback?B=123&A=992 HTTP/1.1\r\nHost: example.com\r\nDintero-Signature: t=1582236537,"
            + "v0-hmac-sha256=6bed2ab1b919d460ef7465a20dc6c97260dca73fab6647106ca525f0908df64a\r\n\r\n"
        func run(_ text: String, _ time: String) throws -> Command {
            let account = GatewayFiles.accounts["dintero.json"]?.dropLast() ?? ""
            return try self.run(
                "shop", order: nil, words: ["--at", time],
                files: [
                    "shop.json": account
                        + #","webhooks":{"callbackSecret":{"file":"FOLDER/callback"}}}"#,
                    "callback": "123",
                ], text)
        }
        let read = try run(text, "2020-02-20T22:10:00Z")
        #expect(
            read.status == 5 && read.output.contains("transaction_id of the message is missing"))
        let late = try run(text, "2020-02-20T23:10:00Z")
        #expect(late.status == 5 && late.output.contains(#""code":"outside-window""#))
        let altered = try run(text.replacing("123", with: "124"), "2020-02-20T22:10:00Z")
        #expect(altered.status == 5 && altered.output.contains(#""code":"wrong-signature""#))
    }

    @Test(
        "reports a wrong command line",
        arguments: [
            ("adyen", "", "adyen sends no messages that can be verified."),
            ("intergiro", "", "intergiro sends no messages that can be verified."),
            (
                "direct", "--payment-id p",
                "--payment-id is not an option for a message; leave it out."
            ),
            (
                "direct", "--operation o",
                "--operation is not an option for a message; leave it out."
            ),
            ("direct", "--amount 1", "--amount is not an option for a message; leave it out."),
            ("direct", "a b", "one answer at a time: leave out b."),
            ("direct", "--at now", "--at takes a time such as"),
        ])
    func usage(_ gateway: String, _ words: String, _ sentence: String) throws {
        let read = try run(gateway, words: words.split(separator: " ").map(String.init), "")
        #expect(read.error.contains(sentence), "\(read.error)")
        #expect(read.status == 2 && read.output.isEmpty)
    }
}
