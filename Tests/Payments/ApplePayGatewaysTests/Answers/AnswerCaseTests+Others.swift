import ApplePayGateways
import ApplePayToken

extension AnswerCaseTests {
    private static let address = "https://r.example/1"

    private static func pay(_ members: String) -> String { "{\(members)}" }

    private static let transaction =
        #"{"id":"P00000000.t1","status":"STATUS","amount":3000,"currency":"EUR","#
        + #""merchant_reference":"order-1001","session_id":"P00000000.s1","events":[EVENTS]}"#

    private static func transaction(_ status: String, _ events: String = "") -> String {
        transaction.replacing("STATUS", with: status).replacing("EVENTS", with: events)
    }

    private static let failedCapture =
        #"{"id":"e1","event":"CAPTURE","success":false,"event_reference":"key-1","#
        + #""error":{"code":"c","message":"no","type":["INSUFFICIENT_FUNDS"]}}"#

    static let dintero: [AnswerCase] = [
        .init("dintero", "session", #"{"id":"P00000000.s1"}"#, "pending"),
        .init("dintero", "session", "{}", "refused"),
        .init("dintero", "submit", #"{"transaction_id":"T1"}"#, "pending"),
        .init("dintero", "submit", "{}", "refused"),
        .init("dintero", "login", #"{"access_token":"t"}"#, "pending"),
        // A payment that states no amount goes on with a query.
        .init(
            "dintero", "pay", #"{"return_url":"shop://r?x=1"}"#, "pending", ["meaning": "booked"]),
        .init(
            "dintero", "pay", #"{"success":true,"redirect_url":"https://r"}"#, "pending",
            ["meaning": "booked", "address": ""]),
        .init("dintero", "pay", #"{"success":true}"#, "pending", ["meaning": "booked"]),
        .init(
            "dintero", "pay", #"{"success":false,"redirect_url":"https://r"}"#, "refused",
            ["refusal.origin": "issuer"]),
        .init(
            "dintero", "pay", #"{"redirect_url":"\#(address)"}"#, "action-required",
            ["address": address]),
        .init(
            "dintero", "pay", #"{"redirect_url":"shop://r"}"#, "pending", ["meaning": "undecided"]),
        .init(
            "dintero", "pay", #"{"redirect_url":"\#(address)","return_url":"https://b.example/"}"#,
            "action-required", ["address": address]),
        .init(
            "dintero", "pay", #"{"return_url":"shop://r?transaction_id=1&error=authorization"}"#,
            "refused",
            [
                "refusal.code": "authorization", "refusal.origin": "issuer",
                "status": "authorization",
            ]),
        .init(
            "dintero", "pay", #"{"return_url":"shop://r?error=cancelled"}"#, "refused",
            ["refusal.code": "cancelled", "refusal.origin": "customer"]),
        .init("dintero", "pay", #"{"return_url":"shop://r?error=failed"}"#, "refused"),
        .init(
            "dintero", "pay",
            #"{"success":true,"redirect_url":"https://r.example/?a=1&error=authorization"}"#,
            "refused"),
        // After `capture` the amount is authorized; `unknown` decides nothing.
        .init(
            "dintero", "pay", #"{"return_url":"shop://r?error=capture"}"#, "pending",
            ["meaning": "undecided"]),
        .init("dintero", "pay", #"{"return_url":"shop://r?error=unknown"}"#, "pending"),
        .init("dintero", "pay", #"{"return_url":"shop://r?error=x","success":false}"#, "unknown"),
        .init(
            "dintero", "pay", #"{"return_url":"shop://r?error=a%20b"}"#, "unknown",
            ["status": "a b"]),
        // No error: in the fragment, empty, another parameter, or not well-formed.
        .init("dintero", "pay", ##"{"return_url":"https://r.example/?x=1#&error=x"}"##, "pending"),
        .init("dintero", "pay", #"{"return_url":"https://r.example/?error="}"#, "pending"),
        .init("dintero", "pay", #"{"return_url":"https://r.example/?xerror=1"}"#, "pending"),
        .init("dintero", "pay", #"{"return_url":"https://r.example/?error=a%2"}"#, "pending"),
        .init("dintero", "pay", "{}", "unknown", ["fault": "true"]),
        .init("dintero", "pay", http: 400, "{}", "unknown", ["fault": "true"]),
        .init(
            "dintero", "pay", http: 400,
            #"{"error":{"code":"DECLINED","message":"no","errors":[]}}"#,
            "refused",
            ["refusal.code": "DECLINED", "refusal.text": "no"]),
        .init("dintero", "pay", http: 400, #"{"success":true}"#, "unknown", ["fault": "true"]),
        .init(
            "dintero", "session-status",
            #"{"id":"T00000000.s1","order":{"amount":3000,"currency":"EUR","#
                + #""merchant_reference":"order-1001"},"transaction_id":"T00000000.t1"}"#,
            "pending",
            [
                "sessionId": "T00000000.s1", "paymentId": "T00000000.t1", "ordered": "3000",
                "currency": "EUR", "reference": "order-1001", "isTest": "true",
            ]),
        .init(
            "dintero", "session-status", #"{"order":{"amount":3001}}"#, "unknown",
            ["ordered": "3001"]),
        // A canceled session is not closed for certain.
        .init("dintero", "session-status", #"{"id":"P1","cancelled_at":"2026-11-21"}"#, "pending"),
        .init(
            "dintero", "session-status", #"{"order":{"amount":[]}}"#, "unknown", ["fault": "true"]),
        .init("dintero", "transaction", "{}", "unknown", ["meaning": "undocumented"]),
        .init(
            "dintero", "transaction",
            transaction("CAPTURED", #"{"event":"CAPTURE","success":true,"amount":3000}"#),
            "paid", ["sessionId": "P00000000.s1", "isTest": ""]),
        .init(
            "dintero", "transaction", http: 404, #"{"error":{"code":"NOT FOUND","message":"no"}}"#,
            "unknown",
            ["meaning": "absent"]),
        .init(
            "dintero", "transaction",
            transaction(
                "FAILED",
                #"{"event":"AUTHORIZE","success":false,"error":{"type":["INVALID_MERCHANT"],"message":"no"}}"#
            ),
            "refused",
            [
                "refusal.code": "INVALID_MERCHANT", "refusal.text": "no",
                "refusal.origin": "operator",
            ]),
        .init(
            "dintero", "transaction", transaction("DECLINED"), "refused",
            ["refusal.code": "DECLINED", "refusal.origin": "customer"]),
        .init(
            "dintero", "transaction", transaction("FAILED"), "refused",
            ["refusal.code": "FAILED", "refusal.origin": "issuer"]),
        .init("dintero", "search", "[]", "unknown", ["meaning": "absent"]),
        .init("dintero", "search", "{}", "unknown", ["fault": "true"]),
        .init("dintero", "search", #"{"transactions":[\#(transaction("CAPTURED"))]}"#, "paid"),
        .init("dintero", "search", "[\(transaction("CAPTURED"))]", "paid"),
        .init(
            "dintero", "search", "[\(transaction("FAILED")),\(transaction("CAPTURED"))]", "paid"),
        .init(
            "dintero", "search", "[\(transaction("CAPTURED")),\(transaction("CAPTURED"))]",
            "paid"),
        .init("dintero", "search", #"[1]"#, "unknown", ["fault": "true"]),
        // As many as were asked for: there may be more.
        .init(
            "dintero", "search",
            "[\(Array(repeating: transaction("FAILED"), count: 99).joined(separator: ","))]",
            "refused"),
        .init(
            "dintero", "search",
            "[\(Array(repeating: transaction("FAILED"), count: 100).joined(separator: ","))]",
            "unknown", ["fault": "true"]),
        .init(
            "dintero", "operation", of: .capture, transaction("AUTHORIZED", failedCapture),
            "refused",
            [
                "refusal.code": "c", "refusal.text": "no", "refusal.origin": "issuer",
                "operationId": "e1", "sessionId": "P00000000.s1", "paymentId": "P00000000.t1",
            ]),
        // The event of another operation with the same kind.
        .init(
            "dintero", "operation", of: .capture,
            transaction("CAPTURED", failedCapture.replacing("key-1", with: "key-2")), "pending"),
        .init(
            "dintero", "operation", of: .capture,
            transaction(
                "CAPTURED", "\(failedCapture),\(failedCapture.replacing("false", with: "true"))"),
            "done"),
        .init(
            "dintero", "operation", of: .capture,
            transaction("CAPTURED", #"{"event":"CAPTURE","event_reference":"key-1"}"#), "pending"),
        .init(
            "dintero", "operation", http: 202, of: .capture,
            transaction("CAPTURED", failedCapture.replacing("false", with: "true")), "pending"),
        .init(
            "dintero", "operation", of: .capture,
            transaction(
                "CAPTURED",
                #"{"event":"CAPTURE","success":true,"amount":2999,"event_reference":"key-1"}"#),
            "unknown", ["operationAmount": "2999"]),
        .init(
            "dintero", "operation", of: .cancellation,
            transaction("CAPTURED", #"{"event":"VOID","success":true,"amount":2999}"#), "done",
            ["operationAmount": ""]),
        .init(
            "dintero", "operation", http: 400, of: .refund,
            #"{"error":{"code":"c","message":"no","errors":[]}}"#,
            "refused", ["refusal.code": "c", "refusal.text": "no", "refusal.origin": "operator"]),
    ]

    static let intergiro: [AnswerCase] = [
        .init(
            "intergiro", "tokenize", http: 412, #"{"consent":{"id":"c","status":"pending"}}"#,
            "pending"),
        .init("intergiro", "tokenize", #"{"consent":{"id":"c","status":"pending"}}"#, "pending"),
        .init("intergiro", "tokenize", #"{"consent":{"id":"c","status":"given"}}"#, "unknown"),
        .init("intergiro", "tokenize", "{}", "unknown"),
        .init("intergiro", "tokenize", http: 401, "{}", "unknown"),
        .init("intergiro", "tokenize", http: 403, "<html>", "unknown"),
        .init("intergiro", "tokenize", http: 409, "{}", "unknown"),
        .init("intergiro", "tokenize", http: 500, "{}", "unknown"),
        .init("intergiro", "tokenize", http: 301, "{}", "unknown"),
        .init("intergiro", "consent", #"{"method":{"token":"t"}}"#, "launch"),
        .init("intergiro", "consent", #"{"method":{"token":"t","redirect_url":"x"}}"#, "launch"),
        .init("intergiro", "consent", #"{"method":{}}"#, "unknown"),
        .init("intergiro", "consent", http: 404, "{}", "unknown"),
        .init("intergiro", "consent", http: 429, "{}", "unknown"),
        .init(
            "intergiro", "tokens", http: 401, #"{"access_token":"t","refresh_token":"r"}"#,
            "refused"),
        .init("intergiro", "tokens", #"{"access_token":"t"}"#, "refused"),
        .init("intergiro", "launch", #"{"status":"pending"}"#, "unknown"),
        .init("intergiro", "launch", "{}", "unknown"),
    ]

    private static func units(_ count: Int) -> String {
        Array(
            repeating:
                #"{"reference_id":"order-1001","amount":{"currency_code":"EUR","value":"30.00"},"#
                + #""payments":{"captures":[{"status":"COMPLETED","#
                + #""amount":{"currency_code":"EUR","value":"30.00"}}]}}"#, count: count
        ).joined(separator: ",")
    }

    static let others: [AnswerCase] = [
        .init(
            "cybersource", "payment", http: 201,
            #"{"id":"1","status":"DECLINED","reason":"outer","message":"outer","#
                + #""errorInformation":{"reason":"R","message":"m"}}"#, "refused",
            ["refusal.code": "R", "refusal.text": "m", "paymentId": "1"]),
        .init(
            "cybersource", "payment", http: 502, #"{"status":"SERVER_ERROR"}"#, "unknown",
            ["fault": "true"]),
        .init(
            "cybersource", "payment", http: 201, #"{"status":"SERVER_ERROR"}"#, "unknown",
            ["fault": "true"]),
        .init(
            "cybersource", "reversal", http: 201, of: .cancellation,
            #"{"id":"r","status":"REVERSED","reversalAmountDetails":{"reversedAmount":"29.99","#
                + #""currency":"EUR"}}"#, "unknown",
            ["operationAmount": "2999", "operationId": "r"]),
        .init(
            "cybersource", "reversal", http: 201, of: .cancellation,
            #"{"id":"r","status":"VOIDED","voidAmountDetails":{"voidAmount":"30","currency":"eur"}}"#,
            "done", ["operationAmount": "3000", "currency": "EUR"]),
        .init(
            "cybersource", "reversal", http: 200, of: .cancellation, #"{"status":"REVERSED"}"#,
            "unknown", ["fault": "true"]),
        .init(
            "checkout", "payment", http: 202,
            #"{"id":"pay_1","status":"Pending","_links":{"redirect":{"href":"\#(address)"}}}"#,
            "action-required", ["address": address]),
        .init(
            "checkout", "payment", http: 201,
            #"{"id":"pay_1","status":"Authorized","amount":3000,"currency":"EUR","reference":"order-1001"}"#,
            "unknown", ["fault": "true"]),
        .init(
            "checkout", "payment", http: 201,
            #"{"id":"pay_1","status":"Declined","approved":false,"response_code":"20005","#
                + #""response_summary":"no"}"#, "refused",
            ["refusal.code": "20005", "refusal.text": "no"]),
        .init(
            "checkout", "payment", http: 422,
            #"{"error_type":"request_invalid","error_codes":["amount_invalid"]}"#, "refused",
            ["refusal.code": "amount_invalid", "refusal.text": "request_invalid"]),
        // A 401 lacks a body; the body of another error is not the gateway's.
        .init(
            "checkout", "payment", http: 401, "", "unknown", ["fault": "true"]),
        .init("checkout", "payment", http: 403, "", "unknown", ["fault": "true"]),
        .init("checkout", "payment", http: 401, "x", "unknown", ["fault": "true"]),
        .init(
            "checkout", "search",
            #"{"total_count":1,"data":[{"id":"pay_1","status":"Declined","reference":"order-1001"}]}"#,
            "refused"),
        .init(
            "checkout", "search", #"{"total_count":0,"data":[]}"#, "unknown", ["meaning": "absent"]),
        .init("checkout", "search", #"{"data":[]}"#, "unknown", ["fault": "true"]),
        .init(
            "checkout", "search",
            #"{"total_count":2,"data":[{"id":"pay_1","status":"Declined","reference":"order-1001"}]}"#,
            "unknown", ["fault": "true"]),
        .init(
            "adyen", "payment",
            #"{"resultCode":"RedirectShopper","action":{"method":"GET","url":"\#(address)"}}"#,
            "action-required", ["address": address]),
        .init(
            "adyen", "payment",
            #"{"resultCode":"RedirectShopper","action":{"method":"POST","url":"\#(address)"}}"#,
            "pending", ["address": ""]),
        .init(
            "adyen", "payment", #"{"resultCode":"IdentifyShopper","action":{"type":"threeDS2"}}"#,
            "pending"),
        .init(
            "adyen", "payment", #"{"resultCode":"Cancelled"}"#, "refused",
            ["refusal.origin": "customer"]),
        .init(
            "adyen", "payment", #"{"resultCode":"Refused"}"#, "refused",
            ["refusal.origin": "issuer"]),
        .init(
            "adyen", "payment", http: 201,
            #"{"resultCode":"Authorised","merchantReference":"order-1001","amount":{"value":3000,"currency":"EUR"}}"#,
            "unknown", ["fault": "true"]),
        .init(
            "paypal", "payment", http: 200,
            #"{"id":"1","status":"PAYER_ACTION_REQUIRED","links":[{"rel":"self","href":"x"},"#
                + #"{"rel":"payer-action","href":"\#(address)"}]}"#, "action-required",
            ["address": address, "paymentId": "1"]),
        .init(
            "paypal", "payment",
            #"{"id":"1","status":"PAYER_ACTION_REQUIRED","links":[{"rel":"approve","href":"\#(address)"}]}"#,
            "action-required", ["address": address]),
        .init(
            "paypal", "payment", http: 201,
            #"{"id":"1","status":"COMPLETED","purchase_units":[{"payments":{"captures":[{"status":"DECLINED","#
                + #""amount":{"currency_code":"EUR","value":"30.00"},"#
                + #""processor_response":{"response_code":"5400"}}]}}]}"#, "refused",
            ["refusal.code": "5400"]),
        .init(
            "paypal", "payment", http: 422,
            #"{"name":"UNPROCESSABLE_ENTITY","message":"m","details":[{"issue":"x"},"#
                + #"{"issue":"ORDER_ALREADY_CAPTURED"}]}"#, "unknown", ["fault": "true"]),
        .init(
            "paypal", "payment", http: 401, #"{"error":"invalid_token","error_description":"no"}"#,
            "refused",
            ["refusal.code": "invalid_token", "refusal.text": "no", "refusal.origin": "operator"]),
        .init(
            "paypal", "payment", http: 400,
            #"{"name":"INVALID_REQUEST","message":"m","debug_id":"d"}"#, "refused",
            ["refusal.code": "INVALID_REQUEST", "refusal.text": "m"]),
        .init(
            "paypal", "payment", http: 422,
            #"{"name":"N","message":"m","details":[{"issue":"I","description":"d"}]}"#, "refused",
            ["refusal.code": "I", "refusal.text": "d"]),
        .init("paypal", "payment", http: 201, #"{"id":"1","status":"COMPLETED"}"#, "pending"),
        .init(
            "paypal", "status", #"{"id":"1","status":"COMPLETED","purchase_units":[\#(units(1))]}"#,
            "paid"),
        .init(
            "paypal", "status", #"{"id":"1","status":"COMPLETED","purchase_units":[\#(units(2))]}"#,
            "unknown", ["fault": "true"]),
        // The currency of the payments, if the unit has none; two currencies contradict each other.
        .init(
            "paypal", "status",
            #"{"id":"1","status":"COMPLETED","purchase_units":[{"reference_id":"order-1001","#
                + #""payments":{"captures":[{"status":"COMPLETED","amount":{"currency_code":"eur","value":"30"}}]}}]}"#,
            "paid", ["currency": "EUR", "ordered": ""]),
        .init(
            "paypal", "status",
            #"{"id":"1","status":"COMPLETED","purchase_units":[{"reference_id":"order-1001","#
                + #""amount":{"currency_code":"EUR","value":"30"},"payments":{"captures":[{"status":"COMPLETED","#
                + #""amount":{"currency_code":"USD","value":"30"}}]}}]}"#, "unknown",
            ["fault": "true"]),
        .init("paypal", "login", http: 401, #"{"error":"invalid_client"}"#, "refused"),
        .init("paypal", "login", #"{"access_token":"t"}"#, "pending"),
        .init("paypal", "login", #"{"access_token":7}"#, "refused"),
    ]
}
