import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import Foundation
import TestVectors
import Testing

extension RBS: TestedGateway {
    static let referencePath = ["orderNumber"]

    mutating func move(to origin: String) { host.origin = origin }
}

extension RBSTests: GatewaySuite {
    static let gatewayName = "rbs"

    static func accounts(of merchant: ExampleMerchant) -> [any TestedGateway] {
        RBS.Kind.allCases.map(merchant.rbs)
    }

    static func pageAccount(_ secret: SensitiveBytes) throws -> (any TestedGateway)? {
        var gateway = RBS(
            host: .init(origin: "https://pay.example", isTest: false, limits: .russianBanks))
        gateway.accountID = "shop"
        gateway.user = .init(name: "shop-api", password: secret)
        gateway.options.kind = .decrypted
        return gateway
    }

    static let sandboxAccount: SandboxAccount? = SandboxAccount(name: gatewayName) {
        SandboxAccount.rbs($0)
    }

    static let reservingAccount: SandboxAccount? = SandboxAccount(name: gatewayName) { sandbox in
        with(SandboxAccount.rbs(sandbox)) { $0.options.preAuth = true }
    }

    static func paymentReport(
        of vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) -> PaymentReport? {
        switch vector.step {
        case "payment": RBS.paymentReport(response, canBeAsked: true)
        case "card-payment": RBS.cardReport(response)
        case "status": RBS.statusReport(response)
        default: nil
        }
    }

    static func operationReport(
        of operation: AnswerVector.Operation, _ response: GatewayResponse
    ) -> PaymentReport? {
        RBS.operationReport(response, of: operation.kind)
    }
}

@Suite("RBS and BPC")
struct RBSTests {
    private static let orderId = "01491d0b-c848-7dd6-a20d-e96900a7d8c0"
    private static let host = RBS.Host(origin: "https://pay.example", isTest: false, prefix: "/gw")

    private static func user(_ password: String = "p+ss w&rd=%") -> RBS.User {
        RBS.User(name: "shop-api", password: GatewayFixture.secret(password))
    }

    private static func gateway(
        _ kind: RBS.Kind = .encrypted,
        host: RBS.Host = .sberbank,
        user: RBS.User? = nil,
        merchant: String? = nil,
        _ options: (inout RBS.Options) -> Void = { _ in }
    ) -> RBS {
        with(RBS(host: host)) {
            $0.merchant = kind == .encrypted ? "shop-api" : merchant
            $0.user = user
            $0.options.kind = kind
            options(&$0.options)
        }
    }

    private static func order(
        _ amount: Int64 = 3000, _ change: (inout Order) -> Void = { _ in }
    ) throws -> Order {
        try with(GatewayFixture.order(amount, reference: "1001"), change)
    }

    /// Returns `payment.do` for the stub token.
    private static func payment(
        _ order: Order? = nil,
        host: RBS.Host = .sberbank,
        _ options: (inout RBS.Options) -> Void = { _ in }
    ) throws -> GatewayRequest {
        try gateway(host: host, options).paymentRequest(
            GatewayFixture.input(StubTokens.whole(), order ?? Self.order()))
    }

    /// Returns `paymentDirect.do`.
    private static func direct(
        _ payload: String = GatewayFixture.payload(),
        _ order: Order? = nil,
        merchant: String? = nil,
        _ options: (inout RBS.Options) -> Void = { _ in }
    ) throws -> GatewayRequest {
        let (order, payment) = (try order ?? Self.order(), try GatewayFixture.payment(payload))
        let attempt = try GatewayFixture.attempt(order)
        return try gateway(.decrypted, host: host, user: user(), merchant: merchant, options)
            .paymentRequest(PaymentInput(order, attempt, payment.token.parsed, payment))
    }

    /// Returns `token/payment.do`.
    private static func fields(
        _ payload: String = GatewayFixture.payload(),
        _ order: Order? = nil,
        _ options: (inout RBS.Options) -> Void = { _ in }
    ) throws -> GatewayRequest {
        let payment = try GatewayFixture.payment(payload)
        let order = try with(order ?? GatewayFixture.order()) {
            $0.returnURL = "https://shop.example/r"
        }
        let attempt = try GatewayFixture.attempt(order)
        return try gateway(.token, user: user(), options).paymentRequest(
            PaymentInput(order, attempt, payment.token.parsed, payment))
    }

    private static func fill(_ order: inout Order) {
        order.description = "Order 1001"
        order.customer = with(PaymentContact()) {
            $0.emailAddress = "jane@example.com"
            $0.phoneNumber = "+35799988877"
        }
        order.customerReference = "259753456"
        order.fee = 100
    }

    private static func fill(_ options: inout RBS.Options) {
        options.additionalParameters = ["phone": "9521235847", "email": "jane@example.com"]
    }

    private static let noECI = GatewayFixture.payload(
        authentication: #""onlinePaymentCryptogram":"jiSRYgf6G2rjYwAAC0GPAHQAAAA=""#)

    static let vectors: [RequestVector] =
        RBSStoredCardTests.vectors + [
            RequestVector("rbs-payment-minimal") { try payment() },
            RequestVector("rbs-payment-full") {
                let order = try Self.order {
                    fill(&$0)
                    $0.language = "ru"
                }
                return try payment(order, host: host) {
                    fill(&$0)
                    $0.preAuth = true
                    $0.storedCredential = .common
                    $0.autocompletionDate = "2026-05-11T10:00:00"
                    $0.autoReverseDate = "2026-05-12T10:00:00"
                    $0.dynamicCallbackURL = "https://shop.example/cb"
                }
            },
            RequestVector("rbs-payment-direct-minimal") {
                try direct(GatewayFixture.payload(), order { $0.language = "en" })
            },
            RequestVector("rbs-payment-direct-full") {
                let order = try Self.order {
                    fill(&$0)
                    $0.language = "en"
                }
                return try direct(GatewayFixture.payload(), order, merchant: "other-shop") {
                    fill(&$0)
                    $0.preAuth = false
                    $0.storedCredential = .recurring
                    // These are for payment.do only, as is the telephone number.
                    $0.autocompletionDate = "2026-05-11T10:00:00"
                    $0.autoReverseDate = "2026-05-12T10:00:00"
                    $0.dynamicCallbackURL = "https://shop.example/cb"
                }
            },
            RequestVector("rbs-token-payment-minimal") { try fields(noECI) },
            RequestVector("rbs-token-payment-full") {
                try fields(GatewayFixture.payload(more: #""cardholderName":"Jane Doe","#), order())
                {
                    $0.preAuth = true
                }
            },
            RequestVector("rbs-order-status-minimal") {
                let gateway = with(Self.gateway()) { $0.token = GatewayFixture.secret("t+k/n") }
                return try gateway.statusRequest(
                    GatewayFixture.attempt(paymentID: ExactText(orderId)))
            },
            RequestVector("rbs-order-status-full") {
                try gateway(user: user()) { $0.merchantLogin = "other-shop" }
                    .statusRequest(GatewayFixture.attempt(order()))
            },
            RequestVector("rbs-deposit-minimal") {
                try GatewayFixture.request(
                    .init(.capture, name: "capture-1"), at: gateway(user: user()),
                    of: GatewayFixture.attempt(paymentID: ExactText(orderId)))
            },
            RequestVector("rbs-deposit-full") {
                try GatewayFixture.request(
                    .init(.capture, amount: 2000, name: "capture-1"), at: gateway(user: user()),
                    of: GatewayFixture.attempt(paymentID: ExactText(orderId)))
            },
            RequestVector("rbs-reverse-minimal") {
                try GatewayFixture.request(
                    .init(.cancellation, name: "cancellation-1"),
                    at: gateway(host: .sandbox, user: user("pass")),
                    of: GatewayFixture.attempt(paymentID: ExactText(orderId)))
            },
            RequestVector("rbs-refund-minimal") {
                try GatewayFixture.request(
                    .init(.refund, name: "refund-1"),
                    at: gateway(host: .sandbox, user: user("pass")),
                    of: GatewayFixture.attempt(paymentID: ExactText(orderId)))
            },
            RequestVector("rbs-refund-full") {
                let gateway = with(Self.gateway()) { $0.token = GatewayFixture.secret("t+k/n") }
                return try GatewayFixture.request(
                    .init(.refund, amount: 1000, name: "refund-1"), at: gateway,
                    of: GatewayFixture.attempt(paymentID: ExactText(orderId)))
            },
        ]

    @Test("receives only the encrypted paymentData, without an amount or credentials")
    func encrypted() throws {
        #expect(
            try GatewayFixture.body(Self.payment()).contains(StubTokens.string("rbs_paymentToken")))
        let verified = try Self.gateway(host: .sandbox).payment(
            AcceptedPayment(
                Self.order(), GatewayFixture.attempt(Self.order()), GatewayFixture.payment().token,
                nil)
        ).request(at: .distantPast)
        #expect(verified.url == "https://dev.bpcbt.com/payment/applepay/payment.do")
        #expect(verified.headers.count == 1 && !"\(verified)".contains("paymentToken"))
        #expect(!GatewayFixture.body(verified).contains("3000"))
    }

    @Test("is queried after an answer without amounts if there is a login or a token")
    func query() throws {
        let answer = GatewayResponse(
            status: 200,
            body: Array(
                #"{"success":true,"data":{"orderId":"o1","orderNumber":"order-1001"}}"#.utf8))
        for (hasUser, hasToken) in [(true, false), (false, true), (true, true), (false, false)] {
            let gateway = with(Self.gateway(user: hasUser ? Self.user() : nil)) {
                $0.token = hasToken ? GatewayFixture.secret("t") : nil
            }
            let call = try gateway.payment(GatewayFixture.accepted())
            guard case .outcome(let outcome) = call.read(answer) else {
                Issue.record("another request follows")
                continue
            }
            #expect(outcome.state == (hasUser || hasToken ? .pending : .unknown))
        }
    }

    @Test("receives preAuth as a Boolean, or no preAuth")
    func stages() throws {
        let body = { (preAuth: Bool?) in
            GatewayFixture.body(try Self.payment { $0.preAuth = preAuth })
        }
        #expect(try body(true).contains(#""preAuth":true,"#))
        #expect(try body(false).contains(#""preAuth":false,"#))
        #expect(try !body(nil).contains("preAuth"))
    }

    @Test("gets Apple's own plaintext from paymentDirect.do")
    func decrypted() throws {
        let token = try StubTokens.string("rbs_direct_paymentToken")
        #expect(GatewayFixture.body(try Self.direct()).contains(token))
        for kind in [RBS.Kind.decrypted, .token] {
            let field = kind == .token ? "paymentData" : "paymentToken"
            GatewayFixture.expectRefusal(.tokenNotDecrypted, field) {
                try Self.gateway(kind, user: Self.user()).paymentRequest(
                    GatewayFixture.input(StubTokens.bare()))
            }
        }
    }

    @Test("refuses a token for 0 unless the order is for 0, except in token/payment.do")
    func zeroAmount() throws {
        let nothing = GatewayFixture.payload(amount: "0")
        let (zero, order) = (try Self.order(0), try Self.order())
        let verification = try Self.direct(nothing, zero) { $0.verifiesOnly = true }
        #expect(GatewayFixture.body(verification).contains(#""features":"VERIFY""#))
        #expect(!GatewayFixture.body(try Self.direct(nothing, zero)).contains("features"))
        GatewayFixture.expectRefusal(.unsupportedAmount, "paymentToken") {
            try Self.direct(nothing, order)
        }
        let fields = GatewayFixture.body(try Self.fields(nothing, order))
        #expect(fields.contains(#""amount":3000"#))
        let gateway = Self.gateway(.decrypted, user: Self.user()) { $0.verifiesOnly = true }
        gateway.expectRefusal(.unsupportedAmount, "features", of: order)
        for kind in [RBS.Kind.encrypted, .token] {
            with(gateway) { $0.options.kind = kind }
                .expectRefusal(.unsupportedValue, "features", of: zero)
        }
    }

    @Test("gets the fields one by one, with the expiry as MM and YYYY")
    func fields() throws {
        let odd = GatewayFixture.body(
            try Self.fields(
                GatewayFixture.payload(
                    expiry: "301109",
                    authentication: #""onlinePaymentCryptogram":"AAEC","eciIndicator":"07""#)))
        #expect(odd.contains(#""MM":"11","YYYY":"2030","eci":7}"#))
        let nonsenseDay = try Self.fields(GatewayFixture.payload(expiry: "300299"))
        #expect(GatewayFixture.body(nonsenseDay).contains(#""MM":"02","YYYY":"2030""#))
        for name in ["", "J", String(repeating: "J", count: 46)] {
            let nameless = try Self.fields(
                GatewayFixture.payload(more: #""cardholderName":"\#(name)","#))
            #expect(!GatewayFixture.body(nameless).contains("cardholderName"))
        }
    }

    @Test(
        "gets the numeric code of the currency, or a former one if the options request it",
        arguments: [("RUB", "643", "810"), ("BYN", "933", "974"), ("EUR", "978", "978")])
    func currency(_ currency: String, _ code: String, _ former: String) throws {
        let order = try GatewayFixture.order(3000, currency) { _ in }
        let payload = GatewayFixture.payload(currency: code)
        #expect(GatewayFixture.body(try Self.fields(payload, order)).contains(#":"\#(code)","#))
        let body = GatewayFixture.body(
            try Self.fields(payload, order) { $0.sendsFormerCurrencyCodes = true })
        #expect(body.contains(#""currency":"\#(former)","#))
    }

    @Test("refuses a payment without a cryptogram")
    func cryptograms() {
        let emv = GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#)
        GatewayFixture.expectRefusal(.unsupportedEMV, "paymentToken") { try Self.direct(emv) }
        GatewayFixture.expectRefusal(.unsupportedEMV, "tokenCryptogram") {
            try Self.fields(emv)
        }
    }

    @Test(
        "is asked at the servers of each bank, with the bank's limits",
        arguments: [
            (.sberbank, "https://securepayments.sberbank.ru", .russianBanks),
            (.sberbankTest, "https://3dsec.sberbank.ru", .russianBanks),
            (.alfaBank, "https://pay.alfabank.ru", .russianBanks),
            (.sandbox, "https://dev.bpcbt.com", .bpc),
            (RBS.Host(origin: "https://pay.example", isTest: false), "https://pay.example", .bpc),
        ] as [(RBS.Host, String, RBS.Limits)])
    func hosts(_ host: RBS.Host, _ origin: String, _ limits: RBS.Limits) throws {
        let gateway = Self.gateway(host: host, user: Self.user())
        let operations: [(PaymentOperation.Kind, String)] = [
            (.capture, "deposit"), (.cancellation, "reverse"), (.refund, "refund"),
        ]
        for (kind, path) in operations {
            let request = try GatewayFixture.request(
                .init(kind, name: "o"), at: gateway, of: GatewayFixture.attempt(paymentID: "1"))
            #expect(request.url == "\(origin)/payment/rest/\(path).do")
            // Only BPC's manual documents a key of refunds.
            #expect(
                GatewayFixture.body(request).contains("externalRefundId=")
                    == (kind == .refund && limits == .bpc))
        }
        #expect(host.limits == limits)
    }

    @Test(
        "refuses a path prefix that could change the host or the query",
        arguments: [
            ("", true), ("/payment", true), ("/a/b-c.d_e~f", true), ("/", false), ("//", false),
            ("payment", false), ("/payment/", false), ("/a//b", false), ("/.", false),
            ("/..", false), ("/a/../b", false), ("@other.example", false), ("/a@b", false),
            ("/a?b", false), ("/a#b", false), ("/a%2Fb", false), ("/a b", false), ("/é", false),
            (":443", false), (".other.example", false),
        ])
    func prefix(_ prefix: String, _ isPath: Bool) throws {
        let host = RBS.Host(origin: "https://pay.example", isTest: false, prefix: prefix)
        let gateway = Self.gateway(host: host, user: Self.user())
        let attempt = try GatewayFixture.attempt(paymentID: "1")
        let requests: [(String, () throws -> GatewayRequest)] = [
            ("/applepay/payment.do", { try Self.payment(host: host) }),
            ("/rest/getOrderStatusExtended.do", { try gateway.statusRequest(attempt) }),
            (
                "/rest/reverse.do",
                {
                    try GatewayFixture.request(
                        .init(.cancellation, name: "o"), at: gateway, of: attempt)
                }
            ),
        ]
        for (path, make) in requests {
            guard isPath else {
                GatewayFixture.expectRefusal(.unsupportedValue, "prefix", make)
                continue
            }
            #expect(try make().url == "https://pay.example\(prefix)\(path)")
        }
    }

    @Test("is asked by reference with a login only, and by identifier with either")
    func credentials() throws {
        let attempt = try GatewayFixture.attempt(Self.order())
        let known = try GatewayFixture.attempt(paymentID: "1")
        var gateway = Self.gateway()
        GatewayFixture.expectRefusal(.unsupportedOperation, "status") {
            try gateway.statusRequest(known)
        }
        gateway.token = GatewayFixture.secret("t")
        GatewayFixture.expectRefusal(.unsupportedOperation, "status") {
            try gateway.statusRequest(attempt)
        }
        #expect(GatewayFixture.body(try gateway.statusRequest(known)) == "token=t&orderId=1")
        gateway.user = RBS.User(name: "u", password: GatewayFixture.secret("p"))
        #expect(
            GatewayFixture.body(try gateway.statusRequest(attempt))
                == "userName=u&password=p&orderNumber=1001")
        #expect(
            GatewayFixture.body(try gateway.statusRequest(known))
                == "userName=u&password=p&orderId=1")
    }
}
