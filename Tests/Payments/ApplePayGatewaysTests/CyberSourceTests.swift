import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import Foundation
import TestVectors
import Testing

extension CyberSource: TestedGateway {
    static let referencePath = ["clientReferenceInformation", "code"]

    mutating func move(to origin: String) { self.origin = origin }
}

extension CyberSourceTests: GatewaySuite {
    static let gatewayName = "cybersource"

    static func accounts(of merchant: ExampleMerchant) -> [any TestedGateway] {
        [merchant.cyberSource]
    }

    static func pageAccount(_ secret: SensitiveBytes) throws -> (any TestedGateway)? {
        var gateway = CyberSource(
            credentials: .init(merchantID: "merchant-1", keyID: "key-1", sharedSecret: secret),
            environment: .test)
        gateway.options.capture = true
        return gateway
    }

    static let sandboxAccount: SandboxAccount? = SandboxAccount(name: gatewayName) { sandbox in
        with(SandboxAccount.merchant.cyberSource) {
            $0.origin = sandbox.origin
            $0.credentials.sharedSecret = SensitiveBytes(
                copying: Data("sandbox-secret".utf8).base64EncodedString().utf8.span)
        }
    }

    static func paymentReport(
        of vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) -> PaymentReport? {
        switch vector.step {
        case "payment":
            CyberSource.paymentReport(response, isSale: vector.has("capture", .boolean(true)))
        default: nil
        }
    }

    static func operationReport(
        of operation: AnswerVector.Operation, _ response: GatewayResponse
    ) -> PaymentReport? {
        CyberSource.reversalReport(response)
    }
}

@Suite("CyberSource")
struct CyberSourceTests {
    private static let amex40 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJw=="

    private static let gateway = CyberSource(
        credentials: .init(
            merchantID: "merchant-1", keyID: "key-1",
            sharedSecret: GatewayFixture.secret("c2FuZGJveC1zZWNyZXQ=")),
        environment: .live)

    /// Returns authentication data with this ECI, or without one.
    private static func data(
        _ eci: String?, _ cryptogram: String = "AceY+igABPs3jdwNaDg3MAACAAA="
    ) -> String {
        #""onlinePaymentCryptogram":"\#(cryptogram)""#
            + (eci.map { #","eciIndicator":"\#($0)""# } ?? "")
    }

    private static func request(
        _ account: String, _ authentication: String, type: String = "3DSecure",
        _ options: CyberSource.Options = .init()
    ) throws -> GatewayRequest {
        let payment = try GatewayFixture.payment(
            GatewayFixture.payload(account: account, type: type, authentication: authentication))
        return try with(gateway) { $0.options = options }
            .paymentRequest(GatewayFixture.input(payment))
    }

    private static func reversal(_ options: CyberSource.Options) throws -> GatewayRequest {
        // Of a longer key, only the first 30 characters are the transaction's identifier.
        let key = "0123456789abcdef0123456789abcdef"
        let attempt = try PaymentAttempt(GatewayFixture.order(), key: ExactText(key))
        return with(gateway) { $0.options = options }.reversalRequest(attempt)
    }

    static let vectors = [
        RequestVector("cybersource-payment-minimal") {
            try gateway.paymentRequest(GatewayFixture.input())
        },
        RequestVector("cybersource-payment-full") {
            let payment = try GatewayFixture.payment(
                GatewayFixture.payload(
                    account: "5204240000000005", expiry: "301109", authentication: data("02")))
            var gateway = CyberSource(credentials: Self.gateway.credentials, environment: .test)
            gateway.options.capture = true
            return try gateway.paymentRequest(
                GatewayFixture.input(payment) {
                    $0.customer = with(PaymentContact()) {
                        $0.givenName = "Jane"
                        $0.familyName = "Doe"
                        $0.addressLines = ["Rue Haute 1", "bte 2"]
                        $0.locality = "Bruxelles"
                        $0.administrativeArea = "BRU"
                        $0.postalCode = "1000"
                        $0.countryCode = "BE"
                        $0.emailAddress = "jane@example.com"
                    }
                })
        },
        RequestVector("cybersource-payment-amex-40") {
            try request("378282246310005", data("5", amex40))
        },
        RequestVector("cybersource-reversal-minimal") { try reversal(.init()) },
        RequestVector("cybersource-void-minimal") {
            try reversal(with(.init()) { $0.capture = true })
        },
    ]

    @Test("gets the 20 bytes of an American Express cryptogram whole, without a second block")
    func shortAmericanExpress() throws {
        let body = GatewayFixture.body(try Self.request("378282246310005", Self.data(nil)))
        #expect(body.contains(#""cavv":"AceY+igABPs3jdwNaDg3MAACAAA="}"#))
        #expect(body.contains(#""type":"003""#))
    }

    @Test("refuses cryptograms of other lengths, among them 40 bytes of other networks")
    func cryptogramLength() {
        for (account, cryptogram) in [
            ("4761120010000492", Self.amex40), ("378282246310005", "AAEC"),
        ] {
            GatewayFixture.expectRefusal(.unsupportedLength, "cryptogram") {
                try Self.request(account, Self.data("5", cryptogram))
            }
        }
        GatewayFixture.expectRefusal(.unsupportedEMV, "cryptogram") {
            try Self.request("4761120010000492", #""emvData":"nyYI""#, type: "EMV")
        }
        GatewayFixture.expectRefusal(.tokenNotDecrypted, "tokenizedCard") {
            try Self.gateway.paymentRequest(GatewayFixture.input(StubTokens.bare()))
        }
    }

    @Test(
        "gets type, commerce indicator and cryptogram fields by the account number's range",
        arguments: [
            ("4761120010000492", "001", "vbv"), ("5204240000000005", "002", "spa"),
            ("378282246310005", "003", "aesk"), ("6011000990139424", "004", "dipb"),
            ("36006666333344", "005", "internet"), ("3530111333300000", "007", "js"),
            ("5000550000000029", "042", "spa"), ("6212345678901265", "062", "internet"),
            ("2199000000000000", nil, "internet"),
            ("2200123456789012", nil, "internet"),
        ] as [(String, String?, String)]
    )
    func networks(_ account: String, _ type: String?, _ network: String) throws {
        let usesUCAF = network == "spa"
        for eci in [nil, "0", "2", "5", "05", "7"] {
            // By default, no authentication is claimed that Apple did not state.
            let isAuthenticated = usesUCAF ? eci == "2" : eci == "5" || eci == "05"
            for (indicator, written) in [
                (.eci, isAuthenticated ? network : "internet"), (.network, network),
                (.internet, "internet"), (nil, nil),
            ] as [(CyberSource.CommerceIndicator?, String?)] {
                let body = GatewayFixture.body(
                    try Self.request(
                        account, Self.data(eci), with(.init()) { $0.commerceIndicator = indicator })
                )
                let beginning =
                    (written.map { #"{"commerceIndicator":"\#($0)","# } ?? "{")
                    + #""paymentSolution":"001"}"#
                #expect(body.contains(#""processingInformation":\#(beginning)"#))
                let end = #""transactionType":"1""# + (type.map { #","type":"\#($0)""# } ?? "")
                #expect(body.contains(end + "}}"))
                #expect(body.contains(#""ucafCollectionIndicator":"2""#) == usesUCAF)
                #expect(body.contains(#""cavv":""#) == !usesUCAF)
                #expect(body.contains(#""eciRaw":"#) == (eci != nil))
            }
        }
    }

    @Test("ignores `network`, which is not signed")
    func signedNetwork() throws {
        let request = try Self.gateway.paymentRequest(
            GatewayFixture.input(GatewayFixture.payment(besideNetwork: "MasterCard")))
        #expect(
            try GatewayFixture.text(request)
                == GatewayVector.request("cybersource-payment-minimal"))
    }

    @Test(
        "gets amounts with the currency's decimals",
        arguments: [
            ("EUR", 3000, "30.00"), ("JPY", 3000, "3000"), ("KWD", 3000, "3.000"),
            ("EUR", 0, "0.00"), ("EUR", -1, nil),
        ] as [(String, Int64, String?)]
    )
    func amount(_ currency: String, _ minor: Int64, _ text: String?) throws {
        let order = try GatewayFixture.order(minor, currency)
        guard let text else {
            Self.gateway.expectRefusal(.unsupportedAmount, "totalAmount", of: order)
            return
        }
        let money = #"{"totalAmount":"\#(text)","currency":"\#(currency)"}"#
        #expect(try Self.gateway.body(order).contains(money))
        let reversal = Self.gateway.reversalRequest(try GatewayFixture.attempt(order))
        #expect(GatewayFixture.body(reversal).contains(money))
    }

    // Digest and signature were computed with Python's hashlib and hmac.
    @Test("gets requests with the HTTP signature of the REST API")
    func signature() throws {
        let request = try Self.gateway.paymentRequest(GatewayFixture.input())
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
                "Digest: SHA-256=h14gOMdoGj+ohVGWeiYMhD3WILZO4tG4YE5ZBCNRK4U=",
                #"Signature: keyid="key-1", algorithm="HmacSHA256", "#
                    + #"headers="host v-c-date request-target digest v-c-merchant-id", "#
                    + #"signature="H0uFmylhzBsiL1Q17kI1XPxBNNWeSt58qS7O/uswTDY=""#,
            ])
        #expect(headers.map(\.isSecret) == [false, false, false, true])
        let call = try Self.gateway.payment(GatewayFixture.accepted())
        let sent = try call.request(at: Date(timeIntervalSince1970: 1_795_336_200))
        #expect(try GatewayFixture.text(sent) == GatewayFixture.text(signed()))
        for secret in ["", "sandbox-secret", "c2FuZGJveC1zZWNyZXQ"] {
            GatewayFixture.expectRefusal(.unsupportedValue, "sharedSecret") {
                try signed("merchant-1", "key-1", secret)
            }
        }
        GatewayFixture.expectRefusal(.unsupportedValue, "v-c-date") {
            try signed("merchant-1", "key-1", "c2VjcmV0", -1)
        }
    }
}
