import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import ApplePayToken
import TestVectors
import Testing

/// The codes with which a gateway refuses a payment, by who can do something about it.
struct RefusalCodes: Sendable, CustomTestStringConvertible {
    let gateway: String
    let httpStatus: Int
    /// The answer, with CODE for the code.
    let body: String
    /// The codes, separated by commas, by the refusal's origin; `unknown` decides nothing.
    let origins: KeyValuePairs<String, String>

    var testDescription: String { "\(gateway) \(body.prefix(80))" }

    init(
        _ gateway: String, http httpStatus: Int = 201, _ body: String,
        _ origins: KeyValuePairs<String, String>
    ) {
        self.gateway = gateway
        self.httpStatus = httpStatus
        self.body = body
        self.origins = origins
    }

    private static func worldline(_ name: String) -> String {
        #"{"payment":{"id":"1_0","status":"REJECTED","statusOutput":{"statusCode":2,"#
            + #""errors":[{"\#(name)":"CODE","message":"m"}]}}}"#
    }

    private static func bePaid(_ status: String) -> String {
        #"{"transaction":{"uid":"u1","status":"\#(status)","type":"payment","code":"CODE"}}"#
    }

    private static func numbers(_ letter: Character, _ ranges: ClosedRange<Int>...) -> String {
        ranges.flatMap(\.self).map { number in
            "\(letter).\(String(repeating: "0", count: 4 - "\(number)".count))\(number)"
        }.joined(separator: ", ")
    }

    static let all: [RefusalCodes] = [
        .init(
            "worldline-direct", worldline("errorCode"),
            [
                "customer": "30171001, 40001134, 40001139",
                "operator": "30031001, 30301001, 50001087, 9002, 9007",
                "issuer": "30511001, 30041001, 30331001, 40001135, 0",
            ]),
        .init(
            "worldline-connect", worldline("code"),
            ["operator": "9002, 9007", "issuer": "430260, 430306", "customer": "40001134"]),
        // An error of the request, without a payment.
        .init(
            "worldline-direct", http: 400,
            #"{"errorId":"e","errors":[{"errorCode":"CODE","message":"m"}]}"#,
            [
                "operator": "50001127, 30511001, 9002, 21000120", "customer": "30171001",
                "unknown": "1409",
            ]),
        .init(
            "worldline-direct", http: 400,
            #"{"errorId":"e","errors":[{"id":"CODE","code":"1","category":"DIRECT_PLATFORM_ERROR"}]}"#,
            ["unknown": "DUPLICATE_REQUEST_IN_PROGRESS"]),
        .init(
            "worldline-direct", http: 400,
            #"{"errorId":"e","errors":[{"errorCode":"CODE","retriable":true}]}"#,
            ["unknown": "50001127, 9999"]),
        .init(
            "worldline-direct", http: 403,
            #"{"errorId":"e","errors":[{"errorCode":"CODE","category":"IO_ERROR"}]}"#,
            ["unknown": "9999"]),
        .init(
            "worldline-connect", http: 400,
            #"{"errorId":"e","errors":[{"code":"CODE","requestId":"1","message":"m"}]}"#,
            ["operator": "9002, 410110, 21000120", "unknown": "1409"]),
        .init(
            "bepaid", http: 200, bePaid("failed"),
            [
                "operator":
                    numbers("F", 100...104, 106...107, 113...113, 128...128, 2010...2011)
                    + ", E.1001, E.1017",
                "customer": numbers(
                    "F", 131...134, 998...998, 4000...4000, 4500...4500, 4999...4999),
                "issuer":
                    numbers(
                        "F", 99...99, 105...105, 109...112, 114...127, 129...130, 135...135,
                        996...996, 1000...1000, 2006...2009, 2012...2012, 3999...3999,
                        5000...5000, 6001...6001) + ", P.0001, X.4000, F.",
                "unknown":
                    "F.0108, F.0215, F.0399, F.0997, F.0999, P.1019, P.9999, E.1018, E.1019, E.0600, "
                    + "E.1000, E.",
            ]),
        .init(
            "bepaid", http: 200, bePaid("error"),
            // The gateway's own error, unless the code is that of the merchant's request.
            ["operator": "E.1001, E.0601, F.0100", "unknown": "E.1018, F.0111, P.0001, F.4000"]),
        .init(
            "bepaid", http: 422, #"{"response":{"status":"error","message":"m","code":"CODE"}}"#,
            [
                "operator":
                    numbers(
                        "E", 601...607, 609...617, 621...634, 637...665, 1001...1017, 1021...1034,
                        1037...1065),
                "unknown":
                    numbers(
                        "E", 600...600, 608...608, 618...620, 635...636, 666...666, 1000...1000,
                        1018...1020, 1035...1036, 1066...1066),
            ]),
        .init(
            "rbs", http: 200,
            #"{"success":true,"orderStatus":{"errorCode":"0","orderStatus":6,"actionCode":CODE,"#
                + #""actionCodeDescription":"m"}}"#,
            [
                "customer":
                    "-2006, -2007, -2009, -2013, -2014, -2016, -2018, -2020, -2023, -2024, -2025, 4032",
                "operator": "-301, 109, 181, 904, 913, 941, 2003, 2004, 2005, 2014, 2016",
                "issuer": "5, 51, 116, 100, 999, -2010, -2008, 2006",
                "unknown": "-30001, 90, 94, 998, 1001, 1019, 1120, 2007, 2023, 8204, 151019",
            ]),
        .init(
            "rbs", http: 200, #"{"success":false,"error":{"code":CODE,"message":"m"}}"#,
            ["operator": "3, 4", "unknown": "0, 1, 2, 5, 6, 7, 8, 10"]),
        .init(
            "rbs", http: 200,
            #"{"success":false,"error":{"code":CODE,"message":"Access denied"}}"#,
            ["operator": "5", "unknown": "1, 7, 10"]),
        .init(
            "rbs", http: 200, #"{"errorCode":CODE,"errorMessage":"Access denied"}"#,
            ["operator": "5", "unknown": "0, 1, 7, 10"]),
        .init(
            "cybersource",
            #"{"id":"1","status":"DECLINED","errorInformation":{"reason":"CODE","message":"m"}}"#,
            [
                "customer": "CONSUMER_AUTHENTICATION_REQUIRED, CONSUMER_AUTHENTICATION_FAILED",
                "operator": "INVALID_MERCHANT_CONFIGURATION, CARD_TYPE_NOT_ACCEPTED",
                "issuer": "PROCESSOR_DECLINED, INSUFFICIENT_FUND, EXPIRED_CARD, AVS_FAILED",
                "unknown": "DUPLICATE_REQUEST, SYSTEM_ERROR, SERVER_TIMEOUT, SERVICE_TIMEOUT",
            ]),
        .init(
            "cybersource", #"{"id":"1","status":"AUTHORIZED_RISK_DECLINED","reason":"CODE"}"#,
            ["issuer": "SCORE_EXCEEDS_THRESHOLD, DECISION_PROFILE_REJECT"]),
        .init(
            "cybersource", http: 400,
            #"{"status":"INVALID_REQUEST","reason":"CODE","message":"m"}"#,
            [
                "operator": "MISSING_FIELD, INVALID_DATA, INVALID_MERCHANT_CONFIGURATION",
                "unknown": "DUPLICATE_REQUEST, SYSTEM_ERROR",
            ]),
        .init(
            "cybersource", http: 401, #"{"response":{"rmsg":"CODE"}}"#,
            ["operator": "Authentication Failed"]),
        .init(
            "checkout",
            #"{"id":"pay_1","status":"Declined","approved":false,"response_code":"CODE","#
                + #""response_summary":"m"}"#,
            ["issuer": "20005, 20051, 30004, 40101", "operator": "20003", "customer": "20152"]),
        .init(
            "checkout", http: 422,
            #"{"error_type":"request_invalid","error_codes":["CODE","other"]}"#,
            ["operator": "amount_invalid, card_expired"]),
        .init(
            "checkout", http: 422,
            #"{"request_id":"r","error_type":"request_invalid","error_codes":["CODE"]}"#,
            [
                "issuer": "card_expired, card_number_invalid",
                "operator": "payment_source_required, token_expired",
            ]),
        .init(
            "adyen", http: 200,
            #"{"resultCode":"Refused","refusalReason":"m","refusalReasonCode":"CODE"}"#,
            [
                "customer": "11, 15, 16, 38", "operator": "7, 10",
                "issuer": "2, 3, 5, 6, 8, 9, 12, 14, 17, 20, 23, 24, 46, 1, 37, 39",
            ]),
        .init(
            "adyen", http: 422,
            #"{"status":422,"errorCode":"CODE","message":"m","errorType":"validation"}"#,
            ["operator": "167, 702, 14_030, 70", "unknown": "703, 704"]),
        .init(
            "paypal", http: 422,
            #"{"name":"UNPROCESSABLE_ENTITY","message":"m","details":[{"issue":"CODE","description":"d"}]}"#,
            [
                "issuer":
                    "INSTRUMENT_DECLINED, PAYMENT_SOURCE_DECLINED_BY_PROCESSOR, TRANSACTION_REFUSED, "
                    + "COMPLIANCE_VIOLATION, CARD_EXPIRED, PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED, "
                    + "BILLING_ADDRESS_INVALID, MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED, "
                    + "REDIRECT_PAYER_FOR_ALTERNATE_FUNDING",
                "customer": "PAYER_CANNOT_PAY, PAYER_ACCOUNT_RESTRICTED",
                "operator": "PAYEE_ACCOUNT_RESTRICTED, AMOUNT_MISMATCH, PERMISSION_DENIED",
                "unknown":
                    "ORDER_ALREADY_CAPTURED, ORDER_ALREADY_AUTHORIZED, ORDER_COMPLETION_IN_PROGRESS, "
                    + "ORDER_IS_PENDING_APPROVAL, ORDER_NOT_APPROVED, PAYER_ACTION_REQUIRED, "
                    + "DUPLICATE_INVOICE_ID, DUPLICATE_REQUEST_ID, PAYPAL_REQUEST_ID_PREVIOUSLY_USED, "
                    + "PREVIOUS_REQUEST_IN_PROGRESS",
            ]),
    ]
}

@Suite("A refusal")
struct RefusalTests {
    @Test("states who can do something about it, or decides nothing", arguments: RefusalCodes.all)
    func origins(_ row: RefusalCodes) throws {
        for (origin, list) in row.origins {
            for code in list.split(separator: ", ").map(String.init) {
                let body = row.body.replacing("CODE", with: code)
                let vector = AnswerVector(row.gateway, "payment", body, status: row.httpStatus)
                let reading = try vector.read()
                guard origin != "unknown" else {
                    #expect(reading.state == "unknown" && reading.report?.fault != nil, "\(code)")
                    continue
                }
                #expect(reading.state == "refused", "\(code): \(reading.reason ?? "")")
                let refusal = reading.report?.refusal
                #expect(refusal?.origin.rawValue == origin, "\(code)")
                // CyberSource's text without a code: the HTTP status is the code.
                #expect((refusal?.code ?? "") == (body.contains("rmsg") ? "401" : code), "\(code)")
            }
        }
    }
}

extension RefusalTests {
    /// The texts of refusals, with the members that the gateways name.
    private static let texts: [(gateway: String, status: Int, body: String, text: String)] = [
        (
            "worldline-direct", 400,
            #"{"errorId":"e","errors":[{"code":"1","id":"INVALID_VALUE","message":"m","#
                + #""propertyName":"order.amountOfMoney"}]}"#,
            "m (INVALID_VALUE, order.amountOfMoney)"
        ),
        (
            "worldline-direct", 400,
            #"{"errorId":"e","errors":[{"code":"1","message":"m","propertyName":"a"},"#
                + #"{"code":"2","message":"n","propertyName":"b"}]}"#, "m (a, b)"
        ),
        ("worldline-direct", 400, #"{"errorId":"e","errors":[{"id":"I","message":"I"}]}"#, "I"),
        ("worldline-direct", 400, #"{"errorId":"e","errors":[{"id":"I","message":""}]}"#, "(I)"),
        (
            "worldline-connect", 400,
            #"{"errorId":"e","errors":[{"code":"1","message":"m","propertyName":"bin"}]}"#,
            "m (bin)"
        ),
        (
            "bepaid", 422,
            #"{"message":"m","errors":{"customer":{"ip":["no"],"email":["no"]},"amount":["no"]}}"#,
            "m (customer.ip, customer.email, amount)"
        ),
        ("bepaid", 422, #"{"message":"m","errors":{"base":["no"],"system":["no"]}}"#, "m"),
        (
            "bepaid", 422, #"{"message":"m","errors":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}}"#,
            "m (a, b, c, d, e)"
        ),
        (
            "cybersource", 400,
            #"{"status":"INVALID_REQUEST","reason":"MISSING_FIELD","message":"m","#
                + #""details":[{"field":"a.b","reason":"MISSING_FIELD"},{"reason":"r"}]}"#,
            "m (a.b)"
        ),
        (
            "cybersource", 201,
            #"{"id":"1","status":"DECLINED","errorInformation":{"reason":"r","message":"m","#
                + #""details":[{"field":"a"}]}}"#, "m (a)"
        ),
        (
            "paypal", 422,
            #"{"name":"N","message":"m","details":[{"issue":"I","description":"d","#
                + #""field":"/purchase_units/0/amount"}]}"#, "d (/purchase_units/0/amount)"
        ),
        (
            "checkout", 422,
            #"{"error_type":"request_invalid","error_codes":["amount_required","currency_required"]}"#,
            "request_invalid (currency_required)"
        ),
        (
            "rbs", 200,
            #"{"success":false,"error":{"code":"3","message":"m","description":"[amount] is missing"}}"#,
            "m ([amount] is missing)"
        ),
    ]

    @Test("names the members that the gateway blames")
    func members() throws {
        for (gateway, status, body, text) in Self.texts {
            let reading = try AnswerVector(gateway, "payment", body, status: status).read()
            #expect(reading.state == "refused", "\(gateway) \(body)")
            #expect(reading.report?.refusal?.text == text, "\(gateway) \(body)")
        }
    }

    @Test("of a request of Dintero's repeats each text in the list of its faults")
    func dintero() throws {
        let body =
            #"{"error":{"code":"c","message":"m","errors":[{"path":"order.amount","message":"m","#
            + #""value":1},"order.items"]}}"#
        let reading = try AnswerVector("dintero", "pay", body, status: 400).read()
        #expect(reading.state == "refused")
        #expect(reading.report?.refusal?.text == "m (order.amount, order.items)")
    }

    @Test("that decides nothing keeps the gateway's code and text")
    func undecided() throws {
        let error =
            #"{"errorId":"e","errors":[{"code":"1","category":"IO_ERROR","id":"INVALID_VALUE","#
            + #""message":"","propertyName":"eci"}]}"#
        for (gateway, step, status, body, code, text) in [
            ("worldline-direct", "payment", 400, error, "1", "(INVALID_VALUE, eci)"),
            ("worldline-direct", "status", 400, error, "1", "(INVALID_VALUE, eci)"),
            (
                "checkout", "status", 401,
                #"{"request_id":"r","error_type":"t","error_codes":["c"]}"#, "c", "t"
            ),
            ("rbs", "payment", 200, #"{"errorCode":"7","errorMessage":"m"}"#, "7", "m"),
            ("rbs", "status", 200, #"{"errorCode":"5","errorMessage":"m"}"#, "5", "m"),
        ] {
            let reading = try AnswerVector(gateway, step, body, status: status).read()
            #expect(reading.state == "unknown", "\(gateway) \(step)")
            let refusal = reading.report?.refusal
            #expect(
                (refusal?.code, refusal?.text) == (ExactText(code), ExactText(text)),
                "\(gateway) \(step)")
        }
    }
}
