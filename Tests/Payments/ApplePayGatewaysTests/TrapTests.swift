import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import ApplePayTokenTesting
import Foundation
import TestVectors
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
        let input = try GatewayFixture.input(token)
        return try ExampleGateway.encrypted.map { ($0.name, try $0.make(input, merchant)) }
    }

    /// Returns what the request for a payment of its own amount is written from.
    private func input(_ payment: Payment) throws -> PaymentInput {
        try GatewayFixture.input(payment) {
            $0.description = "d"
            $0.returnURL = "https://shop.example/r"
        }
    }

    /// Returns the text that each gateway receives for a payload.
    private func told(_ payload: String) throws -> [String: String] {
        let input = try input(GatewayFixture.payment(payload))
        return try Dictionary(
            uniqueKeysWithValues: ExampleGateway.opened.map {
                ($0.name, readable(try $0.make(input, merchant)))
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
        "1: the expiry's year and month are exchanged; 2: its day is unused",
        arguments: ["09", "99"])
    func expiry(_ day: String) throws {
        try expect(told(GatewayFixture.payload(expiry: "3011\(day)"))) { $0.expiry(day) }
    }

    @Test(
        "3: the ECI is written with one or two digits or left out, in each gateway's type",
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
        "4: a cryptogram of 19 bytes is sent as Apple encoded it",
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

    @Test("5: an EMV payment is refused everywhere but at PayPal")
    func emv() throws {
        let payment = try GatewayFixture.payment(
            GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#))
        let input = try input(payment)
        for example in ExampleGateway.opened where !example.takesEMV {
            let error = #expect(throws: PaymentError.self, "\(example.name)") {
                try example.make(input, merchant)
            }
            #expect(error?.code == .unsupportedEMV, "\(example.name)")
        }
        #expect(ExampleGateway.opened.filter(\.takesEMV).map(\.name) == ["paypal"])
    }

    @Test("6: base64 is padded, in the standard alphabet and on one line")
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

    @Test("7: each gateway receives the encrypted token in its own form")
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

    @Test("9: applicationData and unknown members are kept where the whole token is sent")
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

    @Test("10: transactionId and transactionIdentifier keep their capitalization")
    func transactionIdentifier() throws {
        for (name, request) in try encrypted(StubTokens.whole())
        where ["bepaid", "bepaid-checkout", "dintero"].contains(name) {
            let text = readable(request)
            #expect(text.contains(#""transactionId":"8b1b1dade0bf"#), "\(name)")
            #expect(text.contains(#""transactionIdentifier":"8B1B1DADE0BF"#), "\(name)")
        }
    }

    @Test(
        "11: amounts are written in minor units, with two decimals or as decimals, as each gateway requires",
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
        let input = try input(payment)
        let forms = OpenedExample.Amount(
            minorUnits: minor, twoDecimals: connect, decimal: decimal, payPal: payPal)
        for example in ExampleGateway.opened {
            guard let fragment = example.amount(forms) else {
                #expect(example.name == "paypal")
                continue
            }
            #expect(
                readable(try example.make(input, merchant)).contains(fragment),
                "\(example.name)")
        }
    }

    @Test("12: each value has the JSON type that the gateway documents")
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
        let two = with(merchant.rbs(.encrypted)) { $0.options.preAuth = true }
        let token = try GatewayFixture.input(StubTokens.bare())
        #expect(try GatewayFixture.body(two.paymentRequest(token)).contains(#""preAuth":true"#))
    }

    @Test("13: the order's amount and currency are compared before anything is claimed or written")
    func orders() throws {
        let payment = try GatewayFixture.payment()
        for (payment, amount, currency) in [
            (try GatewayFixture.zeroPayment(), -1, "EUR"), (payment, 3001, "EUR"),
            (payment, 3000, "USD"),
        ] as [(Payment, Int64, String)] {
            let order = try GatewayFixture.order(amount, currency, zeroAmount: .accepted)
            GatewayFixture.expectOrderMismatch {
                try merchant.worldlineDirect.paymentRequest(payment, for: order)
            }
        }
    }

    private func authorization(_ request: GatewayRequest) -> String? {
        request.headers.first { ["Authorization", "X-API-Key"].contains($0.name) }?.revealValue()
    }

    @Test("14: requests are authenticated with Bearer, Basic, a bare token or in the body")
    func headers() throws {
        let input = try input(GatewayFixture.payment())
        for example in ExampleGateway.opened {
            let request = try example.make(input, merchant)
            #expect(authorization(request) == example.authorization(merchant), "\(example.name)")
        }
        let token = try GatewayFixture.input(StubTokens.bare())
        for example in ExampleGateway.encrypted {
            let request = try example.make(token, merchant)
            #expect(authorization(request) == example.authorization(merchant), "\(example.name)")
        }
        #expect(merchant.basicAuthorization == "Basic MzYxOnRvcCtzZWNyZXQvMQ==")
        let session = try Dintero.authorize(
            merchant.dintero.sessionRequest(input.order, input.attempt), merchant.secret)
        #expect(authorization(session) == "Bearer top+secret/1")
        #expect(
            authorization(try merchant.intergiro.tokenizeRequest("1", merchant.secret))
                == "Bearer top+secret/1")
        let signed = try Worldline.authorize(
            merchant.worldlineDirect.paymentRequest(token), merchant.apiKey,
            date: TestPKI.useTime)
        #expect(authorization(signed)?.hasPrefix("GCS v1HMAC:key-1:") == true)
    }

    @Test("15: bodies are JSON or forms, and a plus sign is escaped in forms")
    func contentTypes() throws {
        let input = try input(GatewayFixture.payment())
        for example in ExampleGateway.opened {
            let type = try example.make(input, merchant).contentType
            #expect(type == "application/json", "\(example.name)")
        }
        let rbs = merchant.rbs(.encrypted)
        let attempt = try GatewayFixture.attempt(paymentID: "1")
        for form in [
            try rbs.statusRequest(attempt),
            try GatewayFixture.request(.init(.capture, name: "o-1"), at: rbs, of: attempt),
        ] {
            #expect(form.contentType == "application/x-www-form-urlencoded")
            #expect(GatewayFixture.body(form).contains("password=top%2Bsecret%2F1"))
        }
    }

    @Test("16: an answer with a successful HTTP status can be unpaid")
    func success() throws {
        func response(_ body: String, _ status: Int = 200) -> GatewayResponse {
            GatewayResponse(status: status, body: Array(body.utf8))
        }
        let attempt = try GatewayFixture.attempt(GatewayFixture.order())
        for (report, state) in [
            (
                RBS.paymentReport(response(#"{"success":true}"#), canBeAsked: true), .pending
            ),
            (
                BePaid.paymentReport(response(#"{"transaction":{"status":"incomplete"}}"#)),
                .pending
            ),
            (
                Worldline.paymentReport(
                    response(#"{"payment":{"id":"1","status":"REDIRECTED"}}"#, 201), .connect),
                .pending
            ),
            (
                Worldline.pageStatusReport(
                    response(#"{"status":"PAYMENT_CREATED"}"#), .direct), .unknown
            ),
            (
                CyberSource.paymentReport(
                    response(#"{"id":"1","status":"DECLINED"}"#, 201), isSale: true),
                .refused
            ),
            (
                Checkout.paymentReport(
                    response(#"{"id":"1","status":"Declined","approved":false}"#, 201),
                    captures: true), .refused
            ),
            (Adyen.paymentReport(response(#"{"resultCode":"Refused"}"#)), .refused),
        ] as [(PaymentReport, OrderOutcome.State)] {
            #expect(
                OrderOutcome(report: report, attempt: attempt).state == state, "\(report.gateway)")
        }
        let expected = Intergiro.tokenizeOutcome(
            response(#"{"consent":{"id":"1","status":"pending"}}"#, 412))
        #expect(expected.consentID == "1")
    }

    @Test(
        "17: the same field has different maximum lengths at different gateways",
        arguments: [(RBS.Limits.bpc, 36), (.russianBanks, 32)]
    )
    func lengths(_ limits: RBS.Limits, _ limit: Int) throws {
        let rbs = with(merchant.rbs(.encrypted)) { $0.host.limits = limits }
        func request(_ count: Int) throws -> GatewayRequest {
            let order = try GatewayFixture.order(reference: String(repeating: "1", count: count))
            return try rbs.paymentRequest(GatewayFixture.input(StubTokens.bare(), order))
        }
        #expect(try request(limit).body != nil)
        GatewayFixture.expectRefusal(.unsupportedLength, "orderNumber") { try request(limit + 1) }
    }

    @Test("18: contract is an array in a payment and a Boolean in a checkout")
    func contract() throws {
        let input = try GatewayFixture.input(StubTokens.bare())
        let bePaid = with(merchant.bePaid) { $0.options.contract = [.recurring] }
        #expect(
            try GatewayFixture.body(bePaid.paymentRequest(input))
                .contains(#""contract":["recurring"]"#))
        let checkout = with(bePaid) { $0.checkoutContract = true }
            .checkoutRequest(input.token, "checkout-token")
        #expect(GatewayFixture.body(checkout).contains(#""contract":true"#))
    }

    @Test("19: Worldline's shipping address is in order.shipping, not in the customer")
    func shipping() throws {
        let input = try GatewayFixture.input(nil, WorldlineFixture.fill)
        var (direct, connect) = (merchant.worldlineDirect, merchant.worldlineConnect)
        direct.options.addressIndicator = "different-than-billing"
        connect.options.addressIndicator = "different-than-billing"
        for request in [try direct.paymentRequest(input), try connect.paymentRequest(input)] {
            let body = GatewayFixture.body(request)
            #expect(!body.contains("shippingAddress"))
            #expect(body.contains(#""countryCode":"BE"}},"shipping":{"emailAddress":"#))
            #expect(body.contains(#""different-than-billing","address":{"name":"#))
        }
    }

    @Test("20: descriptions, dumps and mirrors contain no secret")
    func descriptions() throws {
        let input = try input(GatewayFixture.payment())
        var requests = try ExampleGateway.opened.map { try $0.make(input, merchant) }
        requests += try encrypted(StubTokens.whole()).map(\.request)
        requests += try ExampleGateway.all.flatMap { try $0.others(input, merchant) }
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
