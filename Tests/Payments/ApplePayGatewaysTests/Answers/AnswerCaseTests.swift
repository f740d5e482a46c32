import ApplePayGateways
import ApplePayToken
import TestVectors
import Testing

/// An answer about the order `order-1001` of 30.00 euros, its state, and a part of its report.
struct AnswerCase: Sendable, CustomTestStringConvertible {
    let vector: AnswerVector
    let state: String
    let stated: [String: String]

    var testDescription: String { "\(vector.gateway) \(vector.step) \(vector.id.prefix(200))" }

    init(
        _ gateway: String, _ step: String, http: Int = 200,
        of operation: PaymentOperation.Kind? = nil, _ body: String, _ state: String,
        _ stated: [String: String] = [:], headers: [[String]] = []
    ) {
        vector = AnswerVector(
            gateway, step, body, status: http, headers: headers, operation: operation)
        self.state = state
        self.stated = stated
    }
}

@Suite("An answer")
struct AnswerCaseTests {
    @Test(
        "is read into this state and report",
        arguments: worldline + bePaid + rbs + dintero + intergiro + others)
    func cases(_ row: AnswerCase) throws {
        let reading = try row.vector.read()
        #expect(reading.state == row.state, "\(reading.reason ?? "")")
        let stated = reading.report?.stated ?? [:]
        for (name, value) in row.stated { #expect(stated[name] ?? "" == value, "\(name)") }
    }

    private static let payment = StatusWords.worldlinePayment.replacing("CODE", with: "9")
        .replacing("STATUS", with: "CAPTURED")
    private static let address = "https://r.example/1"

    private static func redirected(_ address: String) -> String {
        #"{"payment":{"id":"1_0","status":"REDIRECTED","statusOutput":{"statusCode":46}},"#
            + #""merchantAction":{"actionType":"REDIRECT","redirectData":{"redirectURL":"\#(address)"}}}"#
    }

    private static let worldline: [AnswerCase] = [
        .init(
            "worldline-direct", "payment", http: 201, redirected(address), "action-required",
            ["address": address]),
        .init(
            "worldline-connect", "payment", http: 402,
            #"{"errorId":"e","errors":[{"code":"30511001","message":"no"}],"#
                + #""paymentResult":{"payment":{"id":"1","status":"REJECTED"}}}"#, "refused",
            ["refusal.code": "30511001", "refusal.text": "no", "refusal.origin": "operator"]),
        // The payment's own error is the issuer's word.
        .init(
            "worldline-connect", "payment", http: 402,
            #"{"errors":[{"code":"1"}],"paymentResult":{"payment":{"id":"1","status":"REJECTED","#
                + #""statusOutput":{"errors":[{"code":"2","message":"no"},{"code":"3"}]}}}}"#,
            "refused",
            ["refusal.code": "2", "refusal.text": "no", "refusal.origin": "issuer"]),
        .init(
            "worldline-direct", "payment", http: 400, #"{"errorId":"e","errors":[]}"#, "unknown",
            ["fault": "true"]),
        .init("worldline-direct", "payment", http: 201, "{}", "unknown", ["fault": "true"]),
        // The errorCode is the newer form of the code.
        .init(
            "worldline-direct", "payment", http: 400,
            #"{"errorId":"e","errors":[{"code":"old","errorCode":"new"}]}"#, "refused",
            ["refusal.code": "new"]),
        // The answer to a repeated key is of the past.
        .init(
            "worldline-direct", "payment", http: 201, "{\"payment\":\(payment)}", "pending",
            ["captured": ""],
            headers: [["x-gcs-idempotence-request-timestamp", "1795249800123"]]),
        .init("worldline-direct", "payment", http: 201, "{\"payment\":\(payment)}", "paid"),
        .init(
            "worldline-direct", "operation", http: 404, of: .refund,
            #"{"errorId":"e","errors":[{"code":"1002","message":"no"}]}"#, "refused",
            ["refusal.code": "1002", "refusal.text": "no", "about": "refund"]),
        .init(
            "worldline-connect", "operation", of: .cancellation,
            #"{"payment":{"id":"1","status":"CANCELLED"},"#
                + #""cardPaymentMethodSpecificOutput":{"voidResponseId":"98"}}"#, "unknown",
            ["fault": "true"]),
        .init(
            "worldline-connect", "operation", of: .cancellation,
            #"{"payment":{"id":"1","status":"CANCELLED"},"#
                + #""cardPaymentMethodSpecificOutput":{"voidResponseId":"00"}}"#, "done",
            ["operationId": "", "paymentId": "1"]),
        // The amount of an approved payment is that of the payment.
        .init(
            "worldline-connect", "operation", of: .capture,
            "{\"payment\":\(payment.replacing("3000", with: "4000"))}", "done",
            ["operationAmount": "", "paymentId": "1_0", "reference": "order-1001"]),
        .init(
            "worldline-connect", "operation", of: .capture,
            #"{"id":"1-2","status":"CAPTURED","captureOutput":{"amountOfMoney":{"amount":4000,"#
                + #""currencyCode":"EUR"}}}"#, "unknown",
            ["operationAmount": "4000", "operationId": "1-2", "paymentId": ""]),
        // An operation's amount without an output.
        .init(
            "worldline-direct", "operation", of: .capture,
            #"{"id":"1_1","status":"CAPTURED","amountOfMoney":{"amount":3000,"currencyCode":"EUR"}}"#,
            "done", ["operationAmount": "3000", "operationId": "1_1", "paymentId": "1_0"]),
        .init(
            "worldline-direct", "operation", of: .capture,
            #"{"id":"1_1","status":"CAPTURED","captureOutput":{"amountOfMoney":{"amount":3000}}}"#,
            "unknown", ["fault": "true"]),
        // Direct's newer identifiers lack an underscore.
        .init(
            "worldline-direct", "operation", of: .capture,
            #"{"id":"3066019730000000001","status":"CAPTURED"}"#, "done",
            ["paymentId": "3066019730000000000", "operationId": "3066019730000000001"]),
        .init(
            "worldline-direct", "operation", of: .capture,
            #"{"id":"306601973000000001","status":"CAPTURED"}"#, "done",
            ["paymentId": "306601973000000001_0"]),
        .init(
            "worldline-direct", "hosted-page", http: 201,
            #"{"hostedCheckoutId":"h","redirectUrl":"\#(address)"}"#, "action-required",
            ["address": address, "sessionId": "h"]),
        .init(
            "worldline-connect", "hosted-page", http: 201,
            #"{"hostedCheckoutId":"h","partialRedirectUrl":"r.example/1"}"#, "action-required",
            ["address": "https://payment.r.example/1"]),
        .init(
            "worldline-connect", "hosted-page", http: 201,
            #"{"hostedCheckoutId":"h","redirectUrl":"\#(address)","partialRedirectUrl":"x"}"#,
            "action-required", ["address": address]),
        .init(
            "worldline-direct", "hosted-page", http: 201, #"{"hostedCheckoutId":"h"}"#, "pending"),
        .init("worldline-direct", "hosted-page", http: 201, "{}", "unknown", ["fault": "true"]),
        .init(
            "worldline-direct", "hosted-page", http: 400, #"{"hostedCheckoutId":"h"}"#, "unknown",
            ["fault": "true"]),
        .init(
            "worldline-connect", "search", #"{"payments":[\#(payment)],"totalCount":1}"#, "unknown",
            ["meaning": "booked", "paymentId": "1_0"]),
        .init(
            "worldline-connect", "search",
            #"{"payments":[\#(payment.replacing("CAPTURED", with: "PENDING_APPROVAL"))]}"#,
            "authorized"),
        .init("worldline-connect", "search", #"{"payments":[]}"#, "unknown", ["meaning": "absent"]),
        .init("worldline-connect", "search", "{}", "unknown", ["meaning": "absent"]),
        .init(
            "worldline-connect", "search",
            #"{"payments":[\#(payment.replacing("CAPTURED", with: "PENDING_APPROVAL"))],"totalCount":2}"#,
            "unknown", ["fault": "true"]),
        .init(
            "worldline-connect", "search", #"{"payments":[\#(payment),\#(payment)]}"#, "unknown",
            ["meaning": "booked", "paymentId": "1_0"]),
        // Another reference's payment is not this one.
        .init(
            "worldline-connect", "search",
            #"{"payments":[\#(payment.replacing("order-1001", with: "order-1002"))]}"#, "unknown",
            ["meaning": "absent"]),
    ]

    private static func transaction(_ members: String) -> String {
        #"{"transaction":{"uid":"u1","type":"payment","amount":3000,"currency":"eur","#
            + #""tracking_id":"order-1001",\#(members)}}"#
    }

    private static let bePaid: [AnswerCase] = [
        .init(
            "bepaid", "payment",
            transaction(#""status":"incomplete","redirect_url":"\#(address)""#),
            "action-required", ["address": address]),
        .init(
            "bepaid", "payment", transaction(#""status":"incomplete","url":"\#(address)""#),
            "action-required", ["address": address]),
        .init(
            "bepaid", "payment",
            transaction(#""status":"incomplete","redirect_url":"javascript:alert(1)""#), "unknown",
            ["fault": "true"]),
        // A payment that was made can have an address as well.
        .init(
            "bepaid", "payment",
            transaction(#""status":"successful","redirect_url":"\#(address)""#),
            "pending", ["address": "", "currency": "EUR"]),
        .init(
            "bepaid", "payment", transaction(#""status":"failed","code":"F.0111","message":"no""#),
            "refused",
            ["refusal.code": "F.0111", "refusal.text": "no", "refusal.origin": "issuer"]),
        .init(
            "bepaid", "payment", transaction(#""status":"expired""#), "refused",
            ["refusal.origin": "customer"]),
        .init(
            "bepaid", "payment", http: 422, #"{"response":{"status":"error","message":"no"}}"#,
            "refused",
            ["refusal.code": "422", "refusal.text": "no", "refusal.origin": "operator"]),
        .init(
            "bepaid", "payment", http: 400, #"{"message":"no","errors":{"base":["x"]}}"#, "refused",
            ["refusal.text": "no", "refusal.origin": "operator"]),
        // The words of a duplicate, in any case; a success may contain them.
        .init(
            "bepaid", "payment",
            transaction(#""status":"failed","message":"Duplicate transaction""#),
            "unknown", ["fault": "true"]),
        .init(
            "bepaid", "payment", http: 422, #"{"response":{"message":"DUPLICATE transaction"}}"#,
            "unknown", ["fault": "true"]),
        .init(
            "bepaid", "payment",
            transaction(#""status":"successful","message":"Not a duplicate","code":"S.0000""#),
            "pending"),
        // A code contradicts the word.
        .init(
            "bepaid", "payment", transaction(#""status":"successful","code":"F.0111""#), "unknown",
            ["fault": "true"]),
        .init(
            "bepaid", "payment", transaction(#""status":"failed","code":"S.0000""#), "refused"),
        .init(
            "bepaid", "payment", http: 422, transaction(#""status":"successful""#), "unknown",
            ["fault": "true"]),
        // A task under /async, before and after the transaction.
        .init(
            "bepaid", "payment",
            #"{"transaction":{"status":"processing","status_url":"https://a.example/1"}}"#,
            "pending"),
        .init(
            "bepaid", "payment", #"{"status":"processing","response_url":"https://a.example/1"}"#,
            "pending"),
        .init("bepaid", "payment", #"{"transaction":{"status":"processing"}}"#, "unknown"),
        // Version 3 has the members at the top level, and the acquirer's part in `transaction`.
        .init(
            "bepaid", "payment",
            #"{"uid":"u1","status":"successful","type":"payment","amount":3000,"currency":"EUR","#
                + #""tracking_id":"order-1001","transaction":{"status":"failed"}}"#, "pending"),
        // The kind is that of the acquirer's part, if the type is missing.
        .init(
            "bepaid", "payment",
            #"{"transaction":{"uid":"u1","status":"successful","amount":3000,"currency":"EUR","#
                + #""tracking_id":"order-1001","authorization":{"status":"successful"}}}"#,
            "pending", ["authorized": ""]),
        .init(
            "bepaid", "payment",
            #"{"transaction":{"uid":"u1","status":"successful","amount":3000,"currency":"EUR","#
                + #""tracking_id":"order-1001"}}"#, "pending", ["captured": ""]),
        // A success without an identifier, such as that of a check.
        .init(
            "bepaid", "payment", #"{"transaction":{"status":"successful"}}"#, "unknown",
            ["fault": "true"]),
        .init("bepaid", "status", #"{"transactions":[]}"#, "unknown", ["meaning": "absent"]),
        .init("bepaid", "status", "{}", "unknown", ["fault": "true"]),
        .init("bepaid", "status", #"{"transactions":["1"]}"#, "unknown", ["fault": "true"]),
        .init(
            "bepaid", "operation", of: .refund,
            #"{"transaction":{"uid":"u2","parent_uid":"u1","status":"successful","type":"refund","#
                + #""amount":2999,"currency":"EUR"}}"#, "unknown",
            ["operationAmount": "2999", "operationId": "u2", "paymentId": ""]),
        .init(
            "bepaid", "operation", of: .capture,
            #"{"transaction":{"uid":"u2","parent_uid":"u1","status":"successful","type":"capture","#
                + #""amount":3000,"currency":"EUR"}}"#, "done", ["paymentId": "u1"]),
        .init(
            "bepaid", "operation", http: 422, of: .refund,
            #"{"response":{"message":"Reason can't be blank."}}"#, "refused",
            ["about": "refund", "refusal.text": "Reason can't be blank."]),
    ]

    private static let rbsOrder =
        #"{"errorCode":"0","orderNumber":"order-1001","orderStatus":2,"amount":3000,"currency":"978"}"#

    private static let rbs: [AnswerCase] = [
        .init("rbs", "payment", #"{"success":true}"#, "pending", ["meaning": "booked"]),
        .init(
            "rbs", "payment",
            #"{"success":true,"data":{"orderId":"o1"},"orderStatus":\#(rbsOrder)}"#, "paid",
            ["paymentId": "o1", "reference": "order-1001"]),
        .init(
            "rbs", "payment", #"{"success":true,"data":{"acsUrl":"\#(address)","orderId":"o1"}}"#,
            "action-required", ["address": address]),
        .init(
            "rbs", "payment",
            #"{"success":true,"data":{"redirect":"\#(address)","acsUrl":"https://x.example/"},"#
                + #""orderStatus":\#(rbsOrder.replacing(":2,", with: ":5,"))}"#, "action-required",
            ["address": address]),
        // A paid order has a page as well, and a relative address is one of the shop's own.
        .init(
            "rbs", "payment",
            #"{"success":true,"data":{"redirect":"\#(address)"},"orderStatus":\#(rbsOrder)}"#,
            "paid",
            ["address": ""]),
        .init("rbs", "payment", #"{"success":true,"data":{"redirect":"/r"}}"#, "pending"),
        .init(
            "rbs", "payment", #"{"success":true,"data":{"redirect":"ftp://r.example"}}"#, "unknown",
            ["fault": "true"]),
        // The block of an order that was not found states nothing.
        .init(
            "rbs", "payment", #"{"success":true,"orderStatus":{"errorCode":"6"}}"#, "pending",
            ["meaning": "booked"]),
        .init(
            "rbs", "payment",
            #"{"success":false,"error":{"code":10},"orderStatus":\#(rbsOrder)}"#, "unknown",
            ["fault": "true"]),
        .init(
            "rbs", "payment",
            #"{"success":false,"orderStatus":\#(rbsOrder.replacing(":2,", with: ":6,"))}"#,
            "refused"),
        .init(
            "rbs", "payment",
            #"{"success":false,"error":{"code":3},"orderStatus":{"errorCode":"6"}}"#,
            "unknown", ["fault": "true"]),
        .init("rbs", "payment", #"{"success":false}"#, "unknown", ["fault": "true"]),
        .init("rbs", "payment", "{}", "unknown", ["fault": "true"]),
        .init("rbs", "payment", http: 400, "{}", "unknown", ["fault": "true"]),
        .init("rbs", "payment", http: 404, "{}", "unknown", ["fault": "true"]),
        .init(
            "rbs", "payment",
            #"{"success":true,"data":{"orderNumber":"order-1001","orderId":"o1"}}"#, "pending",
            ["reference": "order-1001"]),
        .init(
            "rbs", "status", #"{"errorCode":"6","errorMessage":"none"}"#, "unknown",
            ["meaning": "absent"]),
        .init("rbs", "status", #"{"errorCode":6,"orderStatus":2}"#, "unknown", ["fault": "true"]),
        .init("rbs", "status", #"{"errorCode":5}"#, "unknown", ["fault": "true"]),
        .init("rbs", "status", #"{"errorCode":"0"}"#, "unknown", ["fault": "true"]),
        .init("rbs", "status", "{}", "unknown", ["fault": "true"]),
        .init("rbs", "status", #"{"ErrorCode":"6"}"#, "unknown", ["meaning": "absent"]),
        .init("rbs", "status", #"{"errorCode":"0","ErrorCode":"6"}"#, "unknown", ["fault": "true"]),
        // Codes of currencies: former ones, and those without leading zeros.
        .init(
            "rbs", "status", #"{"orderStatus":0,"currency":810}"#, "unknown", ["currency": "RUB"]),
        .init(
            "rbs", "status", #"{"orderStatus":0,"currency":"974"}"#, "unknown", ["currency": "BYN"]),
        .init(
            "rbs", "status", #"{"orderStatus":0,"currency":"12"}"#, "unknown", ["currency": "DZD"]),
        .init(
            "rbs", "status", #"{"orderStatus":0,"currency":"8"}"#, "unknown", ["currency": "ALL"]),
        .init("rbs", "status", #"{"orderStatus":0,"currency":"1"}"#, "unknown", ["fault": "true"]),
        .init(
            "rbs", "status",
            #"{"orderStatus":0,"currency":"978","attributes":[{"name":"x","value":"1"},"#
                + #"{"name":"mdOrder","value":"o1"}]}"#, "pending", ["paymentId": "o1"]),
        .init("rbs", "operation", of: .refund, #"{"ErrorCode":"0"}"#, "done", ["status": "0"]),
        .init(
            "rbs", "operation", of: .refund, #"{"errorCode":6,"errorMessage":"no"}"#, "refused",
            ["refusal.code": "6", "refusal.text": "no", "refusal.origin": "operator"]),
        .init("rbs", "operation", of: .refund, "{}", "unknown", ["fault": "true"]),
        .init("rbs", "operation", http: 404, of: .refund, "{}", "unknown"),
        .init("rbs", "operation", http: 400, of: .refund, "{}", "unknown"),
    ]
}
