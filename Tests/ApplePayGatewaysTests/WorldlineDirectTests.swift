import ApplePayGateways
import ApplePayGatewaysHTTP
import ApplePayGatewaysTesting
import ApplePayLedger
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@Suite("Worldline Direct")
struct WorldlineDirectTests {
    private func body(
        _ payload: String,
        _ options: WorldlineDirect.CreatePaymentOptions = .init()
    ) throws -> String {
        try WorldlineDirect.createPayment(
            GatewayFixture.payment(payload), order: GatewayFixture.order(), options: options
        ).body?.revealText() ?? ""
    }

    @Test("says an opened payment, byte for byte")
    func payment() async throws {
        let request = try WorldlineDirect.createPayment(
            GatewayFixture.payment(), order: GatewayFixture.order(),
            options: with(WorldlineDirect.CreatePaymentOptions()) {
                $0.authorizationMode = .finalAuthorization
            })
        try await GatewayFixture.expect(request, is: "worldline-direct-payment-minimal")
        #expect(!"\(request)".contains("4761120010000492"))
        let full = try WorldlineDirect.createPayment(
            GatewayFixture.payment(WorldlineFixture.payload), order: GatewayFixture.order(),
            account: WorldlineFixture.direct, options: WorldlineFixture.directOptions)
        try await GatewayFixture.expect(
            WorldlineFixture.signed(full), is: "worldline-direct-payment-full")
    }

    @Test("says a payment that repeats on a page only, the lines' amounts in both forms")
    func recurring() async throws {
        let request = with(WorldlineDirect.RecurringRequest()) {
            $0.billingAgreement = "Monthly until you end it"
            $0.managementURL = "https://shop.example/account"
            $0.paymentDescription = "Magazine"
            $0.regularBilling = with(WorldlineDirect.LineItem(amount: 999, label: "Monthly")) {
                $0.paymentTiming = "recurring"
                $0.startDate = "2026-12-21T00:00:00Z"
                $0.endDate = "2027-12-21T00:00:00Z"
                $0.intervalCount = 1
                $0.intervalUnit = .month
            }
            $0.trialBilling = with(WorldlineDirect.LineItem(amount: 100, label: "First month")) {
                $0.amountForm = .minorUnits
            }
        }
        let options = with(WorldlineDirect.CreatePaymentOptions()) {
            $0.applePay = with(WorldlineDirect.ApplePayInput()) {
                $0.tokenize = true
                $0.isRecurring = true
                $0.isFirstRecurring = true
                $0.recurringRequest = request
            }
        }
        try await GatewayFixture.expect(
            WorldlineDirect.createHostedCheckout(
                order: GatewayFixture.order(), .init(returnURL: "https://shop.example/return"),
                account: .init(merchantId: "merchant-1"), applePay: options.applePay),
            is: "worldline-direct-hosted-checkout-recurring")
        GatewayFixture.expectRefusal(.unsupportedValue, "applePayRecurringPaymentRequest") {
            try WorldlineDirect.createPayment(
                GatewayFixture.payment(), order: GatewayFixture.order(), options: options)
        }
    }

    @Test("hands data, key and hash of an encrypted token on, and nothing else of it")
    func encrypted() async throws {
        try await GatewayFixture.expect(
            WorldlineDirect.createPayment(
                StubTokens.whole(), order: GatewayFixture.order(),
                options: with(WorldlineDirect.CreatePaymentOptions()) {
                    $0.authorizationMode = .sale
                }),
            is: "worldline-direct-encrypted-payment-minimal")
        var options = WorldlineFixture.directOptions
        options.authorizationMode = .sale
        options.requiresApproval = false
        options.applePay = with(WorldlineDirect.ApplePayInput()) { $0.tokenize = true }
        let full = try WorldlineDirect.createPayment(
            StubTokens.bare(), order: GatewayFixture.order(), account: WorldlineFixture.direct,
            options: options)
        try await GatewayFixture.expect(
            WorldlineFixture.signed(full), is: "worldline-direct-encrypted-payment-full")
        let payment = try GatewayFixture.payment()
        let verified = try WorldlineDirect.createPayment(
            payment.token, order: GatewayFixture.order())
        #expect(verified.body?.revealText().contains(#""encryptedPaymentData":""#) == true)
    }

    @Test("has no place for the wrapped key of RSA_v1")
    func version() throws {
        let payment = try GatewayFixture.payment(GatewayFixture.payload(), .rsa)
        let order = try GatewayFixture.order()
        GatewayFixture.expectRefusal(.unsupportedTokenVersion, "ephemeralKey") {
            try WorldlineDirect.createPayment(payment.token, order: order)
        }
        GatewayFixture.expectRefusal(.unsupportedTokenVersion, "ephemeralKey") {
            try WorldlineDirect.createPayment(
                payment, order: order,
                options: with(WorldlineDirect.CreatePaymentOptions()) {
                    $0.includesTokenKeys = true
                })
        }
        #expect(try WorldlineDirect.createPayment(payment, order: order).body != nil)
    }

    @Test("tells the token's keys with an opened payment when that is asked for")
    func tokenKeys() throws {
        let body = try body(
            GatewayFixture.payload(),
            with(WorldlineDirect.CreatePaymentOptions()) { $0.includesTokenKeys = true })
        let keys = try #require(body.firstRange(of: #""ephemeralKey":"MFkw"#))
        let data = try #require(body.firstRange(of: #""decryptedPaymentData""#))
        #expect(keys.lowerBound < data.lowerBound && body.contains(#"","publicKeyHash":""#))
    }

    @Test("asks for a page of Worldline's, and for the state of pages and payments")
    func hostedCheckout() async throws {
        let order = try GatewayFixture.order(1000)
        try await GatewayFixture.expect(
            WorldlineDirect.createHostedCheckout(
                order: order, .init(returnURL: "https://shop.example/return")),
            is: "worldline-direct-hosted-checkout-minimal")
        let full = try WorldlineDirect.createHostedCheckout(
            order: GatewayFixture.order(), WorldlineFixture.checkout,
            account: WorldlineFixture.direct, sessionTimeout: 30, allowedPaymentAttempts: 3,
            applePay: with(WorldlineDirect.ApplePayInput()) { $0.tokenize = true })
        try await GatewayFixture.expect(
            WorldlineFixture.signed(full), is: "worldline-direct-hosted-checkout-full")
        let account = WorldlineFixture.direct
        for (name, make) in [
            ("get-payment", { try WorldlineDirect.getPayment("3066019730_1", account: $0) }),
            ("get-hosted-checkout", { try WorldlineDirect.getHostedCheckout("hc-1", account: $0) }),
        ] as [(String, (WorldlineDirect.Account) throws -> GatewayRequest)] {
            try await GatewayFixture.expect(make(.init()), is: "worldline-direct-\(name)-minimal")
            try await GatewayFixture.expect(
                WorldlineFixture.signed(make(account)), is: "worldline-direct-\(name)-full")
        }
    }

    @Test(
        "writes the ECI as a number or as Apple's string, and invents none",
        arguments: [
            ("7", "7", #""7""#), ("07", "7", #""07""#), ("05", "5", #""05""#), (nil, nil, nil),
        ] as [(String?, String?, String?)]
    )
    func eci(_ given: String?, _ number: String?, _ string: String?) throws {
        let payload = GatewayFixture.payload(
            expiry: "301109",
            authentication: #""onlinePaymentCryptogram":"AAEC""#
                + (given.map { #","eciIndicator":"\#($0)""# } ?? ""))
        for (form, written) in [(Worldline.ECIForm.number, number), (.string, string)] {
            let body = try body(
                payload, with(WorldlineDirect.CreatePaymentOptions()) { $0.eciForm = form })
            let eci = written.map { #","eci":\#($0)"# } ?? ""
            #expect(body.hasSuffix(#""cryptogram":"AAEC","expiryDate":"1130"\#(eci)}}}"#))
        }
    }

    @Test(
        "says a cardholder name of 2 to 51 characters, and leaves any other out",
        arguments: [(0, false), (1, false), (2, true), (51, true), (52, false)]
    )
    func cardholderName(_ count: Int, _ isSaid: Bool) throws {
        let payload = GatewayFixture.payload(
            more: #""cardholderName":"\#(String(repeating: "é", count: count))","#)
        #expect(try body(payload).contains("cardholderName") == isSaid)
    }

    @Test("refuses what cannot be said")
    func refusals() throws {
        let payment = try GatewayFixture.payment()
        let order = try GatewayFixture.order()
        GatewayFixture.expectOrderMismatch {
            try WorldlineDirect.createPayment(payment, order: GatewayFixture.order(3001))
        }
        GatewayFixture.expectRefusal(.cryptogramMissing, "cryptogram") {
            try WorldlineDirect.createPayment(
                GatewayFixture.payment(
                    GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#)),
                order: order)
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "merchantId") {
            try WorldlineDirect.createPayment(
                payment, order: order, account: .init(merchantId: ""))
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "paymentId") {
            try WorldlineDirect.getPayment("..")
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "X-GCS-Idempotence-Key") {
            try WorldlineDirect.createPayment(
                payment, order: order,
                options: with(WorldlineDirect.CreatePaymentOptions()) {
                    $0.idempotenceKey = "a\r\nb"
                })
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "countryCode") {
            try WorldlineDirect.createPayment(
                payment, order: order,
                options: with(WorldlineDirect.CreatePaymentOptions()) {
                    $0.customer = with(Worldline.Customer()) {
                        $0.billingAddress = with(Worldline.Address()) { $0.countryCode = "BEL" }
                    }
                })
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
            try WorldlineDirect.createPayment(payment.token, order: GatewayFixture.order(-1))
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "trialBilling") {
            try WorldlineDirect.createPayment(
                payment, order: order,
                options: with(WorldlineDirect.CreatePaymentOptions()) {
                    $0.applePay = with(WorldlineDirect.ApplePayInput()) {
                        $0.recurringRequest = with(WorldlineDirect.RecurringRequest()) {
                            $0.trialBilling = .init(amount: -1, label: "x")
                        }
                    }
                })
        }
    }

    @Test(
        "wants a return address with a scheme",
        arguments: [
            ("https://shop.example/r", true), ("shop+app-1.x:r", true), ("shop.example/r", false),
            ("/r", false), ("", false), (":r", false), ("1a:r", false), ("a b:r", false),
        ]
    )
    func returnURL(_ url: String, _ isAccepted: Bool) throws {
        let order = try GatewayFixture.order()
        guard isAccepted else {
            GatewayFixture.expectRefusal(.unsupportedValue, "returnUrl") {
                try WorldlineDirect.createHostedCheckout(order: order, .init(returnURL: url))
            }
            return
        }
        #expect(
            try WorldlineDirect.createHostedCheckout(order: order, .init(returnURL: url)).body
                != nil)
    }

    @Test("takes 1 to 10 attempts, and some time")
    func attempts() throws {
        let order = try GatewayFixture.order()
        for attempts in [0, 11] as [Int64] {
            GatewayFixture.expectRefusal(.unsupportedValue, "allowedNumberOfPaymentAttempts") {
                try WorldlineDirect.createHostedCheckout(
                    order: order, .init(returnURL: "a:b"), allowedPaymentAttempts: attempts)
            }
        }
        GatewayFixture.expectRefusal(.unsupportedValue, "sessionTimeout") {
            try WorldlineDirect.createHostedCheckout(
                order: order, .init(returnURL: "a:b"), sessionTimeout: 0)
        }
    }
}

extension GatewayExamples {
    func worldlineDirect() async throws -> PaymentOutcome {
        let accepted = try await acceptor.accept(body, order: order)  // verifies, compares, claims
        let account = WorldlineDirect.Account(merchantId: "merchant-1", environment: .preproduction)
        let request = try await accepted.prepare { payment throws(PaymentTokenError) in
            var options = WorldlineDirect.CreatePaymentOptions()
            options.authorizationMode = .sale
            options.merchantReference = "order-1001"
            options.idempotenceKey = "order-1001-1"
            let unsigned = try WorldlineDirect.createPayment(
                payment, order: order, account: account, options: options)
            let credentials = Worldline.Credentials(apiKeyId: "key-1", secretAPIKey: secret)
            return try Worldline.authorize(unsigned, credentials, date: Date())
        }
        do {
            let response = try await transport.send(request)
            try await accepted.confirm()  // the charge was sent, whatever its outcome
            return PaymentOutcome(response, order: order) {
                response throws(UnreadableJSONError) in try Worldline.PaymentAnswer(response)
            }
        } catch let error as GatewayTransportError {
            if !error.requestMayHaveReachedGateway { try await accepted.release() }
            guard let outcome = error.outcome else { throw error }
            return outcome  // unknown: the claim stays open; ask the gateway
        }
    }
}
