import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Testing

/// The lengths of the texts in requests to RBS, bePaid, Dintero and Intergiro.
@Suite("Lengths of texts in requests")
struct RequestLengthTests {
    private typealias Field = (
        name: String, lengths: ClosedRange<Int>, request: (String) throws -> GatewayRequest
    )
    private let any = 1...Int.max
    private let secret = GatewayFixture.secret
    private let bpc = RBS.Host(origin: "https://pay.example")

    private func user(_ name: String = "u", _ password: String = "p") -> RBS.User {
        RBS.User(name: name, password: secret(password))
    }

    private func shop(_ identifier: String = "361", _ key: String = "k") -> BePaid.Shop {
        BePaid.Shop(identifier: identifier, secretKey: secret(key))
    }

    private func payments() throws -> [Field] {
        let (whole, payment) = (try StubTokens.whole(), try GatewayFixture.payment())
        let order = try GatewayFixture.order()
        func encrypted(
            _ merchant: String = "m",
            _ number: String = "1",
            _ host: RBS.Host? = nil,
            _ edit: (inout RBS.PaymentOptions, inout RBS.PaymentExtras) -> Void = { _, _ in }
        ) throws -> GatewayRequest {
            var (options, extras) = (RBS.PaymentOptions(), RBS.PaymentExtras())
            edit(&options, &extras)
            return try RBS.payment(
                whole, merchant: merchant, orderNumber: number, options: options, extras: extras,
                host: host ?? bpc)
        }
        func direct(
            _ user: RBS.User,
            _ number: String = "1",
            _ merchant: String? = nil,
            _ language: String? = nil
        ) throws -> GatewayRequest {
            try RBS.paymentDirect(
                payment, order: order, orderNumber: number, user: user, merchant: merchant,
                options: with(RBS.PaymentOptions()) { $0.language = language }, host: bpc)
        }
        func fields(_ user: RBS.User, _ url: String, _ number: String) throws -> GatewayRequest {
            try RBS.tokenPayment(
                payment, order: order, user: user, returnURL: url, orderNumber: number, host: bpc)
        }
        return [
            ("merchant", 1...255, { try encrypted($0) }),
            ("orderNumber", 1...36, { try encrypted("m", $0) }),
            ("orderNumber", 1...32, { try encrypted("m", $0, .alfaBank) }),
            ("description", 0...598, { text in try encrypted { o, _ in o.description = text } }),
            (
                "description", 0...1024,
                { text in try encrypted("m", "1", .sberbank) { o, _ in o.description = text } }
            ),
            ("language", 2...2, { text in try encrypted { o, _ in o.language = text } }),
            ("clientId", 0...255, { text in try encrypted { o, _ in o.clientId = text } }),
            ("email", 0...40, { text in try encrypted { o, _ in o.email = text } }),
            ("phone", 7...15, { text in try encrypted { _, e in e.phone = text } }),
            ("phone", 7...15, { text in try encrypted { _, e in e.phone = "+" + text } }),
            ("userName", 1...100, { try direct(user($0)) }),
            ("password", 1...30, { try direct(user("u", $0)) }),
            ("orderNumber", 1...36, { try direct(user(), $0) }),
            ("merchant", 1...255, { try direct(user(), "1", $0) }),
            ("language", 2...2, { try direct(user(), "1", nil, $0) }),
            ("userName", 1...100, { try fields(user($0), "r", "1") }),
            ("returnUrl", any, { try fields(user(), $0, "1") }),
            ("orderNumber", 1...36, { try fields(user(), "r", $0) }),
        ]
    }

    private func rbsForms() throws -> [Field] {
        let order = try GatewayFixture.order()
        func status(_ token: String, _ id: String, _ language: String?) throws -> GatewayRequest {
            try RBS.orderStatus(
                orderId: id, credentials: .token(secret(token)), language: language, host: bpc)
        }
        func status(
            _ user: RBS.User,
            _ number: String,
            _ language: String?
        ) throws -> GatewayRequest {
            try RBS.orderStatus(orderNumber: number, user: user, language: language, host: bpc)
        }
        func deposit(_ token: String, _ id: String, _ language: String?) throws -> GatewayRequest {
            try RBS.deposit(
                .all, orderId: id, credentials: .token(secret(token)), language: language, host: bpc
            )
        }
        func deposit(
            _ user: RBS.User,
            _ number: String,
            _ language: String?
        ) throws -> GatewayRequest {
            try RBS.deposit(
                .all, orderNumber: number, merchantLogin: "m", user: user, language: language,
                host: bpc)
        }
        func refund(_ token: String, _ id: String) throws -> GatewayRequest {
            try RBS.refund(
                orderId: id, authorized: order, credentials: .token(secret(token)), host: bpc)
        }
        func reverse(_ token: String, _ id: String) throws -> GatewayRequest {
            try RBS.reverse(orderId: id, credentials: .token(secret(token)), host: bpc)
        }
        return [
            ("token", any, { try status($0, "1", nil) }),
            ("orderId", any, { try status("t", $0, nil) }),
            ("language", 2...2, { try status("t", "1", $0) }),
            ("userName", 1...100, { try status(user($0), "1", nil) }),
            ("orderNumber", 1...36, { try status(user(), $0, nil) }),
            ("language", 2...2, { try status(user(), "1", $0) }),
            ("token", any, { try deposit($0, "1", nil) }),
            ("orderId", any, { try deposit("t", $0, nil) }),
            ("language", 2...2, { try deposit("t", "1", $0) }),
            ("userName", 1...100, { try deposit(user($0), "1", nil) }),
            ("orderNumber", 1...36, { try deposit(user(), $0, nil) }),
            ("language", 2...2, { try deposit(user(), "1", $0) }),
            ("token", any, { try refund($0, "1") }), ("orderId", any, { try refund("t", $0) }),
            ("token", any, { try reverse($0, "1") }), ("orderId", any, { try reverse("t", $0) }),
        ]
    }

    private func others() throws -> [Field] {
        let (whole, order) = (try StubTokens.whole(), try GatewayFixture.order())
        func charge(
            _ shop: BePaid.Shop,
            _ edit: (inout BePaid.TransactionOptions) -> Void = { _ in }
        ) throws -> GatewayRequest {
            try BePaid.transaction(
                .payment, whole, order: order, shop: shop,
                options: with(BePaid.TransactionOptions(description: ""), edit))
        }
        func bePaid(
            _ operation: PaymentOperation,
            _ uid: String = "u",
            _ reason: String? = nil,
            _ requestID: String? = nil
        ) throws -> GatewayRequest {
            try BePaid.operation(
                operation, uid: uid, authorized: order, reason: reason, requestID: requestID,
                shop: shop())
        }
        func dintero(_ id: String, _ token: String) throws -> GatewayRequest {
            try Dintero.operation(
                .capture, transactionId: id, authorized: order, accessToken: secret(token))
        }
        func session(_ token: String) throws -> GatewayRequest {
            try Dintero.createSession(
                Dintero.Session(returnURL: "r", merchantReference: "m"), order: order,
                accessToken: secret(token))
        }
        return [
            ("shop_id", 1...255, { try charge(shop($0)) }),
            ("secret_key", any, { try charge(shop("361", $0)) }),
            ("description", 0...255, { text in try charge(shop()) { $0.description = text } }),
            ("tracking_id", 0...255, { text in try charge(shop()) { $0.trackingId = text } }),
            ("RequestID", 1...255, { text in try charge(shop()) { $0.requestID = text } }),
            ("parent_uid", 1...255, { try bePaid(.capture, $0) }),
            ("reason", 0...255, { try bePaid(.cancel, "u", $0) }),
            ("reason", 1...255, { try bePaid(.refund, "u", $0) }),
            ("RequestID", 1...255, { try bePaid(.capture, "u", nil, $0) }),
            ("uid", any, { try BePaid.statusRequest(uid: $0, shop: shop()) }),
            ("tracking_id", any, { try BePaid.statusRequest(trackingId: $0, shop: shop()) }),
            ("shop_id", 1...255, { try BePaid.statusRequest(uid: "u", shop: shop($0)) }),
            ("transaction_id", any, { try dintero($0, "t") }),
            ("access_token", any, { try dintero("T", $0) }),
            ("access_token", any, { try session($0) }),
            (
                "transaction_id", any,
                { try Dintero.statusRequest(transactionId: $0, accessToken: secret("t")) }
            ),
            (
                "session_id", any,
                { try Dintero.statusRequest(sessionId: $0, accessToken: secret("t")) }
            ),
            (
                "access_token", any,
                { try Dintero.statusRequest(sessionId: "P", accessToken: secret($0)) }
            ),
            (
                "access_token", any,
                { try Dintero.statusRequest(transactionId: "T", accessToken: secret($0)) }
            ),
            ("session_id", any, { try Dintero.operations(sessionId: $0) }),
            ("session_id", any, { try Dintero.pay(sessionId: $0, transactionId: "T") }),
            ("psp_transaction_id", any, { try Dintero.pay(sessionId: "P", transactionId: $0) }),
            ("api_key", any, { try Intergiro.login(apiKey: secret($0)) }),
            ("refresh_token", any, { try Intergiro.refresh(refreshToken: secret($0)) }),
            ("card_id", any, { try Intergiro.tokenize(cardID: $0, accessToken: secret("t")) }),
            ("access_token", any, { try Intergiro.tokenize(cardID: "c", accessToken: secret($0)) }),
            ("consent_id", any, { try Intergiro.consent($0, accessToken: secret("t")) }),
            ("access_token", any, { try Intergiro.consent("c", accessToken: secret($0)) }),
            (
                "return_url", any,
                { try Intergiro.consent("c", accessToken: secret("t"), returnURL: $0) }
            ),
        ]
    }

    @Test("permit the shortest and the longest text, and refuse one character less or more")
    func lengths() throws {
        for field in try payments() + rbsForms() + others() {
            let text = { String(repeating: "1", count: $0) }
            let (shortest, longest) = (field.lengths.lowerBound, field.lengths.upperBound)
            #expect(throws: Never.self, "\(field.name)") { try field.request(text(shortest)) }
            if shortest > 0 {
                GatewayFixture.expectRefusal(.unsupportedLength, field.name) {
                    try field.request(text(shortest - 1))
                }
            }
            guard longest < .max else { continue }
            #expect(throws: Never.self, "\(field.name)") { try field.request(text(longest)) }
            GatewayFixture.expectRefusal(.unsupportedLength, field.name) {
                try field.request(text(longest + 1))
            }
        }
    }
}
