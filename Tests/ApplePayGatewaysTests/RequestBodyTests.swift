import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Foundation
import Testing

/// Compares requests to RBS, bePaid, Dintero and Intergiro, Dintero's addresses and events as far as the vectors and
/// EventTests do not.
@Suite("Contents of requests and events")
struct RequestBodyTests {
    private let secret = GatewayFixture.secret
    private let host = RBS.Host(origin: "https://pay.example")
    private let shop = BePaid.Shop(identifier: "361", secretKey: GatewayFixture.secret("k"))

    @Test("follow-up requests with all parameters")
    func bodies() throws {
        let user = RBS.User(name: "u", password: secret("p"))
        let order = try GatewayFixture.order()
        let requests: [(GatewayRequest, String?)] = [
            (
                try RBS.orderStatus(
                    orderId: "o", credentials: .token(secret("t")), language: "en", host: host),
                "token=t&orderId=o&language=en"
            ),
            (
                try RBS.deposit(
                    .amount(2000), orderNumber: "n", merchantLogin: "m", user: user,
                    currency: order.currency, language: "en", host: host),
                "userName=u&password=p&orderNumber=n&merchantLogin=m&amount=2000&currency=978&language=en"
            ),
            (
                try RBS.deposit(
                    .all, orderNumber: "n", merchantLogin: "m", user: user, host: host),
                "userName=u&password=p&orderNumber=n&merchantLogin=m&amount=0"
            ),
            (
                try RBS.refund(
                    orderId: "o", amount: 7, authorized: order, credentials: .user(user), host: host
                ), "userName=u&password=p&orderId=o&amount=7"
            ),
            (
                try BePaid.operation(
                    .cancel, uid: "u", amount: 7, authorized: order, reason: "r", shop: shop),
                #"{"request":{"parent_uid":"u","amount":7,"reason":"r"}}"#
            ),
            (try dintero(.refund, 7, "r"), #"{"amount":7,"reason":"r"}"#),
            (try dintero(.refund, nil, nil), #"{"amount":3000}"#),
            (try dintero(.capture, 7, "r"), #"{"amount":7}"#),
            (try dintero(.cancel, nil, "r"), nil),
        ]
        for (request, body) in requests { #expect(request.body?.revealText() == body) }
    }

    private func dintero(
        _ operation: PaymentOperation,
        _ amount: Int64?,
        _ reason: String?
    ) throws -> GatewayRequest {
        try Dintero.operation(
            operation, transactionId: "T", amount: amount, authorized: GatewayFixture.order(),
            reason: reason, accessToken: secret("t"))
    }

    @Test("go to the hosts of RBS and to Intergiro's systems")
    func hosts() throws {
        let hosts: [(RBS.Host, String, RBS.Limits)] = [
            (.sberbank, "https://securepayments.sberbank.ru", .russianBanks),
            (.sberbankTest, "https://3dsec.sberbank.ru", .russianBanks),
            (.alfaBank, "https://pay.alfabank.ru", .russianBanks),
            (.sandbox, "https://dev.bpcbt.com", .bpc), (host, "https://pay.example", .bpc),
        ]
        for (host, origin, limits) in hosts {
            let request = try RBS.reverse(
                orderId: "1", credentials: .token(secret("t")), host: host)
            #expect(request.url == "\(origin)/payment/rest/reverse.do" && host.limits == limits)
        }
        for (environment, origin) in [
            (Intergiro.Environment.live, "https://3d.intergiro.com"),
            (.staging, "https://3d.staging.intergiro.tech"),
        ] {
            let requests = [
                try Intergiro.login(apiKey: secret("k"), environment: environment),
                try Intergiro.refresh(refreshToken: secret("r"), environment: environment),
                try Intergiro.tokenize(
                    cardID: "c", accessToken: secret("t"), environment: environment),
                try Intergiro.consent("c", accessToken: secret("t"), environment: environment),
            ]
            #expect(
                requests.map(\.url) == [
                    "\(origin)/v3/auth/login", "\(origin)/v3/auth/refresh",
                    "\(origin)/v3/cards/c/apple_pay/tokenize", "\(origin)/v3/consents/c",
                ])
        }
    }

    @Test("options show none of their values")
    func masked() {
        #expect(String(reflecting: RBS.PaymentOptions()) == "PaymentOptions(masked)")
        #expect("\(RBS.PaymentExtras())" == "PaymentExtras(masked)")
        #expect("\(BePaid.Customer())" == "Customer(masked)")
        #expect("\(BePaid.BillingAddress())" == "BillingAddress(masked)")
        let values: [Any] = [
            RBS.PaymentOptions(), RBS.PaymentExtras(), BePaid.Customer(), BePaid.BillingAddress(),
        ]
        for value in values { #expect(Mirror(reflecting: value).children.isEmpty) }
    }

    @Test("ask for no contract and no stored token unless the caller does")
    func defaults() throws {
        let token = try GatewayFixture.payment().token
        let checkout = BePaid.checkoutPayment(token, checkoutToken: secret("c"))
        #expect(checkout.url == "https://checkout.bepaid.by/ctp/api/apple_pay/payment")
        #expect(checkout.body?.revealText().hasSuffix(#""token":"c","contract":false}"#) == true)
        #expect(Dintero.Item(id: "", lineId: "", description: "", amount: 1).quantity == 1)
        guard case .inApp(generatesPaymentToken: false) = Dintero.Settings.inApp() else {
            Issue.record("a token is stored")
            return
        }
    }

    @Test(
        "tax rates have no more decimals than they need",
        arguments: [(5, "0.05"), (1010, "10.1"), (1005, "10.05"), (1011, "10.11"), (10_000, "100")])
    func vat(_ basisPoints: Int64, _ text: String) throws {
        var item = Dintero.Item(id: "i", lineId: "1", description: "d", amount: 1)
        item.vatBasisPoints = basisPoints
        let request = try Dintero.createSession(
            with(Dintero.Session(returnURL: "", merchantReference: "")) { $0.items = [item] },
            order: GatewayFixture.order(), accessToken: secret("t"))
        #expect(request.body?.revealText().contains(#""vat":\#(text)}"#) == true)
    }

    private func submission(_ href: String, _ method: String = "POST") throws -> Dintero.Submission
    {
        let answer = try Dintero.OperationsAnswer(
            GatewayResponse(
                #"{"operations":[{"href":"\#(href)","method":"\#(method)","#
                    + #""rel":"submit-dintero-psp-applepay"}]}"#))
        return try #require(answer.submission)
    }

    @Test("go to the address that Dintero names, with its whole query")
    func addresses() throws {
        let short = try submission("https://h.example?access_token=%21%7E", "AZ")
        #expect(short.origin == "https://h.example" && short.path == "/" && short.method == "AZ")
        #expect(short.accessToken.revealText() == "!~" && short.query.isEmpty)
        #expect(short.contentType == nil && short.merchantCountry == nil)
        #expect(short.supportedNetworks.isEmpty)
        let long = try submission(
            "https://h.example:8443/p/q?a=b?c&x=1=2&flag&e=&=v&access_token=t#top?access_token=u")
        #expect(long.origin == "https://h.example:8443" && long.path == "/p/q")
        #expect(long.query.map(\.name) == ["a", "x", "flag", "e", ""])
        #expect(long.query.map(\.value) == ["b?c", "1=2", "", "", "v"])
        for (token, method, field) in [
            ("%20", "POST", "href.access_token"), ("%7F", "POST", "href.access_token"),
            ("t", "A@", "method"), ("t", "[A", "method"), ("\u{7F}", "POST", "href"),
        ] {
            let error = #expect(throws: UnreadableJSONError.self) {
                try submission("https://h.example/p?access_token=\(token)", method)
            }
            #expect(error?.code == .wrongType && error?.field == field, "\(token) \(method)")
        }
    }

    private func callback(
        _ query: String,
        _ time: Int64 = 1_582_236_537,
        path: String = "/callback",
        target: String? = nil
    ) throws -> GatewayEvent {
        let text = "\(time)\nP1\nGET\nexample.com\n\(path)\n\(query)"
        let code = try Worldline.signature(of: text, secret("k")).withRevealedBytes { bytes in
            bytes.indices.map { String(format: "%02x", bytes[$0]) }.joined()
        }
        let message = GatewayMessage(
            method: "GET", target: target ?? "\(path)?\(query)",
            headers: [
                ("Host", "example.com"), ("Dintero-Signature", "t=\(time), v0-hmac-sha256=\(code)"),
            ], body: [])
        return try Dintero.event(
            message, accountId: "P1", secret: secret("k"),
            now: Date(timeIntervalSince1970: Double(time)))
    }

    @Test("events of Dintero contain what the callback contains")
    func dinteroEvents() throws {
        let event = try callback("event=e&merchant_reference=m&session_id=P&transaction_id=T")
        #expect(event.identifier == "P:T:e" && event.type == "e" && event.paymentId == "T")
        #expect(event.merchantReference == "m" && event.gatewayStatus == nil)
        #expect(event.agrees(with: try GatewayFixture.order()))
        let failed = try callback("error=authorization&session_id=P")
        #expect(failed.identifier == "P:authorization:callback" && failed.paymentId == nil)
        #expect(failed.gatewayStatus == "authorization")
        for query in ["session_id=P", "error=authorization", ""] {
            let error = #expect(throws: GatewayMessageError.self) {
                try callback(query, target: query.isEmpty ? "/callback#f" : nil)
            }
            #expect(error?.code == .missingMember && error?.field == "transaction_id", "\(query)")
        }
        for time: Int64 in [0, 253_402_300_799] {
            #expect(
                try callback("transaction_id=T", time).time
                    == Date(timeIntervalSince1970: Double(time)))
        }
        let late = #expect(throws: GatewayMessageError.self) {
            try callback("transaction_id=T", 253_402_300_800)
        }
        #expect(late?.code == .malformed && late?.field == "Dintero-Signature")
        for headers in [[("Host", "example.com")], []] {
            let error = #expect(throws: GatewayMessageError.self) {
                try Dintero.event(
                    GatewayMessage(method: "GET", target: "/", headers: headers, body: []),
                    accountId: "P1", secret: secret("k"), now: Date())
            }
            #expect(error?.code == .missingMember && error?.field == "Dintero-Signature")
        }
    }

    @Test("events of bePaid contain what the notification contains")
    func bePaidEvents() throws {
        let rsa = try RSAKey.seeded("bepaid", label: "shop")
        let base64 = Data(PrivateKey.rsa(rsa).subjectPublicKeyInfo).base64EncodedString()
        let spaces = { String(repeating: " ", count: $0 - base64.utf8.count) }
        let key = try BePaid.NotificationKey(base64 + spaces(16_384))
        let long = #expect(throws: GatewayMessageError.self) {
            try BePaid.NotificationKey(base64 + spaces(16_385))
        }
        #expect(long?.code == .invalidKey && long?.field == "Content-Signature")
        func event(_ members: String) throws -> GatewayEvent {
            let body = Array(#"{"transaction":{\#(members)}}"#.utf8)
            let signature = try rsa.sign(hash: Digest.sha256.hash(body), digest: .sha256)
            let text = Data(signature).base64EncodedString()
            return try BePaid.event(
                GatewayMessage(
                    method: "POST", target: "/", headers: [("Content-Signature", text)], body: body),
                key: key)
        }
        let created = try event(
            #""uid":"u","status":"pending","created_at":"2026-11-21T08:30:00Z""#)
        #expect(created.identifier == "u:pending" && created.type == "transaction")
        #expect(created.time == Date(timeIntervalSince1970: 1_795_249_800))
        #expect(created.paymentId == "u" && created.gatewayStatus == "pending")
        #expect(created.outcome == .pending && created.merchantReference == nil)
        let updated = try event(
            #""uid":"u","status":"failed","type":"refund","created_at":"2026-11-21T08:30:00Z","#
                + #""updated_at":"2026-11-21T08:30:01Z""#)
        #expect(updated.time == Date(timeIntervalSince1970: 1_795_249_801))
        #expect(updated.type == "refund" && updated.gatewayStatus == "failed")
        let error = #expect(throws: GatewayMessageError.self) { try event(#""status":"failed""#) }
        #expect(error?.code == .unreadable && error?.field == "transaction.uid")
    }
}
