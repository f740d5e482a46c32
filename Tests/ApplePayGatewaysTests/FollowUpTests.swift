import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Testing

@Suite("Requests after a payment")
struct FollowUpTests {
    private let shop = BePaid.Shop(
        identifier: "361", secretKey: GatewayFixture.secret("bepaid-secret"))
    private let dinteroToken = GatewayFixture.secret("dintero-token")
    private let rbsUser = RBS.Credentials.user(
        .init(name: "shop-api", password: GatewayFixture.secret("pass")))
    private let orderId = "01491d0b-c848-7dd6-a20d-e96900a7d8c0"

    /// Compares the requests that Worldline's platforms share with the vectors of one platform.
    private func worldline<Platform: WorldlinePlatform>(
        _ platform: Platform.Type,
        _ name: String,
        _ account: Worldline.Account<Platform>
    ) async throws {
        let (id, order) = ("3066019730_1", try GatewayFixture.order())
        let key = "attempt-1"
        try await GatewayFixture.expect(
            Platform.capture(id, authorized: order, idempotenceKey: key, account: account),
            is: "\(name)-capture-minimal")
        try await GatewayFixture.expect(
            Platform.capture(
                id, amount: 1000, authorized: order, isFinal: true, idempotenceKey: key,
                account: account), is: "\(name)-capture-full")
        try await GatewayFixture.expect(
            Platform.cancel(id, idempotenceKey: key, account: account),
            is: "\(name)-cancel-minimal")
        try await GatewayFixture.expect(
            Platform.refund(id, authorized: order, idempotenceKey: key, account: account),
            is: "\(name)-refund-minimal")
    }

    @Test("capture, cancel and refund on both of Worldline's platforms, byte for byte")
    func worldline() async throws {
        try await worldline(
            WorldlineDirect.self, "worldline-direct", WorldlineFixture.direct)
        try await worldline(
            WorldlineConnect.self, "worldline-connect", WorldlineFixture.connect)
        try await GatewayFixture.expect(
            WorldlineDirect.getPaymentDetails("3066019730_1", account: WorldlineFixture.direct),
            is: "worldline-direct-get-payment-details-minimal")
    }

    @Test("count each platform's decimals")
    func decimals() throws {
        let yen = try GatewayFixture.order(100, "JPY")
        let direct = try WorldlineDirect.capture("1", authorized: yen)
        #expect(direct.body?.revealText() == #"{"amount":100}"#)
        let connect = try WorldlineConnect.refund("1", amount: 50, authorized: yen)
        #expect(
            connect.body?.revealText()
                == #"{"amountOfMoney":{"amount":5000,"currencyCode":"JPY"}}"#)
    }

    @Test("ask for bePaid's transactions, capture, void and refund them, byte for byte")
    func bePaid() async throws {
        let uid = "4107-310b0da80b"
        try await GatewayFixture.expect(
            BePaid.statusRequest(uid: uid, shop: shop), is: "bepaid-status-minimal")
        try await GatewayFixture.expect(
            BePaid.statusRequest(trackingId: "order 1", shop: shop),
            is: "bepaid-status-tracking-id")
        let order = try GatewayFixture.order()
        for (operation, name) in [(PaymentOperation.capture, "capture"), (.cancel, "void")] {
            try await GatewayFixture.expect(
                BePaid.operation(operation, uid: uid, authorized: order, shop: shop),
                is: "bepaid-\(name)-minimal")
        }
        try await GatewayFixture.expect(
            BePaid.operation(
                .refund, uid: uid, authorized: order, reason: "Returned goods",
                requestID: "attempt-1", shop: shop), is: "bepaid-refund-minimal")
        GatewayFixture.expectRefusal(.unsupportedLength, "reason") {
            try BePaid.operation(.refund, uid: uid, authorized: order, shop: shop)
        }
    }

    @Test("ask for Dintero's sessions and transactions, capture, void and refund, byte for byte")
    func dintero() async throws {
        let (session, transaction) = ("P12345678.abc", "T12345678.def")
        try await GatewayFixture.expect(
            Dintero.statusRequest(sessionId: session, accessToken: dinteroToken),
            is: "dintero-get-session-minimal")
        try await GatewayFixture.expect(
            Dintero.statusRequest(transactionId: transaction, accessToken: dinteroToken),
            is: "dintero-get-transaction-minimal")
        let order = try GatewayFixture.order(20100, "NOK")
        for (operation, name) in [
            (PaymentOperation.capture, "capture"), (.cancel, "void"), (.refund, "refund"),
        ] {
            try await GatewayFixture.expect(
                Dintero.operation(
                    operation, transactionId: transaction, authorized: order,
                    reason: "Returned goods", accessToken: dinteroToken),
                is: "dintero-\(name)-minimal")
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
            try Dintero.operation(
                .cancel, transactionId: transaction, amount: 1, authorized: order,
                accessToken: dinteroToken)
        }
    }

    @Test("reverse and refund an order of RBS, byte for byte")
    func rbs() async throws {
        try await GatewayFixture.expect(
            RBS.reverse(orderId: orderId, credentials: rbsUser, host: .sandbox),
            is: "rbs-reverse-minimal")
        try await GatewayFixture.expect(
            RBS.refund(
                orderId: orderId, authorized: GatewayFixture.order(), credentials: rbsUser,
                host: .sandbox), is: "rbs-refund-minimal")
    }

    @Test("take no more than what was authorized, and no less than 1", arguments: [0, -1, 3001])
    func amounts(_ amount: Int64) throws {
        let order = try GatewayFixture.order()
        let requests: [() throws -> GatewayRequest] = [
            { try WorldlineDirect.capture("1", amount: amount, authorized: order) },
            { try WorldlineConnect.refund("1", amount: amount, authorized: order) },
            {
                try BePaid.operation(
                    .capture, uid: "u", amount: amount, authorized: order, shop: shop)
            },
            {
                try Dintero.operation(
                    .refund, transactionId: "T", amount: amount, authorized: order,
                    accessToken: dinteroToken)
            },
            {
                try RBS.refund(
                    orderId: "o", amount: amount, authorized: order, credentials: rbsUser,
                    host: .sandbox)
            },
            {
                try RBS.deposit(
                    .amount(amount), orderId: "o", credentials: rbsUser, authorized: 3000,
                    host: .sandbox)
            },
        ]
        for request in requests {
            GatewayFixture.expectRefusal(.unsupportedAmount, "amount", request)
        }
    }

    @Test(
        "post an opened token to Dintero only if its card is a Visa or a Mastercard",
        arguments: [
            ("4761120010000492", true), ("5204245250460049", true), ("370295136149943", false),
            ("6011000990139424", false), ("3528000000000007", false),
        ])
    func dinteroBrand(_ account: String, _ isTaken: Bool) throws {
        let payment = try GatewayFixture.payment(GatewayFixture.payload(account: account))
        let answer = try Dintero.OperationsAnswer(
            GatewayResponse(
                #"{"operations":[{"href":"https://psp.example/s?access_token=t","method":"POST","#
                    + #""rel":"submit-dintero-psp-applepay"}]}"#))
        let place = try #require(answer.submission)
        guard isTaken else {
            GatewayFixture.expectRefusal(.unsupportedValue, "paymentMethod.network") {
                try Dintero.submitToken(payment, to: place, reference: "r")
            }
            return
        }
        let opened = try Dintero.submitToken(payment, to: place, reference: "r")
        let closed = Dintero.submitToken(payment.token, to: place, reference: "r")
        #expect(opened.body?.revealText() == closed.body?.revealText())
    }

    @Test("repeat a request with its key, without the old signature")
    func repetition() throws {
        var options = WorldlineDirect.CreatePaymentOptions()
        options.idempotenceKey = String(repeating: "k", count: 40)
        func request() throws -> GatewayRequest {
            try WorldlineDirect.createPayment(
                GatewayFixture.payment(), order: GatewayFixture.order(),
                account: WorldlineFixture.direct, options: options)
        }
        let unsigned = try request()
        let signed = try WorldlineFixture.signed(unsigned)
        let question = try #require(signed.statusRequest)
        #expect(GatewayFixture.text(question) == GatewayFixture.text(unsigned))
        options.idempotenceKey = nil
        #expect(try request().statusRequest == nil)
        options.idempotenceKey = String(repeating: "k", count: 41)
        GatewayFixture.expectRefusal(.unsupportedLength, "X-GCS-Idempotence-Key", request)
        let bePaid = try BePaid.operation(
            .capture, uid: "u", authorized: GatewayFixture.order(), requestID: "r", shop: shop)
        let repeated = try #require(bePaid.statusRequest)
        #expect(GatewayFixture.text(repeated) == GatewayFixture.text(bePaid))
    }

    @Test(
        "go to https origins and to http on loopback addresses only",
        arguments: [
            ("https://gateway.example", true), ("https://gateway.example:8443", true),
            ("http://127.0.0.1:8080", true), ("http://127.8.9.10", true),
            ("http://localhost:1", true), ("http://[::1]:65535", true),
            ("https://[::1]", true), ("http://gateway.example", false),
            ("http://localhost.example", false), ("http://127.0.0.1.example", false),
            ("http://0127.0.0.1", false), ("http://127.0.0.256", false),
            ("http://127.0..0.1", false),
            ("http://127.1", false), ("http://+127.0.0.1", false),
            ("https://gateway.example/", false), ("https://gateway.example/path", false),
            ("https://user@gateway.example", false), ("https://gateway.example:0", false),
            ("https://gateway.example:65536", false), ("https://gateway.example:+80", false),
            ("https://", false), ("https://:80", false), ("https://a b", false),
            ("https://a\nHost: b", false), ("ftp://gateway.example", false), ("", false),
            ("HTTP://127.0.0.1", false), ("http://127.0.0.1@gateway.example", false),
        ])
    func origin(_ origin: String, _ isPermitted: Bool) throws {
        let request = try WorldlineDirect.getPayment("1", account: WorldlineFixture.direct)
        guard isPermitted else {
            GatewayFixture.expectRefusal(.unsupportedValue, "origin") {
                try request.replacingOrigin(origin)
            }
            return
        }
        #expect(try request.replacingOrigin(origin).url == origin + request.target)
    }
}
