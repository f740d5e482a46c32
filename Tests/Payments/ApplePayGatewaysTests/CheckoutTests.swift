import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import TestVectors
import Testing

extension Checkout: TestedGateway {
    static let referencePath = ["reference"]

    mutating func move(to origin: String) { self.origin = origin }
}

extension CheckoutTests: GatewaySuite {
    static let gatewayName = "checkout"
    static let keyHeader: String? = "Cko-Idempotency-Key"

    static func accounts(of merchant: ExampleMerchant) throws -> [any TestedGateway] {
        [try merchant.checkout()]
    }

    static func pageAccount(_ secret: SensitiveBytes) throws -> (any TestedGateway)? {
        var gateway = try Checkout(secretKey: secret, environment: .sandbox, subdomain: "1a2b3c4d")
        gateway.account = "shop"
        gateway.options.processingChannelID = "pc_example"
        return gateway
    }

    static let sandboxAccount: SandboxAccount? = SandboxAccount(name: gatewayName) { sandbox in
        with(try SandboxAccount.merchant.checkout()) { $0.origin = sandbox.origin }
    }

    static func paymentReport(
        of vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) -> PaymentReport? {
        switch vector.step {
        case "payment":
            Checkout.paymentReport(response, captures: !vector.has("capture", .boolean(false)))
        case "status": Checkout.statusReport(response)
        case "search": Checkout.searchReport(response, reference: attempt.reference)
        default: nil
        }
    }
}

@Suite("Checkout.com")
struct CheckoutTests {
    private static func gateway(
        _ environment: Checkout.Environment = .live, subdomain: String? = nil
    ) throws -> Checkout {
        try Checkout(
            secretKey: GatewayFixture.secret("sk_example"), environment: environment,
            subdomain: subdomain)
    }

    private func body(_ payload: String) throws -> String {
        let input = try GatewayFixture.input(GatewayFixture.payment(payload))
        return GatewayFixture.body(try Self.gateway().paymentRequest(input))
    }

    static let vectors = [
        RequestVector("checkout-payment-minimal") {
            try gateway().paymentRequest(GatewayFixture.input())
        },
        RequestVector("checkout-payment-full") {
            let gateway = try with(Self.gateway(.sandbox, subdomain: "shop1")) {
                $0.keyForm = .bare
                $0.options.capture = false
                $0.options.processingChannelID = "pc_example"
                $0.options.expiryForm = .string
            }
            return try gateway.paymentRequest(GatewayFixture.input())
        },
        RequestVector("checkout-get-payment-minimal") {
            let attempt = try with(GatewayFixture.attempt(GatewayFixture.order())) {
                $0.paymentID = "pay_mbabizu24mvu3mela5njyhpit4"
            }
            return try gateway().statusRequest(attempt)
        },
        RequestVector("checkout-find-payments-minimal") {
            try with(gateway(.sandbox)) { $0.keyForm = .bare }
                .statusRequest(
                    GatewayFixture.attempt(GatewayFixture.order(reference: "order 1001&é")))
        },
    ]

    @Test("reports a reserved payment as capture requested, unless the account captures later")
    func captures() throws {
        let answer = GatewayResponse(
            status: 201,
            body: Array(
                #"{"id":"pay_1","status":"Authorized","amount":3000,"currency":"EUR","reference":"order-1001"}"#
                    .utf8))
        for captures in [nil, true, false] as [Bool?] {
            let gateway = try with(Self.gateway()) { $0.options.capture = captures }
            let call = try gateway.payment(GatewayFixture.accepted())
            guard case .outcome(let outcome) = call.read(answer) else {
                Issue.record("another request follows")
                continue
            }
            #expect(outcome.report?.captureRequested == (captures == false ? nil : 3000))
            #expect(outcome.report?.authorized == (captures == false ? 3000 : nil))
        }
    }

    @Test(
        "receives the ECI in two digits, and no ECI if Apple gave none",
        arguments: [("7", "07"), ("07", "07"), ("5", "05"), ("05", "05"), (nil, nil)]
            as [(String?, String?)]
    )
    func eci(_ given: String?, _ written: String?) throws {
        let indicator = given.map { #","eciIndicator":"\#($0)""# } ?? ""
        let body = try body(
            GatewayFixture.payload(
                expiry: "301109",
                authentication: #""onlinePaymentCryptogram":"AAEC""# + indicator))
        #expect(body.contains(#""eci":"#) == (written != nil))
        if let written { #expect(body.contains(#""eci":"\#(written)""#)) }
        #expect(body.contains(#""expiry_month":11,"expiry_year":2030"#))
    }

    @Test(
        "receives amounts in its own decimals where they differ from ISO 4217, up to 9 digits",
        arguments: [
            ("JPY", 3000, 3000), ("CLP", 3000, 300_000), ("KWD", 3000, 3000), ("CLF", 3000, 30),
            ("EUR", 1, 1), ("EUR", 999_999_999, 999_999_999), ("CLF", 700, 7), ("CLP", 7, 700),
            ("UYI", 7, 700), ("UYW", 700, 7), ("BHD", 70, 70), ("IQD", 70, 70), ("JOD", 70, 70),
            ("KWD", 70, 70), ("LYD", 70, 70), ("OMR", 70, 70), ("TND", 70, 70), ("EUR", 7, 7),
            ("EUR", 0, nil), ("EUR", -1, nil), ("EUR", 1_000_000_000, nil), ("KWD", 3001, nil),
            ("CLF", 3001, nil), ("CLP", 10_000_000, nil), ("CLP", Int64.max, nil),
            ("BHD", 71, nil), ("IQD", 71, nil), ("JOD", 71, nil), ("KWD", 71, nil),
            ("LYD", 71, nil), ("OMR", 71, nil), ("TND", 71, nil),
        ] as [(String, Int64, Int64?)]
    )
    func amount(_ currency: String, _ minor: Int64, _ amount: Int64?) throws {
        let (gateway, order) = (try Self.gateway(), try GatewayFixture.order(minor, currency))
        guard let amount else {
            gateway.expectRefusal(.unsupportedAmount, "amount", of: order)
            return
        }
        #expect(
            try gateway.body(order).contains(#""amount":\#(amount),"currency":"\#(currency)""#))
    }

    @Test("refuses EMV data and an encrypted token")
    func refusals() {
        GatewayFixture.expectRefusal(.unsupportedEMV, "cryptogram") {
            let payload = GatewayFixture.payload(
                type: "EMV", authentication: #""emvData":"nyYI""#)
            return try Self.gateway().paymentRequest(
                GatewayFixture.input(GatewayFixture.payment(payload)))
        }
        GatewayFixture.expectRefusal(.tokenNotDecrypted, "network_token") {
            try Self.gateway().paymentRequest(GatewayFixture.input(StubTokens.bare()))
        }
    }
}
