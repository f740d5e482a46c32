import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

/// The pitfalls of the gateways' formats, numbered as in the notes on the gateways.
@Suite("A trap of the gateways' formats")
struct TrapTests {
    private let merchant = ExampleMerchant(secret: "top+secret/1")

    /// Returns a body's text, followed by the decoded text of the base64 and JSON values in it.
    private func readable(_ request: GatewayRequest) -> String {
        let body = request.body?.revealText() ?? ""
        let inner = body.split(separator: "\"").flatMap { $0.split(separator: "$") }
            .filter { $0.hasPrefix("eyJ") }
            .compactMap { Data(base64Encoded: String($0)) }
            .map { String(decoding: $0, as: UTF8.self) }
        return ([body, body.replacing("\\\"", with: "\"")] + inner).joined(separator: "\n")
    }

    /// Returns the requests of all gateways that accept encrypted tokens.
    private func encrypted(
        _ token: PaymentToken
    ) throws -> [(name: String, request: GatewayRequest)] {
        let order = try GatewayFixture.order()
        return try ExampleGateway.encrypted.map { ($0.name, try $0.make(token, order, merchant)) }
    }

    private func order(_ payment: Payment) throws -> Order {
        Order(
            amount: payment.amount,
            currency: try #require(payment.currency))
    }

    /// Returns the text that each gateway receives for a payload.
    private func told(_ payload: String) throws -> [String: String] {
        let payment = try GatewayFixture.payment(payload)
        let order = try order(payment)
        return try Dictionary(
            uniqueKeysWithValues: ExampleGateway.opened.map {
                ($0.name, readable(try $0.make(payment, order, merchant)))
            })
    }

    private func expect(
        _ told: [String: String],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ expected: (OpenedExample) -> String
    ) {
        for example in ExampleGateway.opened {
            let fragment = expected(example)
            #expect(
                told[example.name]?.contains(fragment) == true, "\(example.name): \(fragment)",
                sourceLocation: sourceLocation)
        }
    }

    @Test(
        "1: the expiry, YYMMDD, is swapped; 2: its day is taken for one", arguments: ["09", "99"])
    func expiry(_ day: String) throws {
        try expect(told(GatewayFixture.payload(expiry: "3011\(day)"))) { $0.expiry(day) }
    }

    @Test(
        "3: the ECI has one digit, two or none, and is another type at each gateway",
        arguments: ["7", "07", "5", "05", nil] as [String?]
    )
    func eci(_ eci: String?) throws {
        let told = try told(
            GatewayFixture.payload(
                authentication: #""onlinePaymentCryptogram":"jiSRYgf6G2rjYwAAC0GPAHQAAAA=""#
                    + (eci.map { #","eciIndicator":"\#($0)""# } ?? "")))
        guard let eci, let digit = eci.last else {
            for (name, text) in told {
                #expect(!text.contains(#""eci"#), "\(name)")
            }
            return
        }
        expect(told) { $0.eci(eci, digit) }
    }

    @Test(
        "4: the cryptogram has 19 bytes, and is not to be encoded anew",
        arguments: ["jiSRYgf6G2rjYwAAC0GPAHQAAA==", "+/+/Ygf6G2rjYwAAC0GPAHQAAAA="]
    )
    func cryptogram(_ cryptogram: String) throws {
        for (name, text) in try told(
            GatewayFixture.payload(
                authentication: #""onlinePaymentCryptogram":"\#(cryptogram)""#))
        {
            #expect(text.contains(#""\#(cryptogram)""#), "\(name)")
        }
    }

    @Test("5: an EMV payment has no cryptogram, which PayPal alone can say")
    func emv() throws {
        let payment = try GatewayFixture.payment(
            GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#))
        let order = try order(payment)
        for example in ExampleGateway.opened where !example.takesEMV {
            let error = #expect(throws: PaymentTokenError.self, "\(example.name)") {
                try example.make(payment, order, merchant)
            }
            #expect(error?.code == .cryptogramMissing, "\(example.name)")
        }
        #expect(ExampleGateway.opened.filter(\.takesEMV).map(\.name) == ["paypal"])
    }

    @Test("6: base64 is padded, of the standard alphabet and in one line")
    func base64() throws {
        for (name, request) in try encrypted(StubTokens.whole()) {
            let body = request.body?.revealText() ?? ""
            #expect(!body.contains("\n") && !body.contains("\\n"), "\(name)")
            let texts = body.split(separator: "\"").flatMap { $0.split(separator: "$") }
                .filter { $0.hasPrefix("eyJ") }
            #expect(texts.count == (["bepaid", "rbs"].contains(name) ? 1 : 0), "\(name)")
            for text in texts {
                #expect(text.count.isMultiple(of: 4) && !text.contains { "-_ ".contains($0) })
            }
        }
    }

    @Test("7: what is encoded differs: wrapped, bare, text, one member, a string in a string")
    func encoded() throws {
        let data = try StubTokens.string("paymentData_json")
        let text = data.replacing("\"", with: "\\\"")
        let bodies = try Dictionary(
            uniqueKeysWithValues: encrypted(StubTokens.bare()).map {
                ($0.name, $0.request.body?.revealText() ?? "")
            })
        for (name, expected) in [
            ("bepaid", #""token":"\#(try StubTokens.string("bepaid_min"))""#),
            ("rbs", #""paymentToken":"\#(try StubTokens.string("rbs_paymentToken"))""#),
            ("worldline-direct", #""encryptedPaymentData":"AAECAwQFBgcICQoLDA0ODw==""#),
            ("worldline-connect", #""encryptedPaymentData":"\#(text)""#),
            ("bepaid-checkout", #""token":{"paymentData":\#(data)}"#),
            ("dintero", #""payment_data":"{\"payment\":{\"token\":{\"paymentData\":{\"data\":"#),
        ] {
            #expect(bodies[name]?.contains(expected) == true, "\(name)")
        }
    }

    @Test("8: a slash is not escaped")
    func slashes() throws {
        for (name, request) in try encrypted(StubTokens.whole()) {
            let text = readable(request)
            #expect(text.contains("/") && !text.contains("\\/"), "\(name)")
        }
    }

    @Test("9: applicationData and unknown members are kept where the whole object goes")
    func members() throws {
        let application = String(repeating: "ab", count: 32)
        let token = try StubTokens.bare {
            $0.replacing(
                #""header":{"#,
                with: #""future":[1.50],"header":{"applicationData":"\#(application)","#
            )
        }
        for (name, request) in try encrypted(token) where name != "worldline-direct" {
            let text = readable(request)
            #expect(text.contains(#""applicationData":"\#(application)""#), "\(name)")
            #expect(text.contains(#""future":[1.50]"#), "\(name)")
        }
    }

    @Test("10: transactionId and transactionIdentifier keep their cases")
    func transactionIdentifier() throws {
        for (name, request) in try encrypted(StubTokens.whole())
        where ["bepaid", "bepaid-checkout", "dintero"].contains(name) {
            let text = readable(request)
            #expect(text.contains(#""transactionId":"8b1b1dade0bf"#), "\(name)")
            #expect(text.contains(#""transactionIdentifier":"8B1B1DADE0BF"#), "\(name)")
        }
    }

    @Test(
        "11: amounts have the currency's decimals, two of them or a point",
        arguments: [
            ("392", "3000", "3000", "300000", "3000", "3000"),
            ("414", "3000", "3000", "300", "3.000", nil),
            ("978", "3000", "3000", "3000", "30.00", "30.00"),
        ] as [(String, String, String, String, String, String?)]
    )
    func amounts(
        _ currency: String,
        _ amount: String,
        _ minor: String,
        _ connect: String,
        _ decimal: String,
        _ payPal: String?
    ) throws {
        let payment = try GatewayFixture.payment(
            GatewayFixture.payload(currency: currency, amount: amount))
        let order = try order(payment)
        let forms = OpenedExample.Amount(
            minorUnits: minor, twoDecimals: connect, decimal: decimal, payPal: payPal)
        for example in ExampleGateway.opened {
            guard let fragment = example.amount(forms) else {
                #expect(example.name == "paypal")
                continue
            }
            #expect(
                readable(try example.make(payment, order, merchant)).contains(fragment),
                "\(example.name)")
        }
    }

    @Test("12: numbers are numbers and strings are strings, as each gateway has them")
    func types() throws {
        let told = try told(GatewayFixture.payload())
        for (name, fragment) in [
            ("worldline-direct", #""paymentProductId":302,"#), ("worldline-direct", #""eci":7}"#),
            ("worldline-connect", #""paymentProductId":302,"#),
            ("bepaid", #""transactionAmount":3000,"#), ("rbs-token", #""currency":"978""#),
            ("rbs-token", #""MM":"12""#), ("cybersource", #""transactionType":"1""#),
            ("checkout", #""expiry_month":12,"#), ("adyen", #""expiryMonth":"12""#),
        ] {
            #expect(told[name]?.contains(fragment) == true, "\(name): \(fragment)")
        }
        let token = try StubTokens.bare()
        let two = try RBS.payment(
            token, merchant: "m", orderNumber: "1",
            options: with(RBS.PaymentOptions()) { $0.preAuth = true }, host: .sandbox)
        #expect(two.body?.revealText().contains(#""preAuth":true"#) == true)
    }

    @Test("13: the order's amount and currency are compared before anything is written")
    func orders() throws {
        let payment = try GatewayFixture.payment()
        let nothing = try GatewayFixture.zeroPayment()
        for example in ExampleGateway.opened {
            GatewayFixture.expectOrderMismatch {
                try example.make(nothing, GatewayFixture.zeroTakingOrder(-1), merchant)
            }
            GatewayFixture.expectOrderMismatch {
                try example.make(payment, GatewayFixture.order(3001), merchant)
            }
            GatewayFixture.expectOrderMismatch {
                try example.make(payment, GatewayFixture.order(3000, "USD"), merchant)
            }
        }
    }

    private func authorization(_ request: GatewayRequest) -> String? {
        request.headers.first { ["Authorization", "X-API-Key"].contains($0.name) }?.revealValue()
    }

    @Test("14: Bearer here, Basic there, a bare token elsewhere, or nothing in the headers")
    func headers() throws {
        let payment = try GatewayFixture.payment()
        let order = try order(payment)
        for example in ExampleGateway.opened {
            let request = try example.make(payment, order, merchant)
            #expect(authorization(request) == example.authorization(merchant), "\(example.name)")
        }
        let token = try StubTokens.bare()
        for example in ExampleGateway.encrypted {
            let request = try example.make(token, order, merchant)
            #expect(authorization(request) == example.authorization(merchant), "\(example.name)")
        }
        #expect(merchant.basicAuthorization == "Basic MzYxOnRvcCtzZWNyZXQvMQ==")
        let session = try Dintero.createSession(
            .init(returnURL: "a:b", merchantReference: "1"), order: order,
            accessToken: merchant.secret)
        #expect(authorization(session) == "Bearer top+secret/1")
        #expect(
            authorization(try Intergiro.tokenize(cardID: "1", accessToken: merchant.secret))
                == "Bearer top+secret/1")
        let signed = try WorldlineFixture.signed(
            WorldlineDirect.getPayment("1", account: WorldlineFixture.direct))
        #expect(authorization(signed)?.hasPrefix("GCS v1HMAC:key-1:") == true)
    }

    @Test("15: JSON and forms, of one gateway even; in a form a plus sign is escaped (6)")
    func contentTypes() throws {
        let payment = try GatewayFixture.payment()
        let order = try order(payment)
        for example in ExampleGateway.opened {
            let type = try example.make(payment, order, merchant).contentType
            #expect(type == "application/json", "\(example.name)")
        }
        let credentials = RBS.Credentials.user(merchant.user)
        for form in [
            try RBS.orderStatus(orderId: "1", credentials: credentials, host: .sandbox),
            try RBS.deposit(.all, orderId: "1", credentials: credentials, host: .sandbox),
        ] {
            #expect(form.contentType == "application/x-www-form-urlencoded")
            #expect(form.body?.revealText().contains("password=top%2Bsecret%2F1") == true)
        }
    }

    @Test("16: what looks like success is not yet paid")
    func success() throws {
        func response(_ body: String, _ status: Int = 200) -> GatewayResponse {
            GatewayResponse(status: status, body: Array(body.utf8))
        }
        #expect(try !RBS.PaymentAnswer(response(#"{"success":true}"#)).isPaid)
        #expect(
            try !BePaid.TransactionAnswer(response(#"{"transaction":{"status":"incomplete"}}"#))
                .isSuccessful)
        #expect(
            try !Dintero.PayAnswer(response(#"{"return_url":"https://a?error=failed"}"#))
                .isSuccessful)
        let expected = try Intergiro.TokenizeAnswer(
            response(#"{"consent":{"id":"1","status":"pending"}}"#, 412))
        #expect(expected.consent?.id == "1")
        #expect(
            try !Worldline.PaymentAnswer(
                response(#"{"payment":{"id":"1","status":"REDIRECTED"}}"#, 201)
            ).isAuthorized)
        #expect(
            try !Worldline.HostedCheckoutStatusAnswer(response(#"{"status":"PAYMENT_CREATED"}"#))
                .isAuthorized)
        #expect(
            try !CyberSource.PaymentAnswer(response(#"{"id":"1","status":"DECLINED"}"#, 201))
                .isAuthorized)
        #expect(
            try !Checkout.PaymentAnswer(
                response(#"{"id":"1","status":"Declined","approved":false}"#, 201)
            ).isApproved)
        #expect(
            try !Adyen.PaymentAnswer(response(#"{"resultCode":"Refused"}"#)).isAuthorised)
    }

    @Test(
        "17: the same field has another length elsewhere; the gateways' suites have all of them",
        arguments: [(RBS.Limits.bpc, 36), (.russianBanks, 32)]
    )
    func lengths(_ limits: RBS.Limits, _ limit: Int) throws {
        let host = RBS.Host(origin: "https://pay.example", limits: limits)
        let token = try StubTokens.bare()
        func request(_ count: Int) throws -> GatewayRequest {
            try RBS.payment(
                token, merchant: "m", orderNumber: String(repeating: "1", count: count),
                host: host)
        }
        #expect(try request(limit).body != nil)
        GatewayFixture.expectRefusal(.unsupportedLength, "orderNumber") { try request(limit + 1) }
    }

    @Test("18: contract is an array here and a Boolean there")
    func contract() throws {
        let token = try StubTokens.bare()
        let transaction = try BePaid.transaction(
            .payment, token, order: GatewayFixture.order(), shop: merchant.shop,
            options: with(BePaid.TransactionOptions(description: "d")) {
                $0.contract = [.recurring]
            })
        #expect(transaction.body?.revealText().contains(#""contract":["recurring"]"#) == true)
        let checkout = BePaid.checkoutPayment(
            token, checkoutToken: merchant.secret, contract: true)
        #expect(checkout.body?.revealText().contains(#""contract":true"#) == true)
    }

    @Test("19: Worldline's destination stands in order.shipping, not in the customer")
    func shipping() throws {
        let payment = try GatewayFixture.payment()
        let order = try order(payment)
        for request in [
            try WorldlineDirect.createPayment(
                payment, order: order, options: WorldlineFixture.directOptions),
            try WorldlineConnect.createPayment(
                payment, order: order, options: WorldlineFixture.connectOptions),
        ] {
            let body = request.body?.revealText() ?? ""
            #expect(!body.contains("shippingAddress"))
            #expect(body.contains(#""countryCode":"BE"}},"shipping":{"emailAddress":"#))
            #expect(body.contains(#""different-than-billing","address":{"name":"#))
        }
    }

    @Test("20: nothing secret is in a description, a dump or a mirror")
    func descriptions() throws {
        let payment = try GatewayFixture.payment()
        let order = try order(payment)
        var requests = try ExampleGateway.opened.map { try $0.make(payment, order, merchant) }
        requests += try encrypted(StubTokens.whole()).map(\.request)
        requests += try ExampleGateway.all.flatMap { try $0.others(payment, order, merchant) }
        for request in requests {
            var text = "\(request) \(String(reflecting: request))"
            dump(request, to: &text)
            for secret in [
                "4761120010000492", "jiSRYgf6G2rjYwAAC0GPAHQAAAA", "top+secret", "top%2Bsecret",
                "AAECAwQFBgcICQoLDA0ODw", "eyJ",
            ] {
                #expect(!text.contains(secret), "\(request.url)")
            }
        }
    }
}
