import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

@testable import ApplePayGateways

@Suite("Reading what gateways send")
struct GatewayReadingTests {
    private func value(_ text: String) throws -> ResponseValue {
        try ResponseValue(Array(text.utf8))
    }

    @Test("has a limit of 1 MiB and of 32 levels")
    func limits() throws {
        let count = 1 << 20
        let text = #"{"a":""# + String(repeating: "x", count: count - 8) + #""}"#
        #expect(text.utf8.count == count)
        #expect(try value(text)["a"]?.string?.count == count - 8)
        #expect(throws: (any Error).self) { try value(text + " ") }
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try value(nested(32)).isArray)
        #expect(throws: (any Error).self) { try value(nested(33)) }
    }

    @Test("takes null for missing, and numbers and strings for each other")
    func values() throws {
        let root = try value(
            #"{"text":"t","digits":"12","number":-7,"decimal":1.50,"yes":true,"no":false,"#
                + #""word":"true","other":"no","none":null,"array":[1,"2"],"object":{"a":{"b":"c"}}}"#
        )
        let names = [
            "text", "digits", "number", "decimal", "yes", "no", "word", "other", "none", "array",
            "object",
        ]
        #expect(
            names.map { root[$0]?.string }
                == ["t", "12", "-7", "1.50", nil, nil, "true", "no", nil, nil, nil])
        #expect(
            names.map { root[$0]?.integer }
                == [nil, 12, -7, nil, nil, nil, nil, nil, nil, nil, nil])
        #expect(
            names.map { root[$0]?.boolean }
                == [nil, nil, nil, nil, true, false, true, nil, nil, nil, nil])
        #expect(
            names.map { root[$0]?.secret?.revealText() }
                == ["t", "12", nil, nil, nil, nil, "true", "no", nil, nil, nil])
        #expect(names.filter { root[$0]?.isObject == true } == ["object"])
        #expect(names.filter { root[$0]?.isArray == true } == ["array"])
        #expect(names.filter { root[$0]?.isString == true } == ["text", "digits", "word", "other"])
        #expect(names.filter { root[$0] == nil } == ["none"])
        #expect(root["array"]?.elements.map(\.string) == ["1", "2"])
        #expect(root["object"]?.elements.isEmpty == true && root.members.map(\.name) == names)
        #expect(root["object", "a", "b"]?.string == "c" && root["object", "x", "b"] == nil)
        #expect(root["text", "a"] == nil)
    }

    @Test("refuses a member of another type that decides about money")
    func members() throws {
        let root = try value(#"{"a":{"number":7,"text":"t","list":[],"none":null}}"#)
        func error<Value>(_ body: () throws -> Value) -> String? {
            do {
                _ = try body()
                return nil
            } catch let error as UnreadableJSONError {
                return "\(error.code) \(error.field)"
            } catch {
                return "\(error)"
            }
        }
        #expect(try root.mandatoryText("a", "number") == "7")
        #expect(error { try root.mandatoryText("a", "none") } == "missingMember a.none")
        #expect(error { try root.mandatoryText("b", "c") } == "missingMember b.c")
        #expect(error { try root.mandatoryText("a", "list") } == "wrongType a.list")
        #expect(try root.mandatorySecret("a", "text").revealText() == "t")
        #expect(error { try root.mandatorySecret("a", "none") } == "missingMember a.none")
        #expect(error { try root.mandatorySecret("a", "number") } == "wrongType a.number")
        #expect(try root.optionalInteger("a", "number") == 7)
        #expect(try root.optionalInteger("a", "none") == nil)
        #expect(error { try root.optionalInteger("a", "text") } == "wrongType a.text")
        #expect(try root.optionalText("a", "text") == "t")
        #expect(try root.optionalText("b", "text") == nil)
        #expect(error { try root.optionalText("a", "list") } == "wrongType a.list")
    }

    @Test("finds headers in any case, and trims those of messages")
    func headers() throws {
        let headers = [("X-A", "1"), ("x-a", "2"), ("X-B", "  3 4  "), ("X-C", " ")]
        let response = GatewayResponse(status: 200, headers: headers, body: [])
        #expect(response.header("x-A") == "1" && response.header("X-D") == nil)
        let message = GatewayMessage(method: "POST", target: "/", headers: headers, body: [])
        #expect(try message.header("x-b") == "3 4" && message.header("X-C") == "")
        for (name, code) in [("x-a", .malformed), ("X-D", .missingMember)]
            as [(String, GatewayMessageError.Code)]
        {
            let error = #expect(throws: GatewayMessageError.self) { try message.header(name) }
            #expect(error?.code == code && error?.field == name)
        }
    }

    @Test("decodes signatures of a limited length only")
    func signatures() {
        for (count, expected) in [(0, nil), (4, 3), (1024, 768), (1028, nil), (5, nil)]
            as [(Int, Int?)]
        {
            let bytes = MessageCode.bytes(base64: String(repeating: "A", count: count))
            #expect(bytes?.count == expected, "\(count)")
        }
        #expect(MessageCode.bytes(base64: "AQID") == [1, 2, 3])
        #expect(
            MessageCode.bytes(base64: "AQ!D") == nil && MessageCode.decoded(base64: "AQ!D") == nil)
        let bytes = (0..<32).map { UInt8($0 * 8 + 1) }
        let digits = bytes.map { String(format: "%02x", $0) }.joined()
        #expect(MessageCode.bytes(hexadecimal: digits) == bytes)
        #expect(MessageCode.bytes(hexadecimal: digits.uppercased()) == bytes)
        for text in [
            "", digits + "0", digits + "g", String(digits.dropLast()), digits.dropLast() + "g",
        ] {
            #expect(MessageCode.bytes(hexadecimal: text) == nil)
        }
    }

    /// Returns Worldline's message with this body, signed.
    private func worldline(_ body: String) throws -> GatewayMessage {
        let code = try Worldline.signature(of: body, GatewayFixture.secret("key"))
        let signature = TokenJSON.base64(code).revealText()
        return GatewayMessage(
            method: "POST", target: "/",
            headers: [("X-GCS-KeyId", "id"), ("X-GCS-Signature", signature)],
            body: Array(body.utf8))
    }

    @Test("keeps every member of Worldline's events, in each platform's decimals")
    func worldlineEvents() throws {
        let keys = ["id": GatewayFixture.secret("key")]
        func body(_ name: String, _ currency: String) -> String {
            #"{"id":"e-id","type":"e-type","created":"2026-03-01T12:00:00.5+0100","\#(name)":{"id":"#
                + #""p-id","status":"REFUNDED","\#(name)Output":{"amountOfMoney":{"amount":3000,"#
                + #""currencyCode":"\#(currency)"},"references":{"merchantReference":"p-reference"}}}}"#
        }
        for (name, outcome) in [
            ("payment", .refused(code: "REFUNDED", text: "REFUNDED")), ("refund", .paid),
        ] as [(String, PaymentOutcome)] {
            let event = try Worldline.event(worldline(body(name, "EUR")), keys: keys)
            #expect(event.identifier == "e-id" && event.type == "e-type")
            #expect(event.time == Date(timeIntervalSince1970: 1_772_362_800.5))
            #expect(event.paymentId == "p-id" && event.merchantReference == "p-reference")
            #expect(event.outcome == outcome && event.gatewayStatus == "REFUNDED")
            #expect(event.agrees(with: try GatewayFixture.order()))
            #expect(!event.agrees(with: try GatewayFixture.order(2999)))
            let yen = try Worldline.event(
                worldline(body(name, "JPY")), keys: keys, of: WorldlineConnect.self)
            #expect(yen.agrees(with: try GatewayFixture.order(30, "JPY")))
        }
        let other = try Worldline.event(
            worldline(#"{"id":"1","type":"t","created":"2026-03-01T12:00:00Z"}"#), keys: keys)
        #expect(
            other.outcome
                == .unknown(reason: "The event is about neither a payment nor a refund."))
        #expect(other.time == Date(timeIntervalSince1970: 1_772_366_400))
        #expect(other.agrees(with: try GatewayFixture.order()) && other.paymentId == nil)
        for (body, field) in [(#"{"type":"t"}"#, "id"), (#"{"id":"1"}"#, "type")] {
            let error = #expect(throws: GatewayMessageError.self) {
                try Worldline.event(worldline(body), keys: keys)
            }
            #expect(error?.code == .unreadable && error?.field == field)
        }
    }

    @Test("accepts no return from a page with an empty RETURNMAC")
    func emptyReturnMAC() {
        let error = #expect(throws: GatewayMessageError.self) {
            try Worldline.verifyReturn(
                "/?RETURNMAC=x&hostedCheckoutId=1", returnMAC: GatewayFixture.secret(""))
        }
        #expect(error?.code == .wrongSignature && error?.field == "RETURNMAC")
    }

    @Test("signs headers with the same name in their order")
    func signedHeaders() {
        let text = Worldline.textToSign(
            method: "GET", contentType: nil, date: "d",
            headers: [("x-gcs-b", "3"), ("X-GCS-A", "1"), ("x-gcs-a", "2"), ("Date", "d")],
            target: "/t")
        #expect(text == "GET\n\nd\nx-gcs-a:1\nx-gcs-a:2\nx-gcs-b:3\n/t\n")
    }
}
