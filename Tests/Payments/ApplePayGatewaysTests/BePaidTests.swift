import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

extension BePaid: TestedGateway {
    static let referencePath = ["request", "tracking_id"]

    mutating func move(to origin: String) { self.origin = origin }
}

extension BePaidTests: GatewaySuite {
    static let gatewayName = "bepaid"
    static let keyHeader: String? = "RequestID"

    static func accounts(of merchant: ExampleMerchant) -> [any TestedGateway] {
        [merchant.bePaid]
    }

    static func pageAccount(_ secret: SensitiveBytes) throws -> (any TestedGateway)? {
        var gateway = BePaid(shopId: "361", secretKey: secret)
        gateway.isTest = true
        return gateway
    }

    static let sandboxAccount: SandboxAccount? = SandboxAccount(name: gatewayName) {
        SandboxAccount.bePaid($0)
    }

    static let reservingAccount: SandboxAccount? = SandboxAccount(name: gatewayName) { sandbox in
        with(SandboxAccount.bePaid(sandbox)) { $0.options.kind = .authorization }
    }

    static func paymentReport(
        of vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) -> PaymentReport? {
        switch vector.step {
        case "payment", "checkout-payment": BePaid.paymentReport(response)
        case "uid": BePaid.uidReport(response)
        case "status": BePaid.statusReport(response, of: attempt)
        default: nil
        }
    }

    static func operationReport(
        of operation: AnswerVector.Operation, _ response: GatewayResponse
    ) -> PaymentReport? {
        BePaid.operationReport(response, of: operation.kind)
    }

    static func message(of vector: AnswerVector, _ text: String) throws -> GatewayMessageContents {
        try SignedMessage.bePaidShop()
            .read(SignedMessage.bePaid(text), receivedAt: SignedMessage.time)
    }
}

@Suite("bePaid")
struct BePaidTests {
    private static let uid = "4107-310b0da80b"

    private static let shop = BePaid(
        shopId: "361", secretKey: GatewayFixture.secret("bepaid-secret"))

    private static var whiteLabel: BePaid {
        with(shop) { $0.origin = "https://gateway.white-label.example" }
    }

    private static func minimal(_ shop: BePaid = shop, _ kind: BePaid.Kind = .payment) -> BePaid {
        with(shop) {
            $0.options.kind = kind
            $0.options.tokenForm = .paymentDataOnly
        }
    }

    private static func full(
        _ shop: BePaid = shop, _ kind: BePaid.Kind = .payment, isAsynchronous: Bool = true
    ) -> BePaid {
        with(shop) {
            $0.isTest = true
            $0.options.kind = kind
            $0.options.expiresAt = "2026-05-04T10:00:00+03:00"
            $0.options.contract = [.recurring, .cardOnFile]
            $0.options.isAsynchronous = isAsynchronous
            $0.options.asksForVersion3 = true
        }
    }

    private static func minimalOrder(_ amount: Int64 = 3000, _ currency: String = "EUR") throws
        -> Order
    {
        try with(GatewayFixture.order(amount, currency)) { $0.description = "Order 1" }
    }

    private static func fullOrder(_ amount: Int64 = 3000, _ currency: String = "EUR") throws
        -> Order
    {
        try with(GatewayFixture.order(amount, currency, reference: "order-1")) {
            $0.description = "Order 1"
            $0.language = "en"
            $0.returnURL = "https://shop.example/return"
            $0.notificationURL = "https://shop.example/hook"
            $0.customerIP = "192.0.2.1"
            $0.customer = with(PaymentContact()) {
                $0.emailAddress = "jane@example.com"
                $0.givenName = "Jane"
                $0.familyName = "Doe"
                $0.countryCode = "BY"
                $0.locality = "Minsk"
                $0.postalCode = "220000"
                $0.addressLines = ["Main 1"]
            }
        }
    }

    private static func payment(_ shop: BePaid, _ order: Order) throws -> GatewayRequest {
        let payment = try GatewayFixture.payment(of: order)
        return try shop.paymentRequest(
            PaymentInput(
                order, GatewayFixture.attempt(order), payment.token.parsed, payment))
    }

    private static func card(
        _ shop: BePaid, _ initiator: PaymentInitiator
    ) throws -> GatewayRequest {
        let order = try minimalOrder()
        return try shop.payment(
            with: #require(PaymentReport.Card("40bd001563085fc3")), by: initiator, for: order,
            attempt: GatewayFixture.attempt(order)
        ).request(at: .distantPast)
    }

    private static func encrypted(_ shop: BePaid, _ order: Order) throws -> GatewayRequest {
        try shop.paymentRequest(GatewayFixture.input(StubTokens.whole(), order))
    }

    private static func operation(
        _ kind: PaymentOperation.Kind, amount: Int64? = nil, reason: ExactText? = nil,
        at shop: BePaid = shop
    ) throws -> GatewayRequest {
        let name = "\(kind.rawValue)-1"
        let operation = with(PaymentOperation(kind, amount: amount, name: ExactText(name))) {
            $0.reason = reason
        }
        return try GatewayFixture.request(
            operation, at: shop, of: GatewayFixture.attempt(paymentID: ExactText(uid)))
    }

    private static func checkout(_ token: PaymentToken, contract: Bool) -> GatewayRequest {
        with(shop) { $0.checkoutContract = contract }.checkoutRequest(token, "checkout-token")
    }

    static let vectors: [RequestVector] = [
        RequestVector("bepaid-payment-minimal") {
            try encrypted(minimal(), minimalOrder(100, "USD"))
        },
        RequestVector("bepaid-payment-full") {
            try encrypted(full(isAsynchronous: false), fullOrder(100, "USD"))
        },
        RequestVector("bepaid-authorization-minimal") {
            try payment(minimal(shop, .authorization), minimalOrder())
        },
        RequestVector("bepaid-authorization-full") {
            try payment(full(shop, .authorization), fullOrder())
        },
        RequestVector("bepaid-charge-minimal") {
            try payment(minimal(whiteLabel, .charge), minimalOrder())
        },
        RequestVector("bepaid-charge-full") {
            try payment(full(whiteLabel, .charge), fullOrder())
        },
        RequestVector("bepaid-card-recurring") { try card(minimal(), .recurring) },
        RequestVector("bepaid-card-unscheduled") {
            try card(minimal(whiteLabel, .charge), .unscheduled)
        },
        RequestVector("bepaid-card-customer") {
            try card(minimal(shop, .authorization), .customer)
        },
        RequestVector("bepaid-checkout-payment-minimal") {
            checkout(try StubTokens.bare(), contract: false)
        },
        RequestVector("bepaid-checkout-payment-full") {
            checkout(try StubTokens.whole(), contract: true)
        },
        RequestVector("bepaid-validate-merchant") {
            try shop.validationRequest(
                "https://apple-pay-gateway.apple.com/paymentservices/startSession",
                "checkout-token")
        },
        RequestVector("bepaid-status-minimal") { try shop.statusRequest(uid: ExactText(uid)) },
        RequestVector("bepaid-status-tracking-id") {
            try shop.statusRequest(
                GatewayFixture.attempt(GatewayFixture.order(reference: "order 1")))
        },
        RequestVector("bepaid-capture-minimal") { try operation(.capture) },
        RequestVector("bepaid-void-minimal") { try operation(.cancellation) },
        RequestVector("bepaid-void-full") {
            try operation(.cancellation, amount: 1000, reason: "Out of stock")
        },
        RequestVector("bepaid-refund-minimal") {
            let refund = with(PaymentOperation(.refund, name: "refund-1")) {
                $0.reason = "Returned goods"
            }
            return try shop.operationRequest(
                refund, 3000, parent: ExactText(uid),
                of: GatewayFixture.attempt(paymentID: ExactText(uid)))
        },
    ]

    /// Returns the JSON that follows the prefix of a token string.
    private func content(_ string: SensitiveBytes) throws -> String {
        let base64 = try #require(string.revealText().split(separator: "$").last)
        return String(decoding: try #require(Data(base64Encoded: String(base64))), as: UTF8.self)
    }

    @Test(
        "states the card that it stored, in both versions, unless the payment has no token",
        arguments: [
            (#"{"transaction":{MEMBERS,"credit_card":{CARD}}}"#, "40bd001563085fc3"),
            (#"{MEMBERS,"payment_method":{CARD}}"#, "40bd001563085fc3"),
            (#"{"transaction":{MEMBERS,"credit_card":{"last_4":"0492","token":null}}}"#, nil),
            (#"{"transaction":{MEMBERS,"credit_card":{"token":"4761120010000492"}}}"#, nil),
        ] as [(String, ExactText?)])
    func storedCard(_ body: String, _ identifier: ExactText?) throws {
        let members =
            #""uid":"u1","type":"payment","status":"successful","amount":3000,"currency":"EUR""#
        let card =
            #""token":"40bd001563085fc3","last_4":"0492","brand":"visa","exp_month":1,"exp_year":2030"#
        let text = body.replacing("MEMBERS", with: members).replacing("CARD", with: card)
        let report = BePaid.paymentReport(GatewayResponse(text))
        #expect(report.fault == nil && report.card?.identifier == identifier)
        guard let card = report.card else { return }
        #expect(card.maskedNumber == "…0492" && card.expiry == "2030-01" && card.network == "visa")
    }

    @Test("charges no stored card for an instalment, which bePaid does not document")
    func instalment() {
        #expect(throws: PaymentError.gateway(.unsupportedValue, "initiator")) {
            try Self.card(Self.shop, .instalment)
        }
    }

    @Test("gets the token strings of the vectors, byte for byte")
    func tokenStrings() throws {
        func string(_ token: PaymentToken, _ form: BePaid.TokenForm) throws -> String {
            try with(Self.shop) { $0.options.tokenForm = form }
                .tokenString(GatewayFixture.input(token)).revealText()
        }
        let (whole, bare) = (try StubTokens.whole(), try StubTokens.bare())
        let minimum = try StubTokens.string("bepaid_min")
        #expect(try string(whole, .wholeToken) == StubTokens.string("bepaid_full"))
        #expect(try string(bare, .wholeToken) == minimum)
        for token in [whole, bare] { #expect(try string(token, .paymentDataOnly) == minimum) }
        #expect(
            try Self.shop.tokenString(GatewayFixture.input()).revealText()
                == StubTokens.string("bepaid_decrypted"))
    }

    @Test("gets the wrapped paymentData with its order, applicationData and unknown members")
    func keptMembers() throws {
        let hash = String(repeating: "ab", count: 32)
        let token = try StubTokens.bare { json in
            json.replacing(#""header":{"#, with: #""header": {"applicationData": "\#(hash)", "#)
                .replacing(
                    #""version":"#, with: "\n\"future\": [1, {\"a/b\": \"\\/\"}], \"version\":")
        }
        let json = try content(Self.shop.tokenString(GatewayFixture.input(token)))
        #expect(json.hasPrefix(#"{"paymentData":{"data":"#))
        #expect(json.contains(#""header":{"applicationData":"\#(hash)","publicKeyHash":"#))
        #expect(json.hasSuffix(#","future":[1,{"a/b":"\/"}],"version":"EC_v1"}}"#))
    }

    @Test("gets paymentMethod and transactionIdentifier as they were received, each alone too")
    func unsignedMembers() throws {
        let data = try StubTokens.string("paymentData_json")
        let identifier =
            #""transactionIdentifier":"8B1B1DADE0BFBC8F1F6677889BD36191"#
            + #"A235CA1F26736E3B96970459545AD56E""#
        for (members, expected) in [
            (#""paymentMethod":{"displayName":"n"}"#, #","paymentMethod":{"displayName":"n"}"#),
            (#""paymentMethod":{"network":"n"}"#, #","paymentMethod":{"network":"n"}"#),
            (#""paymentMethod":{"type":"n"}"#, #","paymentMethod":{"type":"n"}"#),
            (#""paymentMethod":{}"#, ""),
            (identifier, ",\(identifier)"),
        ] {
            let token = try PaymentToken(
                parsing: Array(#"{"paymentData":\#(data),\#(members)}"#.utf8))
            #expect(
                try content(Self.shop.tokenString(GatewayFixture.input(token)))
                    == #"{"paymentData":\#(data)\#(expected)}"#)
        }
    }

    @Test("receives the encrypted token if it was only verified, or if the options request it")
    func verified() throws {
        let payment = try GatewayFixture.payment()
        let order = try Self.minimalOrder()
        let token = payment.token.parsed
        let string = try Self.shop.tokenString(GatewayFixture.input(token)).revealText()
        #expect(string.hasPrefix("$begateway_apple_pay_1_0_0$"))
        #expect(!string.contains("\n") && !string.contains("\\"))
        let verified = try Self.shop.payment(
            AcceptedPayment(order, GatewayFixture.attempt(order), payment.token, nil))
        let encrypting = with(Self.shop) { $0.options.sendsEncrypted = true }
        let opened = try encrypting.payment(
            AcceptedPayment(order, GatewayFixture.attempt(order), payment.token, payment))
        for call in [verified, opened] {
            let request = try call.request(at: .distantPast)
            #expect(GatewayFixture.body(request).contains(#""token":"\#(string)""#))
            #expect(!"\(request)".contains("begateway") && !"\(request)".contains("MzYx"))
        }
    }

    @Test("gets expiry, amount and ECI of a decrypted token as Apple wrote them")
    func verbatim() throws {
        for eci in ["", #","eciIndicator":"07""#, #","eciIndicator":"5""#] {
            let payload = GatewayFixture.payload(
                expiry: "301199",
                authentication: #""onlinePaymentCryptogram":"/+AAAAAAAAAAAAAAAAAAAAAAAA==""# + eci)
            let input = try GatewayFixture.input(GatewayFixture.payment(payload))
            #expect(try content(Self.shop.tokenString(input)) == payload)
        }
    }

    @Test("gets only the members that the customer's contact has")
    func contacts() throws {
        let members: [(String, (inout PaymentContact) -> Void)] = [
            (#""customer":{"email":"x"}"#, { $0.emailAddress = "x" }),
            (#""billing_address":{"first_name":"x"}"#, { $0.givenName = "x" }),
            (#""billing_address":{"last_name":"x"}"#, { $0.familyName = "x" }),
            (#""billing_address":{"country":"x"}"#, { $0.countryCode = "x" }),
            (#""billing_address":{"city":"x"}"#, { $0.locality = "x" }),
            (#""billing_address":{"zip":"x"}"#, { $0.postalCode = "x" }),
            (#""billing_address":{"address":"x, y"}"#, { $0.addressLines = ["x", "y"] }),
        ]
        for (text, change) in members {
            let order = try GatewayFixture.order { order in
                order.customer = with(PaymentContact(), change)
            }
            #expect(try Self.shop.body(order).hasSuffix("},\(text)}}"))
        }
        let order = try GatewayFixture.order { $0.customerIP = "::1" }
        #expect(try Self.shop.body(order).hasSuffix(#"},"customer":{"ip":"::1"}}}"#))
    }

    /// A checkout of the order.
    private static func checkoutText(
        _ shop: String = "361", _ state: String = #""finished":false,"expired":false,"test":false"#,
        reference: String = "order-1001", amount: Int64 = 3000, currency: String = "EUR"
    ) -> String {
        #"{"checkout":{"shop_id":"\#(shop)",\#(state),"order":{"amount":\#(amount),"#
            + #""currency":"\#(currency)","tracking_id":"\#(reference)"}}}"#
    }

    private func checkoutPayment(_ shop: BePaid) throws -> PaymentCall {
        try shop.payment(
            GatewayFixture.accepted(session: "c/1") { $0.description = "Order" })
    }

    @Test("asks for a checkout before it pays there, without a stored card by default")
    func checkout() throws {
        var shop = Self.shop
        shop.checkoutOrigin = "https://c.example"
        let query = try checkoutPayment(shop)
        #expect(!query.canMoveMoney)
        let question = try query.request(at: .distantPast)
        #expect(
            "\(question.method) \(question.url)" == "GET https://c.example/ctp/api/checkouts/c%2F1")
        #expect(question.header("Authorization")?.hasPrefix("Basic ") == true)
        let reading = query.read(GatewayResponse(Self.checkoutText()))
        guard case .next(let payment) = reading else {
            Issue.record("\(reading)")
            return
        }
        #expect(payment.canMoveMoney && payment.attempt?.sessionID == "c/1")
        let request = try payment.request(at: .distantPast)
        #expect(request.url == "https://c.example/ctp/api/apple_pay/payment")
        #expect(request.header("Authorization") == nil)
        #expect(GatewayFixture.body(request).hasSuffix(#""token":"c/1","contract":false}"#))
    }

    @Test("does not pay in a checkout that is not the order's, or cannot be paid")
    func wrongCheckout() throws {
        let text = Self.checkoutText
        let open = #""finished":false,"expired":false"#
        for (answer, reason) in [
            (
                text("362", "\(open),\"test\":false", "order-1001", 3000, "EUR"),
                "it is another shop's"
            ),
            (
                text("361", #""finished":true,"expired":false"#, "order-1001", 3000, "EUR"),
                "it was used already; look at its payment before you make another checkout"
            ),
            (
                text("361", #""finished":false,"expired":true"#, "order-1001", 3000, "EUR"),
                "it has expired"
            ),
            (text("361", "\(open),\"test\":true", "order-1001", 3000, "EUR"), "it is for tests"),
            (
                text("361", open, "order-1002", 3000, "EUR"), "its tracking_id is not order-1001"
            ),
            (
                text("361", open, "order-1001", 2999, "EUR"),
                "its amount or currency is not the order's"
            ),
            (
                text("361", open, "order-1001", 3000, "USD"),
                "its amount or currency is not the order's"
            ),
        ] {
            let reading = try checkoutPayment(Self.shop).read(GatewayResponse(answer))
            guard case .notSent(let error) = reading else {
                Issue.record("\(reading)")
                continue
            }
            #expect(error.code == .unsupportedValue && error.members == ["session"])
            #expect(error.reason == reason)
        }
        let test = with(Self.shop) { $0.isTest = true }
        let reading = try checkoutPayment(test).read(GatewayResponse(Self.checkoutText()))
        guard case .notSent(let error) = reading else {
            Issue.record("\(reading)")
            return
        }
        #expect(error.reason == "it is for real payments")
        let unknown = GatewayResponse("{}", status: 404)
        guard case .notSent(let missing) = try checkoutPayment(Self.shop).read(unknown) else {
            Issue.record("a checkout that bePaid does not know")
            return
        }
        #expect(missing.code == .unsupportedValue)
        #expect(missing.reason == "there is no such checkout")
        for (status, body) in [(200, "{}"), (200, "[]"), (500, ""), (401, "{}")] {
            let answer = GatewayResponse(body, status: status)
            guard case .notSent(let error) = try checkoutPayment(Self.shop).read(answer) else {
                Issue.record("\(status) \(body)")
                continue
            }
            #expect(error.code == .notSent && error.reason?.isEmpty == false)
        }
    }

    @Test("gives a merchant session only for an https address of Apple's")
    func merchantSession() async throws {
        let url = "https://apple-pay-gateway.apple.com/paymentservices/startSession"
        let answer = ScriptedTransport.Step.answer(200, #"{"epochTimestamp":1}"#)
        for token in [nil, "checkout-token"] {
            let transport = ScriptedTransport([answer])
            let session = try await Self.shop.merchantSession(
                validationURL: url, checkoutToken: token.map { ExactText($0) }, over: transport)
            #expect(session.revealText() == #"{"epochTimestamp":1}"#)
            let request = try #require(transport.requests.first)
            #expect(request.line == "POST /ctp/api/apple_pay/validate")
            // Either proves who asks.
            #expect((request.header("Authorization") != nil) == (token == nil))
            #expect(
                (request.body?.revealText().contains("checkout-token") ?? false) == (token != nil))
        }
        for url in [
            "", "http://apple-pay-gateway.apple.com/x", "https://apple.com/",
            "https://evil.example",
            "https://apple-pay-gateway.apple.com.evil.example/", "https://evilapple.com/",
            "https://user@evil.example/.apple.com", "https://a.apple.com:443@evil.example/",
            "https://evil.example/?.apple.com", "https://evil.example#.apple.com",
            "https://.apple.com",
            "https://a.apple.com/\r\nX: y",
            "https://a.apple.com/\(String(repeating: "x", count: 1_024))",
        ] {
            let transport = ScriptedTransport([])
            let error = await #expect(throws: PaymentError.self, "\(url)") {
                try await Self.shop.merchantSession(validationURL: url, over: transport)
            }
            #expect(error?.code == .unsupportedValue && error?.members == ["validationURL"])
            #expect(transport.requests.isEmpty)
        }
        for step in [ScriptedTransport.Step.lost, .notSent, .answer(401, "{}"), .answer(200, "no")]
        {
            let transport = ScriptedTransport([step])
            let error = await #expect(throws: PaymentError.self) {
                try await Self.shop.merchantSession(validationURL: url, over: transport)
            }
            #expect(error?.code == .notSent && error?.reason?.isEmpty == false)
        }
    }

    @Test("refuses a payment without a cryptogram, and one whose amount differs from the token's")
    func refusals() throws {
        let emv = try GatewayFixture.payment(
            GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#))
        GatewayFixture.expectRefusal(.unsupportedEMV, "credit_card.token") {
            try Self.shop.paymentRequest(
                GatewayFixture.input(emv) { $0.description = "d" })
        }
        let nothing = try GatewayFixture.zeroPayment()
        let order = try with(GatewayFixture.zeroTakingOrder()) { $0.description = "d" }
        GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
            try Self.shop.paymentRequest(
                PaymentInput(
                    order, GatewayFixture.attempt(order), nothing.token.parsed, nothing))
        }
    }

    @Test(
        "gets a refund only after the query for the payment and its captures",
        arguments: BePaid.Kind.allCases)
    func refund(_ kind: BePaid.Kind) throws {
        let shop = with(Self.shop) { $0.options.kind = kind }
        let query = try Self.operation(.refund, reason: "r", at: shop)
        #expect(query.method == "GET")
        #expect(query.path == "/v2/transactions/tracking_id/order-1001")
        GatewayFixture.expectRefusal(.unsupportedLength, "reason") {
            try Self.operation(.refund, at: shop)
        }
        let long = #expect(throws: PaymentError.self) {
            try Self.operation(
                .refund, reason: ExactText(String(repeating: "r", count: 256)), at: shop)
        }
        #expect(long?.reason == "it is too long, and must have 1 to 255 characters")
        #expect(try Self.operation(.capture, at: shop).path == "/transactions/captures")
    }

    @Test("gets a refund that names the payment, or the capture of one that the acquirer split")
    func splitPayment() throws {
        let rest =
            #""amount":3000,"status":"successful","currency":"EUR","tracking_id":"order-1001"}"#
        let capture = #"{"uid":"c1","parent_uid":"u1","type":"capture",\#(rest)"#
        let rows: [(list: [String], parent: String?)] = [
            ([#"{"uid":"u1","type":"payment",\#(rest)"#], "u1"),
            ([#"{"uid":"u1","type":"charge",\#(rest)"#], "u1"),
            ([#"{"uid":"u1","type":"authorization",\#(rest)"#, capture], "c1"),
            ([#"{"uid":"u1","type":"authorization",\#(rest)"#], nil),
        ]
        for kind in BePaid.Kind.allCases {
            let shop = with(Self.shop) { $0.options.kind = kind }
            for (list, parent) in rows {
                let operation = with(PaymentOperation(.refund, name: "refund-1")) {
                    $0.reason = "r"
                }
                let call = try shop.perform(
                    operation, on: PaymentReport(gateway: "bepaid"),
                    of: GatewayFixture.attempt(paymentID: "u1"))
                let text = #"{"transactions":[\#(list.joined(separator: ","))]}"#
                guard
                    case .next(let next) = call.read(
                        GatewayResponse(status: 200, body: Array(text.utf8)))
                else {
                    Issue.record("the refund does not follow")
                    continue
                }
                guard let parent else {
                    GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
                        try next.request(at: Date())
                    }
                    continue
                }
                let body = GatewayFixture.body(try next.request(at: Date()))
                #expect(body.contains(#""parent_uid":"\#(parent)""#), "\(kind) \(text)")
            }
        }
    }

    @Test("gets no refund if the query for the payment is not answered")
    func unansweredQuery() throws {
        let operation = with(PaymentOperation(.refund, name: "refund-1")) { $0.reason = "r" }
        let call = try Self.shop.perform(
            operation, on: PaymentReport(gateway: "bepaid"),
            of: GatewayFixture.attempt(paymentID: "u1"))
        for (status, text) in [
            (500, ""), (404, #"{"message":"Not found."}"#), (200, #"{"transactions":[]}"#),
        ] {
            let answer = GatewayResponse(status: status, body: Array(text.utf8))
            guard case .next(let next) = call.read(answer) else {
                Issue.record("the refund does not follow")
                continue
            }
            let error = #expect(throws: PaymentError.self) { try next.request(at: Date()) }
            #expect(error?.code == .notSent && error?.reason == "The captures are not known")
        }
    }

    @Test(
        "refunds the capture that has the amount left",
        arguments: [
            ("", "c1"), (#"{"uid":"r1","parent_uid":"c1","type":"refund","amount":1,"#, nil),
            (#"{"uid":"r1","parent_uid":"c1","type":"refund","#, nil),
            (#"{"uid":"r1","parent_uid":"c2","type":"refund","amount":1,"#, "c1"),
        ] as [(String, String?)])
    func parentOfRefund(_ refund: String, _ parent: String?) throws {
        let shop = with(Self.shop) { $0.options.kind = .authorization }
        let operation = with(PaymentOperation(.refund, name: "refund-1")) { $0.reason = "r" }
        let call = try shop.perform(
            operation, on: PaymentReport(gateway: "bepaid"),
            of: GatewayFixture.attempt(paymentID: "u1"))
        #expect(!call.canMoveMoney)
        let rest = #""status":"successful","currency":"EUR","tracking_id":"order-1001"}"#
        let list = [
            #"{"uid":"u1","type":"authorization","amount":3000,\#(rest)"#,
            #"{"uid":"c2","parent_uid":"u1","type":"capture","amount":1,\#(rest)"#,
            #"{"uid":"c1","parent_uid":"u1","type":"capture","amount":3000,\#(rest)"#,
            refund.isEmpty ? "" : refund + rest,
        ].filter { !$0.isEmpty }
        let answer = GatewayResponse(
            status: 200,
            body: Array(#"{"transactions":[\#(list.joined(separator: ","))]}"#.utf8))
        guard case .next(let next) = call.read(answer) else {
            Issue.record("the refund does not follow")
            return
        }
        #expect(next.canMoveMoney)
        guard let parent else {
            GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
                try next.request(at: Date())
            }
            return
        }
        let body = GatewayFixture.body(try next.request(at: Date()))
        #expect(body.contains(#""parent_uid":"\#(parent)""#))
    }
}
