import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import ApplePayWire
import Foundation
import TestVectors
import Testing

@Suite("Requests")
struct RequestBodyTests {
    private static let merchant = ExampleMerchant.example

    /// The gateways with operations; RBS with each kind of limits.
    private static let operating: [any TestedGateway] = [
        merchant.worldlineDirect, merchant.worldlineConnect, merchant.bePaid, merchant.dintero,
        with(merchant.rbs(.token)) { $0.user = .init(name: "u", password: merchant.secret) },
    ]

    @Test("for operations contain exactly the given parameters")
    func operations() throws {
        let attempt = try GatewayFixture.attempt(paymentID: "u")
        func body(
            _ kind: PaymentOperation.Kind, _ amount: Int64?, _ reason: ExactText? = nil,
            isFinal: Bool? = nil, at gateway: some PaymentGateway
        ) throws -> String {
            let operation = with(PaymentOperation(kind, amount: amount, name: "o")) {
                $0.reason = reason
                $0.isFinal = isFinal
            }
            return GatewayFixture.body(
                try GatewayFixture.request(operation, at: gateway, of: attempt))
        }
        func key(_ kind: PaymentOperation.Kind) throws -> String {
            try String(PaymentOperation(kind, name: "o").key(of: attempt))
        }
        let user = RBS.User(name: "u", password: GatewayFixture.secret("p"))
        let bank = with(Self.merchant.russianBank(.token)) { $0.user = user }
        let bpc = with(Self.merchant.rbs(.token)) {
            $0.user = nil
            $0.token = GatewayFixture.secret("t")
        }
        let (shop, dintero) = (Self.merchant.bePaid, Self.merchant.dintero)
        let (direct, connect) = (Self.merchant.worldlineDirect, Self.merchant.worldlineConnect)
        let login = "userName=u&password=p&orderId=u"
        let money = #"{"amountOfMoney":{"amount":7,"currencyCode":"EUR"}}"#
        for (found, expected) in [
            (try body(.capture, 7, at: bank), "\(login)&amount=7"),
            (try body(.capture, 3000, at: bank), "\(login)&amount=3000"),
            (try body(.capture, nil, at: bank), "\(login)&amount=0"),
            (try body(.cancellation, nil, "r", at: bank), login),
            (try body(.refund, 7, "r", at: bank), "\(login)&amount=7"),
            (
                try body(.refund, nil, at: bpc),
                "token=t&orderId=u&amount=3000&externalRefundId=\(try key(.refund))"
            ),
            (try body(.capture, 7, at: shop), #"{"request":{"parent_uid":"u","amount":7}}"#),
            (
                try body(.cancellation, 7, "r", at: shop),
                #"{"request":{"parent_uid":"u","amount":7,"reason":"r"}}"#
            ),
            (
                try body(.refund, 7, "r", at: dintero),
                #"{"amount":7,"reason":"r","refund_reference":"\#(try key(.refund))"}"#
            ),
            (
                try body(.refund, nil, isFinal: true, at: dintero),
                #"{"amount":3000,"refund_reference":"\#(try key(.refund))"}"#
            ),
            (
                try body(.capture, 7, "r", isFinal: false, at: dintero),
                #"{"amount":7,"capture_reference":"\#(try key(.capture))","final_capture":false}"#
            ),
            (try body(.cancellation, nil, "r", at: dintero), ""),
            (
                try body(.capture, 7, "r", isFinal: false, at: direct),
                #"{"amount":7,"isFinal":false}"#
            ),
            (try body(.capture, 3000, isFinal: true, at: connect), #"{"isFinal":true}"#),
            (try body(.cancellation, 7, at: direct), money),
            (try body(.refund, 7, at: connect), money),
        ] { #expect(found == expected) }
    }

    @Test("for operations contain a key that is the same only for the same operation")
    func operationKeys() throws {
        let order = try GatewayFixture.order()
        let attempt = try GatewayFixture.attempt(order, paymentID: "1")
        let other = try with(PaymentAttempt(order, key: "attempt-2")) { $0.paymentID = "1" }
        for gateway in Self.operating {
            func text(
                _ name: String, _ attempt: PaymentAttempt, _ kind: PaymentOperation.Kind = .refund
            ) throws -> (text: String, key: ExactText) {
                let operation = with(PaymentOperation(kind, amount: 7, name: ExactText(name))) {
                    $0.reason = "r"
                }
                // bePaid's refund follows a query.
                let request =
                    if kind == .refund, let shop = gateway as? BePaid {
                        try shop.operationRequest(operation, 7, parent: "1", of: attempt)
                    } else {
                        try GatewayFixture.request(operation, at: gateway, of: attempt)
                    }
                return (GatewayFixture.text(request), try operation.key(of: attempt))
            }
            let requests = try [
                text("a", attempt), text("b", attempt), text("a", attempt, .capture),
                text("a", other),
            ]
            #expect(Set(requests.map(\.key)).count == 4)
            for (index, (text, key)) in requests.enumerated() {
                #expect(key.utf8.count == 32 && key.utf8.allSatisfy { $0 < 0x80 })
                // RBS has keys of refunds only.
                #expect(text.contains(String(key)) == (gateway.name != "rbs" || index != 2))
            }
            #expect(try text("a", attempt).text == requests[0].text)
        }
    }

    @Test("for payments contain the attempt's key, of any length, where the gateway has keys")
    func keys() throws {
        let order = try GatewayFixture.order { _ in }
        let payment = try GatewayFixture.payment()
        for gateway in try Self.merchant.gateways() {
            for key in ["k", String(repeating: "k", count: 40)] {
                let attempt = try PaymentAttempt(order, key: ExactText(key))
                let request = try gateway.paymentRequest(
                    PaymentInput(order, attempt, payment.token.parsed, payment))
                let found = request.headers.filter { $0.revealValue() == key }
                let header = try GatewaySuites.named(String(gateway.name)).keyHeader
                #expect(found.map(\.name) == [header].compactMap { $0 })
                let identifier = #""transactionId":"\#(key.prefix(30))"}"#
                #expect(
                    GatewayFixture.body(request).contains(identifier)
                        == (gateway.name == "cybersource"))
            }
        }
    }

    @Test("refuse a payment whose amount or currency differs from the order's")
    func orders() throws {
        let payment = try GatewayFixture.payment()
        let nothing = try GatewayFixture.zeroPayment()
        let checkout = try ExampleMerchant.example.checkout()
        for (payment, order) in [
            (payment, try GatewayFixture.order(3001)),
            (payment, try GatewayFixture.order(3000, "USD")),
            (nothing, try GatewayFixture.zeroTakingOrder(-1)),
        ] {
            GatewayFixture.expectOrderMismatch { try checkout.paymentRequest(payment, for: order) }
        }
        #expect(throws: Never.self) {
            try checkout.paymentRequest(nothing, for: GatewayFixture.zeroTakingOrder())
        }
    }

    @Test("go to the servers of each environment, or to those of a proxy")
    func origins() throws {
        let secret = Self.merchant.secret
        let order = try GatewayFixture.order { _ in }
        var rows: [(any TestedGateway, String)] = [
            (
                try Checkout(secretKey: secret, environment: .sandbox),
                "https://api.sandbox.checkout.com"
            ),
            (
                try Checkout(secretKey: secret, environment: .live, subdomain: "shop-1"),
                "https://shop-1.api.checkout.com"
            ),
            (try Self.merchant.adyen(), "https://checkout-test.adyen.com"),
            (
                try Adyen(
                    apiKey: secret, merchantAccount: "a", environment: .live(prefix: "p-1")),
                "https://p-1-checkout-live.adyenpayments.com"
            ),
            (Self.merchant.bePaid, "https://gateway.bepaid.by"),
            (Self.merchant.dintero, "https://checkout.dintero.com"),
        ]
        rows += WorldlineDirect.Environment.allCases.map {
            (WorldlineFixture.direct($0), $0.rawValue)
        }
        rows += WorldlineConnect.Environment.allCases.map {
            (WorldlineFixture.connect($0), $0.rawValue)
        }
        rows += CyberSource.Environment.allCases.map { environment in
            let credentials = Self.merchant.cyberSource.credentials
            return (
                CyberSource(credentials: credentials, environment: environment),
                environment.rawValue
            )
        }
        rows += PayPal.Environment.allCases.map { environment in
            (
                PayPal(credentials: .accessToken(secret), environment: environment),
                environment.rawValue
            )
        }
        for (gateway, origin) in rows {
            #expect(try gateway.request(order).origin == origin)
            #expect(origin.hasPrefix("https://"))
        }
        let proxy = "http://127.0.0.1:8080"
        let proxied = try Self.merchant.gateways().map { gateway in
            with(gateway) { $0.move(to: proxy) }
        }
        for gateway in proxied { #expect(try gateway.request(order).origin == proxy) }
    }
}
