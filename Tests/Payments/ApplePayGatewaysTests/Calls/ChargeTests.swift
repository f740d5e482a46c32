import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayLedger
import ApplePayOrders
import ApplePayOtherGateways
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

/// A gateway's answers about the order `order-1001` of 30.00 euros.
struct ChargedGateway: Sendable, CustomTestStringConvertible {
    let gateway: any PaymentGateway
    /// The path of the request that moves money.
    let path: String
    /// The header with the key; nil for a gateway without keys.
    let key: String?
    let paid, declined, pending, redirected: ScriptedTransport.Step
    /// The answers to a query for the state; nil if the gateway cannot be asked with what is known after a lost answer.
    let absent, foundPaid, foundPending: ScriptedTransport.Step?
    /// The state of a payment that was made.
    let success: OrderOutcome.State

    var testDescription: String { String(gateway.name) }

    /// The answers to a payment that is made: bePaid's first answer does not state that nothing was given back since.
    var made: [ScriptedTransport.Step?] { gateway.name == "bepaid" ? [paid, foundPaid] : [paid] }

    static let all: [ChargedGateway] = [bePaid, checkout, adyen, cyberSource]

    private static let merchant = ExampleMerchant(secret: "c2VjcmV0")

    private static func bePaid(_ members: String) -> String {
        #"{"uid":"u1","type":"payment","amount":3000,"currency":"EUR","tracking_id":"order-1001",\#(members)}"#
    }

    /// Keeps the first answer for a key, and can be asked by reference.
    private static let bePaid = {
        func payment(_ members: String) -> ScriptedTransport.Step {
            .answer(200, #"{"transaction":\#(bePaid(members))}"#)
        }
        func list(_ members: String) -> ScriptedTransport.Step {
            .answer(200, #"{"transactions":[\#(members)]}"#)
        }
        return ChargedGateway(
            gateway: merchant.bePaid, path: "/transactions/payments", key: "RequestID",
            paid: payment(#""status":"successful""#),
            declined: payment(#""status":"failed","code":"F.0116""#),
            pending: payment(#""status":"pending""#),
            redirected: payment(#""status":"incomplete","redirect_url":"https://bank.example/1""#),
            absent: list(""), foundPaid: list(bePaid(#""status":"successful""#)),
            foundPending: list(bePaid(#""status":"pending""#)), success: .paid)
    }()

    /// Keeps no answers of failures, and can be asked by reference.
    private static let checkout = {
        func payment(_ status: String, _ more: String = "") -> String {
            #"{"id":"pay_1","status":"\#(status)","approved":true,"amount":3000,"currency":"EUR","#
                + #""reference":"order-1001"\#(more)}"#
        }
        func list(_ payments: String, _ count: Int) -> ScriptedTransport.Step {
            .answer(200, #"{"total_count":\#(count),"data":[\#(payments)]}"#)
        }
        let balances =
            #","balances":{"available_to_capture":0,"total_captured":3000,"total_refunded":0}"#
        let link = #","_links":{"redirect":{"href":"https://bank.example/1"}}"#
        return ChargedGateway(
            gateway: (try? merchant.checkout()) ?? merchant.bePaid, path: "/payments", key: nil,
            paid: .answer(201, payment("Captured", balances)),
            declined: .answer(201, payment("Declined", #","response_code":"20005""#)),
            pending: .answer(202, payment("Pending")),
            redirected: .answer(202, payment("Pending", link)), absent: list("", 0),
            foundPaid: list(payment("Captured", balances), 1),
            foundPending: list(payment("Pending"), 1),
            success: .paid)
    }()

    /// Keeps the first answer for a key, and cannot be asked.
    private static let adyen = {
        func payment(_ result: String, _ more: String = "") -> ScriptedTransport.Step {
            .answer(
                200,
                #"{"resultCode":"\#(result)","pspReference":"1","merchantReference":"order-1001","#
                    + #""amount":{"value":3000,"currency":"EUR"}\#(more)}"#)
        }
        return ChargedGateway(
            gateway: (try? merchant.adyen()) ?? merchant.bePaid, path: "/v71/payments",
            key: "Idempotency-Key", paid: payment("Authorised"),
            declined: payment("Refused", #","refusalReasonCode":"2""#),
            pending: payment("Received"),
            redirected: payment("RedirectShopper", #","action":{"url":"https://bank.example/1"}"#),
            absent: nil, foundPaid: nil, foundPending: nil, success: .authorized)
    }()

    /// Keeps nothing, and cannot be asked.
    private static let cyberSource = {
        func payment(_ status: String, _ amount: String = "") -> ScriptedTransport.Step {
            .answer(
                201,
                #"{"id":"1","status":"\#(status)","clientReferenceInformation":{"code":"order-1001"},"#
                    + #""orderInformation":{"amountDetails":{\#(amount)"currency":"EUR"}}}"#)
        }
        return ChargedGateway(
            gateway: merchant.cyberSource, path: "/pts/v2/payments", key: nil,
            paid: payment("AUTHORIZED", #""authorizedAmount":"30.00","#),
            declined: payment("DECLINED"), pending: payment("PENDING"),
            redirected: payment("PENDING_AUTHENTICATION"), absent: nil, foundPaid: nil,
            foundPending: nil, success: .authorized)
    }()
}

@Suite("A payment at a gateway")
struct ChargeTests {
    private static let pki = TestPKI(testSeed: "charges")

    private let ledger = InMemoryLedger()

    private static func decryptor() throws -> PaymentTokenDecryptor {
        try pki.decryptor(for: pki.testMerchant("shop"))
    }

    /// Returns another token of 30.00 euros.
    private static func token() throws -> [UInt8] {
        var options = TestTokenOptions()
        options.amount = 3000
        return Array(try pki.testToken(for: pki.testMerchant("shop"), options))
    }

    /// Returns an order with the members that some gateways require.
    private static func order(reference: String = "order-1001") throws -> Order {
        try with(GatewayFixture.order(reference: reference)) {
            $0.description = "Order"
            $0.returnURL = "https://shop.example/return"
        }
    }

    /// Returns the reference that a gateway gets for the order.
    private static func reference(_ gateway: any PaymentGateway) throws -> String {
        try String(PaymentAttempt(order(), at: gateway).reference)
    }

    /// Returns the payments at a gateway, without pauses.
    private func payments(
        _ gateway: any PaymentGateway, _ transport: ScriptedTransport, isDecrypted: Bool = true
    ) throws -> OrderPayments {
        let decryptor = try Self.decryptor()
        var time = OrderTime()
        time.sleep = { _ in }
        return try OrderPayments(
            verifier: decryptor.verifier, decryptor: isDecrypted ? decryptor : nil, ledger: ledger,
            gateway: gateway, transport: transport, time: time)
    }

    /// Pays the order with a script, and expects its state, how often the request that moves money was sent, always with the
    /// same reference and key, and that the token's transaction stays claimed.
    private func expect(
        _ shop: ChargedGateway,
        _ steps: [ScriptedTransport.Step?],
        _ state: OrderOutcome.State,
        money: ClosedRange<Int> = 1...1,
        further: ScriptedTransport.Step? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let suite = ChargeTests()
        let transport = ScriptedTransport(
            steps.compactMap { $0 }, reference: try Self.reference(shop.gateway), then: further)
        let outcome = try await suite.payments(shop.gateway, transport)
            .pay(Self.token(), for: Self.order())
        #expect(outcome.state == state, "\(outcome.reason ?? "")", sourceLocation: sourceLocation)
        #expect(outcome.isRecorded, sourceLocation: sourceLocation)
        #expect(transport.rest == 0, sourceLocation: sourceLocation)
        let requests = transport.requests.filter { $0.method == "POST" }
        #expect(money.contains(requests.count), "\(requests.count)", sourceLocation: sourceLocation)
        let key = try PaymentAttempt(Self.order()).key
        for request in requests {
            #expect(request.line == "POST \(shop.path)", sourceLocation: sourceLocation)
            #expect(request.body?.revealText().contains("order-1001") == true)
            if let name = shop.key { #expect(request.header(name) == key) }
        }
        let transaction = try #require(outcome.payment?.transaction)
        #expect(
            await suite.ledger.record(of: transaction)?.serial == outcome.payment?.serial,
            sourceLocation: sourceLocation)
    }

    @Test("that succeeds", arguments: ChargedGateway.all)
    func success(_ shop: ChargedGateway) async throws {
        try await expect(shop, shop.made, shop.success)
    }

    @Test("that is declined is refused", arguments: ChargedGateway.all)
    func decline(_ shop: ChargedGateway) async throws {
        try await expect(shop, [shop.declined], .refused)
    }

    @Test(
        "whose answer is lost is asked for, repeated with its key, or unknown",
        arguments: ChargedGateway.all,
        [
            ScriptedTransport.Step.lost, .answer(502, "<html>Bad gateway</html>"),
            .answer(504, "{}"), .answer(200, #"{"trunca"#), .answer(429, "{}"),
        ])
    func lost(_ shop: ChargedGateway, _ failure: ScriptedTransport.Step) async throws {
        if shop.foundPaid != nil {
            try await expect(shop, [failure, shop.foundPaid], shop.success)
            // "Not found" does not end the payment, however often it is repeated; bePaid gets the request again, with its key.
            let money = shop.gateway.abilities.repetition ? 1...4 : 1...1
            for step in [shop.absent, .lost, .notSent, .answer(500, "")]
                as [ScriptedTransport.Step?]
            {
                try await expect(shop, [failure], .unknown, money: money, further: step)
            }
        } else if shop.gateway.abilities.repetition {
            try await expect(shop, [failure, shop.paid], shop.success, money: 2...2)
            try await expect(shop, [failure, shop.declined], .refused, money: 2...2)
            try await expect(shop, [failure], .unknown, money: 2...5, further: failure)
            // A refusal of the second request, such as of its credentials, states nothing about the first one.
            for refusal in [401, 403, 422] {
                try await expect(
                    shop, [failure], .unknown, money: 2...5, further: .answer(refusal, "{}"))
            }
        } else {
            try await expect(shop, [failure], .unknown)
        }
    }

    @Test("that leads to 3-D Secure returns the address", arguments: ChargedGateway.all)
    func redirect(_ shop: ChargedGateway) async throws {
        // CyberSource's address takes a form, which a customer cannot open.
        let isOpen = shop.gateway.name == "cybersource"
        try await expect(shop, [shop.redirected], isOpen ? .pending : .actionRequired)
    }

    @Test("that is not decided is asked for", arguments: ChargedGateway.all)
    func pending(_ shop: ChargedGateway) async throws {
        guard shop.gateway.name != "checkout" else {
            // Checkout.com is asked for the identifier, not for the reference.
            guard case .answer(_, let body) = shop.pending else { return }
            return try await expect(
                shop, [shop.pending], .pending, further: .answer(200, body))
        }
        if shop.foundPending != nil {
            try await expect(shop, [shop.pending, shop.foundPaid], shop.success)
            try await expect(shop, [shop.pending], .pending, further: shop.foundPending)
            try await expect(
                shop, [shop.pending, shop.foundPending, shop.foundPaid], shop.success)
        } else if shop.gateway.abilities.repetition {
            try await expect(shop, [shop.pending], .pending, money: 2...5, further: shop.pending)
            try await expect(shop, [shop.pending, shop.paid], shop.success, money: 2...2)
        } else {
            try await expect(shop, [shop.pending], .pending)
        }
    }

    @Test("is queried at most four times")
    func questions() async throws {
        let shop = ChargedGateway.all[0]
        func list(_ status: String) -> ScriptedTransport.Step {
            .answer(
                200,
                #"{"transactions":[{"uid":"u1","type":"payment","status":"\#(status)","amount":3000,"#
                    + #""currency":"EUR","tracking_id":"order-1001"}]}"#)
        }
        try await expect(
            shop, [.lost, list("pending"), list("incomplete"), list("pending"), list("pending")],
            .pending)
    }

    @Test("of a second tap sends nothing that moves money", arguments: ChargedGateway.all)
    func secondTap(_ shop: ChargedGateway) async throws {
        let first = ScriptedTransport(
            shop.made.compactMap { $0 }, reference: try Self.reference(shop.gateway))
        let paid = try await payments(shop.gateway, first).pay(Self.token(), for: Self.order())
        #expect(paid.state == shop.success)
        let second = ScriptedTransport(
            [], reference: try Self.reference(shop.gateway),
            further: { _ in shop.foundPaid ?? .lost })
        let again = try await payments(shop.gateway, second).pay(Self.token(), for: Self.order())
        #expect(again.state == shop.success && again.payment?.serial == paid.payment?.serial)
        #expect(second.requests.allSatisfy { $0.method == "GET" })
    }

    @Test("of a token that was not decrypted states that the amount is not signed")
    func unsignedAmount() async throws {
        var gateway = ExampleMerchant(secret: "c2VjcmV0").bePaid
        gateway.options.sendsEncrypted = true
        let empty = ScriptedTransport.Step.answer(200, #"{"transactions":[]}"#)
        // Whatever becomes of the request: lost, answered, or asked for.
        for (steps, further) in [([.lost], .lost), ([.lost], empty), ([.answer(400, "{}")], .lost)]
            as [([ScriptedTransport.Step], ScriptedTransport.Step)]
        {
            let transport = ScriptedTransport(
                steps, reference: try Self.reference(gateway), further: { _ in further })
            let outcome = try await ChargeTests().payments(gateway, transport, isDecrypted: false)
                .pay(Self.token(), for: Self.order())
            #expect(!outcome.isAmountSigned && outcome.payment?.attempt.isAmountSigned == false)
        }
    }

    @Test("whose order was refunded is not paid, although the gateway repeats its first answer")
    func refunded() async throws {
        let shop = try #require(ChargedGateway.all.first)
        guard case .answer(_, let list) = shop.foundPaid else { return }
        let refund =
            #"{"uid":"u2","type":"refund","status":"successful","amount":3000,"currency":"EUR","#
            + #""tracking_id":"order-1001","parent_uid":"u1"},"#
        let found = ScriptedTransport.Step.answer(
            200, list.replacing(#"{"transactions":["#, with: #"{"transactions":["# + refund))
        try await expect(shop, [shop.paid, found], .returned)
    }

    @Test("that was not sent leaves order and token free", arguments: ChargedGateway.all)
    func notSent(_ shop: ChargedGateway) async throws {
        let token = try Self.token()
        let error = await #expect(throws: PaymentError.self) {
            try await payments(shop.gateway, ScriptedTransport([.notSent]))
                .pay(token, for: Self.order())
        }
        #expect(error?.code == .notSent && error?.reason?.isEmpty == false)
        let transaction = ClaimRequest(try Self.decryptor().decrypt(token)).transaction
        #expect(await ledger.record(of: transaction) == nil)
        let again = ScriptedTransport(
            shop.made.compactMap { $0 }, reference: try Self.reference(shop.gateway))
        let outcome = try await payments(shop.gateway, again).pay(token, for: Self.order())
        #expect(outcome.state == shop.success && outcome.payment?.transaction == transaction)
    }

    @Test("that the gateway does not accept sends nothing, and claims nothing")
    func refusedOrder() async throws {
        let (transport, token) = (ScriptedTransport([]), try Self.token())
        let error = await #expect(throws: PaymentError.self) {
            try await payments(ExampleMerchant(secret: "x").checkout(), transport)
                .pay(token, for: Self.order(reference: String(repeating: "x", count: 81)))
        }
        #expect(error?.code == .unsupportedLength && error?.members == ["reference"])
        let transaction = ClaimRequest(try Self.decryptor().decrypt(token)).transaction
        #expect(await ledger.record(of: transaction) == nil && transport.requests.isEmpty)
    }
}

/// A declined card form of the same shop has the order's reference. The answer to the payment is lost, and the question finds
/// the declined one: that is no refusal of the payment, so the next tap may not pay again.
extension ChargeTests {
    /// A gateway with what it answers: to the requests before the payment, and to each question.
    struct ForeignRefusal: Sendable, CustomTestStringConvertible {
        let gateway: any PaymentGateway
        let preparations: [ScriptedTransport.Step]
        let path: String
        let found: @Sendable (GatewayRequest) -> ScriptedTransport.Step

        var testDescription: String { String(gateway.name) }
    }

    private static let merchant = ExampleMerchant(secret: "c2VjcmV0")

    static let foreignRefusals: [ForeignRefusal] = {
        let amount = #""amountOfMoney":{"amount":3000,"currencyCode":"EUR"}"#
        let login = ScriptedTransport.Step.answer(200, #"{"access_token":"a1"}"#)
        let submit =
            #"{"operations":[{"rel":"submit-dintero-psp-applepay","method":"POST","#
            + #""href":"https://psp.example/s?a=1&access_token=t1"}]}"#
        return [
            ForeignRefusal(
                gateway: merchant.bePaid, preparations: [], path: "/transactions/payments",
                found: { _ in
                    .answer(
                        200,
                        #"{"transactions":[{"uid":"form","type":"payment","status":"failed","#
                            + #""code":"F.0116","amount":3000,"currency":"EUR","#
                            + #""tracking_id":"order-1001"}]}"#)
                }),
            ForeignRefusal(
                gateway: (try? merchant.checkout()) ?? merchant.bePaid, preparations: [],
                path: "/payments",
                found: { _ in
                    .answer(
                        200,
                        #"{"total_count":1,"data":[{"id":"pay_form","status":"Declined","#
                            + #""approved":false,"amount":3000,"currency":"EUR","#
                            + #""reference":"order-1001","response_code":"20005"}]}"#)
                }),
            ForeignRefusal(
                gateway: merchant.worldlineConnect, preparations: [], path: "/v1/m-1/payments",
                found: { request in
                    let lists = ["captures", "refunds"].filter { request.path.hasSuffix("/\($0)") }
                    if let list = lists.first { return .answer(200, #"{"\#(list)":[]}"#) }
                    return .answer(
                        200,
                        #"{"payments":[{"id":"form","status":"REJECTED","paymentOutput":{\#(amount),"#
                            + #""references":{"merchantReference":"order-1001"}}}]}"#)
                }),
            ForeignRefusal(
                gateway: with(merchant.dintero) {
                    $0.credentials = .client(id: "c", secret: merchant.secret)
                },
                preparations: [
                    login, .answer(200, #"{"id":"P00000000.s1"}"#), .answer(200, submit),
                    .answer(200, #"{"transaction_id":"psp-1"}"#),
                ], path: "/v1/sessions/P00000000.s1/pay",
                found: { request in
                    if request.path.hasSuffix("/token") { return login }
                    if request.path.hasPrefix("/v1/sessions/") {
                        return .answer(
                            200,
                            #"{"id":"P00000000.s1","order":{"amount":3000,"currency":"EUR","#
                                + #""merchant_reference":"order-1001"}}"#)
                    }
                    return .answer(
                        200,
                        #"[{"id":"P00000000.form","status":"FAILED","amount":3000,"currency":"EUR","#
                            + #""merchant_reference":"order-1001"}]"#)
                }),
        ]
    }()

    @Test(
        "is not refused by somebody else's refused payment, and is not sent again",
        arguments: foreignRefusals)
    func foreignRefusal(_ shop: ForeignRefusal) async throws {
        let first = ScriptedTransport(
            shop.preparations + [.lost], further: { shop.found($0) })
        let outcome = try await payments(shop.gateway, first).pay(Self.token(), for: Self.order())
        #expect([.unknown, .pending].contains(outcome.state), "\(outcome)")
        #expect(!outcome.isSettled)
        let sent = first.requests.filter { $0.line == "POST \(shop.path)" }
        #expect(sent.count >= 1)
        // The next tap, with another token.
        let second = ScriptedTransport([], further: { shop.found($0) })
        let again = try await payments(shop.gateway, second).pay(Self.token(), for: Self.order())
        #expect(again.payment?.serial == outcome.payment?.serial && !again.isSettled, "\(again)")
        #expect(!second.requests.contains { $0.line == "POST \(shop.path)" })
    }
}
