import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Testing

@Suite("Members of complete answers")
struct AnswerMemberTests {
    @Test(
        "are each read into their property",
        arguments: CompleteAnswer.all)
    func properties(_ row: CompleteAnswer) throws {
        let answer = try row.read(GatewayResponse(row.body, status: row.status))
        let lines = row.properties.split(separator: "\n").map(String.init)
        // Some answers compute their outcome.
        let found = CompleteAnswer.lines(answer) + ["outcome: \(answer.outcome)"]
        #expect(Set(found) == Set(lines))
    }

    @Test("name the state as the gateway does")
    func statuses() throws {
        let expected = [
            "REDIRECTED", "REJECTED", "PAID", nil, "REFUNDED", nil, nil, nil, "PENDING_CAPTURE",
            "h-status", "DECLINED", "c-status", "Declined", "k-status", "RedirectShopper",
            "a-result", "COMPLETED", "VOIDED", nil, nil, nil, nil, "3", "6", "5", "failed",
            "incomplete", "successful", nil, nil, nil, nil, nil, nil, nil, "success: true",
            "CAPTURED", nil, nil, nil, nil, nil, "s", nil, nil, nil, "approved", "error",
        ]
        let statuses = try CompleteAnswer.all.map {
            try $0.read(GatewayResponse($0.body, status: $0.status)).gatewayStatus
        }
        #expect(statuses == expected)
    }

    @Test("with an amount are compared with the order, and errors agree with any order")
    func agreement() throws {
        let (order, other) = (try GatewayFixture.order(), try GatewayFixture.order(2999))
        for row in CompleteAnswer.worldline + CompleteAnswer.others {
            let answer = try row.read(GatewayResponse(row.body, status: row.status))
            #expect(answer.agrees(with: order), "\(row.name)")
            let hasAmount = row.properties.contains("3000") || row.properties.contains("30.00")
            #expect(answer.agrees(with: other) == !hasAmount, "\(row.name)")
        }
    }

    @Test("of Worldline's payments show the amount beside the output, too")
    func bareAmount() throws {
        for (output, amount) in [
            (#""amountOfMoney":{"amount":7}"#, 7),
            (#""captureOutput":{},"amountOfMoney":{"amount":8}"#, 8),
            (#""amountOfMoney":{"amount":7},"paymentOutput":{"amountOfMoney":{"amount":9}}"#, 9),
        ] as [(String, Int64)] {
            let answer = try Worldline.OperationAnswer(
                GatewayResponse(#"{"id":"1","status":"CAPTURED",\#(output)}"#), .capture)
            #expect(answer.operation?.amount == amount)
        }
        let operations = try Worldline.PaymentStatusAnswer(
            GatewayResponse(
                #"{"id":"1","status":"PAID","operations":[{"id":"2","status":"CAPTURED"}]}"#)
        ).operations
        #expect(operations.map(\.id) == ["2"])
    }

    @Test("of Worldline's payments decide whether the amount is authorized or captured")
    func isAuthorizedOrCaptured() throws {
        for (status, expected) in [("PAID", true), ("PENDING_APPROVAL", true), ("CREATED", false)] {
            let answer = try Worldline.PaymentStatusAnswer(
                GatewayResponse(#"{"id":"1","status":"\#(status)"}"#))
            #expect(answer.payment?.isAuthorizedOrCaptured == expected, "\(status)")
        }
    }

    @Test("show with 401 alone that Intergiro's session has expired", arguments: [400, 401, 402])
    func expiredSession(_ status: Int) throws {
        let response = GatewayResponse("", status: status)
        #expect(try Intergiro.TokenizeAnswer(response).isSessionExpired == (status == 401))
        #expect(try Intergiro.ConsentAnswer(response).isSessionExpired == (status == 401))
    }
}
