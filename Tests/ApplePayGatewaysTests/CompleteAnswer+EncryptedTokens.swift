import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

extension CompleteAnswer {
    private init(
        _ name: String,
        _ read: @escaping Read,
        _ status: Int,
        _ body: String,
        _ outcome: PaymentOutcome,
        _ properties: [String: String]
    ) {
        let lines = properties.map { "\($0.key): \($0.value)" } + ["outcome: \(outcome)"]
        self.init(name, read, status, body, lines.joined(separator: "\n"))
    }

    private static let redirect = URL(string: "https://a.example/1") ?? URL(filePath: "/")
    private static let error = #""error":{"code":"c","message":"m"}"#
    private static let refusal = ["refusal.code": "c", "refusal.message": "m"]
    private static let refused = PaymentOutcome.refused(code: "c", text: "m")
    private static let dintero: Read = { response throws(UnreadableJSONError) in
        try Dintero.TransactionAnswer(response)
    }

    static let rbsAndBePaid: [CompleteAnswer] = [
        .init(
            "rbs payment", RBS.PaymentAnswer.init, 200,
            #"{"success":true,"data":{"orderId":"o","bindingId":"b","redirect":"https://a.example/1","#
                + #""acsUrl":"https://b.example/"},"error":{"code":10,"message":"m","description":"d"}}"#,
            .actionRequired(redirect),
            [
                "success": "true", "orderId": "o", "bindingId": "b", "errorCode": "10",
                "errorMessage": "m", "errorDescription": "d",
            ]),
        .init(
            "rbs payment", RBS.PaymentAnswer.init, 200,
            #"{"success":false,"error":{"code":10,"message":"m"},"orderStatus":{"orderStatus":3}}"#,
            .refused(code: "10", text: "m"),
            [
                "success": "false", "errorCode": "10", "errorMessage": "m",
                "orderStatus.state": "3", "orderStatus.gatewayStatus": "3",
                "orderStatus.outcome": #"refused(code: Optional("3"), text: nil)"#,
            ]),
        .init(
            "rbs status", RBS.OrderStatus.init, 200,
            #"{"errorCode":"0","errorMessage":"e","orderNumber":"n","orderStatus":6,"actionCode":-1,"#
                + #""actionCodeDescription":"d","amount":11,"currency":"978","date":12,"cardAuthInfo":{"#
                + #""maskedPan":"p","expiration":"202512","cardholderName":"h","approvalCode":"a"},"#
                + #""paymentAmountInfo":{"paymentState":"s","approvedAmount":13,"depositedAmount":14,"#
                + #""refundedAmount":15},"paymentWay":"w","attributes":[{"name":"x","value":"y"},"#
                + #"{"name":"mdOrder","value":"o"}],"merchantOrderParams":[{"name":"k","value":"v"}]}"#,
            .refused(code: "-1", text: "d"),
            [
                "errorCode": "0", "errorMessage": "e", "orderNumber": "n", "orderId": "o",
                "state": "6", "gatewayStatus": "6", "actionCode": "-1",
                "actionCodeDescription": "d",
                "amount": "11", "currency": "978", "milliseconds": "12", "maskedPan": "p",
                "expiration": "202512", "cardholderName": "h", "approvalCode": "a",
                "paymentState": "s", "approvedAmount": "13", "depositedAmount": "14",
                "refundedAmount": "15", "paymentWay": "w",
                "merchantOrderParams[0]": #"(name: "k", value: "v")"#,
            ]),
        .init(
            "rbs deposit", RBS.DepositAnswer.init, 200, #"{"errorCode":5,"errorMessage":"m"}"#,
            .refused(code: "5", text: "m"),
            [
                "errorCode": "5", "errorMessage": "m", "isAccepted": "false",
            ]),
        .init(
            "bepaid", BePaid.TransactionAnswer.init, 200,
            #"{"transaction":{"uid":"u","parent_uid":"p","status":"failed","type":"capture","code":"c","#
                + #""message":"m","friendly_message":"f","amount":11,"currency":"EUR","tracking_id":"t","#
                + #""redirect_url":"r","url":"l","authorization":{},"credit_card":{"token":"k"}}}"#,
            refused,
            [
                "uid": "u", "parentUid": "p", "status": "failed", "type": "capture", "code": "c",
                "message": "m", "friendlyMessage": "f", "amount": "11", "currency": "EUR",
                "trackingId": "t", "redirectURL": "r", "cardToken": "k", "isSuccessful": "false",
            ]),
        .init(
            "bepaid", BePaid.TransactionAnswer.init, 201,
            #"{"response":{"status":"incomplete","url":"https://a.example/1","authorization":{}}}"#,
            .actionRequired(redirect),
            [
                "status": "incomplete", "type": "authorization", "isSuccessful": "false",
                "redirectURL": "https://a.example/1",
            ]),
        .init(
            "bepaid", BePaid.TransactionAnswer.init, 200,
            #"{"status":"successful","authorization":{}}"#, .authorized,
            [
                "status": "successful", "type": "authorization", "isSuccessful": "true",
            ]),
        .init(
            "bepaid status", BePaid.StatusAnswer.init, 404, #"{"transaction":{"uid":"u"}}"#,
            .unknown(reason: "HTTP status 404: the question about the payment was not answered."),
            [:]),
    ]

    static let dinteroAndIntergiro: [CompleteAnswer] = [
        .init(
            "dintero session", Dintero.SessionAnswer.init, 200, #"{"id":"P","url":"u",\#(error)}"#,
            .pending, ["sessionId": "P", "url": "u"].merging(refusal) { $1 }),
        .init(
            "dintero session", Dintero.SessionAnswer.init, 403, #"{"id":"P",\#(error)}"#, refused,
            refusal),
        .init(
            "dintero submission", Dintero.SubmissionAnswer.init, 200,
            #"{"transaction_id":"T","payment_id":"p","type":"t",\#(error)}"#, .pending,
            ["transactionId": "T", "paymentId": "p", "type": "t"].merging(refusal) { $1 }),
        .init(
            "dintero submission", Dintero.SubmissionAnswer.init, 403,
            #"{"transaction_id":"T",\#(error)}"#, refused, refusal),
        .init(
            "dintero submission", Dintero.SubmissionAnswer.init, 403, "{}",
            .refused(code: "403", text: nil), [:]),
        .init(
            "dintero operations", Dintero.OperationsAnswer.init, 403, #"{"error":"m"}"#,
            .refused(code: "403", text: "m"), ["refusal.message": "m"]),
        .init(
            "dintero pay", Dintero.PayAnswer.init, 200,
            #"{"success":true,"redirect_url":"r","return_url":"u"}"#, .authorized,
            ["success": "true", "returnURL": "r"]),
        .init(
            "dintero transaction", dintero, 200,
            #"{"id":"T","status":"CAPTURED","amount":11,"currency":"NOK","merchant_reference":"r","#
                + #""session_id":"P",\#(error)}"#, .paid,
            [
                "transactionId": "T", "status": "CAPTURED", "amount": "11", "currency": "NOK",
                "merchantReference": "r", "sessionId": "P",
            ].merging(refusal) { $1 }),
        .init(
            "dintero transaction", dintero, 404, #"{"id":"T","status":"CAPTURED",\#(error)}"#,
            .unknown(reason: "HTTP status 404: the question about the payment was not answered."),
            refusal),
        .init(
            "dintero get session", Dintero.SessionStatusAnswer.init, 200,
            #"{"transaction_id":"T","order":{"amount":11,"currency":"NOK"}}"#, .pending,
            ["transactionId": "T", "amount": "11", "currency": "NOK"]),
        .init(
            "dintero get session", Dintero.SessionStatusAnswer.init, 404,
            #"{"transaction_id":"T"}"#,
            .unknown(reason: "HTTP status 404: the question about the payment was not answered."),
            [:]),
        .init(
            "intergiro session", Intergiro.SessionAnswer.init, 201,
            #"{"access_token":"a","refresh_token":"r"}"#, .pending,
            ["httpStatus": "201", "accessToken": "a", "refreshToken": "r"]),
        .init(
            "intergiro session", Intergiro.SessionAnswer.init, 401, #"{"access_token":"a"}"#,
            .refused(code: "401", text: nil), ["httpStatus": "401"]),
        .init(
            "intergiro card", Intergiro.TokenizeAnswer.init, 412,
            #"{"consent":{"id":"i","status":"s","scope":["a","b"],"expires_at":"2022-06-01T12:00:00Z"}}"#,
            .pending,
            [
                "httpStatus": "412", "consent.id": "i", "consent.status": "s",
                "consent.scope[0]": "a", "consent.scope[1]": "b",
                "consent.expiresAt.timeIntervalSinceReferenceDate": "675777600.0",
            ]),
        .init(
            "intergiro consent", Intergiro.ConsentAnswer.init, 201,
            #"{"method":{"token":"t","redirect_url":"https://a.example/1","#
                + #""expires_at":"2022-06-01T12:00:00Z"}}"#, .actionRequired(redirect),
            [
                "httpStatus": "201", "launchToken": "t", "redirectURL": "https://a.example/1",
                "expiresAt.timeIntervalSinceReferenceDate": "675777600.0",
            ]),
        .init(
            "intergiro consent", Intergiro.ConsentAnswer.init, 200, #"{"method":{"token":"t"}}"#,
            .pending, ["httpStatus": "200", "launchToken": "t"]),
        .init(
            "intergiro consent", Intergiro.ConsentAnswer.init, 403, #"{"method":{"token":"t"}}"#,
            .refused(code: "403", text: nil), ["httpStatus": "403"]),
        .init(
            "intergiro callback",
            { _ throws(UnreadableJSONError) in
                try Intergiro.LaunchAnswer(Array(#"{"status":"approved"}"#.utf8))
            }, 200, "", .authorized, ["status": "approved"]),
        .init(
            "intergiro callback",
            { _ throws(UnreadableJSONError) in
                try Intergiro.LaunchAnswer(Array(#"{"status":"error"}"#.utf8))
            }, 200, "", .refused(code: "error", text: nil),
            ["status": "error"]),
    ]
}
