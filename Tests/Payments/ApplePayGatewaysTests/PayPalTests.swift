import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import Foundation
import TestVectors
import Testing

extension PayPal: TestedGateway {
    static let referencePath = ["purchase_units", "0", "reference_id"]

    mutating func move(to origin: String) { self.origin = origin }
}

extension PayPalTests: GatewaySuite {
    static let gatewayName = "paypal"
    static let keyHeader: String? = "PayPal-Request-Id"

    static func accounts(of merchant: ExampleMerchant) -> [any TestedGateway] {
        [merchant.payPal]
    }

    static func pageAccount(_ secret: SensitiveBytes) throws -> (any TestedGateway)? {
        var gateway = PayPal(
            credentials: .client(id: "client-1", secret: secret), environment: .sandbox)
        gateway.account = "shop"
        gateway.options.sendsInvoiceID = true
        return gateway
    }

    static let sandboxAccount: SandboxAccount? = SandboxAccount(name: gatewayName) { sandbox in
        with(SandboxAccount.merchant.payPal) {
            $0.credentials = .client(id: "client", secret: SandboxAccount.merchant.secret)
            $0.origin = sandbox.origin
        }
    }

    static func paymentReport(
        of vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) -> PaymentReport? {
        switch vector.step {
        case "payment": PayPal.paymentReport(response)
        case "status": PayPal.statusReport(response)
        default: nil
        }
    }

    static func identifiers(
        after step: String, _ response: GatewayResponse
    ) throws(PaymentError) -> [String: String]? {
        guard step == "login" else { return nil }
        _ = try OAuthCredentials.accessToken(response)
        return [:]
    }
}

@Suite("PayPal")
struct PayPalTests {
    private static let transactionId =
        "8b1b1dade0bfbc8f1f6677889bd36191a235ca1f26736e3b96970459545ad56e"

    private static let transactionIdOctets = stride(from: 0, to: 64, by: 2).map { offset in
        UInt8(transactionId.dropFirst(offset).prefix(2), radix: 16) ?? 0
    }

    private static func gateway(
        _ environment: PayPal.Environment = .live, _ options: PayPal.Options = .init()
    ) -> PayPal {
        let token = GatewayFixture.secret("A21-example")
        return with(PayPal(credentials: .accessToken(token), environment: environment)) {
            $0.options = options
        }
    }

    /// Returns the request for an order with its access token, as the call sends it.
    private static func request(
        _ payload: String = GatewayFixture.payload(),
        at gateway: PayPal = gateway(),
        _ order: Order? = nil
    ) throws -> GatewayRequest {
        let payment = try GatewayFixture.payment(
            payload, besideNetwork: "MasterCard", transactionId: Self.transactionIdOctets)
        let order = try order ?? GatewayFixture.order()
        return try gateway.payment(
            AcceptedPayment(order, GatewayFixture.attempt(order), payment.token, payment)
        ).request(at: .distantPast)
    }

    static let vectors = [
        RequestVector("paypal-payment-minimal") { try request() },
        RequestVector("paypal-payment-full") {
            let options = with(PayPal.Options()) {
                $0.intent = .authorize
                $0.customID = "order-1001"
                $0.sendsInvoiceID = true
            }
            let order = try with(GatewayFixture.order(reference: "unit-1")) {
                $0.description = "Two books"
                $0.customer = with(PaymentContact()) { $0.emailAddress = "jane@example.com" }
            }
            return try request(
                GatewayFixture.payload(more: #""cardholderName":"Jane Doe","#),
                at: gateway(.sandbox, options), order)
        },
        RequestVector("paypal-payment-emv") {
            try request(
                GatewayFixture.payload(
                    type: "EMV",
                    authentication: #""emvData":"nyYI","encryptedPINData":"0102030405060708""#))
        },
        RequestVector("paypal-access-token-minimal") {
            let secret = GatewayFixture.secret("secret-example")
            return try PayPal(
                credentials: .client(id: "client-example", secret: secret), environment: .live
            ).loginRequest()
        },
        RequestVector("paypal-get-minimal") {
            let attempt = try with(GatewayFixture.attempt(GatewayFixture.order())) {
                $0.paymentID = "5O190127TN364715T"
            }
            return try gateway().status(of: attempt).request(at: .distantPast)
        },
    ]

    @Test("begins with a login if the credentials are a client's")
    func login() throws {
        let client = PayPal(
            credentials: .client(
                id: "client-example", secret: GatewayFixture.secret("secret-example")),
            environment: .live)
        let attempt = try with(GatewayFixture.attempt(GatewayFixture.order())) {
            $0.paymentID = "1"
        }
        for call in [
            try client.payment(GatewayFixture.accepted()), try client.status(of: attempt),
        ] {
            #expect(
                try GatewayFixture.text(call.request(at: .distantPast))
                    == GatewayVector.request("paypal-access-token-minimal"))
            #expect(!call.canMoveMoney)
        }
    }

    @Test("gets the token's own identifier if PassKit's is missing")
    func ownIdentifier() throws {
        let payment = try GatewayFixture.payment()
        let request = try Self.gateway().paymentRequest(GatewayFixture.input(payment))
        #expect(GatewayFixture.body(request).contains(#""id":"\#(payment.transactionId)""#))
    }

    @Test("does not get an empty cardholder name")
    func emptyName() throws {
        let request = try Self.request(GatewayFixture.payload(more: #""cardholderName":"","#))
        #expect(!GatewayFixture.body(request).contains(#""name""#))
    }

    @Test("gets the token's own amount in addition to the order's")
    func zeroAmount() throws {
        let body = GatewayFixture.body(
            try Self.request(
                GatewayFixture.payload(amount: "0"), GatewayFixture.zeroTakingOrder()))
        let amount = { (value: String) in #"amount":{"currency_code":"EUR","value":"\#(value)"}"# }
        #expect(body.contains(#","\#(amount("30.00"))}]"#))
        #expect(body.contains(#""transaction_\#(amount("0.00"))"#))
    }

    @Test("receives the expiry as year and month, and the ECI as Apple wrote it")
    func expiry() throws {
        let body = GatewayFixture.body(
            try Self.request(
                GatewayFixture.payload(
                    expiry: "301109", authentication: #""onlinePaymentCryptogram":"AAEC""#)))
        #expect(body.contains(#""expiry":"2030-11""#))
        #expect(!body.contains("eci_indicator"))
        let padded = GatewayFixture.body(
            try Self.request(
                GatewayFixture.payload(
                    authentication: #""onlinePaymentCryptogram":"AAEC","eciIndicator":"05""#)))
        #expect(padded.contains(#""eci_indicator":"05""#))
    }

    @Test(
        "gets amounts above 0 with PayPal's decimals",
        arguments: [
            ("USD", 5, "0.05"), ("JPY", 3000, "3000"), ("HUF", 3000, "30"), ("TWD", 100, "1"),
            ("HUF", 3001, nil), ("TWD", 1, nil), ("USD", 0, nil), ("USD", -1, nil),
        ] as [(String, Int64, String?)]
    )
    func value(_ currency: String, _ minor: Int64, _ value: String?) throws {
        let (gateway, order) = (Self.gateway(), try GatewayFixture.order(minor, currency))
        guard let value else {
            gateway.expectRefusal(.unsupportedAmount, "value", of: order)
            return
        }
        let money = #"amount":{"currency_code":"\#(currency)","value":"\#(value)"}"#
        let body = try gateway.body(order)
        #expect(body.contains(#"[{"reference_id":"order-1001","\#(money)}]"#))
        #expect(body.contains(#""transaction_\#(money)"#))
    }

    @Test("refuses a payment without a cryptogram or the device's maker, and an encrypted token")
    func refusals() throws {
        let responses =
            #""authenticationResponses":[{"merchantIdentifier":"m","authenticationData":"AAEC","#
            + #""transactionAmount":"3000"}],"#
        let order = try Order(
            reference: "order-1001", amount: 3000, currency: GatewayFixture.order().currency,
            merchants: [MerchantAmount(merchantIdentifier: "m", amount: 3000)])
        GatewayFixture.expectRefusal(.cryptogramMissing, "cryptogram") {
            try Self.request(GatewayFixture.payload(more: responses, authentication: ""), order)
        }
        let maker = #""deviceManufacturerIdentifier":"040010030273","#
        GatewayFixture.expectRefusal(.unsupportedLength, "device_manufacturer_id") {
            try Self.request(
                GatewayFixture.payload().replacing(maker, with: ""), GatewayFixture.order())
        }
        GatewayFixture.expectRefusal(.tokenNotDecrypted, "decrypted_token") {
            try Self.gateway().paymentRequest(GatewayFixture.input(StubTokens.bare()))
        }
    }
}
