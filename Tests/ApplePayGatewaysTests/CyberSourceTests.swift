import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

@Suite("CyberSource")
struct CyberSourceTests {
    /// Returns authentication data with this ECI, or without one.
    private func data(_ eci: String?, _ cryptogram: String = "AceY+igABPs3jdwNaDg3MAACAAA=")
        -> String
    {
        #""onlinePaymentCryptogram":"\#(cryptogram)""#
            + (eci.map { #","eciIndicator":"\#($0)""# } ?? "")
    }

    private func body(
        _ payload: String,
        _ order: Order? = nil,
        _ options: CyberSource.PaymentOptions = .init()
    ) throws -> String {
        let request = try CyberSource.createPayment(
            GatewayFixture.payment(payload), order: order ?? GatewayFixture.order(),
            options: options)
        #expect(!"\(request)".contains("cryptogram"))
        return request.body?.revealText() ?? ""
    }

    @Test("says a Visa payment, byte for byte")
    func minimal() async throws {
        try await GatewayFixture.expect(
            CyberSource.createPayment(GatewayFixture.payment(), order: GatewayFixture.order()),
            is: "cybersource-payment-minimal")
    }

    @Test("says everything that it is given; Mastercard's cryptogram is UCAF data")
    func full() async throws {
        let payment = try GatewayFixture.payment(
            GatewayFixture.payload(
                account: "5204240000000005", expiry: "301109", authentication: data("02")))
        let request = try CyberSource.createPayment(
            payment, order: GatewayFixture.order(),
            options: with(CyberSource.PaymentOptions()) {
                $0.code = "order-1001"
                $0.capture = true
                $0.billTo = with(CyberSource.BillTo()) {
                    $0.firstName = "Jane"
                    $0.lastName = "Doe"
                    $0.address1 = "Rue Haute 1"
                    $0.locality = "Bruxelles"
                    $0.administrativeArea = "BRU"
                    $0.postalCode = "1000"
                    $0.country = "BE"
                    $0.email = "jane@example.com"
                }
            },
            environment: .test)
        try await GatewayFixture.expect(request, is: "cybersource-payment-full")
    }

    private static let amex40 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJw=="

    @Test("splits 40 bytes of American Express into two blocks of 20")
    func americanExpress() async throws {
        let payment = try GatewayFixture.payment(
            GatewayFixture.payload(
                account: "378282246310005", authentication: data("5", Self.amex40)))
        try await GatewayFixture.expect(
            CyberSource.createPayment(payment, order: GatewayFixture.order()),
            is: "cybersource-payment-amex-40")
    }

    @Test("leaves 20 bytes of American Express whole, and has no second block")
    func shortAmericanExpress() throws {
        let body = try body(
            GatewayFixture.payload(account: "378282246310005", authentication: data(nil)))
        #expect(body.contains(#""cavv":"AceY+igABPs3jdwNaDg3MAACAAA="}"#))
        #expect(body.contains(#""type":"003""#))
    }

    @Test("refuses cryptograms of other lengths, also 40 bytes of other networks")
    func cryptogramLength() throws {
        for (account, cryptogram) in [
            ("4761120010000492", Self.amex40), ("378282246310005", "AAEC"),
        ] {
            let payment = try GatewayFixture.payment(
                GatewayFixture.payload(account: account, authentication: data("5", cryptogram)))
            GatewayFixture.expectRefusal(.unsupportedLength, "cryptogram") {
                try CyberSource.createPayment(payment, order: GatewayFixture.order())
            }
        }
    }

    @Test(
        "claims no authentication that Apple did not state",
        arguments: [
            ("4761120010000492", "5", "vbv"), ("4761120010000492", "05", "vbv"),
            ("4761120010000492", "7", "internet"), ("4761120010000492", nil, "internet"),
            ("5204240000000005", "2", "spa"), ("5204240000000005", nil, "internet"),
            ("378282246310005", "05", "aesk"), ("6011000990139424", "5", "dipb"),
            ("3530111333300000", "5", "js"), ("6212345678901265", "5", "internet"),
        ] as [(String, String?, String)]
    )
    func commerceIndicator(_ account: String, _ eci: String?, _ indicator: String) throws {
        let payload = GatewayFixture.payload(account: account, authentication: data(eci))
        #expect(try body(payload).contains(#""commerceIndicator":"\#(indicator)""#))
    }

    @Test("states the commerce indicator as the caller wants it")
    func chosenCommerceIndicator() throws {
        let payload = GatewayFixture.payload()
        let network = try body(
            payload, nil, with(CyberSource.PaymentOptions()) { $0.commerceIndicator = .network })
        #expect(network.contains(#""commerceIndicator":"vbv""#))
        let internet = try body(
            payload, nil, with(CyberSource.PaymentOptions()) { $0.commerceIndicator = .internet })
        #expect(internet.contains(#""commerceIndicator":"internet""#))
        #expect(
            try !body(
                payload, nil, with(CyberSource.PaymentOptions()) { $0.commerceIndicator = nil }
            ).contains("commerceIndicator"))
    }

    @Test("takes the type from the account number, not from the network that nobody signed")
    func signedNetwork() async throws {
        let payment = try GatewayFixture.payment(besideNetwork: "MasterCard")
        try await GatewayFixture.expect(
            CyberSource.createPayment(payment, order: GatewayFixture.order()),
            is: "cybersource-payment-minimal")
    }

    @Test("takes the type from the account number, and none for a network without one")
    func unknownNetwork() throws {
        let payload = GatewayFixture.payload(account: "2200123456789012")
        #expect(try !body(payload).contains(#""type""#))
    }

    @Test(
        "writes amounts with the currency's decimals",
        arguments: [("978", "EUR", "30.00"), ("392", "JPY", "3000"), ("414", "KWD", "3.000")]
    )
    func amount(_ numeric: String, _ alphabetic: String, _ text: String) throws {
        let body = try body(
            GatewayFixture.payload(currency: numeric), GatewayFixture.order(3000, alphabetic))
        #expect(body.contains(#"{"totalAmount":"\#(text)","currency":"\#(alphabetic)"}"#))
    }

    @Test("is refused for another order, EMV data, and texts that are too long")
    func refusals() throws {
        let payment = try GatewayFixture.payment()
        GatewayFixture.expectOrderMismatch {
            try CyberSource.createPayment(payment, order: GatewayFixture.order(3001))
        }
        let emv = try GatewayFixture.payment(
            GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#))
        GatewayFixture.expectRefusal(.cryptogramMissing, "cryptogram") {
            try CyberSource.createPayment(emv, order: GatewayFixture.order())
        }
        let long = String(repeating: "x", count: 61)
        for (field, options) in [
            ("code", with(CyberSource.PaymentOptions()) { $0.code = long }),
            ("code", with(CyberSource.PaymentOptions()) { $0.code = "" }),
            (
                "firstName",
                with(CyberSource.PaymentOptions()) {
                    $0.billTo = with(CyberSource.BillTo()) { $0.firstName = long }
                }
            ),
            (
                "country",
                with(CyberSource.PaymentOptions()) {
                    $0.billTo = with(CyberSource.BillTo()) { $0.country = "BEL" }
                }
            ),
        ] {
            GatewayFixture.expectRefusal(.unsupportedLength, field) {
                try CyberSource.createPayment(
                    payment, order: GatewayFixture.order(), options: options)
            }
        }
        let billTo = with(CyberSource.BillTo()) { $0.email = "jane@example.com" }
        #expect(!"\(billTo)".contains("jane"))
    }

    private func answer(_ status: Int, _ body: String) throws -> CyberSource.PaymentAnswer {
        try CyberSource.PaymentAnswer(GatewayResponse(status: status, body: Array(body.utf8)))
    }

    @Test("reads an authorised payment")
    func authorized() throws {
        let answer = try answer(
            201,
            #"{"id":"7359621903916966603954","status":"AUTHORIZED","orderInformation":{"amountDetails":"#
                + #"{"authorizedAmount":"10.00","currency":"USD"}},"processorInformation":"#
                + #"{"approvalCode":831000,"responseCode":"00","networkTransactionId":"016153570198200"}}"#
        )
        #expect(answer.isAuthorized)
        #expect(answer.id == "7359621903916966603954")
        #expect(answer.authorizedAmount == "10.00")
        #expect(answer.currency == "USD")
        #expect(answer.approvalCode == "831000")
        #expect(answer.responseCode == "00")
        #expect(answer.networkTransactionID == "016153570198200")
    }

    @Test("takes no other status for an authorisation, whatever HTTP says")
    func notAuthorized() throws {
        for status in ["DECLINED", "PARTIAL_AUTHORIZED", "AUTHORIZED_PENDING_REVIEW", "NEW"] {
            #expect(try !answer(201, #"{"id":"1","status":"\#(status)"}"#).isAuthorized)
        }
        let declined = try answer(
            201,
            #"{"id":"1","status":"DECLINED","errorInformation":"#
                + #"{"reason":"PROCESSOR_DECLINED","message":"Decline"}}"#)
        #expect(declined.status == .declined)
        #expect(declined.reason == "PROCESSOR_DECLINED")
        let invalid = try answer(
            400,
            #"{"status":"INVALID_REQUEST","reason":"MISSING_FIELD","message":"m","#
                + #""details":[{"field":"orderInformation.billTo.email","reason":"MISSING_FIELD"}]}"#
        )
        #expect(invalid.status == .invalidRequest)
        #expect(invalid.reason == "MISSING_FIELD")
        #expect(invalid.fields == ["orderInformation.billTo.email"])
        let unknown = try answer(401, #"{"response":{"rmsg":"Authentication Failed"}}"#)
        #expect(unknown.status == nil)
        #expect(unknown.message == "Authentication Failed")
        #expect(try !answer(400, #"{"id":"1","status":"AUTHORIZED"}"#).isAuthorized)
    }

    @Test("names what is missing from an answer")
    func unreadable() {
        for (body, code, field) in [
            ("", UnreadableJSONError.Code.notJSON, ""), ("[]", .wrongType, ""),
            (#"{"id":"1"}"#, .missingMember, "status"),
            (#"{"status":"AUTHORIZED","id":null}"#, .missingMember, "id"),
            (#"{"status":{},"id":"1"}"#, .wrongType, "status"),
        ] {
            let error = #expect(throws: UnreadableJSONError.self) { try answer(201, body) }
            #expect(error?.code == code)
            #expect(error?.field == field)
        }
    }

    // Digest and signature were computed with Python's hashlib and hmac.
    @Test("signs a request with the HTTP signature of the REST API")
    func signature() throws {
        let request = try CyberSource.createPayment(
            GatewayFixture.payment(), order: GatewayFixture.order())
        func signed(
            _ merchant: String = "merchant-1", _ key: String = "key-1",
            _ secret: String = "c2FuZGJveC1zZWNyZXQ=", _ time: Double = 1_795_336_200
        ) throws -> GatewayRequest {
            try CyberSource.authorize(
                request,
                .init(
                    merchantID: merchant, keyID: key, sharedSecret: GatewayFixture.secret(secret)),
                date: Date(timeIntervalSince1970: time))
        }
        let headers = try signed().headers.dropFirst(request.headers.count)
        #expect(
            headers.map { "\($0.name): \($0.revealValue())" } == [
                "v-c-merchant-id: merchant-1", "v-c-date: Sun, 22 Nov 2026 08:30:00 GMT",
                "Digest: SHA-256=HcJlHvu3gR5/170xal/bOFC6GLoiLRlokm+xoB1ncqo=",
                #"Signature: keyid="key-1", algorithm="HmacSHA256", "#
                    + #"headers="host v-c-date request-target digest v-c-merchant-id", "#
                    + #"signature="uGxOLJbWFjcbWKJSTnek0d7HVmr2ptR39Jg3yXHC16U=""#,
            ])
        #expect(headers.map(\.isSecret) == [false, false, false, true])
        for merchant in ["", "a b", "é"] {
            GatewayFixture.expectRefusal(
                merchant.isEmpty ? .unsupportedLength : .unsupportedCharacter, "v-c-merchant-id"
            ) { try signed(merchant) }
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "keyid") {
            try signed("merchant-1", #"a""#)
        }
        for secret in ["", "sandbox-secret", "c2FuZGJveC1zZWNyZXQ"] {
            GatewayFixture.expectRefusal(.unsupportedValue, "sharedSecret") {
                try signed("merchant-1", "key-1", secret)
            }
        }
        GatewayFixture.expectRefusal(.unsupportedValue, "v-c-date") {
            try signed("merchant-1", "key-1", "c2VjcmV0", -1)
        }
    }

    @Test("has an example on the gateways' page that works against the test server")
    func pageExample() async throws {
        #expect(try await GatewayExamples.withTestServer(secret: "c2VjcmV0").cyberSource())
    }
}

extension GatewayExamples {
    func cyberSource() async throws -> Bool {
        var billTo = CyberSource.BillTo()
        billTo.lastName = "Doe"
        billTo.country = "BE"
        var options = CyberSource.PaymentOptions()
        options.code = "order-1001"
        options.capture = true
        options.billTo = billTo
        let unsigned = try CyberSource.createPayment(
            payment, order: order, options: options, environment: .test)
        let credentials = CyberSource.Credentials(
            merchantID: "merchant-1", keyID: "key-1", sharedSecret: secret)
        let request = try CyberSource.authorize(unsigned, credentials, date: Date())
        let answer = try CyberSource.PaymentAnswer(await send(request))
        return answer.isAuthorized
    }
}
