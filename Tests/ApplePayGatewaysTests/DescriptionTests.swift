import ApplePayGatewaysTesting
import ApplePayToken
import Testing

@testable import ApplePayGateways

@Suite("Descriptions")
struct DescriptionTests {
    @Test("of values with personal data are a fixed text, and their mirrors are empty")
    func masked() throws {
        let contact = try PaymentContact(json: Array(#"{"locality":"Gent"}"#.utf8))
        let address = try #require(Worldline.Address(contact))
        let values: [(Any, String)] = [
            (contact, "PaymentContact(masked)"), (address, "Address(masked)"),
            (Worldline.Customer(billing: contact), "Customer(masked)"),
            (Worldline.Shipping(contact), "Shipping(masked)"),
            (with(CyberSource.BillTo()) { $0.email = "x@y" }, "BillTo(masked)"),
            (GatewayResponse("1234567", status: 201), "GatewayResponse(201, 7 bytes)"),
            (
                GatewayMessage(method: "PUT", target: "/a?b=1", headers: [], body: [1, 2]),
                "GatewayMessage(PUT /a, 2 bytes)"
            ),
        ]
        for (value, text) in values {
            #expect("\(value)" == text)
            #expect(Mirror(reflecting: value).children.isEmpty, "\(text)")
        }
        let options = with(PayPal.OrderOptions()) { $0.emailAddress = "x@y" }
        #expect(String(reflecting: options) == "OrderOptions(masked)")
        #expect(Mirror(reflecting: options).children.isEmpty)
    }

    @Test("of requests show the request line and the headers, and mask the secrets")
    func requests() throws {
        let token = GatewayFixture.secret("secret")
        let get = try PayPal.getOrder("1", accessToken: token)
        let masked = "Authorization: \(GatewayFixture.secret("Bearer secret"))\n"
        let order = "https://api-m.paypal.com/v2/checkout/orders/1"
        #expect("\(get)" == "GET \(order)\n\(masked)\n(no body)")
        let capture = try PayPal.captureOrder("1", accessToken: token, requestID: "id")
        let text = """
            POST \(order)/capture
            Content-Type: application/json
            \(masked)PayPal-Request-Id: id
            Prefer: return=representation

            \(GatewayFixture.secret("{}"))
            """
        #expect("\(capture)" == text)
        #expect(capture.headers.map(\.isSecret) == [false, true, false, false])
        #expect(Mirror(reflecting: capture).children.isEmpty)
        #expect(capture.headers.allSatisfy { Mirror(reflecting: $0).children.isEmpty })
        let query = GatewayRequest("https://a.example", "/p", query: [("a b", "c&d"), ("e", "é")])
        #expect(query.url == "https://a.example/p?a%20b=c%26d&e=%C3%A9")
        #expect(query.method == "POST" && query.contentType == nil && query.statusRequest == nil)
        let moved = try query.replacingOrigin("https://b.example")
        #expect(moved.url == "https://b.example/p?a%20b=c%26d&e=%C3%A9")
    }

    @Test(
        "of the request to repeat lack only Worldline's signature",
        arguments: [
            "X-GCS-Idempotence-Key", "RequestID", "Idempotency-Key", "Cko-Idempotency-Key",
            "PayPal-Request-Id",
        ])
    func repeated(_ name: String) throws {
        let request = GatewayRequest(
            method: "PUT", "https://a.example", "/p", query: [("q", "1")],
            headers: [
                GatewayHeader("Date", "d"), GatewayHeader(name, "k"),
                GatewayHeader("Authorization", "a"), GatewayHeader("X", "x"),
            ], body: GatewayFixture.secret("{}"))
        let repeated = try #require(request.statusRequest)
        let isWorldline = name == "X-GCS-Idempotence-Key"
        #expect(
            repeated.headers.map(\.name)
                == (isWorldline ? [name, "X"] : ["Date", name, "Authorization", "X"]))
        #expect(repeated.method == "PUT" && repeated.url == "https://a.example/p?q=1")
        #expect(repeated.body?.revealText() == "{}")
    }

    @Test("of errors name the member and the reason")
    func errors() {
        for (code, one, all) in [
            (.missingMember, "f of the message is missing.", "The message is missing."),
            (
                .malformed,
                "f of the message occurs twice or does not have the form that the gateway documents.",
                "The message occurs twice or does not have the form that the gateway documents."
            ),
            (
                .unknownKey, "f of the message names a key that you did not give.",
                "The message names a key that you did not give."
            ),
            (
                .invalidKey, "The key for f is not an RSA public key of 2048 bits.",
                "The key for  is not an RSA public key of 2048 bits."
            ),
            (
                .wrongSignature,
                "f of the message is not a valid signature of this message under the given key.",
                "The message is not a valid signature of this message under the given key."
            ),
            (
                .outsideWindow, "f of the message is more than 5 minutes away from now.",
                "The message is more than 5 minutes away from now."
            ),
            (
                .unreadable, "f of the message cannot be read, although the signature is valid.",
                "The message cannot be read, although the signature is valid."
            ),
            (
                .libraryFailure,
                "f of the message could not be verified, for example for lack of memory.",
                "The message could not be verified, for example for lack of memory."
            ),
        ] as [(GatewayMessageError.Code, String, String)] {
            #expect(GatewayMessageError(code, "f").description == one)
            #expect(GatewayMessageError(code, "").description == all)
        }
        for (code, sentence) in [
            (.notJSON, "is not JSON."), (.missingMember, "is missing."),
            (.wrongType, "does not have the documented type."),
        ] as [(UnreadableJSONError.Code, String)] {
            let error = UnreadableJSONError(code, field: "a.b")
            #expect(error.description == "a.b of the gateway's answer \(sentence)")
            let whole = UnreadableJSONError(code, .contact, field: "")
            #expect(whole.description == "The contact \(sentence)")
        }
    }
}
