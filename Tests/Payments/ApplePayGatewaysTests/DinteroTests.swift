import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import Foundation
import TestVectors
import Testing

extension Dintero: TestedGateway {
    static let referencePath = ["order", "merchant_reference"]

    func paymentRequest(_ input: PaymentInput) throws(PaymentError) -> GatewayRequest {
        try sessionRequest(input.order, input.attempt)
    }

    mutating func move(to origin: String) { (self.origin, loginOrigin) = (origin, origin) }
}

extension DinteroTests: GatewaySuite {
    static let gatewayName = "dintero"

    static func accounts(of merchant: ExampleMerchant) -> [any TestedGateway] {
        [merchant.dintero]
    }

    static func pageAccount(_ secret: SensitiveBytes) throws -> (any TestedGateway)? {
        var gateway = Dintero(
            accountID: "T12345678", credentials: .client(id: "client-1", secret: secret))
        gateway.callbackSecret = secret
        return gateway
    }

    static let sandboxAccount: SandboxAccount? = SandboxAccount(name: gatewayName) { sandbox in
        with(SandboxAccount.merchant.dintero) {
            $0.credentials = .client(id: "client", secret: SandboxAccount.merchant.secret)
            $0.origin = sandbox.origin
            $0.loginOrigin = sandbox.origin
        }
    }

    /// Dintero captures only on request.
    static let reservingAccount = sandboxAccount

    static func paymentReport(
        of vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) -> PaymentReport? {
        switch vector.step {
        case "pay": Dintero.payReport(response)
        case "session-status": Dintero.sessionStatusReport(response)
        case "transaction": Dintero.transactionReport(response)
        case "search": Dintero.searchReport(response, attempt.reference)
        default: nil
        }
    }

    static func operationReport(
        of operation: AnswerVector.Operation, _ response: GatewayResponse
    ) -> PaymentReport? {
        Dintero.operationReport(response, of: operation.kind, key: ExactText(operation.key))
    }

    static func identifiers(
        after step: String, _ response: GatewayResponse
    ) throws(PaymentError) -> [String: String]? {
        switch step {
        case "login": _ = try OAuthCredentials.accessToken(response)
        case "session": return ["sessionId": try String(Dintero.sessionID(response))]
        case "operations": _ = try Dintero.submission(response)
        case "submit": _ = try Dintero.transactionID(response)
        default: return nil
        }
        return [:]
    }

    /// Reads the vector's callback, signed.
    static func message(of vector: AnswerVector, _ text: String) throws -> GatewayMessageContents {
        let target = vector.http.target ?? ""
        let query = target.drop { $0 != "?" }.dropFirst().split(separator: "&").sorted()
        let signature = try SignedMessage.dinteroSignature(
            query.joined(separator: "&"), path: String(target.prefix { $0 != "?" }))
        return try SignedMessage.dinteroAccount()
            .read(SignedMessage.dintero(target, signature), receivedAt: SignedMessage.time)
    }
}

@Suite("Dintero")
struct DinteroTests {
    private static func gateway(
        _ token: String = "merchant.access-token",
        _ options: (inout Dintero.Options) -> Void = { _ in }
    ) -> Dintero {
        let credentials = OAuthCredentials.accessToken(GatewayFixture.secret(token))
        return with(Dintero(accountID: "P12345678", credentials: credentials)) {
            options(&$0.options)
        }
    }

    private static let client = Dintero(
        accountID: "P12345678",
        credentials: .client(id: "client-1", secret: GatewayFixture.secret("client-secret")))

    private static let item = with(
        OrderItem(id: "i1", lineId: "1", description: "Item", amount: 20100)
    ) {
        $0.taxAmount = 4020
        $0.taxBasisPoints = 2500
    }

    private static func order(
        _ amount: Int64 = 20100, _ currency: String = "NOK", returnURL: String,
        _ change: (inout Order) -> Void = { _ in }
    ) throws -> Order {
        try with(GatewayFixture.order(amount, currency, reference: "order-1")) {
            $0.returnURL = returnURL
            change(&$0)
        }
    }

    /// Returns the first request of a payment, which is the one for a session.
    private static func session(
        _ order: Order, at gateway: Dintero = gateway()
    ) throws -> GatewayRequest {
        try gateway.payment(
            AcceptedPayment(
                order, GatewayFixture.attempt(order), GatewayFixture.payment().token, nil)
        ).request(at: .distantPast)
    }

    private static func operations(
        href: String =
            "https://psp.dintero.example/v1/applepay/submit?access_token=eyJ0%2B/a.b%3D%3D",
        method: String = "POST",
        rel: String = "submit-dintero-psp-applepay"
    ) -> String {
        #"{"operations":[{"href":"https://x.example/validate","method":"POST","#
            + #""rel":"validate-dintero-psp-applepay-merchant"},{"href":"\#(href)","#
            + #""method":"\#(method)","rel":"\#(rel)","content_type":"application/json","#
            + #""supported_networks":["visa","masterCard"],"merchant_country":"NO"}]}"#
    }

    private static func submission(_ body: String = operations()) throws -> Dintero.Submission {
        try Dintero.submission(GatewayResponse(body))
    }

    private static func token(
        _ token: PaymentToken, to submission: Dintero.Submission? = nil
    ) throws -> GatewayRequest {
        let order = try GatewayFixture.order(reference: "7B7F0E5C-2C0C-4A2B-9B0C-3C7C6B0E9C11")
        return try gateway().paymentRequest(
            GatewayFixture.input(token, order), to: submission ?? Self.submission())
    }

    private static let fullSubmission = operations(
        href: "https://psp.dintero.example/v1/applepay/submit?session=a%20b"
            + "&access_token=eyJ0%2B/a.b%3D%3D&n=1#top",
        method: "PUT")

    private static func operation(
        _ kind: PaymentOperation.Kind, amount: Int64? = nil, isFinal: Bool? = nil
    ) throws -> GatewayRequest {
        let name = "\(kind.rawValue)-1"
        let operation = with(PaymentOperation(kind, amount: amount, name: ExactText(name))) {
            // Only refunds have a reason, and only captures can be final.
            $0.reason = "Returned goods"
            $0.isFinal = isFinal
        }
        return try GatewayFixture.request(
            operation, at: gateway("dintero-token"),
            of: GatewayFixture.attempt(
                GatewayFixture.order(20100, "NOK"), paymentID: "T12345678.def"))
    }

    private static func status(
        _ change: (inout PaymentAttempt) -> Void = { _ in }
    ) throws -> GatewayRequest {
        let attempt = try with(GatewayFixture.attempt(GatewayFixture.order()), change)
        return try gateway("dintero-token").status(of: attempt).request(at: .distantPast)
    }

    static let vectors: [RequestVector] =
        DinteroStoredCardTests.vectors + [
            RequestVector("dintero-access-token-minimal") { try client.loginRequest() },
            RequestVector("dintero-session-minimal") {
                try session(order(returnURL: "yourapp://redirect?initial_recipient=merchant"))
            },
            RequestVector("dintero-session-full") {
                let order = try Self.order(
                    returnURL: "yourapp://redirect?initial_recipient=merchant"
                ) {
                    $0.notificationURL = "https://shop.example/cb"
                    $0.items = [item]
                }
                let gateway = Self.gateway {
                    $0.settings = .inApp(generatesPaymentToken: true)
                    $0.expiresAt = "2099-12-31T23:23:59.999Z"
                }
                return try session(order, at: gateway)
            },
            RequestVector("dintero-session-profile") {
                try session(
                    order(1234, "JPY", returnURL: "https://shop.example/r"),
                    at: gateway { $0.settings = .profile("default") })
            },
            RequestVector("dintero-operations-minimal") {
                try gateway().operationsRequest(sessionID: "P12345678.abc")
            },
            RequestVector("dintero-operations-full") {
                let gateway = Self.gateway {
                    $0.forceNew = true
                    $0.sendsEmptyObject = true
                }
                return try gateway.operationsRequest(sessionID: "a/b?c")
            },
            RequestVector("dintero-token-minimal") { try token(StubTokens.bare()) },
            RequestVector("dintero-token-full") {
                try token(StubTokens.whole(), to: submission(fullSubmission))
            },
            RequestVector("dintero-pay") {
                try gateway().payRequest(sessionID: "P12345678.abc", transactionID: "T1")
            },
            RequestVector("dintero-get-session-minimal") {
                try status { $0.sessionID = "P12345678.abc" }
            },
            RequestVector("dintero-get-transaction-minimal") {
                try status {
                    $0.sessionID = "P12345678.abc"
                    $0.paymentID = "T12345678.def"
                }
            },
            RequestVector("dintero-find-transactions-minimal") { try status() },
            RequestVector("dintero-capture-minimal") { try operation(.capture) },
            RequestVector("dintero-capture-full") {
                try operation(.capture, amount: 10000, isFinal: true)
            },
            RequestVector("dintero-void-minimal") { try operation(.cancellation) },
            RequestVector("dintero-refund-minimal") { try operation(.refund) },
        ]

    @Test("begins with a login if the credentials are a client's")
    func login() throws {
        let order = try GatewayFixture.order { _ in }
        let attempt = try GatewayFixture.attempt(order)
        let accepted = try AcceptedPayment(
            order, attempt, GatewayFixture.payment().token, GatewayFixture.payment())
        let capture = PaymentOperation(.capture, name: "capture-1")
        let known = try GatewayFixture.attempt(order, paymentID: "T1")
        let requests = [
            try Self.client.payment(accepted).request(at: .distantPast),
            try Self.client.status(of: attempt).request(at: .distantPast),
            try GatewayFixture.request(capture, at: Self.client, of: known),
        ]
        let login = try GatewayVector.request("dintero-access-token-minimal")
        for request in requests { #expect(GatewayFixture.text(request) == login) }
        let proxy = with(Self.client) { $0.loginOrigin = "https://proxy.example" }
        let proxied = GatewayFixture.text(try proxy.loginRequest())
        // The audience stays the vendor's.
        #expect(
            proxied
                == login.replacing(
                    "POST https://api.dintero.com", with: "POST https://proxy.example"))
    }

    @Test(
        "gets a return address that leads to the merchant's app",
        arguments: [
            ("app://r", "app://r?initial_recipient=merchant"),
            ("https://s.example/r?", "https://s.example/r?initial_recipient=merchant"),
            ("https://s.example/r?a=b", "https://s.example/r?a=b&initial_recipient=merchant"),
            ("https://s.example/r#f", "https://s.example/r?initial_recipient=merchant#f"),
            (
                "https://s.example/r?a=b#f?g",
                "https://s.example/r?a=b&initial_recipient=merchant#f?g"
            ),
            ("app://r?a=b&initial_recipient=psp", "app://r?a=b&initial_recipient=psp"),
            ("app://r?initial_recipient=", "app://r?initial_recipient="),
            (
                "app://r?x_initial_recipient=a",
                "app://r?x_initial_recipient=a&initial_recipient=merchant"
            ),
        ])
    func returnURL(_ given: String, _ sent: String) throws {
        let body = GatewayFixture.body(try Self.session(Self.order(returnURL: given)))
        #expect(body.hasPrefix(#"{"url":{"return_url":"\#(sent)"},"#))
    }

    @Test(
        "gets a tax rate without floating point, with no more decimals than it needs",
        arguments: [
            (2500, "25"), (2550, "25.5"), (1, "0.01"), (775, "7.75"), (0, "0"), (5, "0.05"),
            (1010, "10.1"), (1005, "10.05"), (1011, "10.11"), (10_000, "100"), (-1, nil),
            (10_001, nil),
        ] as [(Int64, String?)])
    func vat(_ basisPoints: Int64, _ text: String?) throws {
        let order = try GatewayFixture.order(20100) {
            $0.items = [with(Self.item) { $0.taxBasisPoints = basisPoints }]
        }
        guard let text else {
            Self.gateway().expectRefusal(.unsupportedAmount, "vat", of: order)
            return
        }
        #expect(try Self.gateway().body(order).contains(#""vat":\#(text)}"#))
    }

    @Test(
        "refuses lines whose amounts do not add up to the total",
        arguments: [
            ([], true), ([3000], true), ([2999, 1], true), ([3001, -1], true), ([3001], false),
            ([2999], false), ([1, 1], false), ([.max, .max], false), ([.min, .max, 3001], true),
        ] as [([Int64], Bool)])
    func items(_ amounts: [Int64], _ addUp: Bool) throws {
        let order = try GatewayFixture.order {
            $0.items = amounts.map { OrderItem(id: "i", lineId: "1", description: "d", amount: $0) }
        }
        guard addUp else {
            Self.gateway().expectRefusal(.unsupportedAmount, "items", of: order)
            return
        }
        let body = try Self.gateway().body(order)
        #expect(body.contains(#""items":["#) == !amounts.isEmpty)
        for amount in amounts {
            #expect(
                body.contains(
                    #"{"id":"i","line_id":"1","description":"d","amount":\#(amount),"quantity":1}"#)
            )
        }
    }

    @Test("gets operations and payments without credentials, and odd identifiers encoded")
    func otherRequests() throws {
        let odd = try Self.gateway().payRequest(sessionID: "../x", transactionID: #"T"1"#)
        #expect(odd.path == "/v1/sessions/..%2Fx/pay")
        #expect(GatewayFixture.body(odd).contains(#""psp_transaction_id":"T\"1""#))
        for request in [odd, try Self.gateway().operationsRequest(sessionID: "P1")] {
            #expect(!request.headers.contains { $0.isSecret })
        }
        #expect(Dintero.Options().settings == .inApp(generatesPaymentToken: false))
    }

    @Test("gets the token with the address's access_token as a header, decoded once")
    func token() throws {
        let request = try Self.token(
            StubTokens.whole(), to: Self.submission(Self.fullSubmission))
        #expect(try GatewayFixture.body(request) == StubTokens.string("dintero_body"))
        #expect(!request.url.contains("access_token") && !"\(request)".contains("eyJ0"))
        #expect(!"\(try Self.submission(Self.fullSubmission))".contains("eyJ0"))
    }

    @Test(
        "gets the token at the address that it names, with its whole query",
        arguments: [
            ("https://h.example/p?access_token=a%252Bb+c", "https://h.example/p", "a%2Bb+c"),
            ("https://h.example?access_token=%21%7E", "https://h.example/", "!~"),
            (
                "https://h.example:8443/p/q?a=b?c&x=1=2&flag&e=&=v&access_token=t#top?access_token=u",
                "https://h.example:8443/p/q?a=b%3Fc&x=1%3D2&flag=&e=&=v", "t"
            ),
            // For a server of the tests.
            ("http://127.0.0.1:8080/p?access_token=a", "http://127.0.0.1:8080/p", "a"),
        ])
    func addresses(_ href: String, _ url: String, _ accessToken: String) throws {
        let request = try Self.token(
            StubTokens.bare(), to: Self.submission(Self.operations(href: href, method: "AZ")))
        #expect(request.url == url && request.method == "AZ")
        #expect(request.headers.first?.revealValue() == accessToken)
    }

    @Test("gets a token with applicationData, and a decrypted payment's own token")
    func applicationData() throws {
        let hash = String(repeating: "ab", count: 32)
        let token = try StubTokens.bare {
            $0.replacing(#""header":{"#, with: #""header":{"applicationData":"\#(hash)","#)
        }
        let request = try Self.token(token)
        #expect(GatewayFixture.body(request).contains(#"\"applicationData\":\"\#(hash)\""#))
        let verified = try Self.token(GatewayFixture.payment().token.parsed)
        #expect(GatewayFixture.body(verified).contains(#"\"version\":\"EC_v1\""#))
    }

    private static let name = "submit-dintero-psp-applepay"

    @Test(
        "is not sent a token if the address is missing, malformed or unsafe",
        arguments: [
            (operations(rel: "other"), .missingMember, "operations.\(name)"),
            ("{}", .missingMember, "operations.\(name)"),
            (#"{"operations":[{"rel":"\#(name)"}]}"#, .missingMember, "href"),
            (#"{"operations":[{"rel":"\#(name)","href":""}]}"#, .missingMember, "method"),
            (operations(method: "POST\\r\\nX: 1"), .malformed, "method"),
            (operations(method: ""), .malformed, "method"),
            (operations(method: "A@"), .malformed, "method"),
            (operations(method: "[A"), .malformed, "method"),
            (operations(href: "http://h.example/p?access_token=a"), .malformed, "href"),
            (operations(href: "https:///p?access_token=a"), .malformed, "href"),
            (operations(href: "https://a@h.example/p?access_token=a"), .malformed, "href"),
            (operations(href: "https://h.example/p\\r\\n?access_token=a"), .malformed, "href"),
            (operations(href: "https://h.example/p?access_token=\u{7F}"), .malformed, "href"),
            (operations(href: ""), .malformed, "href"),
            (operations(href: "https:"), .malformed, "href"),
            (operations(href: "https:/x/h.example/p?access_token=a"), .malformed, "href"),
            (operations(href: "https://h.example/p?access_token=%2"), .malformed, "href"),
            (operations(href: "https://h.example/p?x=%zz&access_token=a"), .malformed, "href"),
            (operations(href: "https://h.example/p"), .missingMember, "href.access_token"),
            (
                operations(href: "https://h.example/p?access_token="), .malformed,
                "href.access_token"
            ),
            (
                operations(href: "https://h.example/p?access_token=a%0D%0Ab"), .malformed,
                "href.access_token"
            ),
            (
                operations(href: "https://h.example/p?access_token=a&access_token=b"), .malformed,
                "href.access_token"
            ),
            (
                operations(href: "https://h.example/p?access_token=%20"), .malformed,
                "href.access_token"
            ),
            (
                operations(href: "https://h.example/p?access_token=%7F"), .malformed,
                "href.access_token"
            ),
        ] as [(String, PaymentError.Code, String)])
    func badOperations(_ body: String, _ code: PaymentError.Code, _ field: String) {
        let error = #expect(throws: PaymentError.self) { try Self.submission(body) }
        #expect(error?.code == code && (error?.members.first ?? "") == field)
    }

    @Test(
        "refuses a decrypted payment unless its card is a Visa or a Mastercard",
        arguments: [
            ("4761120010000492", true), ("5204245250460049", true), ("370295136149943", false),
            ("6011000990139424", false), ("3528000000000007", false), ("2199000000000000", false),
        ])
    func brand(_ account: String, _ isAccepted: Bool) throws {
        let payment = try GatewayFixture.payment(GatewayFixture.payload(account: account))
        let input = try GatewayFixture.input(payment) { $0.returnURL = "a:b" }
        func token() throws -> GatewayRequest {
            try Self.gateway().paymentRequest(input, to: Self.submission())
        }
        func call() throws -> GatewayRequest {
            try Self.gateway().payment(GatewayFixture.accepted(payment) { $0.returnURL = "a:b" })
                .request(at: .distantPast)
        }
        guard isAccepted else {
            GatewayFixture.expectRefusal(.unsupportedValue, "paymentMethod.network", token)
            GatewayFixture.expectRefusal(.unsupportedValue, "paymentMethod.network", call)
            return
        }
        let closed = try Self.gateway().paymentRequest(
            PaymentInput(input.order, input.attempt, input.token), to: Self.submission())
        #expect(try GatewayFixture.text(token()) == GatewayFixture.text(closed))
        #expect(try call().path == "/v1/sessions")
    }

    @Test("refuses an answer with an event of a negative amount")
    func negativeEvent() {
        let body =
            #"{"id":"P00000000.t1","status":"CAPTURED","amount":3000,"currency":"NOK","#
            + #""merchant_reference":"order-1001","events":[{"event":"CAPTURE","amount":-1}]}"#
        let report = Dintero.transactionReport(
            GatewayResponse(status: 200, body: Array(body.utf8)))
        #expect(
            report.fault
                == "HTTP status 200: events.amount does not have the documented form.")
    }
}
