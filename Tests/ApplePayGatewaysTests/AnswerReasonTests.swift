import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

@Suite("Answers")
struct AnswerReasonTests {
    @Test(
        "that leave the payment open have these reasons",
        arguments: [
            (
                "Worldline, new page", 201,
                #"{"hostedCheckoutId":"1","redirectUrl":"ftp://r.example"}"#,
                "The address for the customer is not an http or https URL."
            ),
            (
                "Worldline, new page", 201, #"{"hostedCheckoutId":"1","redirectUrl":"https:r"}"#,
                "The address for the customer is not an http or https URL."
            ),
            (
                "Worldline, page", 200, #"{"status":"PAYMENT_CREATED"}"#,
                "The answer has no payment."
            ),
            ("Worldline, page", 200, #"{"status":"NEW"}"#, "The status NEW is not documented."),
            (
                "Worldline, status", 200, #"{"id":"1","status":"NEW"}"#,
                "The status NEW is not documented."
            ),
            (
                "Worldline, capture", 200, #"{"id":"1","status":"NEW"}"#,
                "The status NEW is not documented."
            ),
            (
                "Worldline, payment", 402, #"{"payment":{"id":"1","status":"PAID"}}"#,
                "HTTP status 402 contradicts the payment's status."
            ),
            (
                "CyberSource", 400, #"{"reason":"DUPLICATE_REQUEST"}"#,
                "CyberSource answered DUPLICATE_REQUEST."
            ),
            (
                "CyberSource", 502, #"{"status":"SERVER_ERROR"}"#,
                "CyberSource answered SERVER_ERROR."
            ),
            (
                "CyberSource", 201, #"{"id":"1","status":"SERVER_ERROR"}"#,
                "CyberSource answered SERVER_ERROR."
            ),
            (
                "CyberSource", 201, #"{"id":"1","status":"NEW"}"#,
                "The status NEW is not documented."
            ),
            (
                "CyberSource", 201, #"{"id":"1","status":"PARTIAL_AUTHORIZED"}"#,
                "Only a part of the amount is authorized or captured."
            ),
            (
                "Checkout.com", 201, #"{"id":"1","status":"NEW"}"#,
                "The status NEW is not documented."
            ),
            (
                "Checkout.com", 201, #"{"id":"1","status":"Partially Captured"}"#,
                "Only a part of the amount is authorized or captured."
            ),
            (
                "Adyen", 422, #"{"errorCode":"704"}"#,
                "The request with this key was done or is in progress."
            ),
            ("Adyen", 200, #"{"resultCode":"NEW"}"#, "The resultCode NEW is not documented."),
            (
                "Adyen", 200, #"{"resultCode":"PartiallyAuthorised"}"#,
                "Only a part of the amount is authorized or captured."
            ),
            (
                "PayPal", 422, #"{"details":[{"issue":"x"},{"issue":"ORDER_ALREADY_CAPTURED"}]}"#,
                "The order was captured or authorized before; ask for it."
            ),
            (
                "PayPal", 422, #"{"details":[{"issue":"ORDER_ALREADY_AUTHORIZED"}]}"#,
                "The order was captured or authorized before; ask for it."
            ),
            (
                "PayPal", 201, #"{"id":"1","status":"COMPLETED"}"#,
                "The completed order shows neither captures nor authorizations."
            ),
            ("PayPal", 201, #"{"id":"1","status":"NEW"}"#, "The status NEW is not documented."),
        ])
    func reasons(_ name: String, _ status: Int, _ body: String, _ reason: String) throws {
        #expect(try AnswerStatusTests.outcome(name, status, body) == .unknown(reason: reason))
    }

    @Test(
        "with an address for the customer accept http and https, in any case",
        arguments: ["http://r.example/1", "https://r.example/1", "HTTPS://r.example"])
    func addresses(_ url: String) throws {
        let body = #"{"hostedCheckoutId":"1","redirectUrl":"\#(url)"}"#
        guard
            case .actionRequired(let address) = try AnswerStatusTests.outcome(
                "Worldline, new page", 201, body)
        else {
            Issue.record("no action")
            return
        }
        #expect(address.absoluteString == url)
        #expect(
            try AnswerStatusTests.outcome("Worldline, new page", 201, #"{"hostedCheckoutId":"1"}"#)
                == .pending)
    }

    @Test("of PayPal's orders with two captures, or with another amount, confirm nothing")
    func payPalAmounts() throws {
        func agrees(_ captures: String...) throws -> Bool {
            let list = captures.map { #"{"id":"c","status":"COMPLETED"\#($0)}"# }
            let body =
                #"{"id":"1","status":"COMPLETED","purchase_units":[{"payments":{"captures":["#
                + list.joined(separator: ",") + "]}}]}"
            return try PayPal.OrderAnswer(GatewayResponse(body, status: 201))
                .agrees(with: GatewayFixture.order())
        }
        let half = #","amount":{"value":"15.00","currency_code":"EUR"}"#
        #expect(try agrees("") && agrees(#","amount":{"value":"30","currency_code":"EUR"}"#))
        #expect(try !agrees("", "") && !agrees(half) && !agrees(half, half))
    }

    @Test(
        "with an amount or a currency alone compare what they have",
        arguments: [
            ("", "", true), ("30.00", "", true), ("", "EUR", true), ("30.00", "EUR", true),
            ("29.99", "", false), ("", "USD", false), ("30.00", "USD", false),
            ("29.99", "EUR", false),
        ])
    func parts(_ decimal: String, _ currency: String, _ isEqual: Bool) throws {
        let order = try GatewayFixture.order()
        func member(_ name: String, _ value: String) -> String {
            value.isEmpty ? "" : #","\#(name)":"\#(value)""#
        }
        let paid = try CyberSource.PaymentAnswer(
            GatewayResponse(
                #"{"id":"1","status":"AUTHORIZED","orderInformation":{"amountDetails":{"x":1"#
                    + member("authorizedAmount", decimal) + member("currency", currency) + "}}}",
                status: 201))
        let minor = decimal.filter { $0 != "." }
        let checked = try Checkout.PaymentAnswer(
            GatewayResponse(
                #"{"id":"1","status":"Captured""# + member("amount", minor)
                    + member("currency", currency) + "}", status: 201))
        for (answer, outcome) in [
            (paid as any GatewayAnswer, PaymentOutcome.authorized), (checked, .paid),
        ] {
            #expect(answer.agrees(with: order) == isEqual)
            let reason =
                "The answer does not confirm the order's amount and currency, 3000 minor units of "
                + "\(order.currency)."
            #expect(answer.outcome(for: order) == (isEqual ? outcome : .unknown(reason: reason)))
        }
    }
}
