import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayTokenTesting
import TestVectors
import Testing

extension WorldlineDirect: TestedGateway {
    static let referencePath = ["order", "references", "merchantReference"]

    mutating func move(to origin: String) { self.origin = origin }
}

extension WorldlineDirectTests: WorldlineSuite {
    static let gatewayName = "worldline-direct"
    static let platform = Worldline.Platform.direct

    static func accounts(of merchant: ExampleMerchant) -> [any TestedGateway] {
        [merchant.worldlineDirect]
    }

    static func pageAccount(_ secret: SensitiveBytes) throws -> (any TestedGateway)? {
        var gateway = WorldlineDirect(
            merchantId: "merchant-1", credentials: .init(apiKeyId: "key-1", secretAPIKey: secret),
            environment: .preproduction)
        gateway.options.authorizationMode = .sale
        gateway.webhookKeys = ["webhook-key-1": secret]
        return gateway
    }

    static let sandboxAccount: SandboxAccount? = SandboxAccount(name: gatewayName) {
        try SandboxAccount.worldlineDirect($0)
    }

    static let reservingAccount: SandboxAccount? = SandboxAccount(name: gatewayName) { sandbox in
        with(try SandboxAccount.worldlineDirect(sandbox)) {
            $0.options.authorizationMode = .preAuthorization
        }
    }
}

@Suite("Worldline Direct")
struct WorldlineDirectTests {
    private static func fill(_ options: inout WorldlineDirect.Options) {
        options.authorizationMode = .preAuthorization
        options.requiresApproval = true
        options.addressIndicator = "different-than-billing"
        options.applePay = with(WorldlineDirect.ApplePayInput()) {
            $0.tokenize = false
            $0.isRecurring = false
        }
    }

    private static let recurring = with(WorldlineDirect.ApplePayInput()) {
        $0.tokenize = true
        $0.isRecurring = true
        $0.isFirstRecurring = true
        $0.recurringRequest = with(WorldlineDirect.RecurringRequest()) {
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
    }

    private static func page(
        _ order: Order,
        at gateway: WorldlineDirect = WorldlineFixture.direct(),
        _ options: Worldline.PageOptions = .init(),
        timeout: Int64? = nil,
        attempts: Int64? = nil,
        applePay: WorldlineDirect.ApplePayInput? = nil
    ) throws -> GatewayRequest {
        let gateway = with(gateway) {
            $0.pageOptions = options
            $0.pageOptions.sessionTimeout = timeout
            $0.pageOptions.allowedPaymentAttempts = attempts
            $0.pageOptions.applePay = applePay
        }
        return try WorldlineFixture.signed(
            gateway.page(for: order, attempt: GatewayFixture.attempt(order)))
    }

    private static func body(
        _ payload: String, _ options: (inout WorldlineDirect.Options) -> Void = { _ in }
    ) throws -> String {
        let input = try GatewayFixture.input(GatewayFixture.payment(payload))
        return GatewayFixture.body(
            try WorldlineFixture.direct(.live, options).paymentRequest(input))
    }

    static let vectors: [RequestVector] =
        [
            RequestVector("worldline-direct-payment-minimal") {
                try WorldlineFixture.direct { $0.authorizationMode = .finalAuthorization }
                    .paymentRequest(GatewayFixture.input())
            },
            RequestVector("worldline-direct-payment-full") {
                let payment = try GatewayFixture.payment(WorldlineFixture.payload)
                return try WorldlineFixture.signed(
                    WorldlineFixture.direct(.preproduction, fill).payment(
                        GatewayFixture.accepted(payment, WorldlineFixture.fill)))
            },
            RequestVector("worldline-direct-encrypted-payment-minimal") {
                try WorldlineFixture.direct { $0.authorizationMode = .sale }
                    .paymentRequest(GatewayFixture.input(StubTokens.whole()))
            },
            RequestVector("worldline-direct-encrypted-payment-full") {
                let gateway = WorldlineFixture.direct(.preproduction) {
                    fill(&$0)
                    $0.authorizationMode = .sale
                    $0.requiresApproval = false
                    $0.applePay = with(WorldlineDirect.ApplePayInput()) { $0.tokenize = true }
                }
                let input = try GatewayFixture.input(StubTokens.bare(), WorldlineFixture.order())
                return try WorldlineFixture.signed(gateway.paymentRequest(input))
            },
            RequestVector("worldline-direct-stored-card-recurring") {
                let order = try GatewayFixture.order()
                return try WorldlineFixture.direct { $0.authorizationMode = .sale }
                    .cardRequest(
                        WorldlineFixture.card(), by: .recurring, order,
                        GatewayFixture.attempt(order))
            },
            RequestVector("worldline-direct-stored-card-unscheduled") {
                let order = try WorldlineFixture.order()
                return try WorldlineFixture.signed(
                    WorldlineFixture.direct(.preproduction, fill).payment(
                        with: WorldlineFixture.card(agreement: "123456789012345"),
                        by: .unscheduled, for: order, attempt: GatewayFixture.attempt(order)))
            },
            RequestVector("worldline-direct-hosted-checkout-minimal") {
                try page(WorldlineFixture.pageOrder())
            },
            RequestVector("worldline-direct-hosted-checkout-full") {
                try page(
                    WorldlineFixture.order(), at: WorldlineFixture.direct(.preproduction),
                    WorldlineFixture.page, timeout: 30, attempts: 3,
                    applePay: with(.init()) { $0.tokenize = true })
            },
            RequestVector("worldline-direct-hosted-checkout-recurring") {
                try page(WorldlineFixture.pageOrder(3000), applePay: recurring)
            },
            RequestVector("worldline-direct-get-payment-minimal") {
                try WorldlineFixture.direct()
                    .statusRequest(ExactText(WorldlineFixture.paymentID), suffix: "")
            },
            RequestVector("worldline-direct-get-payment-full") {
                try WorldlineFixture.signed(
                    WorldlineFixture.direct(.preproduction)
                        .statusRequest(ExactText(WorldlineFixture.paymentID), suffix: ""))
            },
            RequestVector("worldline-direct-get-payment-details-minimal") {
                try WorldlineFixture.direct(.preproduction)
                    .statusRequest(ExactText(WorldlineFixture.paymentID), suffix: "/details")
            },
            RequestVector("worldline-direct-get-hosted-checkout-minimal") {
                try WorldlineFixture.direct().pageStatusRequest("hc-1")
            },
            RequestVector("worldline-direct-get-hosted-checkout-full") {
                let attempt = try with(GatewayFixture.attempt(GatewayFixture.order())) {
                    $0.sessionID = "hc-1"
                }
                return try WorldlineFixture.signed(
                    WorldlineFixture.direct(.preproduction).status(of: attempt))
            },
            RequestVector("worldline-direct-cancel-full") {
                try WorldlineFixture.request(
                    .cancellation, amount: 1000, at: WorldlineFixture.direct(.preproduction))
            },
        ]
        + WorldlineFixture.operations("worldline-direct") {
            WorldlineFixture.direct(.preproduction)
        }

    @Test("receives recurring payments on a page, and refuses them in a payment")
    func recurringPayments() {
        GatewayFixture.expectRefusal(.unsupportedValue, "applePayRecurringPaymentRequest") {
            try WorldlineFixture.direct { $0.applePay = Self.recurring }
                .paymentRequest(GatewayFixture.input())
        }
    }

    @Test("receives the encrypted token if it was only verified, or if the options request it")
    func encrypted() throws {
        let payment = try GatewayFixture.payment()
        let order = try GatewayFixture.order()
        let verified = try AcceptedPayment(order, GatewayFixture.attempt(order), payment.token, nil)
        let plain = WorldlineFixture.direct()
        let calls = [
            try plain.payment(verified),
            try WorldlineFixture.direct { $0.sendsEncrypted = true }
                .payment(GatewayFixture.accepted(payment)),
        ]
        for call in calls {
            let body = GatewayFixture.body(try WorldlineFixture.signed(call))
            #expect(body.contains(#""encryptedPaymentData":""#))
            #expect(!body.contains("decryptedPaymentData"))
        }
    }

    @Test("has no member for the wrapped key of RSA_v1")
    func version() throws {
        let payment = try GatewayFixture.payment(GatewayFixture.payload(), .rsa)
        let input = try GatewayFixture.input(payment)
        for change in [{ $0.sendsEncrypted = true }, { $0.includesTokenKeys = true }]
            as [(inout WorldlineDirect.Options) -> Void]
        {
            GatewayFixture.expectRefusal(.unsupportedTokenVersion, "ephemeralKey") {
                try WorldlineFixture.direct(.live, change).paymentRequest(input)
            }
        }
        #expect(try WorldlineFixture.direct().paymentRequest(input).body != nil)
    }

    @Test("receives the token's keys with a decrypted payment if the options request it")
    func tokenKeys() throws {
        let body = try Self.body(GatewayFixture.payload()) { $0.includesTokenKeys = true }
        let keys = try #require(body.firstRange(of: #""ephemeralKey":"MFkw"#))
        let data = try #require(body.firstRange(of: #""decryptedPaymentData""#))
        #expect(keys.lowerBound < data.lowerBound && body.contains(#"","publicKeyHash":""#))
    }

    @Test(
        "receives the ECI as a number or as Apple's string, and no ECI if Apple gave none",
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
            let body = try Self.body(payload) { $0.eciForm = form }
            let eci = written.map { #","eci":\#($0)"# } ?? ""
            #expect(body.hasSuffix(#""cryptogram":"AAEC","expiryDate":"1130"\#(eci)}}}"#))
        }
    }

    @Test(
        "receives a cardholder name of 2 to 51 characters; others are left out",
        arguments: [(0, false), (1, false), (2, true), (51, true), (52, false)]
    )
    func cardholderName(_ count: Int, _ isSent: Bool) throws {
        let payload = GatewayFixture.payload(
            more: #""cardholderName":"\#(String(repeating: "é", count: count))","#)
        #expect(try Self.body(payload).contains("cardholderName") == isSent)
    }

    @Test("receives amounts in minor units, and negative ones are refused")
    func amounts() throws {
        let gateway = WorldlineFixture.direct()
        for (amount, currency) in [(0, "EUR"), (100, "JPY"), (.max, "KWD")] as [(Int64, String)] {
            let body = try gateway.body(GatewayFixture.order(amount, currency))
            #expect(body.contains(#"{"amount":\#(amount),"currencyCode":"\#(currency)"}"#))
        }
        gateway.expectRefusal(
            .unsupportedAmount, "amount", of: try GatewayFixture.order(-1))
    }

    @Test(
        "creates a page only if the return address has a scheme",
        arguments: [
            ("https://shop.example/r", true), ("shop+app-1.x:r", true), ("shop.example/r", false),
            ("/r", false), ("", false), (":r", false), ("1a:r", false), ("a b:r", false),
        ]
    )
    func returnURL(_ url: String, _ isAccepted: Bool) throws {
        let order = try with(GatewayFixture.order()) { $0.returnURL = url }
        guard isAccepted else {
            GatewayFixture.expectRefusal(.unsupportedValue, "returnUrl") { try Self.page(order) }
            return
        }
        #expect(GatewayFixture.body(try Self.page(order)).contains(#""returnUrl":"\#(url)""#))
    }

    @Test("refuses pages without a return address or with lines, times or attempts out of range")
    func pages() throws {
        let order = try WorldlineFixture.pageOrder()
        func request(
            _ regular: Int64? = nil, _ trial: Int64? = nil, timeout: Int64? = nil,
            attempts: Int64? = nil
        ) throws -> GatewayRequest {
            let lines = with(WorldlineDirect.RecurringRequest()) {
                $0.regularBilling = regular.map { .init(amount: $0, label: "r") }
                $0.trialBilling = trial.map { .init(amount: $0, label: "t") }
            }
            return try Self.page(
                order, timeout: timeout, attempts: attempts,
                applePay: with(.init()) { $0.recurringRequest = lines })
        }
        GatewayFixture.expectRefusal(.unsupportedValue, "returnUrl") {
            try Self.page(GatewayFixture.order())
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
            try Self.page(WorldlineFixture.pageOrder(-1))
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "regularBilling") { try request(-1, 1) }
        GatewayFixture.expectRefusal(.unsupportedAmount, "trialBilling") { try request(1, -1) }
        for timeout in [0, -1] as [Int64] {
            GatewayFixture.expectRefusal(.unsupportedValue, "sessionTimeout") {
                try request(timeout: timeout)
            }
        }
        for attempts in [0, 11] as [Int64] {
            GatewayFixture.expectRefusal(.unsupportedValue, "allowedNumberOfPaymentAttempts") {
                try request(attempts: attempts)
            }
        }
        let body = GatewayFixture.body(try request(0, 0, timeout: 1, attempts: 10))
        #expect(body.contains(#""sessionTimeout":1,"allowedNumberOfPaymentAttempts":10}"#))
        #expect(
            body.contains(
                #""regularBilling":{"amount":"0.00","label":"r"},"#
                    + #""trialBilling":{"amount":"0.00","label":"t"}"#))
        #expect(try request(attempts: 1).body != nil)
        let free = GatewayFixture.body(try Self.page(WorldlineFixture.pageOrder(0)))
        #expect(free.contains(#""amount":0,"#))
    }

    @Test("refuses a payment without a cryptogram")
    func refusals() {
        GatewayFixture.expectRefusal(.unsupportedEMV, "cryptogram") {
            let emv = GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#)
            return try WorldlineFixture.direct().paymentRequest(
                GatewayFixture.input(GatewayFixture.payment(emv)))
        }
    }
}
