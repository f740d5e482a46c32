import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import ApplePayWire
import Foundation
import TestVectors
import Testing

/// The lengths of the texts that are not an order's: those of the account and of earlier answers.
@Suite("The lengths of texts in requests")
struct RequestLengthTests {
    private typealias Field = (
        name: String, lengths: ClosedRange<Int>, request: (String) throws -> GatewayRequest
    )
    private let any = 1...Int.max
    private let secret = GatewayFixture.secret
    private let merchant = ExampleMerchant.example
    private let now = Date(timeIntervalSince1970: 0)

    /// Returns the request for an operation on a payment with this identifier.
    private func perform(
        _ kind: PaymentOperation.Kind,
        at gateway: some PaymentGateway,
        id: ExactText = "1",
        reason: ExactText? = "r"
    ) throws -> GatewayRequest {
        let operation = with(PaymentOperation(kind, name: "o")) { $0.reason = reason }
        return try GatewayFixture.request(
            operation, at: gateway, of: GatewayFixture.attempt(paymentID: id))
    }

    /// Returns an attempt whose page or session has this identifier.
    private func attempt(sessionID: String) throws -> PaymentAttempt {
        try with(GatewayFixture.attempt(GatewayFixture.order())) {
            $0.sessionID = ExactText(sessionID)
        }
    }

    private func rbsPayments() throws -> [Field] {
        let order = try GatewayFixture.order { _ in }
        func gateway(_ kind: RBS.Kind, _ name: String = "u", _ password: String = "p") -> RBS {
            with(merchant.rbs(kind)) { $0.user = .init(name: name, password: secret(password)) }
        }
        func payment(_ gateway: RBS, merchant: String?) throws -> GatewayRequest {
            try with(gateway) { $0.merchant = merchant }.request(order)
        }
        return [
            ("merchant", 1...255, { try payment(gateway(.encrypted), merchant: $0) }),
            ("merchant", 1...255, { try payment(gateway(.decrypted), merchant: $0) }),
            ("userName", 1...100, { try payment(gateway(.decrypted, $0), merchant: nil) }),
            ("password", 1...200, { try payment(gateway(.decrypted, "u", $0), merchant: nil) }),
            ("userName", 1...100, { try gateway(.token, $0).request(order) }),
            ("password", 1...200, { try gateway(.token, "u", $0).request(order) }),
        ]
    }

    private func rbsForms() throws -> [Field] {
        let attempt = try GatewayFixture.attempt(GatewayFixture.order())
        func byUser(_ name: String = "u", _ password: String = "p") -> RBS {
            with(merchant.rbs(.token)) { $0.user = .init(name: name, password: secret(password)) }
        }
        func byToken(_ token: String) -> RBS {
            with(merchant.rbs(.token)) {
                $0.user = nil
                $0.token = secret(token)
            }
        }
        func status(_ gateway: RBS, _ id: String = "1") throws -> GatewayRequest {
            try gateway.statusRequest(GatewayFixture.attempt(paymentID: ExactText(id)))
        }
        let queries: [Field] = [
            ("token", any, { try status(byToken($0)) }),
            ("orderId", any, { try status(byToken("t"), $0) }),
            ("orderId", any, { try status(byUser(), $0) }),
            ("userName", 1...100, { try status(byUser($0)) }),
            ("password", 1...200, { try status(byUser("u", $0)) }),
            ("userName", 1...100, { try byUser($0).statusRequest(attempt) }),
            ("password", 1...200, { try byUser("u", $0).statusRequest(attempt) }),
        ]
        return queries
            + PaymentOperation.Kind.allCases.flatMap { kind -> [Field] in
                [
                    ("token", any, { try perform(kind, at: byToken($0)) }),
                    ("orderId", any, { try perform(kind, at: byToken("t"), id: ExactText($0)) }),
                    ("orderId", any, { try perform(kind, at: byUser(), id: ExactText($0)) }),
                    ("userName", 1...100, { try perform(kind, at: byUser($0)) }),
                    ("password", 1...200, { try perform(kind, at: byUser("u", $0)) }),
                ]
            }
    }

    private func bePaid() throws -> [Field] {
        let order = try GatewayFixture.order { _ in }
        func shop(_ identifier: String = "361", _ key: String = "k") -> BePaid {
            BePaid(shopId: identifier, secretKey: secret(key))
        }
        let attempt = try GatewayFixture.attempt(order)
        return [
            ("shop_id", 1...255, { try shop($0).request(order) }),
            ("secret_key", any, { try shop("361", $0).request(order) }),
            ("shop_id", 1...255, { try shop($0).statusRequest(uid: "u") }),
            ("shop_id", 1...255, { try shop($0).statusRequest(attempt) }),
            ("secret_key", any, { try shop("361", $0).statusRequest(attempt) }),
            ("uid", any, { try shop().statusRequest(uid: ExactText($0)) }),
        ]
            + PaymentOperation.Kind.allCases.flatMap { kind -> [Field] in
                [
                    ("parent_uid", 1...255, { try perform(kind, at: shop(), id: ExactText($0)) }),
                    ("reason", 1...255, { try perform(kind, at: shop(), reason: ExactText($0)) }),
                    ("shop_id", 1...255, { try perform(kind, at: shop($0)) }),
                    ("secret_key", any, { try perform(kind, at: shop("361", $0)) }),
                ]
            }
    }

    /// Returns the fields of Dintero and PayPal, which share the credentials.
    private func oauth() throws -> [Field] {
        let accepted = try GatewayFixture.accepted {
            $0.description = "Order"
            $0.returnURL = "https://shop.example/r"
        }
        func dintero(_ credentials: OAuthCredentials, account: String = "P1") -> Dintero {
            Dintero(accountID: account, credentials: credentials)
        }
        func payPal(_ credentials: OAuthCredentials) -> PayPal {
            PayPal(credentials: credentials, environment: .live)
        }
        func token(_ text: String = "t") -> OAuthCredentials { .accessToken(secret(text)) }
        func client(_ id: String = "c", _ key: String = "s") -> OAuthCredentials {
            .client(id: id, secret: secret(key))
        }
        func status(
            _ gateway: any PaymentGateway, id: ExactText = "1"
        ) throws -> GatewayRequest {
            try gateway.status(of: GatewayFixture.attempt(paymentID: id)).request(at: now)
        }
        func payment(_ gateway: any PaymentGateway) throws -> GatewayRequest {
            try gateway.payment(accepted).request(at: now)
        }
        let operations = PaymentOperation.Kind.allCases.flatMap { kind -> [Field] in
            [
                (
                    "transaction_id", any,
                    { try perform(kind, at: dintero(token()), id: ExactText($0)) }
                ),
                ("access_token", any, { try perform(kind, at: dintero(token($0))) }),
            ]
        }
        let session = dintero(token())
        return operations + [
            ("access_token", any, { try payment(dintero(token($0))) }),
            ("access_token", any, { try status(dintero(token($0))) }),
            ("transaction_id", any, { try status(session, id: ExactText($0)) }),
            (
                "session_id", any,
                {
                    try session.status(of: attempt(sessionID: $0)).request(
                        at: now)
                }
            ),
            ("session_id", any, { try session.operationsRequest(sessionID: ExactText($0)) }),
            (
                "session_id", any,
                { try session.payRequest(sessionID: ExactText($0), transactionID: "T") }
            ),
            (
                "psp_transaction_id", any,
                { try session.payRequest(sessionID: "P", transactionID: ExactText($0)) }
            ),
            ("account_id", any, { try payment(dintero(client(), account: $0)) }),
            ("client_id", any, { try payment(dintero(client($0))) }),
            ("client_secret", any, { try payment(dintero(client("c", $0))) }),
            ("access_token", any, { try payment(payPal(token($0))) }),
            ("access_token", any, { try status(payPal(token($0))) }),
            ("id", any, { try status(payPal(token()), id: ExactText($0)) }),
            ("client_id", any, { try payment(payPal(client($0))) }),
            ("client_secret", any, { try payment(payPal(client("c", $0))) }),
        ]
    }

    private func worldline() throws -> [Field] {
        let order = try GatewayFixture.order { _ in }
        let direct = WorldlineFixture.direct()
        let known = try GatewayFixture.attempt(paymentID: "1")
        func gateways(_ merchantId: String) -> [any TestedGateway] {
            [
                with(direct) { $0.merchantId = merchantId },
                with(WorldlineFixture.connect()) { $0.merchantId = merchantId },
            ]
        }
        func sign(_ id: String, _ key: String) throws -> GatewayRequest {
            try Worldline.authorize(
                direct.paymentRequest(GatewayFixture.input()),
                .init(apiKeyId: id, secretAPIKey: secret(key)), date: now)
        }
        let both = [0, 1].flatMap { index -> [Field] in
            let gateway = gateways("m")[index]
            let operations = PaymentOperation.Kind.allCases.map { kind -> Field in
                ("paymentId", any, { try perform(kind, at: gateway, id: ExactText($0)) })
            }
            return operations + [
                ("merchantId", any, { try gateways($0)[index].request(order) }),
                ("merchantId", any, { try gateways($0)[index].status(of: known).request(at: now) }),
                ("merchantId", any, { try perform(.refund, at: gateways($0)[index]) }),
                (
                    "paymentId", any,
                    {
                        try gateway.status(of: GatewayFixture.attempt(paymentID: ExactText($0)))
                            .request(at: now)
                    }
                ),
                (
                    "hostedCheckoutId", any,
                    { try gateway.status(of: attempt(sessionID: $0)).request(at: now) }
                ),
            ]
        }
        return both + [
            ("apiKeyId", any, { try sign($0, "k") }), ("secretApiKey", any, { try sign("i", $0) }),
        ]
    }

    private func others() throws -> [Field] {
        let order = try GatewayFixture.order { _ in }
        let service = merchant.intergiro
        func checkout(_ key: String) throws -> Checkout {
            try with(merchant.checkout()) { $0.secretKey = secret(key) }
        }
        func cyberSource(_ merchant: String, _ key: String) throws -> GatewayRequest {
            try CyberSource.authorize(
                self.merchant.cyberSource.request(order),
                .init(merchantID: merchant, keyID: key, sharedSecret: secret("c2Vj")), date: now)
        }
        return [
            (
                "apiKey", any,
                { key in try with(merchant.adyen()) { $0.apiKey = secret(key) }.request(order) }
            ),
            (
                "prefix", 1...63,
                {
                    try Adyen(
                        apiKey: secret("k"), merchantAccount: "a", environment: .live(prefix: $0)
                    ).request(order)
                }
            ),
            ("secretKey", any, { try checkout($0).request(order) }),
            ("secretKey", any, { try checkout($0).statusRequest(GatewayFixture.attempt(order)) }),
            (
                "id", any,
                {
                    try checkout("k").statusRequest(
                        GatewayFixture.attempt(paymentID: ExactText($0)))
                }
            ),
            (
                "subdomain", 1...63,
                {
                    try Checkout(secretKey: secret("k"), environment: .sandbox, subdomain: $0)
                        .request(order)
                }
            ),
            ("v-c-merchant-id", any, { try cyberSource($0, "k") }),
            ("keyid", any, { try cyberSource("m", $0) }),
            (
                "api_key", any,
                { try Intergiro(apiKey: secret($0), environment: .live).loginRequest() }
            ),
            ("card_id", any, { try service.tokenizeRequest(ExactText($0), secret("t")) }),
            ("access_token", any, { try service.tokenizeRequest("c", secret($0)) }),
            (
                "consent_id", any,
                { try service.consentRequest(ExactText($0), secret("t"), returnURL: nil) }
            ),
            ("access_token", any, { try service.consentRequest("c", secret($0), returnURL: nil) }),
            ("return_url", any, { try service.consentRequest("c", secret("t"), returnURL: $0) }),
        ]
    }

    @Test("permit the shortest and the longest text, and refuse one character less or more")
    func lengths() throws {
        for field in try rbsPayments() + rbsForms() + bePaid() + oauth() + worldline() + others() {
            let text = { String(repeating: "1", count: $0) }
            let (shortest, longest) = (field.lengths.lowerBound, field.lengths.upperBound)
            #expect(throws: Never.self, "\(field.name)") { try field.request(text(shortest)) }
            GatewayFixture.expectRefusal(.unsupportedLength, field.name) {
                try field.request(text(shortest - 1))
            }
            guard longest < .max else { continue }
            #expect(throws: Never.self, "\(field.name)") { try field.request(text(longest)) }
            GatewayFixture.expectRefusal(.unsupportedLength, field.name) {
                try field.request(text(longest + 1))
            }
        }
    }

    @Test("refuse a missing login at RBS, except for payment.do")
    func missingLogin() throws {
        for kind in [RBS.Kind.decrypted, .token] {
            let gateway = with(merchant.rbs(kind)) { $0.user = nil }
            GatewayFixture.expectRefusal(.unsupportedLength, "userName") {
                try gateway.request(GatewayFixture.order { _ in })
            }
        }
        let nobody = with(merchant.rbs(.encrypted)) { $0.merchant = nil }
        GatewayFixture.expectRefusal(.unsupportedLength, "merchant") {
            try nobody.request(GatewayFixture.order { _ in })
        }
    }

    @Test("permit a missing identifier in an operation if the report has one")
    func reportedIdentifiers() throws {
        let attempt = try GatewayFixture.attempt(GatewayFixture.order())
        for (gateway, field) in [
            (WorldlineFixture.direct(), "paymentId"), (WorldlineFixture.connect(), "paymentId"),
            (merchant.bePaid, "parent_uid"), (merchant.dintero, "transaction_id"),
            (merchant.rbs(.token), "orderId"),
        ] as [(any TestedGateway, String)] {
            let report = with(PaymentReport(gateway: gateway.name)) { $0.paymentID = "id-1" }
            // bePaid's refund follows a query.
            let kind = gateway.name == "bepaid" ? PaymentOperation.Kind.capture : .refund
            let operation = with(PaymentOperation(kind, name: "o")) { $0.reason = "r" }
            let request = try gateway.perform(operation, on: report, of: attempt).request(at: now)
            #expect(GatewayFixture.text(request).contains("id-1"))
            GatewayFixture.expectRefusal(.unsupportedLength, field) {
                try GatewayFixture.request(operation, at: gateway, of: attempt)
            }
        }
    }
}
