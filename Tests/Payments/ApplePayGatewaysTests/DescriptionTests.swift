import ApplePayAcceptance
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import ApplePayGateways

@Suite("Descriptions")
struct DescriptionTests {
    @Test("of values with personal data are a fixed text, and their mirrors are empty")
    func masked() throws {
        let contact = try PaymentContact(json: Array(#"{"locality":"Gent"}"#.utf8))
        let merchant = ExampleMerchant(secret: "not-a-real-secret")
        let options = with(RBS.Options()) { $0.additionalParameters = ["phone": "+1234567"] }
        let gateways = try merchant.gateways().map { ($0 as Any, String($0.name)) }
        let values: [(Any, String)] = [
            (contact, "PaymentContact(masked)"), (options, "Options(masked)"),
            (merchant.intergiro, "Intergiro(https://3d.intergiro.com)"),
            (GatewayResponse("1234567", status: 201), "GatewayResponse(201, 7 bytes)"),
            (
                GatewayMessage(method: "PUT", target: "/a?b=1", headers: [], body: [1, 2]),
                "GatewayMessage(PUT /a, 2 bytes)"
            ),
            (
                try GatewayFixture.accepted(), "AcceptedPayment(order-1001, 3000 EUR)"
            ),
        ]
        for (value, text) in values + gateways {
            #expect("\(value)" == text && String(reflecting: value) == text)
            #expect(Mirror(reflecting: value).children.isEmpty, "\(text)")
        }
    }

    @Test("of requests show the request line and the headers, and mask the secrets")
    func requests() throws {
        let token = GatewayFixture.secret("secret")
        let gateway = PayPal(credentials: .accessToken(token), environment: .live)
        let attempt = try GatewayFixture.attempt(paymentID: "1")
        let get = try gateway.status(of: attempt).request(at: .distantPast)
        let masked = "Authorization: \(GatewayFixture.secret("Bearer secret"))\n"
        let order = "https://api-m.paypal.com/v2/checkout/orders/1"
        #expect("\(get)" == "GET \(order)\n\(masked)\n(no body)")
        let payment = try gateway.payment(GatewayFixture.accepted()).request(at: .distantPast)
        let body = try #require(payment.body)
        let text = """
            POST https://api-m.paypal.com/v2/checkout/orders
            Content-Type: application/json
            PayPal-Request-Id: attempt-1
            Prefer: return=representation
            \(masked)
            \(body)
            """
        #expect("\(payment)" == text)
        #expect(!body.description.contains("order-1001"))
        #expect(payment.headers.map(\.isSecret) == [false, false, false, true])
        #expect(Mirror(reflecting: payment).children.isEmpty)
        #expect(payment.headers.allSatisfy { Mirror(reflecting: $0).children.isEmpty })
        let query = GatewayRequest("https://a.example", "/p", query: [("a b", "c&d"), ("e", "é")])
        #expect(query.url == "https://a.example/p?a%20b=c%26d&e=%C3%A9")
        #expect(query.method == "POST" && query.contentType == nil)
    }

    @Test("of errors name the member and the reason")
    func errors() {
        let key = "The key for f is not an RSA public key of 2048 bits."
        let unsupported =
            "Messages of this gateway cannot be verified: no key for them is configured."
        for (code, one, all) in [
            (.notJSON, "The text is not JSON.", "The text is not JSON."),
            (.missingMember, "f is missing.", "The text is missing."),
            (
                .malformed, "f does not have the documented form.",
                "The text does not have the documented form."
            ),
            (
                .unknownKey, "f of the message names a key that you did not give.",
                "The message names a key that you did not give."
            ),
            (.invalidKey, key, key.replacing("f is", with: "messages is")),
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
                .otherAccount,
                "f of the message is that of another account or version of the API.",
                "The message is that of another account or version of the API."
            ),
            (.unsupportedMessages, unsupported, unsupported),
        ] as [(PaymentError.Code, String, String)] {
            #expect(PaymentError.gateway(code, "f").description == one)
            #expect(PaymentError.gateway(code).description == all)
        }
    }
}
