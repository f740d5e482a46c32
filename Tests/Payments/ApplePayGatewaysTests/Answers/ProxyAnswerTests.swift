import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import TestVectors
import Testing

/// The answers of proxies, balancers and gateways of APIs between a shop and its payment gateway, which may have got the
/// request and booked the payment.
@Suite("An answer of a proxy")
struct ProxyAnswerTests {
    private static let statuses = [
        400, 401, 403, 404, 405, 407, 410, 411, 413, 414, 415, 421, 422, 423, 424, 426, 428, 429,
        431, 451, 495, 499,
    ]

    private static let ambiguous = #"{"error":{"code":"Forbidden","message":"Forbidden"}}"#

    private static let bodies = [
        "", "<html><head><title>403 Forbidden</title></head></html>", "Not Found", "{}", "null",
        "[]", #"{"message":"Forbidden"}"#, #"{"Message":"User is not authorized"}"#,
        #"{"message":"no Route matched with those values","request_id":"4d5f"}"#,
        #"{"error":"Forbidden"}"#, #"{"error":"forbidden","error_description":"no"}"#,
        #"{"error":{"code":403,"message":"Forbidden","status":"PERMISSION_DENIED"}}"#,
        ambiguous,
        #"{"error":{"message":"Forbidden"}}"#, #"{"errors":[]}"#,
        #"{"errors":["Forbidden"]}"#, #"{"errors":[{"message":"Forbidden"}]}"#,
        #"{"errors":[{"code":"403","message":"Forbidden"}]}"#,
        #"{"success":false}"#, #"{"success":false,"message":"Forbidden"}"#,
        #"{"success":false,"errors":[{"code":1015,"message":"limited"}]}"#,
        #"{"status":403,"message":"Forbidden"}"#, #"{"status":"error","message":"Forbidden"}"#,
        #"{"status":"failed","message":"Forbidden"}"#, #"{"status":"expired"}"#,
        #"{"statusCode":403,"error":"Forbidden","message":"Forbidden"}"#,
        #"{"code":403,"message":"Forbidden"}"#, #"{"code":"Forbidden","message":"Forbidden"}"#,
        #"{"name":"ForbiddenError","message":"Forbidden"}"#,
        #"{"timestamp":"2026-11-28T00:00:00Z","status":404,"error":"Not Found","path":"/p"}"#,
        #"{"type":"about:blank","title":"Forbidden","status":403,"detail":"no"}"#,
        #"{"fault":{"faultstring":"limit","detail":{"errorcode":"policies.ratelimit"}}}"#,
        #"{"status":"FAILED"}"#, #"{"status":"INVALID_REQUEST"}"#, #"{"errorCode":"5"}"#,
        #"{"errorMessage":"no"}"#, #"{"requestId":"1","id":"2","message":"Forbidden"}"#,
    ]

    private static let steps: [(step: String, kinds: [PaymentOperation.Kind?])] = [
        ("payment", [nil]), ("pay", [nil]), ("card-payment", [nil]),
        ("operation", [.capture, .cancellation, .refund]),
        ("reversal", [.cancellation]), ("hosted-page", [nil]), ("status", [nil]),
        ("details", [nil]), ("search", [nil]), ("transaction", [nil]), ("session-status", [nil]),
        ("hosted-page-status", [nil]), ("uid", [nil]),
    ]

    /// The steps of each gateway that a published answer has.
    private static let published = Set(AnswerVector.all.map { "\($0.gateway) \($0.step)" })

    @Test(
        "never refuses a payment or an operation, and never states that there is none",
        arguments: GatewaySuites.all.map { $0.gatewayName }.filter { $0 != "intergiro" })
    func unknown(_ gateway: String) throws {
        var count = 0
        for (step, kinds) in Self.steps where Self.published.contains("\(gateway) \(step)") {
            for kind in kinds {
                for status in Self.statuses {
                    for body in Self.bodies {
                        let vector = AnswerVector(
                            gateway, step, body, status: status, operation: kind)
                        let reading = try vector.read()
                        // Dintero's page about errors has the same members for an unknown object.
                        let isQuestion = ["transaction", "session-status"].contains(step)
                        if isQuestion, status == 404, body == Self.ambiguous { continue }
                        let isOpen =
                            reading.state == "unknown" && reading.report?.fault != nil
                            && reading.report?.meaning != .absent
                        #expect(isOpen, "\(step) \(status) \(body): \(reading.state)")
                        #expect(reading.reason?.hasSuffix(".") == true, "\(step) \(status) \(body)")
                        count += 1
                    }
                }
            }
        }
        #expect(count >= Self.statuses.count * Self.bodies.count)
    }

    @Test("to a card issuer's request leaves open whether the card was added")
    func cards() throws {
        for step in ["tokenize", "consent"] {
            for status in Self.statuses where status != 412 {
                for body in Self.bodies {
                    let reading = try AnswerVector("intergiro", step, body, status: status).read()
                    #expect(reading.state == "unknown", "\(step) \(status) \(body)")
                }
            }
        }
    }

    /// The documented errors of the vendors, by HTTP status, code and origin.
    private static let errors:
        [(gateway: String, step: String, status: Int, body: String, code: String)] = [
            ("worldline-direct", "payment", 400, worldline("21000120"), "21000120"),
            ("worldline-direct", "payment", 401, worldline("9002"), "9002"),
            ("worldline-direct", "payment", 403, worldline("9007"), "9007"),
            ("worldline-direct", "operation", 404, worldline("50001130"), "50001130"),
            ("worldline-connect", "payment", 401, worldline("9002"), "9002"),
            ("worldline-connect", "operation", 402, worldline("410110"), "410110"),
            (
                "bepaid", "payment", 422, #"{"message":"m","errors":{"amount":["is missing"]}}"#,
                "422"
            ),
            ("bepaid", "payment", 401, #"{"message":"m","errors":{"system":["no"]}}"#, "401"),
            ("bepaid", "payment", 400, #"{"response":{"message":"Token does not exist."}}"#, "400"),
            (
                "bepaid", "payment", 422,
                #"{"code":"E.1025","friendly_message":"m","message":"m"}"#,
                "E.1025"
            ),
            ("bepaid", "operation", 422, #"{"message":"m","errors":{"base":["no"]}}"#, "422"),
            (
                "dintero", "pay", 401, #"{"error":{"message":"UNAUTHORIZED","errors":[]}}"#, "401"
            ),
            (
                "dintero", "pay", 400,
                #"{"error":{"code":"c","message":"m"},"session_id":"P1.s"}"#, "c"
            ),
            (
                "dintero", "operation", 403, #"{"error":{"code":"c","message":"m","errors":[]}}"#,
                "c"
            ),
            ("rbs", "payment", 200, #"{"errorCode":"5","errorMessage":"Access denied"}"#, "5"),
            ("rbs", "operation", 200, #"{"errorCode":"5","errorMessage":"Access denied"}"#, "5"),
            ("rbs", "operation", 200, #"{"errorCode":6,"errorMessage":"No such order"}"#, "6"),
            (
                "checkout", "payment", 422,
                #"{"request_id":"r","error_type":"request_invalid","error_codes":["amount_invalid"]}"#,
                "amount_invalid"
            ),
            ("adyen", "payment", 401, adyen("000", "security"), "000"),
            ("adyen", "payment", 403, adyen("901", "security"), "901"),
            ("adyen", "payment", 422, adyen("130", "validation"), "130"),
            (
                "adyen", "payment", 403,
                #"{"error":{"code":403,"message":"Forbidden","requested URI":"/v71/payments"}}"#,
                "403"
            ),
            (
                "cybersource", "payment", 400,
                #"{"status":"INVALID_REQUEST","reason":"INVALID_DATA","message":"m"}"#,
                "INVALID_DATA"
            ),
            (
                "cybersource", "payment", 401, #"{"response":{"rmsg":"Authentication Failed"}}"#,
                "401"
            ),
            (
                "cybersource", "payment", 404,
                #"{"submitTimeUtc":"t","status":"NOT_FOUND","reason":"NOT_FOUND","message":"m"}"#,
                "NOT_FOUND"
            ),
            (
                "paypal", "payment", 401,
                #"{"name":"AUTHENTICATION_FAILURE","message":"m","debug_id":"d"}"#,
                "AUTHENTICATION_FAILURE"
            ),
            (
                "paypal", "payment", 401, #"{"error":"invalid_token","error_description":"d"}"#,
                "invalid_token"
            ),
        ]

    private static func worldline(_ code: String) -> String {
        #"{"errorId":"e","errors":[{"code":"1","errorCode":"\#(code)","message":"m"}]}"#
    }

    private static func adyen(_ code: String, _ type: String) -> String {
        #"{"status":422,"errorCode":"\#(code)","message":"m","errorType":"\#(type)"}"#
    }

    @Test("is told from the vendor's own error, which the operator can do something about")
    func own() throws {
        for (gateway, step, status, body, code) in Self.errors {
            let kind: PaymentOperation.Kind? = step == "operation" ? .refund : nil
            let reading = try AnswerVector(gateway, step, body, status: status, operation: kind)
                .read()
            #expect(reading.state == "refused", "\(gateway) \(status) \(body)")
            #expect(reading.report?.refusal?.code == code, "\(gateway) \(status) \(body)")
            #expect(reading.report?.refusal?.origin == .operator, "\(gateway) \(status) \(body)")
        }
    }

    @Test("is told from the vendor's own error with a status that decides nothing")
    func undecided() throws {
        for (gateway, step, status, body, _) in Self.errors where status / 100 == 4 {
            let kind: PaymentOperation.Kind? = step == "operation" ? .refund : nil
            for status in [408, 409, 425, 429, 500, 502, 503] {
                let vector = AnswerVector(gateway, step, body, status: status, operation: kind)
                let reading = try vector.read()
                #expect(reading.state == "unknown", "\(gateway) \(status) \(body)")
                #expect(reading.report?.fault != nil, "\(gateway) \(status) \(body)")
            }
        }
    }
}

extension ProxyAnswerTests {
    @Test("is told from an error of RBS that leaves the payment open, whose text is kept")
    func text() throws {
        for (step, body) in [
            ("payment", #"{"errorCode":"7","errorMessage":"System error"}"#),
            ("payment", #"{"success":false,"error":{"code":7,"message":"System error"}}"#),
            ("status", #"{"errorCode":"7","errorMessage":"System error"}"#),
            ("operation", #"{"errorCode":"7","errorMessage":"System error"}"#),
        ] {
            let kind: PaymentOperation.Kind? = step == "operation" ? .capture : nil
            let reading = try AnswerVector("rbs", step, body, status: 200, operation: kind).read()
            #expect(reading.state == "unknown", "\(step) \(body)")
            #expect(reading.report?.refusal?.text == "System error", "\(step) \(body)")
            #expect(reading.reason == "The error 7 does not show the order's state.", "\(body)")
        }
    }
}
