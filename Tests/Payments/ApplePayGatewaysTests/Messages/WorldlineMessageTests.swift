import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import Foundation
import TestVectors
import Testing

@Suite("A message from Worldline")
struct WorldlineMessageTests {
    private static let members =
        #""apiVersion":"v1","merchantId":"m-1","id":"e1","created":"2017-02-02T11:24:14.040+0100""#

    private func body(
        _ type: String = "payment.captured", _ members: String = members, amount: Int = 3000,
        _ status: String = "CAPTURED"
    ) -> String {
        #"{\#(members),"type":"\#(type)","payment":{"id":"1_0","status":"\#(status)","#
            + #""statusOutput":{"statusCode":9},"paymentOutput":{"amountOfMoney":{"amount":\#(amount),"#
            + #""currencyCode":"EUR"},"references":{"merchantReference":"order-1001"}}}}"#
    }

    private func read(
        _ message: GatewayMessage, gateway: String = "worldline-direct",
        keys: [String: String] = ["old": "x", "key-1": SignedMessage.secret]
    ) throws -> GatewayMessageContents {
        try SignedMessage.worldlineAccount(gateway, keys: keys).read(
            message, receivedAt: SignedMessage.time)
    }

    @Test(
        "is verified with the key that it names",
        arguments: ["worldline-direct", "worldline-connect"])
    func event(_ gateway: String) throws {
        let event = try #require(
            try read(SignedMessage.worldline(body()), gateway: gateway).event)
        #expect(event.identifier == "e1" && event.type == "payment.captured")
        #expect(event.time == Date(timeIntervalSince1970: 1_486_031_054.04))
        let report = event.report
        #expect(report.gateway == gateway && report.fault == nil && report.canBeAsked)
        #expect(report.paymentID == "1_0" && report.reference == "order-1001")
        #expect(report.status == "CAPTURED" && report.meaning == .booked)
        // Only a question states what is captured by now.
        #expect(report.captured == nil && report.authorized == nil)
        // The amount of an event of Direct's can be that of one operation.
        #expect(report.ordered == (gateway == "worldline-direct" ? nil : 3000))
        let attempt = try GatewayFixture.attempt(GatewayFixture.order())
        #expect(OrderOutcome(report: report, attempt: attempt).state == .pending)
    }

    @Test("is refused if it is forged, altered, or signed with another key")
    func forgeries() throws {
        let (keyField, field) = ("X-GCS-KeyId", "X-GCS-Signature")
        let good = try SignedMessage.worldline(body())
        func refuse(
            _ code: PaymentError.Code, _ name: String, _ message: GatewayMessage,
            _ keys: [String: String] = ["key-1": SignedMessage.secret],
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            MessageTests.expect(code, name, sourceLocation: sourceLocation) {
                _ = try read(message, keys: keys)
            }
        }
        func with(body: String? = nil, headers: [(String, String)]) -> GatewayMessage {
            GatewayMessage(
                method: "POST", target: "/hook", headers: headers,
                body: body.map { Array($0.utf8) } ?? good.body)
        }
        let (keyID, signature) = (good.headers[0], good.headers[1])
        for altered in [body(amount: 3001), body() + "\n", "", " " + body()] {
            refuse(.wrongSignature, field, with(body: altered, headers: good.headers))
        }
        refuse(.wrongSignature, field, try SignedMessage.worldline(body(), secret: "other"))
        refuse(.unknownKey, keyField, try SignedMessage.worldline(body(), keyID: "key-2"))
        refuse(.unknownKey, keyField, good, ["key-1": ""])
        refuse(.unknownKey, keyField, good, ["key-2": SignedMessage.secret])
        refuse(.unsupportedMessages, "", good, [:])
        for text in [
            "", "x", "AAAA", String(signature.value.dropLast()),
            signature.value.dropLast(2) + "l=", String(repeating: "A", count: 1 << 20),
        ] { refuse(.malformed, field, with(headers: [keyID, (field, text)])) }
        refuse(.malformed, field, with(headers: good.headers + [signature]))
        refuse(.malformed, keyField, with(headers: good.headers + [keyID]))
        refuse(.missingMember, keyField, with(headers: [signature]))
        refuse(.missingMember, field, with(headers: [keyID]))
        // The names of headers are case-insensitive, and spaces around the values do not count.
        let other = with(headers: [
            ("x-gcs-keyid", " \(keyID.value) "), ("X-Gcs-Signature", " \(signature.value)"),
        ])
        #expect(try read(other).event?.identifier == "e1")
    }

    @Test("with a valid signature is refused if it is not an event of this merchant's")
    func accounts() throws {
        func refuse(
            _ code: PaymentError.Code, _ field: String, _ body: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            MessageTests.expect(code, field, sourceLocation: sourceLocation) {
                _ = try read(SignedMessage.worldline(body))
            }
        }
        refuse(.notJSON, "", "x")
        refuse(.malformed, "", "[]")
        refuse(.missingMember, "id", "{}")
        refuse(.missingMember, "type", #"{"id":"1"}"#)
        refuse(.malformed, "created", #"{"id":"1","type":"t","created":[]}"#)
        refuse(.missingMember, "id", #"{"id":"1","type":"payment.paid","payment":{}}"#)
        let event = #"{"id":"1","type":"t""#
        refuse(.otherAccount, "apiVersion", event + "}")
        refuse(.otherAccount, "apiVersion", event + #","apiVersion":"v2","merchantId":"m-1"}"#)
        refuse(.otherAccount, "merchantId", event + #","apiVersion":"v1"}"#)
        refuse(.otherAccount, "merchantId", event + #","apiVersion":"v1","merchantId":"m-2"}"#)
        refuse(.malformed, "apiVersion", event + #","apiVersion":{},"merchantId":"m-1"}"#)
    }

    @Test("that is repeated has the same identifier, and another event another one")
    func repetitions() throws {
        let first = try #require(try read(SignedMessage.worldline(body())).event)
        let again = try #require(try read(SignedMessage.worldline(body())).event)
        #expect(first == again)
        let other = body("payment.captured", Self.members.replacing("e1", with: "e2"))
        #expect(try read(SignedMessage.worldline(other)).event?.identifier == "e2")
    }

    @Test("has a time with or without a colon in its offset, or none")
    func times() throws {
        for (text, seconds) in [
            ("2017-02-02T11:24:14.040+0100", 1_486_031_054.04),
            ("2026-03-01T12:00:00.5+01:00", 1_772_362_800.5),
            ("2026-03-01T12:00:00Z", 1_772_366_400),
            ("2026-03-01T12:00:00-0130", 1_772_371_800), ("yesterday", nil), ("", nil),
        ] as [(String, Double?)] {
            let members = Self.members.replacing("2017-02-02T11:24:14.040+0100", with: text)
            let event = try read(SignedMessage.worldline(body("payment.captured", members))).event
            #expect(event?.time == seconds.map(Date.init(timeIntervalSince1970:)), "\(text)")
        }
    }

    @Test("about a refund states the refund")
    func refunds() throws {
        func event(_ type: String, _ members: String) throws -> PaymentReport {
            let body = #"{\#(Self.members),"type":"\#(type)",\#(members)}"#
            return try #require(try read(SignedMessage.worldline(body)).event).report
        }
        let refund =
            #"{"id":"1_2","status":"REFUNDED","refundOutput":{"amountOfMoney":{"amount":1000,"#
            + #""currencyCode":"EUR"},"references":{"merchantReference":"refund-1"}}}"#
        for type in ["refund.refunded", "payment.refunded"] {
            let report = try event(type, "\"refund\":\(refund)")
            #expect(report.about == .refund && report.meaning == .booked)
            #expect(report.operationID == "1_2" && report.paymentID == "1_0")
            #expect(report.operationAmount == 1000 && report.currency == "EUR")
            // The reference can be the refund's own.
            #expect(report.reference == nil && report.fault == nil && report.refunded == nil)
        }
        let dispute = try event("dispute.created", #""dispute":{"id":"d1","paymentId":"1_0"}"#)
        #expect(dispute.about == .chargeback && dispute.paymentID == "1_0")
        let other = try event("payout.paid", #""payout":{"id":"1"}"#)
        #expect(other.about.rawValue == "payout" && other.meaning == .undocumented)
        #expect(try event("payment.created", #""x":1"#).fault != nil)
        #expect(
            try event("paymentlink.paid", #""payment":{"id":"1"}"#).about.rawValue == "paymentlink")
    }

    @Test("that checks the address is answered with its text, without a signature")
    func endpointCheck() throws {
        let field = "X-GCS-Webhooks-Endpoint-Verification"
        func check(_ text: String, method: String = "GET") -> GatewayMessage {
            GatewayMessage(method: method, target: "/hook", headers: [(field, text)], body: [])
        }
        for gateway in ["worldline-direct", "worldline-connect"] {
            let contents = try read(check("e6ae2c57"), gateway: gateway)
            #expect(contents == .endpointCheck(reply: "e6ae2c57") && contents.event == nil)
        }
        let longest = String(repeating: "x", count: 256)
        #expect(try read(check(longest)) == .endpointCheck(reply: ExactText(longest)))
        for text in ["", "a b", "a\nb", "<script>\u{7F}", "\u{E9}", longest + "x"] {
            MessageTests.expect(.malformed, field) { _ = try read(check(text)) }
        }
        // Another method, or no header, is a message whose signature is missing.
        for message in [
            check("x", method: "POST"),
            GatewayMessage(method: "GET", target: "/", headers: [], body: []),
        ] {
            MessageTests.expect(.missingMember, "X-GCS-KeyId") { _ = try read(message) }
        }
    }

    @Test("of the customer's browser is read as a return, and proves nothing by itself")
    func returns() throws {
        let text = "fecab85c-9b0e-42ee-a9d9-ebb69b0c2eb0"
        let gateway = ExampleMerchant.example.worldlineDirect
        func read(_ target: String, method: String = "GET") throws -> GatewayMessageContents {
            try gateway.read(
                GatewayMessage(method: method, target: target, headers: [], body: []),
                receivedAt: Date())
        }
        for target in [
            "/return?RETURNMAC=\(text)&hostedCheckoutId=15c09dac-bf44",
            "/?a=b&hostedCheckoutId=15c09dac-bf44&RETURNMAC=\(text)",
        ] {
            guard case .customerReturn(let sessionID, let code) = try read(target) else {
                Issue.record("\(target) is not a return")
                continue
            }
            #expect(sessionID == "15c09dac-bf44" && code == text)
        }
        for (target, code, field) in [
            ("/return?RETURNMAC=&hostedCheckoutId=1", .missingMember, "RETURNMAC"),
            ("/return?RETURNMAC=\(text)", .missingMember, "hostedCheckoutId"),
            ("/return?RETURNMAC=\(text)&RETURNMAC=x&hostedCheckoutId=1", .malformed, "RETURNMAC"),
            (
                "/return?RETURNMAC=\(text)&hostedCheckoutId=1&hostedCheckoutId=2", .malformed,
                "hostedCheckoutId"
            ),
            ("/return#?RETURNMAC=\(text)", .missingMember, "hostedCheckoutId"),
            ("/?RETURNMAC=x&" + String(repeating: "x=1&", count: 64), .malformed, "target"),
        ] as [(String, PaymentError.Code, String)] {
            MessageTests.expect(code, field) { _ = try read(target) }
        }
        // What is not a return is a message, whose signature is missing; keys are missing here.
        for (target, method) in [("/return?hostedCheckoutId=1", "GET"), ("/?RETURNMAC=x", "POST")] {
            let error = #expect(throws: PaymentError.self) {
                _ = try read(target, method: method)
            }
            #expect(error?.code == .unsupportedMessages)
        }
    }
}
