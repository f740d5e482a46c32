import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayTokenTesting
import TestVectors
import Testing

extension WorldlineConnect: TestedGateway {
    static let referencePath = WorldlineDirect.referencePath

    mutating func move(to origin: String) { self.origin = origin }
}

extension WorldlineConnectTests: WorldlineSuite {
    static let gatewayName = "worldline-connect"
    static let platform = Worldline.Platform.connect

    static func accounts(of merchant: ExampleMerchant) -> [any TestedGateway] {
        [merchant.worldlineConnect]
    }

    static func pageAccount(_ secret: SensitiveBytes) throws -> (any TestedGateway)? {
        var gateway = WorldlineConnect(
            merchantId: "merchant-1", credentials: .init(apiKeyId: "key-1", secretAPIKey: secret),
            environment: .preproduction)
        gateway.options.authorizationMode = .sale
        return gateway
    }

    static let sandboxAccount: SandboxAccount? = SandboxAccount(name: gatewayName) {
        try SandboxAccount.worldlineConnect($0)
    }

    static let reservingAccount: SandboxAccount? = SandboxAccount(name: gatewayName) { sandbox in
        with(try SandboxAccount.worldlineConnect(sandbox)) {
            $0.options.authorizationMode = .preAuthorization
        }
    }
}

@Suite("Worldline Connect")
struct WorldlineConnectTests {
    private static func fill(_ options: inout WorldlineConnect.Options) {
        options.authorizationMode = .preAuthorization
        options.requiresApproval = true
        options.addressIndicator = "different-than-billing"
        options.tokenize = true
        options.isRecurring = true
        options.recurringPaymentSequenceIndicator = "first"
        options.skipFraudService = false
    }

    private static func page(
        _ order: Order, at gateway: WorldlineConnect = WorldlineFixture.connect(),
        _ options: Worldline.PageOptions = .init()
    ) throws -> GatewayRequest {
        try WorldlineFixture.signed(
            with(gateway) { $0.pageOptions = options }
                .page(for: order, attempt: GatewayFixture.attempt(order)))
    }

    private static func approval(_ amount: Int64? = nil) throws -> GatewayRequest {
        try WorldlineFixture.request(
            .capture, amount: amount, isFinal: true, status: "PENDING_APPROVAL",
            at: WorldlineFixture.connect(.sandbox))
    }

    static let vectors: [RequestVector] =
        [
            RequestVector("worldline-connect-payment-minimal") {
                try WorldlineFixture.connect().paymentRequest(GatewayFixture.input())
            },
            RequestVector("worldline-connect-payment-full") {
                let payment = try GatewayFixture.payment(WorldlineFixture.payload)
                return try WorldlineFixture.signed(
                    WorldlineFixture.connect(.sandbox, fill).payment(
                        GatewayFixture.accepted(payment, WorldlineFixture.fill)))
            },
            RequestVector("worldline-connect-encrypted-payment-minimal") {
                try WorldlineFixture.connect().paymentRequest(
                    GatewayFixture.input(StubTokens.whole(), GatewayFixture.order(100, "JPY")))
            },
            RequestVector("worldline-connect-encrypted-payment-full") {
                let gateway = WorldlineFixture.connect(.sandbox) {
                    fill(&$0)
                    $0.authorizationMode = .sale
                    $0.requiresApproval = false
                }
                let input = try GatewayFixture.input(StubTokens.bare(), WorldlineFixture.order())
                return try WorldlineFixture.signed(gateway.paymentRequest(input))
            },
            RequestVector("worldline-connect-payment-unscheduled") {
                let gateway = WorldlineFixture.connect {
                    $0.tokenize = true
                    $0.isFirstUnscheduled = true
                }
                return try gateway.paymentRequest(GatewayFixture.input())
            },
            RequestVector("worldline-connect-stored-card-recurring") {
                let order = try WorldlineFixture.order()
                return try WorldlineFixture.signed(
                    WorldlineFixture.connect(.sandbox, fill).payment(
                        with: WorldlineFixture.card(agreement: "123456789012345"),
                        by: .recurring, for: order, attempt: GatewayFixture.attempt(order)))
            },
            RequestVector("worldline-connect-stored-card-unscheduled") {
                let order = try GatewayFixture.order()
                return try WorldlineFixture.connect { $0.authorizationMode = .sale }
                    .cardRequest(
                        WorldlineFixture.card(), by: .unscheduled, order,
                        GatewayFixture.attempt(order))
            },
            RequestVector("worldline-connect-hosted-checkout-minimal") {
                try page(WorldlineFixture.pageOrder())
            },
            RequestVector("worldline-connect-hosted-checkout-full") {
                try page(
                    WorldlineFixture.order(), at: WorldlineFixture.connect(.preproduction),
                    WorldlineFixture.page)
            },
            RequestVector("worldline-connect-get-payment-minimal") {
                try WorldlineFixture.connect()
                    .statusRequest(ExactText(WorldlineFixture.paymentID), suffix: "")
            },
            RequestVector("worldline-connect-get-payment-full") {
                let gateway = with(WorldlineFixture.connect()) {
                    $0.origin = "https://connect.example"
                }
                return try WorldlineFixture.signed(
                    gateway.status(
                        of: GatewayFixture.attempt(paymentID: ExactText(WorldlineFixture.paymentID))
                    ))
            },
            RequestVector("worldline-connect-get-hosted-checkout-minimal") {
                try WorldlineFixture.connect().pageStatusRequest("hc-1")
            },
            RequestVector("worldline-connect-get-hosted-checkout-full") {
                let attempt = try with(GatewayFixture.attempt(GatewayFixture.order())) {
                    $0.sessionID = "hc-1"
                }
                return try WorldlineFixture.signed(
                    WorldlineFixture.connect(.sandbox).status(of: attempt))
            },
            RequestVector("worldline-connect-find-payments-minimal") {
                try WorldlineFixture.connect().searchRequest("order 1001&é")
            },
            RequestVector("worldline-connect-find-payments-full") {
                try WorldlineFixture.signed(
                    WorldlineFixture.connect(.sandbox).status(
                        of: GatewayFixture.attempt(GatewayFixture.order())))
            },
            RequestVector("worldline-connect-get-captures-minimal") {
                try WorldlineFixture.connect()
                    .statusRequest(ExactText(WorldlineFixture.paymentID), suffix: "/captures")
            },
            RequestVector("worldline-connect-get-refunds-minimal") {
                try WorldlineFixture.connect()
                    .statusRequest(ExactText(WorldlineFixture.paymentID), suffix: "/refunds")
            },
            RequestVector("worldline-connect-approve-minimal") { try approval() },
            RequestVector("worldline-connect-approve-full") { try approval(1000) },
        ]
        + WorldlineFixture.operations("worldline-connect") {
            WorldlineFixture.connect(.sandbox)
        }

    @Test("gets the whole of an encrypted token as text, with its unknown members, RSA_v1 as well")
    func encrypted() throws {
        let unknown = try StubTokens.bare { $0.dropLast() + #", "x" : [1.50] }"# }
        let body = GatewayFixture.body(
            try WorldlineFixture.connect().paymentRequest(GatewayFixture.input(unknown)))
        #expect(body.contains(#",\"x\":[1.50]}""#))
        let payment = try GatewayFixture.payment(GatewayFixture.payload(), .rsa)
        let order = try GatewayFixture.order()
        let verified = try AcceptedPayment(order, GatewayFixture.attempt(order), payment.token, nil)
        let calls = [
            try WorldlineFixture.connect().payment(verified),
            try WorldlineFixture.connect { $0.sendsEncrypted = true }
                .payment(GatewayFixture.accepted(payment)),
        ]
        for call in calls {
            let body = GatewayFixture.body(try WorldlineFixture.signed(call))
            #expect(body.contains(#"\"wrappedKey\":\""#))
            #expect(!body.contains("decryptedPaymentData"))
        }
    }

    @Test(
        "receives amounts with two decimals in every currency",
        arguments: [
            ("JPY", 100, 10000), ("EUR", 100, 100), ("KWD", 1230, 123), ("CLF", 12300, 123),
            ("EUR", 0, 0), ("KWD", 1234, nil), ("JPY", 92_233_720_368_547_759, nil),
            ("EUR", -1, nil),
        ] as [(String, Int64, Int64?)]
    )
    func amount(_ currency: String, _ minor: Int64, _ written: Int64?) throws {
        let gateway = WorldlineFixture.connect()
        let order = try GatewayFixture.order(minor, currency) { _ in }
        let attempt = try GatewayFixture.attempt(order, paymentID: "1")
        let refund = PaymentOperation(.refund, name: "refund-1")
        guard let written else {
            gateway.expectRefusal(.unsupportedAmount, "amount", of: order)
            for make in [
                { try Self.page(order) },
                { try GatewayFixture.request(refund, at: gateway, of: attempt) },
            ] { GatewayFixture.expectRefusal(.unsupportedAmount, "amount", make) }
            return
        }
        let money = #"{"amount":\#(written),"currencyCode":"\#(currency)"}"#
        #expect(try gateway.body(order).contains(money))
        #expect(GatewayFixture.body(try Self.page(order)).contains(money))
        guard minor > 0 else { return }
        let body = GatewayFixture.body(
            try GatewayFixture.request(refund, at: gateway, of: attempt))
        #expect(body == #"{"amountOfMoney":\#(money)}"#)
    }

    @Test("gets parts of captures and refunds in two decimals, and the whole of a cancellation")
    func operations() throws {
        let gateway = WorldlineFixture.connect()
        let attempt = try GatewayFixture.attempt(
            GatewayFixture.order(100, "JPY"), paymentID: "1")
        for (kind, amount, body) in [
            (.capture, 50, #"{"amount":5000}"#), (.capture, 100, "{}"),
            (.refund, 50, #"{"amountOfMoney":{"amount":5000,"currencyCode":"JPY"}}"#),
            (.cancellation, 100, ""), (.cancellation, nil, ""),
        ] as [(PaymentOperation.Kind, Int64?, String)] {
            let operation = PaymentOperation(kind, amount: amount, name: "o")
            let request = try GatewayFixture.request(operation, at: gateway, of: attempt)
            #expect(GatewayFixture.body(request) == body)
        }
        let direct = try GatewayFixture.request(
            .init(.capture, amount: 50, name: "o"), at: WorldlineFixture.direct(), of: attempt)
        #expect(GatewayFixture.body(direct) == #"{"amount":50}"#)
    }

    @Test("refuses a payment without a cryptogram, and leaves out a name of one character")
    func refusals() throws {
        GatewayFixture.expectRefusal(.unsupportedEMV, "cryptogram") {
            let emv = GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#)
            return try WorldlineFixture.connect().paymentRequest(
                GatewayFixture.input(GatewayFixture.payment(emv)))
        }
        let nameless = try WorldlineFixture.connect().paymentRequest(
            GatewayFixture.input(
                GatewayFixture.payment(GatewayFixture.payload(more: #""cardholderName":"J","#))))
        #expect(!GatewayFixture.body(nameless).contains("cardholderName"))
        GatewayFixture.expectRefusal(.unsupportedValue, "returnUrl") {
            try Self.page(with(GatewayFixture.order()) { $0.returnURL = "r" })
        }
    }

    @Test("receives the customer's reference, and Apple's ECI in the form of the options")
    func options() throws {
        let gateway = WorldlineFixture.connect { $0.eciForm = .string }
        let body = try gateway.body(GatewayFixture.order { $0.customerReference = "c" })
        #expect(body.contains(#""paymentProductId":302,"customerReference":"c","#))
        #expect(body.hasSuffix(#","eci":"7"}}}"#))
    }
}
