import ApplePayGateways
import ApplePayOtherGateways
import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("Answers")
struct AnswerReasonTests {
    private static let reasons: [(AnswerVector, String)] = [
        (
            AnswerVector(
                "worldline-direct", "hosted-page",
                #"{"hostedCheckoutId":"1","redirectUrl":"ftp://r.example"}"#, status: 201),
            "The address for the customer is not an http or https URL."
        ),
        (
            AnswerVector("worldline-connect", "status", #"{"id":"1","status":"NEW"}"#),
            "The status NEW is not documented."
        ),
        (
            AnswerVector(
                "worldline-connect", "operation", #"{"id":"1","status":"NEW"}"#,
                operation: .capture), "The status NEW is not documented for a capture."
        ),
        (
            AnswerVector(
                "worldline-direct", "payment",
                #"{"paymentResult":{"payment":{"id":"1","status":"CAPTURED"}}}"#, status: 402),
            "HTTP status 402 contradicts the status in the body."
        ),
        (
            AnswerVector(
                "cybersource", "payment", #"{"reason":"DUPLICATE_REQUEST"}"#, status: 400),
            "DUPLICATE_REQUEST: this request or an earlier one may be done."
        ),
        (
            AnswerVector("cybersource", "payment", #"{"status":"SERVER_ERROR"}"#, status: 201),
            "SERVER_ERROR: this request or an earlier one may be done."
        ),
        (
            AnswerVector("adyen", "payment", #"{"errorCode":"704"}"#, status: 422),
            "704: the request with this key may be done or in progress."
        ),
        (
            AnswerVector("adyen", "payment", #"{"resultCode":"Error"}"#),
            "Adyen could not process the payment; it may have been made."
        ),
        (
            AnswerVector(
                "paypal", "payment", #"{"details":[{"issue":"ORDER_ALREADY_CAPTURED"}]}"#,
                status: 422),
            "ORDER_ALREADY_CAPTURED: the order is paid already, or can still be paid."
        ),
        (
            AnswerVector("paypal", "payment", #"{"id":"1","status":"COMPLETED"}"#, status: 201),
            "The gateway states that money moved, but not how much."
        ),
        (
            AnswerVector(
                "checkout", "status",
                #"{"id":"1","status":"Captured","approved":true,"currency":"EUR","#
                    + #""balances":{"total_captured":3000,"total_refunded":0}}"#),
            "The gateway states that money moved, but not for which reference."
        ),
        (
            AnswerVector("checkout", "status", #"{"id":"1","status":"Captured"}"#),
            "The status is Captured, but the payment is not approved."
        ),
        (
            AnswerVector("bepaid", "status", #"{"transactions":[]}"#),
            "The gateway does not know the payment, which proves nothing: the request may still arrive."
        ),
        (
            AnswerVector("adyen", "payment", "", status: 500),
            "The answer with HTTP status 500 has no body."
        ),
        (
            AnswerVector("adyen", "payment", "<html>", status: 403),
            "HTTP status 403: The text is not JSON."
        ),
        (
            AnswerVector("adyen", "payment", "[]"),
            "HTTP status 200: The text does not have the documented form."
        ),
        (
            AnswerVector("adyen", "payment", "{}", status: 409),
            "HTTP status 409: the request may be done or in progress."
        ),
        (
            AnswerVector("adyen", "payment", "{}", status: 503),
            "HTTP status 503: it is not known whether the request was carried out."
        ),
        (
            AnswerVector(
                "adyen", "payment",
                #"{"resultCode":"Authorised","merchantReference":"order-1001","amount":{"value":1}}"#
            ),
            "HTTP status 200: amount does not have the documented form."
        ),
        (
            AnswerVector(
                "adyen", "payment", #"{"resultCode":"Authorised"}"#, status: 202),
            "HTTP status 202 is not documented for a payment."
        ),
        (
            AnswerVector("dintero", "pay", "{}"), "HTTP status 200: success is missing."
        ),
        (
            AnswerVector(
                "dintero", "transaction", #"{"error":{"code":"c","message":"no"}}"#, status: 403),
            "HTTP status 403 (c): the account or its secrets were refused, by the gateway or a proxy."
        ),
        (
            AnswerVector("dintero", "transaction", "{}", status: 500),
            "HTTP status 500: the question about the payment was not answered."
        ),
        (
            AnswerVector("dintero", "login", #"{"error":{"code":"c"}}"#, status: 403),
            "The answer to the login has HTTP status 403 (c)."
        ),
        (
            AnswerVector("dintero", "login", #"{"error":{"message":"no"}}"#, status: 403),
            "The answer to the login has HTTP status 403 (no)."
        ),
        (
            AnswerVector("paypal", "login", #"{"error":"invalid_client"}"#, status: 401),
            "The answer to the login has HTTP status 401 (invalid_client)."
        ),
        (
            AnswerVector("paypal", "login", "", status: 500),
            "The answer to the login has HTTP status 500."
        ),
        (
            AnswerVector("paypal", "login", "{}"),
            "The answer to the login cannot be read: access_token is missing."
        ),
        (
            AnswerVector("intergiro", "tokenize", "{}", status: 404), "The HTTP status is 404."
        ),
    ]

    @Test("that leave the payment open have a reason in one sentence", arguments: reasons)
    func sentence(_ vector: AnswerVector, _ reason: String) throws {
        let reading = try vector.read()
        #expect(
            reading.reason.map { String($0) } ?? reading.card?.reason.map { String($0) } == reason)
    }

    @Test("that are published and leave the payment open have a reason in one sentence")
    func sentences() throws {
        for vector in AnswerVector.all {
            let reading = try AnswerReading(vector)
            if reading.state == "unknown" || reading.state == "pending" && vector.operation == nil {
                let isStep =
                    reading.report == nil && reading.card == nil && reading.state != "unknown"
                let reason = reading.reason ?? reading.card?.reason
                if !isStep, vector.step != "tokenize" {
                    #expect(reason?.hasSuffix(".") == true, "\(vector.testDescription)")
                }
            }
        }
    }

    @Test(
        "with an address for the customer accept http and https, in any capitalization",
        arguments: [
            ("http://r.example/1", true), ("https://r.example/1", true),
            ("HTTPS://r.example", true),
            ("https:r", false), ("https://", false), ("ftp://r.example", false), ("/1", false),
            ("javascript:alert(1)", false), ("r.example", false), ("", false),
            ("shop-app://return", false),
        ])
    func addresses(_ text: String, _ isPermitted: Bool) {
        var report = PaymentReport(gateway: "test")
        report.setAddress(ExactText(text))
        #expect((report.address?.absoluteString == text) == isPermitted)
        #expect((report.address == nil) == !isPermitted)
        #expect((report.fault == nil) == isPermitted)
        var other = PaymentReport(gateway: "test")
        other.setAddress(nil)
        #expect(other.address == nil && other.fault == nil)
    }

    private static func money(
        _ gateway: String, _ amount: String, _ currency: String
    ) -> AnswerVector {
        let step = ["worldline-direct", "worldline-connect", "cybersource", "adyen"].contains(
            gateway)
        let body =
            switch gateway {
            case "cybersource":
                #"{"status":"AUTHORIZED","clientReferenceInformation":{"code":"order-1001"},"#
                    + #""orderInformation":{"amountDetails":{"authorizedAmount":"\#(amount)","currency":"\#(currency)"}}}"#
            case "checkout":
                #"{"id":"1","status":"Captured","approved":true,"reference":"order-1001","amount":\#(amount),"#
                    + #""currency":"\#(currency)","balances":{"total_captured":\#(amount),"total_refunded":0}}"#
            case "adyen":
                #"{"resultCode":"Authorised","merchantReference":"order-1001","#
                    + #""amount":{"value":\#(amount),"currency":"\#(currency)"}}"#
            case "paypal":
                #"{"id":"1","status":"COMPLETED","purchase_units":[{"reference_id":"order-1001","payments":"#
                    + #"{"captures":[{"status":"COMPLETED","amount":{"value":"\#(amount)","currency_code":"\#(currency)"}}]}}]}"#
            default:
                #"{"payment":{"id":"1","status":"CAPTURED","paymentOutput":{"amountOfMoney":{"amount":\#(amount),"#
                    + #""currencyCode":"\#(currency)"},"references":{"merchantReference":"order-1001"}}}}"#
            }
        return AnswerVector(
            gateway, step ? "payment" : "status", body,
            status: ["cybersource", "worldline-connect", "worldline-direct"].contains(gateway)
                ? 201 : 200)
    }

    @Test(
        "state amounts in the gateway's own decimals",
        arguments: [
            ("worldline-direct", "10000", "JPY", 10000), ("worldline-connect", "10000", "JPY", 100),
            ("worldline-connect", "10001", "JPY", nil), ("worldline-connect", "300", "KWD", 3000),
            ("worldline-connect", "3000", "EUR", 3000),
            ("worldline-connect", "9223372036854775807", "KWD", nil),
            ("worldline-direct", "3000", "eur", 3000), ("worldline-direct", "3000", "XXZ", nil),
            ("adyen", "3000", "CLP", 30), ("adyen", "3050", "CLP", nil),
            ("adyen", "3000", "ISK", 30),
            ("adyen", "30", "IDR", 3000), ("adyen", "30", "CVE", 3000),
            ("adyen", "3000", "JPY", 3000),
            ("adyen", "3000", "KWD", 3000),
            ("checkout", "3000", "CLP", 30), ("checkout", "300000", "UYW", 30_000_000),
            ("checkout", "3000", "KWD", 3000), ("checkout", "3000", "ISK", 3000),
            ("cybersource", "1.5", "KWD", 1500), ("cybersource", "1.500", "KWD", 1500),
            ("cybersource", "1.5000", "KWD", 1500), ("cybersource", "01.5", "KWD", 1500),
            ("cybersource", "1.5001", "KWD", nil), ("cybersource", "-1.5", "KWD", nil),
            ("cybersource", "1e3", "KWD", nil), ("cybersource", "1.", "KWD", nil),
            ("cybersource", ".5", "KWD", nil), ("cybersource", "", "KWD", nil),
            ("cybersource", "1.5.0", "KWD", nil), ("cybersource", "1,5", "KWD", nil),
            ("cybersource", "99999999999999999999", "KWD", nil), ("cybersource", "30", "JPY", 30),
            ("cybersource", "30.0", "JPY", 30), ("cybersource", "30.5", "JPY", nil),
            ("cybersource", "10.99", "usd", 1099), ("cybersource", "10.99", "", nil),
            ("paypal", "30", "JPY", 30), ("paypal", "30.00", "HUF", 3000),
        ] as [(String, String, String, Int64?)])
    func decimals(
        _ gateway: String, _ amount: String, _ currency: String, _ expected: Int64?
    ) throws {
        let report = try #require(try Self.money(gateway, amount, currency).read().report)
        #expect((report.fault == nil) == (expected != nil), "\(report.fault ?? "")")
        #expect(report.captured ?? report.authorized == expected)
        if expected != nil { #expect(report.currency == currency.uppercased()) }
    }
}
