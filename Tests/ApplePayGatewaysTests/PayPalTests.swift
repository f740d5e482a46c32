import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Testing

@Suite("PayPal")
struct PayPalTests {
    private static let transactionId =
        "8b1b1dade0bfbc8f1f6677889bd36191a235ca1f26736e3b96970459545ad56e"

    private static let transactionIdOctets = stride(from: 0, to: 64, by: 2).map { offset in
        UInt8(transactionId.dropFirst(offset).prefix(2), radix: 16) ?? 0
    }

    private let token = GatewayFixture.secret("A21-example")

    private func payment(_ payload: String = GatewayFixture.payload()) throws -> Payment {
        try GatewayFixture.payment(
            payload, besideNetwork: "MasterCard", transactionId: Self.transactionIdOctets)
    }

    private func request(
        _ payload: String = GatewayFixture.payload(),
        order: Order? = nil,
        requestID: String = "attempt-1",
        options: PayPal.OrderOptions = .init()
    ) throws -> GatewayRequest {
        try PayPal.createOrder(
            payment(payload), order: order ?? GatewayFixture.order(), accessToken: token,
            requestID: requestID, options: options)
    }

    @Test("says an order, byte for byte, with PassKit's identifier as it was written")
    func minimal() async throws {
        let request = try request()
        try await GatewayFixture.expect(request, is: "paypal-payment-minimal")
        #expect(!"\(request)".contains("A21-example"))
    }

    @Test("names the token's own identifier where PassKit's is missing")
    func ownIdentifier() throws {
        let payment = try GatewayFixture.payment()
        let body = try PayPal.createOrder(
            payment, order: GatewayFixture.order(), accessToken: token, requestID: "attempt-1"
        ).body?.revealText()
        #expect(body?.contains(#""id":"\#(payment.transactionId)""#) == true)
    }

    @Test("says everything that it is given")
    func full() async throws {
        let payload = GatewayFixture.payload(more: #""cardholderName":"Jane Doe","#)
        let request = try PayPal.createOrder(
            payment(payload), order: GatewayFixture.order(), accessToken: token,
            requestID: "attempt-1",
            options: with(PayPal.OrderOptions()) {
                $0.intent = .authorize
                $0.referenceID = "unit-1"
                $0.description = "Two books"
                $0.customID = "order-1001"
                $0.invoiceID = "2025-17"
                $0.emailAddress = "jane@example.com"
            },
            environment: .sandbox)
        try await GatewayFixture.expect(request, is: "paypal-payment-full")
        let nameless = GatewayFixture.payload(more: #""cardholderName":"","#)
        #expect(try self.request(nameless).body?.revealText().contains(#""name""#) == false)
    }

    @Test("says the token's own amount beside the order's")
    func zeroAmount() throws {
        let body = try request(
            GatewayFixture.payload(amount: "0"), order: GatewayFixture.zeroTakingOrder()
        ).body?.revealText()
        let amount = { (value: String) in #"amount":{"currency_code":"EUR","value":"\#(value)"}"# }
        #expect(body?.contains(#"{"\#(amount("30.00"))}]"#) == true)
        #expect(body?.contains(#""transaction_\#(amount("0.00"))"#) == true)
    }

    @Test("says EMV data in its own fields")
    func emv() async throws {
        let payload = GatewayFixture.payload(
            type: "EMV",
            authentication: #""emvData":"nyYI","encryptedPINData":"0102030405060708""#)
        try await GatewayFixture.expect(request(payload), is: "paypal-payment-emv")
    }

    @Test("makes the other steps, byte for byte")
    func followUps() async throws {
        try await GatewayFixture.expect(
            PayPal.accessToken(
                clientID: "client-example", clientSecret: GatewayFixture.secret("secret-example")),
            is: "paypal-access-token-minimal")
        let id = "5O190127TN364715T"
        try await GatewayFixture.expect(
            PayPal.getOrder(id, accessToken: token), is: "paypal-get-minimal")
        try await GatewayFixture.expect(
            PayPal.captureOrder(id, accessToken: token, requestID: "attempt-2"),
            is: "paypal-capture-minimal")
        try await GatewayFixture.expect(
            PayPal.authorizeOrder(id, accessToken: token, requestID: "attempt-2"),
            is: "paypal-authorize-minimal")
    }

    @Test("writes the expiry as year and month, the ECI verbatim or not at all")
    func expiry() throws {
        let body = try request(
            GatewayFixture.payload(
                expiry: "301109", authentication: #""onlinePaymentCryptogram":"AAEC""#)
        ).body?.revealText()
        #expect(body?.contains(#""expiry":"2030-11""#) == true)
        #expect(body?.contains("eci_indicator") == false)
        let padded = try request(
            GatewayFixture.payload(
                authentication: #""onlinePaymentCryptogram":"AAEC","eciIndicator":"05""#)
        ).body?.revealText()
        #expect(padded?.contains(#""eci_indicator":"05""#) == true)
    }

    @Test(
        "writes amounts with PayPal's decimals",
        arguments: [
            ("840", "USD", 5, "0.05"), ("392", "JPY", 3000, "3000"), ("348", "HUF", 3000, "30"),
            ("901", "TWD", 100, "1"),
        ] as [(String, String, Int64, String)]
    )
    func value(_ numeric: String, _ alphabetic: String, _ minor: Int64, _ value: String) throws {
        let body = try request(
            GatewayFixture.payload(currency: numeric, amount: "\(minor)"),
            order: GatewayFixture.order(minor, alphabetic)
        ).body?.revealText()
        let money = #"{"currency_code":"\#(alphabetic)","value":"\#(value)"}"#
        #expect(body?.contains(#"[{"amount":\#(money)}]"#) == true)
        #expect(body?.contains(#""transaction_amount":\#(money)"#) == true)
    }

    @Test("is refused for another order and for what PayPal does not take")
    func refusals() throws {
        GatewayFixture.expectOrderMismatch {
            try request(order: GatewayFixture.order(3001))
        }
        let responses =
            #""authenticationResponses":[{"merchantIdentifier":"m","authenticationData":"AAEC","#
            + #""transactionAmount":"3000"}],"#
        GatewayFixture.expectRefusal(.cryptogramMissing, "cryptogram") {
            let part = MerchantAmount(merchantIdentifier: "m", amount: 3000)
            let order = try Order(
                amount: 3000, currency: GatewayFixture.order().currency, merchants: [part])
            return try request(
                GatewayFixture.payload(more: responses, authentication: ""), order: order)
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "value") {
            try request(
                GatewayFixture.payload(currency: "348", amount: "3001"),
                order: GatewayFixture.order(3001, "HUF"))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "number") {
            try request(GatewayFixture.payload(account: "476112001000"))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "invoice_id") {
            try request(
                options: with(PayPal.OrderOptions()) {
                    $0.invoiceID = String(repeating: "x", count: 128)
                })
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "email_address") {
            try request(options: with(PayPal.OrderOptions()) { $0.emailAddress = "a@" })
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "PayPal-Request-Id") {
            try request(requestID: "")
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "PayPal-Request-Id") {
            try request(requestID: "a\r\nb")
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "accessToken") {
            try PayPal.getOrder("1", accessToken: GatewayFixture.secret("a\n"))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "id") {
            try PayPal.getOrder("", accessToken: token)
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "id") {
            try PayPal.captureOrder("..", accessToken: token, requestID: "1")
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "clientID") {
            try PayPal.accessToken(clientID: "a:b", clientSecret: token)
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "clientSecret") {
            try PayPal.accessToken(clientID: "a", clientSecret: GatewayFixture.secret(""))
        }
        #expect(
            try PayPal.getOrder("a/b?c", accessToken: token).path == "/v2/checkout/orders/a%2Fb%3Fc"
        )
    }

    private func answer(_ status: Int, _ body: String) throws -> PayPal.OrderAnswer {
        try PayPal.OrderAnswer(GatewayResponse(status: status, body: Array(body.utf8)))
    }

    private func completed(_ name: String, _ status: String) -> String {
        #"{"id":"5O1","status":"COMPLETED","purchase_units":[{"payments":{"\#(name)":[{"id":"3C6","#
            + #""status":"\#(status)","amount":{"currency_code":"EUR","value":"30.00"},"#
            + #""processor_response":{"response_code":"0000"}}]}}]}"#
    }

    @Test("reads a captured and an authorised order")
    func paid() throws {
        let captured = try answer(201, completed("captures", "COMPLETED"))
        #expect(captured.isCaptured)
        #expect(!captured.isAuthorized)
        #expect(captured.id == "5O1")
        #expect(captured.captures.first?.id == "3C6")
        #expect(captured.captures.first?.amount == "30.00")
        #expect(captured.captures.first?.currency == "EUR")
        #expect(captured.captures.first?.responseCode == "0000")
        let authorized = try answer(201, completed("authorizations", "CREATED"))
        #expect(authorized.isAuthorized)
        #expect(!authorized.isCaptured)
    }

    @Test("takes nothing else for paid, a completed order least of all")
    func notPaid() throws {
        for status in ["DECLINED", "PENDING", "FAILED"] {
            #expect(try !answer(201, completed("captures", status)).isCaptured)
        }
        #expect(try !answer(201, completed("authorizations", "DENIED")).isAuthorized)
        #expect(try !answer(201, #"{"id":"5O1","status":"COMPLETED"}"#).isCaptured)
        let declined = try answer(
            422,
            #"{"name":"UNPROCESSABLE_ENTITY","message":"m","debug_id":"d","#
                + #""details":[{"issue":"INSTRUMENT_DECLINED","description":"x"}]}"#)
        #expect(!declined.isCaptured)
        #expect(declined.errorName == "UNPROCESSABLE_ENTITY")
        #expect(declined.issues == ["INSTRUMENT_DECLINED"])
        #expect(declined.debugID == "d")
        let expired = try answer(
            401, #"{"error":"invalid_token","error_description":"Token signature failed"}"#)
        #expect(expired.errorName == "invalid_token")
        #expect(expired.message == "Token signature failed")
    }

    @Test("reads access tokens, and names what is missing from answers")
    func unreadable() throws {
        func accessToken(_ status: Int, _ body: String) throws -> PayPal.AccessTokenAnswer {
            try PayPal.AccessTokenAnswer(GatewayResponse(status: status, body: Array(body.utf8)))
        }
        let granted = try accessToken(200, #"{"access_token":"A21","expires_in":"32400"}"#)
        #expect(granted.accessToken?.revealText() == "A21")
        #expect(granted.expiresIn == 32400)
        #expect(!"\(granted)".contains("A21"))
        #expect(try accessToken(401, #"{"error":"invalid_client"}"#).error == "invalid_client")
        #expect(throws: UnreadableJSONError.self) { try accessToken(200, "{}") }
        for (body, code, field) in [
            ("", UnreadableJSONError.Code.notJSON, ""),
            (#"{"status":"COMPLETED"}"#, .missingMember, "id"),
            (#"{"id":"5O1"}"#, .missingMember, "status"),
            (
                #"{"id":"5O1","status":"COMPLETED","purchase_units":[{"payments":{"captures":[{}]}}]}"#,
                .missingMember, "id"
            ),
        ] {
            let error = #expect(throws: UnreadableJSONError.self) { try answer(201, body) }
            #expect(error?.code == code)
            #expect(error?.field == field)
        }
    }

    @Test("has an example on the gateways' page that works against the test server")
    func pageExample() async throws {
        #expect(try await GatewayExamples.withTestServer().payPal())
    }
}

extension GatewayExamples {
    func payPal() async throws -> Bool {
        let login = try PayPal.accessToken(
            clientID: "client-1", clientSecret: secret, environment: .sandbox)
        guard let accessToken = try await PayPal.AccessTokenAnswer(send(login)).accessToken
        else { return false }
        var options = PayPal.OrderOptions()
        options.invoiceID = "order-1001"
        let request = try PayPal.createOrder(
            payment, order: order, accessToken: accessToken, requestID: "attempt-1",
            options: options, environment: .sandbox)
        let answer = try await PayPal.OrderAnswer(send(request))
        return answer.isCaptured
    }
}
