import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

/// Reads an answer.
typealias Read =
    @Sendable (GatewayResponse) throws(UnreadableJSONError) -> any GatewayAnswer

/// An answer, the function that reads it, and its outcome.
struct OutcomeCase: Sendable, CustomTestStringConvertible {
    let name: String
    let read: @Sendable (GatewayResponse) throws(UnreadableJSONError) -> any GatewayAnswer
    let status: Int
    let body: String
    let outcome: PaymentOutcome

    var testDescription: String { "\(name) \(status) \(body.prefix(120))" }

    init(
        _ name: String,
        _ read:
            @escaping @Sendable (GatewayResponse) throws(UnreadableJSONError) ->
            any GatewayAnswer,
        _ status: Int,
        _ body: String,
        _ outcome: PaymentOutcome
    ) {
        self.name = name
        self.read = read
        self.status = status
        self.body = body
        self.outcome = outcome
    }

    init(
        _ name: String,
        _ read:
            @escaping @Sendable (GatewayResponse) throws(UnreadableJSONError) ->
            any GatewayAnswer,
        _ body: String,
        _ outcome: PaymentOutcome
    ) {
        self.init(name, read, 200, body, outcome)
    }
}

@Suite("Outcomes of answers")
struct OutcomeTests {
    private static let url = URL(string: "https://r.example/1") ?? URL(filePath: "/")
    private static let partialURL =
        URL(string: "https://payment.r.example/1") ?? URL(filePath: "/")
    private static func refused(_ code: String?, _ text: String? = nil) -> PaymentOutcome {
        .refused(code: code, text: text)
    }
    private static func worldline(_ status: String, _ more: String = "") -> String {
        #"{"payment":{"id":"1","status":"\#(status)"\#(more)}}"#
    }
    private static func transaction(_ status: String, _ more: String = "") -> String {
        #"{"transaction":{"uid":"1","status":"\#(status)"\#(more)}}"#
    }
    private static func dintero(_ status: String) -> String { #"{"id":"T","status":"\#(status)"}"# }
    private static func rbs(_ state: String, _ more: String = "") -> String {
        #"{"errorCode":"0","orderStatus":\#(state),"amount":1,"currency":"978"\#(more)}"#
    }

    private static let create: Read = { response throws(UnreadableJSONError) in
        try Worldline.PaymentAnswer(response)
    }
    private static let ask: Read = { response throws(UnreadableJSONError) in
        try Worldline.PaymentStatusAnswer(response)
    }
    private static let page: Read = { response throws(UnreadableJSONError) in
        try Worldline.HostedCheckoutStatusAnswer(response)
    }

    private static func did(
        _ operation: PaymentOperation
    ) -> @Sendable (GatewayResponse) throws(UnreadableJSONError) -> any GatewayAnswer {
        { response throws(UnreadableJSONError) in
            try Worldline.OperationAnswer(response, operation)
        }
    }

    private static func dinteroDid(
        _ operation: PaymentOperation?
    ) -> @Sendable (GatewayResponse) throws(UnreadableJSONError) -> any GatewayAnswer {
        { response throws(UnreadableJSONError) in
            try Dintero.TransactionAnswer(response, operation)
        }
    }

    static let worldlineCases: [OutcomeCase] = [
        .init("worldline", create, 201, worldline("CAPTURED"), .paid),
        .init("worldline", create, 201, worldline("PAID"), .paid),
        .init("worldline", create, 201, worldline("PENDING_CAPTURE"), .authorized),
        .init("worldline", create, 201, worldline("PENDING_APPROVAL"), .authorized),
        .init(
            "worldline", create, 201,
            worldline("CAPTURE_REQUESTED", #","statusOutput":{"isAuthorized":false}"#),
            .authorized),
        .init("worldline", create, 201, worldline("AUTHORIZATION_REQUESTED"), .pending),
        .init("worldline", create, 201, worldline("REDIRECTED"), .pending),
        .init(
            "worldline", create, 201,
            #"{"payment":{"id":"1","status":"REDIRECTED"},"merchantAction":{"actionType":"REDIRECT","#
                + #""redirectData":{"redirectURL":"https://r.example/1"}}}"#, .actionRequired(url)),
        .init("worldline", create, 201, worldline("REJECTED"), refused("REJECTED", "REJECTED")),
        .init("worldline", create, 201, worldline("CANCELLED"), refused("CANCELLED", "CANCELLED")),
        .init(
            "worldline", create, 402,
            #"{"errorId":"e","errors":[{"errorCode":"30511001","message":"no"}],"#
                + #""paymentResult":{"payment":{"id":"1","status":"REJECTED"}}}"#,
            refused("30511001", "no")),
        .init("worldline", create, 400, #"{"errorId":"e","errors":[]}"#, refused("400")),
        .init("worldline get", ask, 200, #"{"id":"1","status":"CAPTURED"}"#, .paid),
        .init(
            "worldline get", ask, 200, #"{"id":"1","status":"REFUNDED"}"#,
            refused("REFUNDED", "REFUNDED")),
        .init("worldline get", ask, 200, #"{"id":"1","status":"REFUND_REQUESTED"}"#, .pending),
        .init("worldline page", page, 200, #"{"status":"IN_PROGRESS"}"#, .pending),
        .init(
            "worldline page", page, 200, #"{"status":"CANCELLED_BY_CONSUMER"}"#,
            refused("CANCELLED_BY_CONSUMER", "CANCELLED_BY_CONSUMER")),
        .init(
            "worldline page", Worldline.HostedCheckoutAnswer.init, 201,
            #"{"hostedCheckoutId":"h","redirectUrl":"https://r.example/1"}"#, .actionRequired(url)),
        .init(
            "worldline page", Worldline.HostedCheckoutAnswer.init, 201,
            #"{"hostedCheckoutId":"h","partialRedirectUrl":"r.example/1"}"#,
            .actionRequired(partialURL)),
        .init("capture", did(.capture), 201, #"{"id":"2","status":"CAPTURED"}"#, .paid),
        .init("capture", did(.capture), 201, #"{"id":"2","status":"CAPTURE_REQUESTED"}"#, .pending),
        .init(
            "capture", did(.capture), 201, #"{"id":"2","status":"REJECTED_CAPTURE"}"#,
            refused("REJECTED_CAPTURE", "REJECTED_CAPTURE")),
        .init("cancel", did(.cancel), 200, worldline("CANCELLED"), .paid),
        .init("refund", did(.refund), 201, #"{"id":"2","status":"REFUND_REQUESTED"}"#, .pending),
        .init("refund", did(.refund), 201, #"{"id":"2","status":"REFUNDED"}"#, .paid),
        .init(
            "refund", did(.refund), 201, #"{"id":"2","status":"CANCELLED"}"#,
            refused("CANCELLED", "CANCELLED")),
        .init("refund", did(.refund), 404, #"{"errors":[{"code":"1002"}]}"#, refused("1002")),
    ]

    static let seedCases: [OutcomeCase] = [
        .init("bepaid", BePaid.TransactionAnswer.init, transaction("successful"), .paid),
        .init(
            "bepaid", BePaid.TransactionAnswer.init,
            transaction("successful", #","type":"authorization""#), .authorized),
        .init("bepaid", BePaid.TransactionAnswer.init, transaction("pending"), .pending),
        .init("bepaid", BePaid.TransactionAnswer.init, transaction("incomplete"), .pending),
        .init(
            "bepaid", BePaid.TransactionAnswer.init,
            transaction("incomplete", #","redirect_url":"https://r.example/1""#),
            .actionRequired(url)),
        .init(
            "bepaid", BePaid.TransactionAnswer.init,
            transaction("failed", #","code":"P.4","message":"no""#), refused("P.4", "no")),
        .init(
            "bepaid", BePaid.TransactionAnswer.init, transaction("expired"),
            refused("expired")),
        .init(
            "bepaid", BePaid.TransactionAnswer.init, 422,
            #"{"response":{"status":"error","message":"no"}}"#, refused("422", "no")),
        .init("bepaid status", BePaid.StatusAnswer.init, transaction("successful"), .paid),
        .init(
            "bepaid status", BePaid.StatusAnswer.init, #"{"transactions":[]}"#,
            .unknown(
                reason:
                    "The gateway does not have the transaction, or does not have it yet; repeat the "
                    + "request with the same RequestID, or ask again.")),
        .init(
            "bepaid status", BePaid.StatusAnswer.init,
            #"{"transactions":[{"uid":"1","status":"failed"},{"uid":"2","status":"successful"}]}"#,
            .paid),
        .init(
            "bepaid status", BePaid.StatusAnswer.init,
            #"{"transactions":[{"uid":"1","status":"successful","type":"authorization","amount":5},"#
                + #"{"uid":"2","parent_uid":"1","status":"successful","type":"capture","amount":5}]}"#,
            .paid),
        .init(
            "bepaid status", BePaid.StatusAnswer.init,
            #"{"transactions":[{"uid":"1","status":"successful","type":"authorization","amount":5},"#
                + #"{"uid":"2","parent_uid":"1","status":"successful","type":"void","amount":5}]}"#,
            refused("voided", "The authorization was voided.")),
        .init(
            "bepaid status", BePaid.StatusAnswer.init,
            #"{"transactions":[{"uid":"1","status":"successful","type":"payment","amount":5},"#
                + #"{"uid":"2","parent_uid":"1","status":"successful","type":"refund","amount":5}]}"#,
            refused("refunded", "The payment was refunded.")),
        .init(
            "bepaid status", BePaid.StatusAnswer.init,
            #"{"transactions":[{"uid":"1","status":"successful","type":"payment","amount":5},"#
                + #"{"uid":"2","parent_uid":"1","status":"failed","type":"refund","amount":5}]}"#,
            .paid),
        .init(
            "bepaid status", BePaid.StatusAnswer.init,
            #"{"transactions":[{"uid":"1","status":"successful","type":"payment","amount":5},"#
                + #"{"uid":"2","parent_uid":"1","status":"successful","type":"refund","amount":2},"#
                + #"{"uid":"3","parent_uid":"1","status":"successful","type":"refund","amount":3}]}"#,
            refused("refunded", "The payment was refunded.")),
        .init(
            "bepaid status", BePaid.StatusAnswer.init,
            #"{"transactions":[{"uid":"1","status":"successful","type":"payment","amount":5},"#
                + #"{"uid":"2","parent_uid":"1","status":"successful","type":"refund","amount":2}]}"#,
            .paid),
        .init(
            "bepaid status", BePaid.StatusAnswer.init,
            #"{"transactions":[{"uid":"1","status":"successful","type":"authorization","amount":5},"#
                + #"{"uid":"2","parent_uid":"1","status":"successful","type":"capture","amount":2},"#
                + #"{"uid":"3","parent_uid":"1","status":"successful","type":"capture","amount":3}]}"#,
            .paid),
        .init("dintero", Dintero.SessionAnswer.init, #"{"id":"P1"}"#, .pending),
        .init(
            "dintero", Dintero.SubmissionAnswer.init, #"{"transaction_id":"T1"}"#, .pending),
        .init(
            "dintero pay", Dintero.PayAnswer.init, #"{"return_url":"shop://r?x=1"}"#,
            .authorized),
        .init(
            "dintero pay", Dintero.PayAnswer.init,
            #"{"success":true,"redirect_url":"https://r"}"#, .authorized),
        .init(
            "dintero pay", Dintero.PayAnswer.init,
            #"{"success":false,"redirect_url":"https://r"}"#, refused(nil)),
        .init(
            "dintero pay", Dintero.PayAnswer.init, #"{"redirect_url":"https://r.example/1"}"#,
            .actionRequired(url)),
        .init(
            "dintero pay", Dintero.PayAnswer.init,
            #"{"return_url":"shop://r?transaction_id=1&error=authorization"}"#,
            refused("authorization")),
        .init(
            "dintero pay", Dintero.PayAnswer.init, 400,
            #"{"error":{"code":"DECLINED","message":"no"}}"#, refused("DECLINED", "no")),
        .init("dintero transaction", dinteroDid(nil), dintero("CAPTURED"), .paid),
        .init("dintero transaction", dinteroDid(nil), dintero("AUTHORIZED"), .authorized),
        .init("dintero transaction", dinteroDid(nil), dintero("ON_HOLD"), .pending),
        .init("dintero transaction", dinteroDid(nil), dintero("DECLINED"), refused("DECLINED")),
        .init("dintero transaction", dinteroDid(nil), dintero("REFUNDED"), refused("REFUNDED")),
        .init("dintero capture", dinteroDid(.capture), dintero("CAPTURED"), .paid),
        .init("dintero capture", dinteroDid(.capture), dintero("AUTHORIZED"), .pending),
        .init("dintero refund", dinteroDid(.refund), dintero("PARTIALLY_REFUNDED"), .paid),
        .init("dintero void", dinteroDid(.cancel), dintero("AUTHORIZATION_VOIDED"), .paid),
        .init("rbs", RBS.PaymentAnswer.init, #"{"success":true}"#, .pending),
        .init(
            "rbs", RBS.PaymentAnswer.init,
            #"{"success":true,"data":{"orderId":"1"},"orderStatus":\#(rbs("2"))}"#, .paid),
        .init(
            "rbs", RBS.PaymentAnswer.init,
            #"{"success":true,"data":{"acsUrl":"https://r.example/1"}}"#, .actionRequired(url)),
        .init(
            "rbs", RBS.PaymentAnswer.init,
            #"{"success":true,"data":{"redirect":"https://r.example/1"},"orderStatus":\#(rbs("5"))}"#,
            .actionRequired(url)),
        .init(
            "rbs", RBS.PaymentAnswer.init,
            #"{"success":false,"error":{"code":10,"message":"m","description":"d"}}"#,
            refused("10", "d")),
        .init("rbs status", RBS.OrderStatus.init, rbs("0"), .pending),
        .init("rbs status", RBS.OrderStatus.init, rbs("1"), .authorized),
        .init("rbs status", RBS.OrderStatus.init, rbs("2"), .paid),
        .init("rbs status", RBS.OrderStatus.init, rbs("3"), refused("3")),
        .init("rbs status", RBS.OrderStatus.init, rbs("4"), refused("4")),
        .init(
            "rbs status", RBS.OrderStatus.init, rbs("4", #","actionCode":0"#), refused("4")),
        .init(
            "rbs status", RBS.OrderStatus.init,
            #"{"errorCode":"0","orderStatus":4,"amount":2,"currency":"978","#
                + #""paymentAmountInfo":{"depositedAmount":2,"refundedAmount":1}}"#,
            .unknown(reason: "Only a part of the amount is authorized or captured.")),
        .init("rbs status", RBS.OrderStatus.init, rbs("5"), .pending),
        .init(
            "rbs status", RBS.OrderStatus.init,
            rbs("6", #","actionCode":-2007,"actionCodeDescription":"declined""#),
            refused("-2007", "declined")),
        .init("rbs status", RBS.OrderStatus.init, rbs("7"), .pending),
        .init(
            "rbs status", RBS.OrderStatus.init, #"{"errorCode":"6","errorMessage":"none"}"#,
            refused("6", "none")),
        .init("rbs deposit", RBS.DepositAnswer.init, #"{"errorCode":0}"#, .paid),
        .init(
            "rbs deposit", RBS.DepositAnswer.init,
            #"{"errorCode":"5","errorMessage":"access"}"#, refused("5", "access")),
        .init(
            "intergiro", Intergiro.TokenizeAnswer.init, 412,
            #"{"consent":{"id":"c","status":"pending"}}"#, .pending),
        .init(
            "intergiro", Intergiro.ConsentAnswer.init,
            #"{"method":{"redirect_url":"https://r.example/1"}}"#, .actionRequired(url)),
        .init(
            "intergiro", Intergiro.ConsentAnswer.init, #"{"method":{"token":"t"}}"#,
            .pending),
        .init("intergiro", Intergiro.SessionAnswer.init, 401, "{}", refused("401")),
    ]

    static let otherCases: [OutcomeCase] = [
        .init(
            "cybersource", CyberSource.PaymentAnswer.init, 201,
            #"{"id":"1","status":"AUTHORIZED"}"#, .authorized),
        .init(
            "cybersource", CyberSource.PaymentAnswer.init, 201,
            #"{"id":"1","status":"DECLINED","errorInformation":{"reason":"R","message":"m"}}"#,
            refused("R", "m")),
        .init(
            "cybersource", CyberSource.PaymentAnswer.init, 201,
            #"{"id":"1","status":"AUTHORIZED_PENDING_REVIEW"}"#, .pending),
        .init(
            "cybersource", CyberSource.PaymentAnswer.init, 400,
            #"{"status":"INVALID_REQUEST","reason":"MISSING_FIELD"}"#, refused("MISSING_FIELD")),
        .init(
            "checkout", Checkout.PaymentAnswer.init, 201,
            #"{"id":"1","status":"Authorized","approved":true}"#, .authorized),
        .init(
            "checkout", Checkout.PaymentAnswer.init, 201,
            #"{"id":"1","status":"Captured","approved":true}"#, .paid),
        .init(
            "checkout", Checkout.PaymentAnswer.init, 201,
            #"{"id":"1","status":"Declined","approved":false,"response_code":"20005","#
                + #""response_summary":"no"}"#, refused("20005", "no")),
        .init(
            "checkout", Checkout.PaymentAnswer.init, 202,
            #"{"id":"1","status":"Pending","_links":{"redirect":{"href":"https://r.example/1"}}}"#,
            .actionRequired(url)),
        .init(
            "checkout", Checkout.PaymentAnswer.init, 422,
            #"{"error_type":"request_invalid","error_codes":["amount_invalid"]}"#,
            refused("amount_invalid", "request_invalid")),
        .init(
            "adyen", Adyen.PaymentAnswer.init, #"{"resultCode":"Authorised"}"#, .authorized),
        .init(
            "adyen", Adyen.PaymentAnswer.init,
            #"{"resultCode":"Refused","refusalReason":"no","refusalReasonCode":"2"}"#,
            refused("2", "no")),
        .init("adyen", Adyen.PaymentAnswer.init, #"{"resultCode":"Received"}"#, .pending),
        .init(
            "adyen", Adyen.PaymentAnswer.init,
            #"{"resultCode":"RedirectShopper","action":{"type":"redirect","method":"GET","#
                + #""url":"https://r.example/1"}}"#, .actionRequired(url)),
        .init(
            "adyen", Adyen.PaymentAnswer.init,
            #"{"resultCode":"IdentifyShopper","action":{"type":"threeDS2"}}"#, .pending),
        .init(
            "adyen", Adyen.PaymentAnswer.init, 422,
            #"{"errorCode":"167","message":"m","errorType":"validation"}"#, refused("167", "m")),
        .init(
            "paypal", PayPal.OrderAnswer.init, 201,
            #"{"id":"1","status":"COMPLETED","purchase_units":[{"payments":{"captures":[{"id":"c","#
                + #""status":"COMPLETED"}]}}]}"#, .paid),
        .init(
            "paypal", PayPal.OrderAnswer.init, 201,
            #"{"id":"1","status":"COMPLETED","purchase_units":[{"payments":{"authorizations":[{"#
                + #""id":"c","status":"CREATED"}]}}]}"#, .authorized),
        .init(
            "paypal", PayPal.OrderAnswer.init, 201,
            #"{"id":"1","status":"COMPLETED","purchase_units":[{"payments":{"captures":[{"id":"c","#
                + #""status":"DECLINED","processor_response":{"response_code":"5400"}}]}}]}"#,
            refused("5400", "DECLINED")),
        .init(
            "paypal", PayPal.OrderAnswer.init,
            #"{"id":"1","status":"PAYER_ACTION_REQUIRED","links":[{"rel":"self","href":"x"},"#
                + #"{"rel":"payer-action","href":"https://r.example/1"}]}"#, .actionRequired(url)),
        .init(
            "paypal", PayPal.OrderAnswer.init, 422,
            #"{"name":"UNPROCESSABLE_ENTITY","message":"m","details":[{"issue":"INSTRUMENT_DECLINED"}]}"#,
            refused("INSTRUMENT_DECLINED", "m")),
        .init(
            "paypal", PayPal.OrderAnswer.init, #"{"id":"1","status":"APPROVED"}"#, .pending),
        .init(
            "paypal", PayPal.AccessTokenAnswer.init, 401, #"{"error":"invalid_client"}"#,
            refused("invalid_client")),
    ]

    @Test(
        "are concluded from each gateway's own words",
        arguments: worldlineCases + seedCases + otherCases)
    func outcome(_ row: OutcomeCase) {
        let response = GatewayResponse(row.body, status: row.status)
        #expect(PaymentOutcome(response, row.read) == row.outcome)
    }

    /// One case for each function that reads an answer to a payment or a status query.
    private static let readers = worldlineCases + seedCases + otherCases

    @Test(
        "are unknown for error pages, empty bodies, 5xx, redirects and requests in progress",
        arguments: readers)
    func unknown(_ row: OutcomeCase) {
        for (status, body) in [
            (502, "<html><h1>Bad gateway</h1></html>"), (200, "<html>"), (403, "<html>"),
            (200, ""), (500, ""), (400, ""), (500, row.body), (503, row.body), (409, row.body),
            (408, row.body), (429, row.body), (302, row.body), (504, "{}"), (0, row.body),
        ] {
            let outcome = PaymentOutcome(GatewayResponse(body, status: status), row.read)
            guard case .unknown = outcome else {
                Issue.record("\(status) \(body) \(outcome)")
                continue
            }
        }
    }

    private static let ambiguous: [OutcomeCase] = [
        .init("worldline", create, 201, worldline("SOMETHING_NEW"), .pending),
        .init(
            "worldline", create, 402,
            #"{"errors":[],"paymentResult":{"payment":{"id":"1","status":"CAPTURED"}}}"#, .pending),
        .init("worldline get", ask, 404, #"{"errorId":"e","errors":[{"code":"1002"}]}"#, .pending),
        .init("worldline get", ask, 403, #"{"errorId":"e","errors":[]}"#, .pending),
        .init("refund", did(.refund), 201, #"{"id":"2","status":"SOMETHING_NEW"}"#, .pending),
        .init("bepaid", BePaid.TransactionAnswer.init, transaction("error"), .pending),
        .init(
            "bepaid status", BePaid.StatusAnswer.init, 404,
            #"{"response":{"status":"error"}}"#, .pending),
        .init(
            "bepaid", BePaid.TransactionAnswer.init,
            transaction("incomplete", #","redirect_url":"javascript:alert(1)""#), .pending),
        .init(
            "dintero pay", Dintero.PayAnswer.init, #"{"return_url":"a://r?error=unknown"}"#,
            .pending),
        .init(
            "dintero transaction", dinteroDid(nil), 404, #"{"error":{"code":"NOT_FOUND"}}"#,
            .pending),
        .init("dintero transaction", dinteroDid(nil), dintero("UNKNOWN"), .pending),
        .init(
            "rbs duplicate", RBS.PaymentAnswer.init,
            #"{"success":false,"error":{"code":1,"message":"used before"}}"#, .pending),
        .init(
            "rbs system error", RBS.PaymentAnswer.init,
            #"{"success":false,"error":{"code":"7"}}"#, .pending),
        .init(
            "rbs contradiction", RBS.PaymentAnswer.init,
            #"{"success":false,"error":{"code":"10"},"orderStatus":\#(rbs("2"))}"#, .pending),
        .init("rbs status", RBS.OrderStatus.init, #"{"errorCode":"5"}"#, .pending),
        .init("rbs status", RBS.OrderStatus.init, rbs("9"), .pending),
        .init("rbs deposit", RBS.DepositAnswer.init, #"{"errorCode":7}"#, .pending),
        .init("intergiro", Intergiro.TokenizeAnswer.init, "{}", .pending),
        .init(
            "cybersource", CyberSource.PaymentAnswer.init, 201,
            #"{"id":"1","status":"PARTIAL_AUTHORIZED"}"#, .pending),
        .init(
            "cybersource", CyberSource.PaymentAnswer.init, 400,
            #"{"status":"INVALID_REQUEST","reason":"DUPLICATE_REQUEST"}"#, .pending),
        .init(
            "adyen", Adyen.PaymentAnswer.init, #"{"resultCode":"PartiallyAuthorised"}"#,
            .pending),
        .init("adyen", Adyen.PaymentAnswer.init, #"{"resultCode":"Error"}"#, .pending),
        .init(
            "adyen", Adyen.PaymentAnswer.init, 422, #"{"errorCode":"704"}"#, .pending),
        .init("checkout", Checkout.PaymentAnswer.init, 401, "", .pending),
        .init(
            "checkout", Checkout.PaymentAnswer.init, 201,
            #"{"id":"1","status":"Authorized"}"#, .pending),
        .init(
            "paypal", PayPal.OrderAnswer.init, 422,
            #"{"details":[{"issue":"ORDER_ALREADY_CAPTURED"}]}"#, .pending),
        .init(
            "paypal", PayPal.OrderAnswer.init, #"{"id":"1","status":"COMPLETED"}"#, .pending),
    ]

    @Test("are unknown where the answer leaves open what happened", arguments: ambiguous)
    func open(_ row: OutcomeCase) {
        let outcome = PaymentOutcome(GatewayResponse(row.body, status: row.status), row.read)
        guard case .unknown(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.hasSuffix("."))
    }

    /// Answers that confirm 30.00 euros; the amount and the currency of each can be replaced.
    private static let confirmations: [OutcomeCase] = [
        .init(
            "worldline", create, 201,
            worldline(
                "CAPTURED",
                #","paymentOutput":{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"}}"#), .paid),
        .init(
            "worldline get", ask, 200,
            #"{"id":"1","status":"CAPTURED","paymentOutput":{"amountOfMoney":{"amount":3000,"#
                + #""currencyCode":"EUR"}}}"#, .paid),
        .init(
            "worldline page", page, 200,
            #"{"status":"PAYMENT_CREATED","createdPaymentOutput":{"payment":{"id":"1","status":"PAID","#
                + #""paymentOutput":{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"}}}}}"#,
            .paid),
        .init(
            "refund", did(.refund), 201,
            #"{"id":"1","status":"REFUNDED","refundOutput":{"amountOfMoney":{"amount":3000,"#
                + #""currencyCode":"EUR"}}}"#, .paid),
        .init(
            "bepaid", BePaid.TransactionAnswer.init,
            transaction("successful", #","amount":3000,"currency":"EUR""#), .paid),
        .init(
            "bepaid status", BePaid.StatusAnswer.init,
            #"{"transactions":[{"uid":"1","status":"successful","amount":3000,"currency":"EUR"}]}"#,
            .paid),
        .init(
            "dintero", dinteroDid(nil),
            #"{"id":"T","status":"CAPTURED","amount":3000,"currency":"EUR"}"#, .paid),
        .init(
            "rbs", RBS.OrderStatus.init,
            #"{"errorCode":"0","orderStatus":2,"amount":3000,"currency":"978"}"#, .paid),
        .init(
            "rbs payment", RBS.PaymentAnswer.init,
            #"{"success":true,"orderStatus":{"errorCode":"0","orderStatus":2,"amount":3000,"#
                + #""currency":"978"}}"#, .paid),
        .init(
            "cybersource", CyberSource.PaymentAnswer.init, 201,
            #"{"id":"1","status":"AUTHORIZED","orderInformation":{"amountDetails":{"#
                + #""authorizedAmount":"30.00","currency":"EUR"}}}"#, .authorized),
        .init(
            "checkout", Checkout.PaymentAnswer.init, 201,
            #"{"id":"1","status":"Captured","approved":true,"amount":3000,"currency":"EUR"}"#, .paid
        ),
        .init(
            "adyen", Adyen.PaymentAnswer.init,
            #"{"resultCode":"Authorised","amount":{"value":3000,"currency":"EUR"}}"#, .authorized),
        .init(
            "paypal", PayPal.OrderAnswer.init, 201,
            #"{"id":"1","status":"COMPLETED","purchase_units":[{"payments":{"captures":[{"id":"c","#
                + #""status":"COMPLETED","amount":{"value":"30.00","currency_code":"EUR"}}]}}]}"#,
            .paid),
    ]

    @Test("are unknown, never paid, for another amount or currency", arguments: confirmations)
    func agreement(_ row: OutcomeCase) throws {
        func outcome(_ body: String, _ order: Order) -> PaymentOutcome {
            PaymentOutcome(GatewayResponse(body, status: row.status), order: order, row.read)
        }
        let order = try GatewayFixture.order()
        #expect(outcome(row.body, order) == row.outcome)
        let others = [
            row.body.replacing("3000", with: "2999").replacing("30.00", with: "29.99"),
            row.body.replacing("3000", with: "300000").replacing("30.00", with: "3000.00"),
            row.body.replacing("EUR", with: "USD").replacing("978", with: "840"),
            row.body.replacing("\"30.00\"", with: "{}").replacing("3000", with: "\"x\""),
            row.body.replacing("3000", with: "30.00").replacing("\"30.00\"", with: "true"),
            row.body.replacing("\"EUR\"", with: "[]").replacing("\"978\"", with: "[]"),
        ]
        for body in others {
            #expect(body != row.body)
            guard case .unknown = outcome(body, order) else {
                Issue.record("\(body)")
                continue
            }
        }
        for other in [try GatewayFixture.order(3001), try GatewayFixture.order(3000, "USD")] {
            guard case .unknown = outcome(row.body, other) else {
                Issue.record("\(other)")
                continue
            }
        }
    }

    @Test("compare amounts in each platform's decimals")
    func decimals() throws {
        let yen = try GatewayFixture.order(100, "JPY")
        let response = GatewayResponse(
            Self.worldline(
                "PAID", #","paymentOutput":{"amountOfMoney":{"amount":10000,"currencyCode":"JPY"}}"#
            ),
            status: 201)
        let connect = try Worldline.PaymentAnswer(response, of: WorldlineConnect.self)
        #expect(connect.outcome(for: yen) == .paid)
        let direct = try Worldline.PaymentAnswer(response)
        #expect(!direct.agrees(with: yen))
        let dinar = try GatewayFixture.order(1500, "KWD")
        for (text, agrees) in [
            ("1.5", true), ("1.500", true), ("1.5000", true), ("1.501", false), ("01.5", true),
            ("1.5001", false), ("-1.5", false), ("1e3", false), ("1.", false), (".5", false),
            ("99999999999999999999", false),
        ] {
            let answer = try CyberSource.PaymentAnswer(
                GatewayResponse(
                    #"{"id":"1","status":"AUTHORIZED","orderInformation":{"amountDetails":{"#
                        + #""authorizedAmount":"\#(text)","currency":"KWD"}}}"#, status: 201))
            #expect(answer.agrees(with: dinar) == agrees, "\(text)")
        }
    }

    @Test("keep the headers of an answer, in any case")
    func headers() throws {
        let response = GatewayResponse(
            status: 201,
            headers: [
                ("Retry-After", "5"), ("x-gcs-idempotence-request-timestamp", "1795249800123"),
            ], body: Array(Self.worldline("CAPTURED").utf8))
        #expect(response.header("retry-after") == "5" && response.header("x") == nil)
        let answer = try Worldline.PaymentAnswer(response)
        #expect(answer.firstRequestMilliseconds == 1_795_249_800_123)
    }
}
