import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import TestVectors
import Testing

extension Adyen: TestedGateway {
    static let referencePath = ["reference"]

    mutating func move(to origin: String) { self.origin = origin }
}

extension AdyenTests: GatewaySuite {
    static let gatewayName = "adyen"
    static let keyHeader: String? = "Idempotency-Key"

    static func accounts(of merchant: ExampleMerchant) throws -> [any TestedGateway] {
        [try merchant.adyen()]
    }

    static func pageAccount(_ secret: SensitiveBytes) throws -> (any TestedGateway)? {
        var gateway = try Adyen(apiKey: secret, merchantAccount: "Shop", environment: .test)
        gateway.options.brand = .network  // or .applePay
        return gateway
    }

    static let sandboxAccount: SandboxAccount? = SandboxAccount(name: gatewayName) { sandbox in
        with(try SandboxAccount.merchant.adyen()) { $0.origin = sandbox.origin }
    }

    static func paymentReport(
        of vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) -> PaymentReport? {
        vector.step == "payment" ? Adyen.paymentReport(response) : nil
    }
}

@Suite("Adyen")
struct AdyenTests {
    private static func gateway(
        _ environment: Adyen.Environment = .test,
        key: String = "key-example"
    ) throws -> Adyen {
        try Adyen(
            apiKey: GatewayFixture.secret(key), merchantAccount: "ShopECOM",
            environment: environment)
    }

    private static func request(
        _ payload: String = GatewayFixture.payload(),
        at gateway: Adyen? = nil,
        _ change: (inout Order) throws -> Void = { _ in }
    ) throws -> GatewayRequest {
        try (gateway ?? Self.gateway()).paymentRequest(
            GatewayFixture.input(GatewayFixture.payment(payload)) {
                $0.returnURL = "https://shop.example/return"
                try change(&$0)
            })
    }

    private func body(_ payload: String, _ options: Adyen.Options = .init()) throws -> String {
        let gateway = try with(Self.gateway()) { $0.options = options }
        return GatewayFixture.body(try Self.request(payload, at: gateway))
    }

    static let vectors = [
        RequestVector("adyen-payment-minimal") { try request() },
        RequestVector("adyen-payment-full") {
            let payload = GatewayFixture.payload(
                account: "5204240000000005", more: #""cardholderName":"Jane Doe","#,
                authentication:
                    #""onlinePaymentCryptogram":"jiSRYgf6G2rjYwAAC0GPAHQAAAA=","eciIndicator":"2""#)
            let gateway = try with(Self.gateway(.live(prefix: "1797a841fbb37ca7-Shop"))) {
                $0.options.brand = .network
                $0.options.cryptogramField = .tokenAuthenticationVerificationValue
            }
            return try request(payload, at: gateway) { $0.customerReference = "customer-7" }
        },
    ]

    @Test(
        "gets the name of the network by the account number's range",
        arguments: [
            ("4761120010000492", "visa"), ("378282246310005", "amex"),
            ("36006666333344", "diners"), ("6011000990139424", "discover"),
            ("3530111333300000", "jcb"), ("5000550000000029", "maestro"),
            ("6212345678901265", "cup"), ("2200123456789012", nil),
        ] as [(String, String?)]
    )
    func brand(_ account: String, _ brand: String?) throws {
        let payload = GatewayFixture.payload(account: account)
        let network = try body(payload, with(.init()) { $0.brand = .network })
        #expect(network.contains(#""brand":"#) == (brand != nil))
        if let brand { #expect(network.contains(#""brand":"\#(brand)""#)) }
        #expect(try body(payload).contains(#""brand":"applepay""#))
        #expect(try !body(payload, with(.init()) { $0.brand = nil }).contains("brand"))
    }

    @Test("ignores `network`, which is not signed")
    func signedNetwork() throws {
        let payment = try GatewayFixture.payment(besideNetwork: "MasterCard")
        let gateway = try with(Self.gateway()) { $0.options.brand = .network }
        let request = try gateway.paymentRequest(
            GatewayFixture.input(payment) { $0.returnURL = "a:b" })
        #expect(GatewayFixture.body(request).contains(#""brand":"visa""#))
    }

    @Test("receives a cryptogram of 19 bytes, and no ECI if Apple gave none")
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
        "receives a cardholder name of one character, and an empty one is left out",
        arguments: ["", "J"])
    func cardholderName(_ name: String) throws {
        let body = try body(GatewayFixture.payload(more: #""cardholderName":"\#(name)","#))
        #expect(body.contains(#""holderName":"J""#) == !name.isEmpty)
        #expect(body.contains("holderName") == !name.isEmpty)
    }

    @Test(
        "receives amounts in its own decimals where they differ from ISO 4217",
        arguments: [
            ("ISK", 3000, 300_000), ("CLP", 3000, 300_000), ("IDR", 3000, 30), ("CVE", 3000, 30),
            ("JPY", 3000, 3000), ("KWD", 3001, 3001), ("EUR", 0, 0), ("IDR", 3001, nil),
            ("CVE", 1, nil), ("ISK", 92_233_720_368_547_759, nil), ("EUR", -1, nil),
        ] as [(String, Int64, Int64?)]
    )
    func value(_ currency: String, _ minor: Int64, _ value: Int64?) throws {
        let (gateway, order) = (
            try Self.gateway(), try GatewayFixture.order(minor, currency) { _ in }
        )
        guard let value else {
            gateway.expectRefusal(.unsupportedAmount, "value", of: order)
            return
        }
        #expect(
            try gateway.body(order).contains(#"{"currency":"\#(currency)","value":\#(value)}"#))
    }

    @Test("refuses EMV data, and cryptograms of other lengths than 19 or 20 bytes")
    func cryptograms() {
        for (authentication, code) in [
            (#""emvData":"nyYI""#, .unsupportedEMV),
            (#""onlinePaymentCryptogram":"AAEC""#, .unsupportedLength),
            (
                #""onlinePaymentCryptogram":"\#(String(repeating: "A", count: 32))""#,
                .unsupportedLength
            ),
        ] as [(String, PaymentError.Code)] {
            GatewayFixture.expectRefusal(code, "cavv") {
                try Self.request(
                    GatewayFixture.payload(
                        type: code == .unsupportedEMV ? "EMV" : "3DSecure",
                        authentication: authentication))
            }
        }
        GatewayFixture.expectRefusal(.tokenNotDecrypted, "paymentMethod") {
            try Self.gateway().paymentRequest(GatewayFixture.input(StubTokens.bare()))
        }
    }
}
