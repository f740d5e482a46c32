import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

/// The decisions of the readers of RBS, bePaid, Dintero and Intergiro that the tables of OutcomeTests do not contain.
@Suite("Decisions of readers of answers")
struct AnswerDecisionTests {
    private static func refused(_ code: String?, _ text: String? = nil) -> PaymentOutcome {
        .refused(code: code, text: text)
    }
    private static func unknown(_ reason: String) -> PaymentOutcome { .unknown(reason: reason) }
    private static let address = URL(string: "https://a.example/1") ?? URL(filePath: "/")
    private static let partial = unknown("Only a part of the amount is authorized or captured.")

    private static func dintero(_ operation: PaymentOperation?) -> Read {
        { response throws(UnreadableJSONError) in
            try Dintero.TransactionAnswer(response, operation)
        }
    }

    /// Returns an answer with transactions of bePaid, each given as `uid parent_uid type status amount`, where `-` leaves
    /// a member out.
    private static func list(_ rows: String...) -> String {
        let transactions = rows.map { row in
            let values = row.split(separator: " ")
            let members = zip(["uid", "parent_uid", "type", "status", "amount"], values)
            let texts = members.filter { $1 != "-" }.map { #""\#($0)":"\#($1)""# }
            return "{\(texts.joined(separator: ","))}"
        }
        return #"{"transactions":[\#(transactions.joined(separator: ","))]}"#
    }

    private static let status: Read = BePaid.StatusAnswer.init

    private static let bePaidCases: [OutcomeCase] = [
        .init(
            "part", status, list("1 - authorization successful 5", "2 1 capture successful 2"),
            partial),
        .init(
            "refund of a capture", status,
            list(
                "1 - authorization successful 5", "2 1 capture successful 5",
                "3 2 refund successful 5"),
            refused("refunded", "The payment was refunded.")),
        .init(
            "refund of a part that was captured", status,
            list(
                "1 - authorization successful 5", "2 1 capture successful 2",
                "3 2 refund successful 2"),
            refused("refunded", "The payment was refunded.")),
        .init(
            "refund of another payment", status,
            list("1 - payment successful 5", "2 9 refund successful 5"), .paid),
        .init(
            "failed capture", status,
            list("1 - authorization successful 5", "2 1 capture failed 5"), .authorized),
        .init(
            "failed void", status, list("1 - authorization successful 5", "2 1 void failed 5"),
            .authorized),
        .init(
            "child of another kind", status,
            list("1 - authorization successful 5", "2 1 other successful 5"), .authorized),
        .init(
            "refund without an amount", status,
            list("1 - payment successful 1", "2 1 refund successful -"), .paid),
        .init(
            "failed payment with a void", status,
            list("1 - payment failed 5", "2 1 void successful 5"), refused("failed")),
        .init(
            "paid ranks first", status,
            list("1 - authorization successful 5", "2 - payment successful 5"), .paid),
        .init(
            "authorized ranks before unknown", status,
            list("1 - payment error 5", "2 - authorization successful 5"), .authorized),
        .init(
            "unknown ranks before pending", status,
            list("1 - payment pending 5", "2 - payment error 5"),
            unknown("The status error is not documented.")),
        .init(
            "pending ranks before refused", status,
            list("1 - payment failed 5", "2 - payment pending 5"), .pending),
    ]

    private static let rbsCases: [OutcomeCase] = [
        .init(
            "refund of all", RBS.OrderStatus.init,
            #"{"orderStatus":4,"amount":2,"paymentAmountInfo":{"refundedAmount":2}}"#, refused("4")),
        .init(
            "refund without the order's amount", RBS.OrderStatus.init,
            #"{"orderStatus":4,"paymentAmountInfo":{"refundedAmount":0}}"#, refused("4")),
        .init(
            "empty errorCode", RBS.OrderStatus.init, #"{"errorCode":"","ErrorCode":"6"}"#,
            refused("6")),
        .init(
            "refusal without the bank's words", RBS.OrderStatus.init,
            #"{"errorCode":0,"errorMessage":"m","orderStatus":6}"#, refused("6", "m")),
        .init(
            "error", RBS.OrderStatus.init, #"{"errorCode":5}"#,
            unknown("The gateway reported the error 5.")),
        .init(
            "other state", RBS.OrderStatus.init, #"{"orderStatus":9}"#,
            unknown("The orderStatus 9 is not documented.")),
        .init(
            "no state", RBS.OrderStatus.init, #"{"errorCode":0}"#,
            unknown("The answer has no orderStatus.")),
        .init(
            "contradiction", RBS.PaymentAnswer.init,
            #"{"success":false,"error":{"code":10},"orderStatus":{"orderStatus":2}}"#,
            unknown("The answer's error contradicts its orderStatus.")),
        .init(
            "system error", RBS.PaymentAnswer.init, #"{"success":false,"error":{"code":7}}"#,
            unknown("The gateway reported the error 7; ask for the order's state.")),
        .init("error 1 after a deposit", RBS.DepositAnswer.init, #"{"errorCode":1}"#, refused("1")),
    ]

    private static let dinteroCases: [OutcomeCase] = [
        .init(
            "error in the address of a success", Dintero.PayAnswer.init,
            #"{"success":true,"redirect_url":"https://r.example/?a=1&error=authorization"}"#,
            refused("authorization")),
        .init(
            "error member of a success", Dintero.PayAnswer.init,
            #"{"success":true,"error":{"code":"c","message":"m"}}"#, refused("c", "m")),
        .init(
            "success without an address", Dintero.PayAnswer.init, #"{"success":true}"#, .authorized),
        .init(
            "both addresses", Dintero.PayAnswer.init,
            #"{"redirect_url":"https://a.example/1","return_url":"https://b.example/"}"#,
            .actionRequired(address)),
        .init(
            "error in the fragment", Dintero.PayAnswer.init,
            #"{"return_url":"https://r.example/?x=1#&error=x"}"#, .authorized),
        .init(
            "empty error", Dintero.PayAnswer.init, #"{"return_url":"https://r.example/?error="}"#,
            .authorized),
        .init(
            "another parameter", Dintero.PayAnswer.init,
            #"{"return_url":"https://r.example/?xerror=1"}"#, .authorized),
        .init(
            "escaped error", Dintero.PayAnswer.init,
            #"{"return_url":"https://r.example/?error=a%20b"}"#, refused("a b")),
        .init(
            "malformed escape", Dintero.PayAnswer.init,
            #"{"return_url":"https://r.example/?error=a%2"}"#, refused("a%2")),
        .init(
            "failed capture", Dintero.PayAnswer.init,
            #"{"return_url":"https://r.example/?error=capture"}"#,
            unknown("The result after the error capture is not documented.")),
        .init("refusal without members", Dintero.PayAnswer.init, 400, "{}", refused("400")),
        .init(
            "other status", dintero(nil), #"{"id":"T","status":"NEW"}"#,
            unknown("The status NEW is not documented.")),
        .init(
            "other status of a refund", dintero(.refund), #"{"id":"T","status":"NEW"}"#,
            unknown("The status NEW is not documented.")),
        .init(
            "refused refund", dintero(.refund), 400, #"{"error":{"code":"c","message":"m"}}"#,
            refused("c", "m")),
        .init(
            "error page of Intergiro", Intergiro.SessionAnswer.init, 403, "<html>",
            unknown("HTTP status 403 with a body that is not JSON.")),
        .init(
            "card of Intergiro without a consent", Intergiro.TokenizeAnswer.init, 200, "",
            unknown("HTTP status 200 is not documented here.")),
    ]

    @Test("have these outcomes", arguments: bePaidCases + rbsCases + dinteroCases)
    func outcome(_ row: OutcomeCase) throws {
        let answer = try row.read(GatewayResponse(row.body, status: row.status))
        #expect(answer.outcome == row.outcome)
    }

    @Test("choose the first of payments with the same rank, and nothing of an empty list")
    func choice() throws {
        let same = Self.list("1 - payment successful 5", "2 - payment successful 6")
        let answer = try BePaid.StatusAnswer(GatewayResponse(same))
        #expect(answer.payment?.uid == "1" && answer.gatewayStatus == "successful")
        #expect(answer.transactions.map(\.uid) == ["1", "2"])
        let one = try BePaid.StatusAnswer(
            GatewayResponse(#"{"transaction":{"uid":"3","status":"pending"}}"#))
        #expect(one.transactions.map(\.uid) == ["3"] && one.payment?.uid == "3")
        let none = try BePaid.StatusAnswer(GatewayResponse(Self.list()))
        #expect(try none.payment == nil && none.agrees(with: GatewayFixture.order()))
    }

    private static let agreements: [(Read, String, Bool)] = [
        (RBS.OrderStatus.init, #"{"errorCode":6}"#, true),
        (RBS.OrderStatus.init, #"{"errorCode":6,"amount":3000}"#, false),
        (RBS.OrderStatus.init, #"{"errorCode":6,"currency":"978"}"#, false),
        (RBS.OrderStatus.init, #"{"orderStatus":1}"#, false),
        (RBS.PaymentAnswer.init, #"{"success":true}"#, true),
        (RBS.PaymentAnswer.init, #"{"success":true,"orderStatus":{"orderStatus":1}}"#, false),
        (Dintero.SessionStatusAnswer.init, #"{"order":{"amount":3000,"currency":"EUR"}}"#, true),
        (Dintero.SessionStatusAnswer.init, #"{"order":{"amount":3001,"currency":"EUR"}}"#, false),
        (Dintero.SessionStatusAnswer.init, #"{"order":{"amount":3000,"currency":"USD"}}"#, false),
    ]

    @Test("agree with an order of 30.00 euros, or do not", arguments: 0..<agreements.count)
    func agreement(_ index: Int) throws {
        let (read, body, agrees) = Self.agreements[index]
        #expect(try read(GatewayResponse(body)).agrees(with: GatewayFixture.order()) == agrees)
    }

    private static let unreadableAnswers: [(Read, Int, String, UnreadableJSONError.Code, String)] =
        [
            (dintero(nil), 200, "{}", .missingMember, "id"),
            (dintero(nil), 200, #"{"id":"T"}"#, .missingMember, "status"),
            (dintero(nil), 200, #"{"id":"T","status":"S","amount":"x"}"#, .wrongType, "amount"),
            (dintero(nil), 404, #"{"currency":[]}"#, .wrongType, "currency"),
            (
                Dintero.SessionStatusAnswer.init, 200, #"{"order":{"amount":[]}}"#, .wrongType,
                "order.amount"
            ),
            (
                Dintero.SessionStatusAnswer.init, 200, #"{"order":{"currency":[]}}"#, .wrongType,
                "order.currency"
            ),
            (
                BePaid.TransactionAnswer.init, 200, #"{"status":"s","amount":[]}"#, .wrongType,
                "amount"
            ),
            (BePaid.TransactionAnswer.init, 404, #"{"currency":[]}"#, .wrongType, "currency"),
            (
                BePaid.TransactionAnswer.init, 404, #"{"response":{"status":[]}}"#, .wrongType,
                "response.status"
            ),
            (status, 200, #"{"transactions":{}}"#, .wrongType, "transactions"),
            (status, 200, #"{"transactions":["1"]}"#, .wrongType, "transactions"),
            (status, 200, #"{"transactions":[{}]}"#, .missingMember, "transactions.status"),
            (RBS.OrderStatus.init, 200, #"{"ErrorCode":[]}"#, .wrongType, "ErrorCode"),
            (
                RBS.PaymentAnswer.init, 200, #"{"success":true,"orderStatus":{"currency":[]}}"#,
                .wrongType, "orderStatus.currency"
            ),
            (Intergiro.SessionAnswer.init, 200, "{}", .missingMember, "access_token"),
            (
                Intergiro.TokenizeAnswer.init, 412, #"{"consent":{"id":"i"}}"#, .missingMember,
                "consent.status"
            ),
            (
                Intergiro.TokenizeAnswer.init, 412,
                #"{"consent":{"id":"i","status":"s","expires_at":"x"}}"#, .wrongType,
                "consent.expires_at"
            ),
            (
                Intergiro.ConsentAnswer.init, 200, #"{"method":{"redirect_url":[]}}"#, .wrongType,
                "method.redirect_url"
            ),
        ]

    @Test(
        "refuse answers without a member, or with one of another type",
        arguments: 0..<unreadableAnswers.count)
    func unreadable(_ index: Int) {
        let (read, status, body, code, field) = Self.unreadableAnswers[index]
        let error = #expect(throws: UnreadableJSONError.self) {
            try read(GatewayResponse(body, status: status))
        }
        #expect(error?.code == code && error?.field == field, "\(body)")
    }
}
