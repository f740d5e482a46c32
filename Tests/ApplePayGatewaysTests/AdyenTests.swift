import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Testing

@Suite("Adyen")
struct AdyenTests {
    private func request(
        _ payload: String = GatewayFixture.payload(),
        order: Order? = nil,
        account: String = "ShopECOM",
        reference: String = "order-1001",
        key: String = "key-example",
        options: Adyen.PaymentOptions = .init(),
        endpoint: Adyen.Endpoint = .test
    ) throws -> GatewayRequest {
        try Adyen.createPayment(
            GatewayFixture.payment(payload), order: order ?? GatewayFixture.order(),
            merchantAccount: account, reference: reference, apiKey: GatewayFixture.secret(key),
            options: options, endpoint: endpoint)
    }

    private func body(
        _ payload: String,
        order: Order? = nil,
        options: Adyen.PaymentOptions = .init()
    ) throws -> String {
        try request(payload, order: order, options: options).body?.revealText() ?? ""
    }

    @Test("says a payment, byte for byte")
    func minimal() async throws {
        let request = try request()
        try await GatewayFixture.expect(request, is: "adyen-payment-minimal")
        #expect(!"\(request)".contains("key-example"))
    }

    @Test("says everything that it is given, with the network and the other cryptogram field")
    func full() async throws {
        let payload = GatewayFixture.payload(
            account: "5204240000000005", more: #""cardholderName":"Jane Doe","#,
            authentication:
                #""onlinePaymentCryptogram":"jiSRYgf6G2rjYwAAC0GPAHQAAAA=","eciIndicator":"2""#)
        let request = try request(
            payload,
            options: with(Adyen.PaymentOptions()) {
                $0.brand = .network
                $0.cryptogramField = .tokenAuthenticationVerificationValue
                $0.shopperReference = "customer-7"
                $0.returnURL = "https://shop.example/return"
                $0.idempotencyKey = "attempt-1"
            },
            endpoint: .live(prefix: "1797a841fbb37ca7-Shop"))
        try await GatewayFixture.expect(request, is: "adyen-payment-full")
        let nameless = GatewayFixture.payload(more: #""cardholderName":"","#)
        #expect(try !body(nameless).contains("holderName"))
    }

    @Test(
        "names the network by the account number's range",
        arguments: [
            ("4761120010000492", "visa"), ("378282246310005", "amex"),
            ("36006666333344", "diners"), ("6011000990139424", "discover"),
            ("3530111333300000", "jcb"), ("5000550000000029", "maestro"),
            ("6212345678901265", "cup"), ("2200123456789012", nil),
        ] as [(String, String?)]
    )
    func brand(_ account: String, _ brand: String?) throws {
        let payload = GatewayFixture.payload(account: account)
        let network = try body(
            payload, options: with(Adyen.PaymentOptions()) { $0.brand = .network })
        #expect(network.contains(#""brand":"#) == (brand != nil))
        if let brand { #expect(network.contains(#""brand":"\#(brand)""#)) }
        #expect(try body(payload).contains(#""brand":"applepay""#))
        #expect(
            try !body(
                payload, options: with(Adyen.PaymentOptions()) { $0.brand = nil }
            ).contains("brand"))
    }

    @Test("believes no network that nobody signed")
    func signedNetwork() throws {
        let payment = try GatewayFixture.payment(besideNetwork: "MasterCard")
        let request = try Adyen.createPayment(
            payment, order: GatewayFixture.order(), merchantAccount: "ShopECOM", reference: "1",
            apiKey: GatewayFixture.secret("key-example"),
            options: with(Adyen.PaymentOptions()) { $0.brand = .network },
            endpoint: .test)
        #expect(request.body?.revealText().contains(#""brand":"visa""#) == true)
    }

    @Test("takes 19 bytes of cryptogram, and invents no ECI")
    func mastercard() throws {
        let body = try body(
            GatewayFixture.payload(
                expiry: "301109",
                authentication: #""onlinePaymentCryptogram":"AAECAwQFBgcICQoLDA0ODxAREg==""#))
        #expect(body.contains(#""cavv":"AAECAwQFBgcICQoLDA0ODxAREg=="}"#))
        #expect(!body.contains("eci"))
        #expect(body.contains(#""expiryMonth":"11","expiryYear":"2030""#))
    }

    @Test(
        "counts Adyen's decimals, which are not ISO 4217's for all",
        arguments: [
            ("352", "ISK", 3000, 300_000), ("152", "CLP", 3000, 300_000), ("360", "IDR", 3000, 30),
            ("132", "CVE", 3000, 30), ("392", "JPY", 3000, 3000), ("414", "KWD", 3001, 3001),
        ] as [(String, String, Int64, Int64)]
    )
    func value(_ numeric: String, _ alphabetic: String, _ minor: Int64, _ value: Int64) throws {
        let body = try body(
            GatewayFixture.payload(currency: numeric, amount: "\(minor)"),
            order: GatewayFixture.order(minor, alphabetic))
        #expect(body.contains(#"{"currency":"\#(alphabetic)","value":\#(value)}"#))
    }

    @Test("is refused for another order, EMV data, and what Adyen does not take")
    func refusals() throws {
        GatewayFixture.expectOrderMismatch {
            try request(order: GatewayFixture.order(3001))
        }
        GatewayFixture.expectRefusal(.cryptogramMissing, "cavv") {
            try request(GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "cavv") {
            try request(
                GatewayFixture.payload(authentication: #""onlinePaymentCryptogram":"AAEC""#))
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "value") {
            try request(
                GatewayFixture.payload(currency: "360", amount: "3001"),
                order: GatewayFixture.order(3001, "IDR"))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "merchantAccount") {
            try request(account: "")
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "reference") {
            try request(reference: String(repeating: "x", count: 81))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "shopperReference") {
            try request(options: with(Adyen.PaymentOptions()) { $0.shopperReference = "ab" })
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "prefix") {
            try request(endpoint: .live(prefix: "a.b"))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "prefix") {
            try request(endpoint: .live(prefix: ""))
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "apiKey") { try request(key: "a b") }
        GatewayFixture.expectRefusal(.unsupportedLength, "Idempotency-Key") {
            try request(
                options: with(Adyen.PaymentOptions()) {
                    $0.idempotencyKey = String(repeating: "x", count: 65)
                })
        }
    }

    private func answer(_ status: Int, _ body: String) throws -> Adyen.PaymentAnswer {
        try Adyen.PaymentAnswer(GatewayResponse(status: status, body: Array(body.utf8)))
    }

    @Test("reads an authorised payment")
    func authorised() throws {
        let answer = try answer(
            200,
            #"{"pspReference":"993617895204576J","resultCode":"Authorised","#
                + #""amount":{"currency":"EUR","value":3000},"merchantReference":"order-1001"}"#)
        #expect(answer.isAuthorised)
        #expect(answer.pspReference == "993617895204576J")
        #expect(answer.amount == 3000)
        #expect(answer.currency == "EUR")
        #expect(answer.merchantReference == "order-1001")
    }

    @Test("takes nothing else for authorised")
    func notAuthorised() throws {
        let refused = try answer(
            200, #"{"resultCode":"Refused","refusalReason":"Refused","refusalReasonCode":2}"#)
        #expect(!refused.isAuthorised)
        #expect(refused.resultCode == .refused)
        #expect(refused.refusalReasonCode == "2")
        #expect(refused.refusalReason == "Refused")
        for code in ["Pending", "Received", "RedirectShopper", "authorised"] {
            #expect(try !answer(200, #"{"resultCode":"\#(code)"}"#).isAuthorised)
        }
        #expect(try !answer(202, #"{"resultCode":"Authorised"}"#).isAuthorised)
        let error = try answer(
            422,
            #"{"status":422,"errorCode":"167","message":"m","errorType":"validation","pspReference":"8"}"#
        )
        #expect(!error.isAuthorised)
        #expect(error.resultCode == nil)
        #expect(error.errorCode == "167")
        #expect(error.errorType == "validation")
        #expect(error.message == "m")
        #expect(error.pspReference == "8")
    }

    @Test("names what is missing from an answer")
    func unreadable() {
        for (body, code, field) in [
            ("", UnreadableJSONError.Code.notJSON, ""), ("7", .wrongType, ""),
            ("{}", .missingMember, "resultCode"),
            (#"{"resultCode":true}"#, .wrongType, "resultCode"),
        ] {
            let error = #expect(throws: UnreadableJSONError.self) { try answer(200, body) }
            #expect(error?.code == code)
            #expect(error?.field == field)
        }
    }

    @Test("has an example on the gateways' page that works against the test server")
    func pageExample() async throws {
        #expect(try await GatewayExamples.withTestServer().adyen())
    }
}

extension GatewayExamples {
    func adyen() async throws -> Bool {
        var options = Adyen.PaymentOptions()
        options.brand = .network  // or .applePay
        options.idempotencyKey = "attempt-1"
        let request = try Adyen.createPayment(
            payment, order: order, merchantAccount: "Shop", reference: "order-1001", apiKey: secret,
            options: options, endpoint: .test)
        let answer = try Adyen.PaymentAnswer(await send(request))
        return answer.isAuthorised
    }
}
