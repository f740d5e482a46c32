import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Testing

@Suite("Checkout.com")
struct CheckoutTests {
    private func request(
        _ payload: String = GatewayFixture.payload(),
        order: Order? = nil,
        key: String = "sk_example",
        _ options: Checkout.PaymentOptions = .init(),
        endpoint: Checkout.Endpoint = .live
    ) throws -> GatewayRequest {
        try Checkout.createPayment(
            GatewayFixture.payment(payload), order: order ?? GatewayFixture.order(),
            secretKey: GatewayFixture.secret(key), options: options, endpoint: endpoint)
    }

    @Test("says a payment, byte for byte")
    func minimal() async throws {
        let request = try request()
        try await GatewayFixture.expect(request, is: "checkout-payment-minimal")
        #expect(!"\(request)".contains("sk_example"))
        #expect(!"\(request)".contains("4761120010000492"))
    }

    @Test("says everything that it is given")
    func full() async throws {
        let request = try Checkout.createPayment(
            GatewayFixture.payment(), order: GatewayFixture.order(),
            secretKey: GatewayFixture.secret("sk_example"), keyForm: .bare,
            options: with(Checkout.PaymentOptions()) {
                $0.reference = "order-1001"
                $0.capture = false
                $0.processingChannelID = "pc_example"
                $0.expiryForm = .string
                $0.idempotencyKey = "attempt-1"
            },
            endpoint: .sandbox(subdomain: "shop1"))
        try await GatewayFixture.expect(request, is: "checkout-payment-full")
    }

    @Test(
        "writes the ECI in two digits, and invents none",
        arguments: [("7", "07"), ("07", "07"), ("5", "05"), ("05", "05"), (nil, nil)]
            as [(String?, String?)]
    )
    func eci(_ given: String?, _ written: String?) throws {
        let indicator = given.map { #","eciIndicator":"\#($0)""# } ?? ""
        let body = try request(
            GatewayFixture.payload(
                expiry: "301109",
                authentication: #""onlinePaymentCryptogram":"AAEC""# + indicator)
        ).body?.revealText()
        #expect(body?.contains(#""eci":"#) == (written != nil))
        if let written { #expect(body?.contains(#""eci":"\#(written)""#) == true) }
        #expect(body?.contains(#""expiry_month":11,"expiry_year":2030"#) == true)
    }

    @Test(
        "counts the vendor's decimals, which are not ISO 4217's for all",
        arguments: [
            ("392", "JPY", 3000, 3000), ("152", "CLP", 3000, 300_000), ("414", "KWD", 3000, 3000),
            ("990", "CLF", 3000, 30), ("978", "EUR", 999_999_999, 999_999_999),
        ] as [(String, String, Int64, Int64)]
    )
    func amount(_ numeric: String, _ alphabetic: String, _ minor: Int64, _ amount: Int64) throws {
        let body = try request(
            GatewayFixture.payload(currency: numeric, amount: "\(minor)"),
            order: GatewayFixture.order(minor, alphabetic)
        ).body?.revealText()
        #expect(body?.contains(#""amount":\#(amount),"currency":"\#(alphabetic)""#) == true)
    }

    @Test(
        "refuses amounts that the vendor does not take",
        arguments: [
            ("978", "EUR", 0), ("978", "EUR", 1_000_000_000), ("414", "KWD", 3001),
            ("990", "CLF", 3001), ("152", "CLP", 10_000_000), ("152", "CLP", Int64.max),
        ] as [(String, String, Int64)]
    )
    func refusedAmount(_ numeric: String, _ alphabetic: String, _ minor: Int64) {
        GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
            try request(
                GatewayFixture.payload(currency: numeric, amount: "\(minor)"),
                order: GatewayFixture.order(minor, alphabetic))
        }
    }

    @Test("is refused for another order, EMV data, and texts that cannot be sent")
    func refusals() throws {
        GatewayFixture.expectOrderMismatch {
            try request(order: GatewayFixture.order(3001))
        }
        GatewayFixture.expectRefusal(.cryptogramMissing, "cryptogram") {
            try request(GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "reference") {
            try request(
                with(Checkout.PaymentOptions()) { $0.reference = String(repeating: "é", count: 81) }
            )
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "processing_channel_id") {
            try request(with(Checkout.PaymentOptions()) { $0.processingChannelID = "" })
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "secretKey") { try request(key: "") }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "secretKey") {
            try request(key: "sk_example\r\nX: y")
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "Cko-Idempotency-Key") {
            try request(with(Checkout.PaymentOptions()) { $0.idempotencyKey = "a\nb" })
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "Cko-Idempotency-Key") {
            try request(with(Checkout.PaymentOptions()) { $0.idempotencyKey = "" })
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "subdomain") {
            try request(endpoint: .live(subdomain: "evil.example/"))
        }
    }

    private func request(_ options: Checkout.PaymentOptions) throws -> GatewayRequest {
        try request(GatewayFixture.payload(), options)
    }

    private func answer(_ status: Int, _ body: String) throws -> Checkout.PaymentAnswer {
        try Checkout.PaymentAnswer(GatewayResponse(status: status, body: Array(body.utf8)))
    }

    @Test("reads an approved payment, and its numbers in either form")
    func approved() throws {
        let answer = try answer(
            201,
            #"{"id":"pay_k7","amount":"100","currency":"GBP","approved":true,"status":"Authorized","#
                + #""auth_code":"000205","eci":"05","response_code":10000,"response_summary":"Approved","#
                + #""reference":"order-1001"}"#)
        #expect(answer.isApproved)
        #expect(answer.id == "pay_k7")
        #expect(answer.status == "Authorized")
        #expect(answer.amount == 100)
        #expect(answer.currency == "GBP")
        #expect(answer.responseCode == "10000")
        #expect(answer.responseSummary == "Approved")
        #expect(answer.authCode == "000205")
        #expect(answer.eci == "05")
        #expect(answer.reference == "order-1001")
    }

    @Test("takes nothing else for approved")
    func notApproved() throws {
        let declined = try answer(
            201, #"{"id":"pay_1","approved":false,"status":"Declined","response_code":"20005"}"#)
        #expect(!declined.isApproved)
        #expect(declined.responseCode == "20005")
        #expect(try !answer(201, #"{"id":"pay_1","status":"Authorized"}"#).isApproved)
        let pending = try answer(
            202,
            #"{"id":"pay_1","status":"Pending","approved":true,"_links":{"redirect":{"href":"https://a"}}}"#
        )
        #expect(!pending.isApproved)
        #expect(pending.redirectURL == "https://a")
        let invalid = try answer(
            422,
            #"{"request_id":"0HL","error_type":"request_invalid","error_codes":["token_expired"]}"#)
        #expect(!invalid.isApproved)
        #expect(invalid.requestID == "0HL")
        #expect(invalid.errorType == "request_invalid")
        #expect(invalid.errorCodes == ["token_expired"])
        let unauthorized = try answer(401, "")
        #expect(unauthorized.httpStatus == 401)
        #expect(!unauthorized.isApproved)
    }

    @Test("names what is missing from an answer")
    func unreadable() {
        for (status, body, code, field) in [
            (201, "", UnreadableJSONError.Code.notJSON, ""), (502, "<html>", .notJSON, ""),
            (201, #"{"status":"Authorized"}"#, .missingMember, "id"),
            (201, #"{"id":"pay_1"}"#, .missingMember, "status"),
            (201, #"{"id":["pay_1"],"status":"Authorized"}"#, .wrongType, "id"),
        ] {
            let error = #expect(throws: UnreadableJSONError.self) { try answer(status, body) }
            #expect(error?.code == code)
            #expect(error?.field == field)
        }
    }

    @Test("has an example on the gateways' page that works against the test server")
    func pageExample() async throws {
        #expect(try await GatewayExamples.withTestServer().checkout())
    }
}

extension GatewayExamples {
    func checkout() async throws -> Bool {
        var options = Checkout.PaymentOptions()
        options.reference = "order-1001"
        options.processingChannelID = "pc_example"
        options.idempotencyKey = "attempt-1"
        let request = try Checkout.createPayment(
            payment, order: order, secretKey: secret, options: options, endpoint: .sandbox)
        let answer = try Checkout.PaymentAnswer(await send(request))
        return answer.isApproved
    }
}
