import ApplePayGateways
import ApplePayGatewaysHTTP
import ApplePayGatewaysTesting
import ApplePayLedger
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@Suite("Worldline Connect")
struct WorldlineConnectTests {
    @Test("says an opened payment, byte for byte")
    func payment() async throws {
        let request = try WorldlineConnect.createPayment(
            GatewayFixture.payment(), order: GatewayFixture.order())
        try await GatewayFixture.expect(request, is: "worldline-connect-payment-minimal")
        #expect(!"\(request)".contains("4761120010000492"))
        let full = try WorldlineConnect.createPayment(
            GatewayFixture.payment(WorldlineFixture.payload), order: GatewayFixture.order(),
            account: WorldlineFixture.connect, options: WorldlineFixture.connectOptions)
        try await GatewayFixture.expect(
            WorldlineFixture.signed(full), is: "worldline-connect-payment-full")
    }

    @Test("hands the whole of an encrypted token on as text, unknown members kept")
    func encrypted() async throws {
        try await GatewayFixture.expect(
            WorldlineConnect.createPayment(
                StubTokens.whole(), order: GatewayFixture.order(100, "JPY")),
            is: "worldline-connect-encrypted-payment-minimal")
        var options = WorldlineFixture.connectOptions
        options.authorizationMode = .sale
        options.requiresApproval = false
        let full = try WorldlineConnect.createPayment(
            StubTokens.bare(), order: GatewayFixture.order(), account: WorldlineFixture.connect,
            options: options)
        try await GatewayFixture.expect(
            WorldlineFixture.signed(full), is: "worldline-connect-encrypted-payment-full")
        let unknown = try StubTokens.bare { $0.dropLast() + #", "x" : [1.50] }"# }
        let body = try WorldlineConnect.createPayment(unknown, order: GatewayFixture.order())
            .body?.revealText()
        #expect(body?.contains(#",\"x\":[1.50]}""#) == true)
    }

    @Test("takes RSA_v1 as well, and an opened payment's own token")
    func version() throws {
        let payment = try GatewayFixture.payment(GatewayFixture.payload(), .rsa)
        let body = try WorldlineConnect.createPayment(
            payment.token, order: GatewayFixture.order()
        ).body?.revealText()
        #expect(body?.contains(#"\"wrappedKey\":\""#) == true)
    }

    @Test("asks for a page of Worldline's, and for the state of pages and payments")
    func hostedCheckout() async throws {
        try await GatewayFixture.expect(
            WorldlineConnect.createHostedCheckout(
                order: GatewayFixture.order(1000),
                .init(returnURL: "https://shop.example/return")),
            is: "worldline-connect-hosted-checkout-minimal")
        let full = try WorldlineConnect.createHostedCheckout(
            order: GatewayFixture.order(), WorldlineFixture.checkout,
            account: .init(merchantId: "merchant-1", environment: .preproduction))
        try await GatewayFixture.expect(
            WorldlineFixture.signed(full), is: "worldline-connect-hosted-checkout-full")
        let other = WorldlineConnect.Account(
            merchantId: "merchant-1", environment: .origin("https://connect.example"))
        try await GatewayFixture.expect(
            WorldlineConnect.getPayment("3066019730_1"),
            is: "worldline-connect-get-payment-minimal")
        try await GatewayFixture.expect(
            WorldlineFixture.signed(
                WorldlineConnect.getPayment("3066019730_1", account: other)),
            is: "worldline-connect-get-payment-full")
        try await GatewayFixture.expect(
            WorldlineConnect.getHostedCheckout("hc-1"),
            is: "worldline-connect-get-hosted-checkout-minimal")
        try await GatewayFixture.expect(
            WorldlineFixture.signed(
                WorldlineConnect.getHostedCheckout("hc-1", account: WorldlineFixture.connect)),
            is: "worldline-connect-get-hosted-checkout-full")
    }

    @Test(
        "counts two decimals in every currency",
        arguments: [
            ("392", "JPY", 100, 10000), ("978", "EUR", 100, 100), ("414", "KWD", 1230, 123),
            ("990", "CLF", 12300, 123), ("414", "KWD", 1234, nil),
            ("392", "JPY", 92_233_720_368_547_759, nil),
        ] as [(String, String, Int64, Int64?)]
    )
    func amount(
        _ numeric: String,
        _ alphabetic: String,
        _ minor: Int64,
        _ written: Int64?
    ) throws {
        let order = try GatewayFixture.order(minor, alphabetic)
        let payment = try GatewayFixture.payment(
            GatewayFixture.payload(currency: numeric, amount: "\(minor)"))
        guard let written else {
            GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
                try WorldlineConnect.createPayment(payment, order: order)
            }
            return
        }
        let body = try WorldlineConnect.createPayment(payment, order: order).body?.revealText()
        #expect(
            body?.contains(#"{"amount":\#(written),"currencyCode":"\#(alphabetic)"}"#) == true)
    }

    @Test(
        "refuses longer names and addresses than it takes, in the customer and the destination",
        arguments: [
            ("firstName", 15), ("surname", 70), ("street", 50), ("additionalInfo", 50),
            ("state", 35),
        ]
    )
    func lengths(_ name: String, _ limit: Int) throws {
        let payment = try GatewayFixture.payment()
        for isShipping in [false, true] {
            func request(_ count: Int) throws -> GatewayRequest {
                let text = String(repeating: "é", count: count)
                let address = with(Worldline.Address()) {
                    $0.street = name == "street" ? text : nil
                    $0.additionalInfo = name == "additionalInfo" ? text : nil
                    $0.state = name == "state" ? text : nil
                }
                let names = (name == "firstName" ? text : nil, name == "surname" ? text : nil)
                let options: WorldlineConnect.CreatePaymentOptions =
                    isShipping
                    ? with(WorldlineConnect.CreatePaymentOptions()) {
                        $0.shipping = with(Worldline.Shipping()) {
                            $0.firstName = names.0
                            $0.surname = names.1
                            $0.address = address
                        }
                    }
                    : with(WorldlineConnect.CreatePaymentOptions()) {
                        $0.customer = with(Worldline.Customer()) {
                            $0.firstName = names.0
                            $0.surname = names.1
                            $0.billingAddress = address
                        }
                    }
                return try WorldlineConnect.createPayment(
                    payment, order: GatewayFixture.order(), options: options)
            }
            #expect(try request(limit).body != nil)
            GatewayFixture.expectRefusal(.unsupportedLength, name) { try request(limit + 1) }
        }
    }

    @Test("refuses what cannot be said")
    func refusals() throws {
        let payment = try GatewayFixture.payment()
        let order = try GatewayFixture.order()
        GatewayFixture.expectOrderMismatch {
            try WorldlineConnect.createPayment(payment, order: GatewayFixture.order(3000, "USD"))
        }
        GatewayFixture.expectRefusal(.cryptogramMissing, "cryptogram") {
            try WorldlineConnect.createPayment(
                GatewayFixture.payment(
                    GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#)),
                order: order)
        }
        let nameless = try WorldlineConnect.createPayment(
            GatewayFixture.payment(
                GatewayFixture.payload(more: #""cardholderName":"J","#)), order: order)
        #expect(nameless.body?.revealText().contains("cardholderName") == false)
        GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
            try WorldlineConnect.createPayment(payment.token, order: GatewayFixture.order(-1))
        }
        GatewayFixture.expectRefusal(.unsupportedValue, "returnUrl") {
            try WorldlineConnect.createHostedCheckout(order: order, .init(returnURL: "r"))
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "hostedCheckoutId") {
            try WorldlineConnect.getHostedCheckout(".")
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "paymentId") {
            try WorldlineConnect.getPayment("")
        }
    }
}

extension GatewayExamples {
    func worldlineConnect() async throws -> PaymentOutcome {
        let accepted = try await acceptor.accept(body, order: order)  // verifies, compares, claims
        let account = WorldlineConnect.Account(merchantId: "merchant-1", environment: .sandbox)
        let request = try await accepted.prepare { payment throws(PaymentTokenError) in
            var options = WorldlineConnect.CreatePaymentOptions()
            options.authorizationMode = .sale
            options.idempotenceKey = "order-1001-1"
            let unsigned = try WorldlineConnect.createPayment(  // or payment.token
                payment, order: order, account: account, options: options)
            let credentials = Worldline.Credentials(apiKeyId: "key-1", secretAPIKey: secret)
            return try Worldline.authorize(unsigned, credentials, date: Date())
        }
        do {
            let response = try await transport.send(request)
            try await accepted.confirm()  // the charge was sent, whatever its outcome
            return PaymentOutcome(response, order: order) { response throws(UnreadableJSONError) in
                try Worldline.PaymentAnswer(response, of: WorldlineConnect.self)
            }
        } catch let error as GatewayTransportError {
            if !error.requestMayHaveReachedGateway { try await accepted.release() }
            guard let outcome = error.outcome else { throw error }
            return outcome  // unknown: the claim stays open; ask the gateway
        }
    }
}
