import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayLedger
import ApplePayToken
import Foundation
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

    var testDescription: String { gateway.name }

    /// Whether the gateway is asked before it is charged.
    var asksFirst: Bool { !gateway.abilities.repetition && absent != nil }

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

@Suite("A charge")
struct ChargeTests {
    /// Charges a payment with a script, and expects its state, that of the claim, and how often the money request and
    /// all requests were sent.
    private func expect(
        _ shop: ChargedGateway,
        _ steps: [ScriptedTransport.Step?],
        _ state: OrderOutcome.State,
        money: Int = 1,
        claim: ClaimState = .confirmed,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let ledger = InMemoryLedger()
        let accepted = try await ChargeFixture.accepted(in: ledger)
        let first = shop.asksFirst ? [shop.absent] : []
        let transport = ScriptedTransport((first + steps).compactMap { $0 })
        let outcome = try await accepted.charge(at: shop.gateway, with: transport)
        #expect(outcome.state == state, "\(outcome.reason ?? "")", sourceLocation: sourceLocation)
        #expect(outcome.isRecorded, sourceLocation: sourceLocation)
        #expect(transport.rest == 0, sourceLocation: sourceLocation)
        try await expectRequests(shop, transport, money, sourceLocation)
        let found = try await ChargeFixture.state(of: accepted, in: ledger)
        #expect(found == claim, sourceLocation: sourceLocation)
    }

    /// Expects how often the request that moves money was sent, always with the same reference and key.
    private func expectRequests(
        _ shop: ChargedGateway, _ transport: ScriptedTransport, _ count: Int,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let money = transport.requests.filter { $0.line == "POST \(shop.path)" }
        #expect(money.count == count, sourceLocation: location)
        for request in transport.requests where request.method == "POST" {
            #expect(request.line == "POST \(shop.path)", sourceLocation: location)
        }
        let key = try PaymentAttempt(ChargeFixture.order()).key
        for request in money {
            #expect(request.body?.revealText().contains("order-1001") == true)
            if let name = shop.key { #expect(request.header(name) == key) }
        }
    }

    @Test("that succeeds is confirmed", arguments: ChargedGateway.all)
    func success(_ shop: ChargedGateway) async throws {
        try await expect(shop, shop.made, shop.success)
    }

    @Test("that is declined is refused and confirmed", arguments: ChargedGateway.all)
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
            // "Not found" does not end the payment, however often it is repeated.
            try await expect(shop, [failure, shop.absent], .unknown)
            try await expect(shop, [failure, .lost], .unknown)
            try await expect(shop, [failure, .notSent], .unknown)
            try await expect(shop, [failure, .answer(500, "")], .unknown)
        } else if shop.gateway.abilities.repetition {
            try await expect(shop, [failure, shop.paid], shop.success, money: 2)
            try await expect(shop, [failure, shop.declined], .refused, money: 2)
            try await expect(shop, [failure, failure], .unknown, money: 2)
            // A refusal of the second request, such as of its credentials, states nothing about the first one.
            for refusal in [401, 403, 422] {
                try await expect(shop, [failure, .answer(refusal, "{}")], .unknown, money: 2)
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

    @Test(
        "that is not decided is asked for until the answer repeats", arguments: ChargedGateway.all)
    func pending(_ shop: ChargedGateway) async throws {
        guard shop.gateway.name != "checkout" else {
            // Checkout.com is asked for the identifier, not for the reference.
            guard case .answer(_, let body) = shop.pending else { return }
            let asked = ScriptedTransport.Step.answer(200, body)
            try await expect(shop, [shop.pending, asked, asked], .pending)
            return
        }
        if shop.foundPending != nil {
            try await expect(shop, [shop.pending, shop.foundPaid], shop.success)
            try await expect(
                shop, [shop.pending, shop.foundPending, shop.foundPending], .pending)
            try await expect(
                shop, [shop.pending, shop.foundPending, shop.foundPaid], shop.success)
        } else if shop.gateway.abilities.repetition {
            try await expect(shop, [shop.pending, shop.pending], .pending, money: 2)
            try await expect(shop, [shop.pending, shop.paid], shop.success, money: 2)
        } else {
            try await expect(shop, [shop.pending], .pending)
        }
    }

    @Test("is queried at most three times")
    func questions() async throws {
        let shop = ChargedGateway.all[0]
        func list(_ status: String) -> ScriptedTransport.Step {
            .answer(
                200,
                #"{"transactions":[{"uid":"u1","type":"payment","status":"\#(status)","amount":3000,"#
                    + #""currency":"EUR","tracking_id":"order-1001"}]}"#)
        }
        try await expect(
            shop, [.lost, list("pending"), list("incomplete"), list("pending")], .pending)
    }

    @Test(
        "returns the gateway's answer if the ledger fails afterwards", arguments: ChargedGateway.all
    )
    func failingLedger(_ shop: ChargedGateway) async throws {
        let ledger = FailingLedger()
        let accepted = try await ChargeFixture.accepted(in: ledger)
        let first = shop.asksFirst ? [shop.absent] : []
        let transport = ScriptedTransport((first + shop.made).compactMap { $0 })
        let outcome = try await accepted.charge(at: shop.gateway, with: transport)
        #expect(outcome.state == shop.success && !outcome.isRecorded)
        // The claim stays open, so the token cannot be charged again.
        #expect(try await ChargeFixture.state(of: accepted, in: ledger) == .claimed)
        guard let found = shop.foundPaid else { return }
        let other = try await ChargeFixture.accepted(in: ledger)
        let asked = ScriptedTransport((first + [.lost, found]).compactMap { $0 })
        let late = try await other.charge(at: shop.gateway, with: asked)
        #expect(late.state == shop.success && !late.isRecorded)
    }

    @Test(
        "of a second tap charges the order once where the gateway promises it",
        arguments: ChargedGateway.all)
    func secondTap(_ shop: ChargedGateway) async throws {
        let ledger = InMemoryLedger()
        let first = try await ChargeFixture.accepted(in: ledger)
        let begin = shop.asksFirst ? [shop.absent] : []
        let one = ScriptedTransport((begin + shop.made).compactMap { $0 })
        #expect(try await first.charge(at: shop.gateway, with: one).state == shop.success)
        // Another token of the same customer, for the same order.
        let second = try await ChargeFixture.accepted(in: ledger)
        #expect(first.attempt == second.attempt && first.claim != second.claim)
        let found = shop.asksFirst ? [shop.foundPaid] : shop.made
        let two = ScriptedTransport(found.compactMap { $0 })
        #expect(try await second.charge(at: shop.gateway, with: two).state == shop.success)
        // A gateway with keys answers as it did first; one that was asked first is not charged; at the last one nothing
        // prevents it.
        try await expectRequests(shop, two, shop.asksFirst ? 0 : 1)
        let expected: ClaimState = shop.asksFirst ? .released : .confirmed
        #expect(try await ChargeFixture.state(of: second, in: ledger) == expected)
        #expect(try await ChargeFixture.state(of: first, in: ledger) == .confirmed)
    }

    @Test(
        "is sent once, also for a copy of the payment, whatever the outcome",
        arguments: ChargedGateway.all)
    func twice(_ shop: ChargedGateway) async throws {
        let first = shop.asksFirst ? [shop.absent] : []
        for steps in [first + shop.made, first + [.notSent]] {
            let ledger = InMemoryLedger()
            let accepted = try await ChargeFixture.accepted(in: ledger)
            let copy = accepted
            let transport = ScriptedTransport(steps.compactMap { $0 })
            _ = try? await accepted.charge(at: shop.gateway, with: transport)
            let state = try await ChargeFixture.state(of: accepted, in: ledger)
            let count = transport.requests.count
            for payment in [accepted, copy] {
                let error = await #expect(throws: PaymentTokenError.self) {
                    try await payment.charge(at: shop.gateway, with: transport)
                }
                #expect(error?.code == .alreadyClaimed)
            }
            #expect(transport.requests.count == count)
            #expect(try await ChargeFixture.state(of: accepted, in: ledger) == state)
        }
    }

    @Test("of a token that was not decrypted states that the amount is not signed")
    func unsignedAmount() async throws {
        let (signed, order) = (try GatewayFixture.accepted(), try ChargeFixture.order())
        #expect(signed.isAmountSigned && signed.attempt.isAmountSigned)
        let attempt = try PaymentAttempt(order)
        let passedOn = try AcceptedPayment(
            unclaimed: signed.token, order: order, attempt: attempt)
        #expect(!passedOn.isAmountSigned && !passedOn.attempt.isAmountSigned)
        let report = PaymentReport(gateway: "g")
        #expect(!OrderOutcome(report, of: passedOn.attempt).isAmountSigned)
        #expect(OrderOutcome(report, of: attempt).isAmountSigned)
        #expect(OrderOutcome(unknown: "r").isAmountSigned)
        let stored = try JSONDecoder().decode(
            PaymentAttempt.self, from: JSONEncoder().encode(passedOn.attempt))
        #expect(stored == passedOn.attempt)
        // Whatever becomes of the request: lost, answered, or asked for.
        var gateway = ExampleMerchant(secret: "c2VjcmV0").bePaid
        gateway.options.sendsEncrypted = true
        let empty = ScriptedTransport.Step.answer(200, #"{"transactions":[]}"#)
        for steps in [[.lost, .lost], [.lost, empty], [.answer(400, "{}")]]
            as [[ScriptedTransport.Step]]
        {
            let payment = try AcceptedPayment(
                unclaimed: signed.token, order: order, attempt: attempt)
            let outcome = try await payment.charge(at: gateway, with: ScriptedTransport(steps))
            #expect(!outcome.isAmountSigned)
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

    @Test("is not sent if the gateway does not state whether the order has a payment")
    func unanswered() async throws {
        let shop = try #require(ChargedGateway.all.first { $0.asksFirst })
        for step in [
            ScriptedTransport.Step.answer(500, ""), .answer(404, "{}"), .answer(200, "[]"),
        ] {
            let ledger = InMemoryLedger()
            let accepted = try await ChargeFixture.accepted(in: ledger)
            let transport = ScriptedTransport([step])
            let outcome = try await accepted.charge(at: shop.gateway, with: transport)
            #expect(outcome.state == .unknown)
            try await expectRequests(shop, transport, 0)
            #expect(try await ChargeFixture.state(of: accepted, in: ledger) == .released)
        }
        for step in [ScriptedTransport.Step.lost, .notSent] {
            let ledger = InMemoryLedger()
            let accepted = try await ChargeFixture.accepted(in: ledger)
            let transport = ScriptedTransport([step])
            let error = await #expect(throws: PaymentTokenError.self) {
                try await accepted.charge(at: shop.gateway, with: transport)
            }
            #expect(error?.code == .notSent)
            #expect(try await ChargeFixture.state(of: accepted, in: ledger) == .released)
        }
    }

    @Test("that was not sent releases the claim", arguments: ChargedGateway.all)
    func notSent(_ shop: ChargedGateway) async throws {
        let ledger = InMemoryLedger()
        let accepted = try await ChargeFixture.accepted(in: ledger)
        let first = shop.asksFirst ? [shop.absent] : []
        let transport = ScriptedTransport((first + [.notSent]).compactMap { $0 })
        let error = await #expect(throws: PaymentTokenError.self) {
            try await accepted.charge(at: shop.gateway, with: transport)
        }
        #expect(error?.code == .notSent && error?.reason?.isEmpty == false)
        #expect(try await ChargeFixture.state(of: accepted, in: ledger) == .released)
        // The claim stays open if the ledger cannot be reached.
        let failing = FailingLedger()
        let other = try await ChargeFixture.accepted(in: failing)
        let again = ScriptedTransport((first + [.notSent]).compactMap { $0 })
        await #expect(throws: PaymentTokenError.self) {
            try await other.charge(at: shop.gateway, with: again)
        }
        #expect(try await ChargeFixture.state(of: other, in: failing) == .claimed)
    }

    @Test("that the gateway does not accept sends nothing, and releases the claim")
    func refusedOrder() async throws {
        let ledger = InMemoryLedger()
        let long = String(repeating: "x", count: 81)
        let accepted = try await ChargeFixture.accepted(in: ledger, reference: long)
        let transport = ScriptedTransport([])
        let error = await #expect(throws: PaymentTokenError.self) {
            let gateway = try ExampleMerchant(secret: "x").checkout()
            return try await accepted.charge(at: gateway, with: transport)
        }
        #expect(error?.code == .unsupportedLength && error?.members == ["reference"])
        #expect(try await ChargeFixture.state(of: accepted, in: ledger) == .released)
        #expect(transport.requests.isEmpty)
    }

    @Test("of a later slot has another reference and another key")
    func slots() async throws {
        let shop = ChargedGateway.all[0]
        let accepted = try await ChargeFixture.accepted(in: InMemoryLedger(), slot: 2)
        let transport = ScriptedTransport([shop.paid, shop.absent ?? .lost])
        // The answer is about the first slot's reference.
        #expect(try await accepted.charge(at: shop.gateway, with: transport).state == .unknown)
        let request = try #require(transport.requests.first)
        #expect(request.body?.revealText().contains("order-1001.r2") == true)
        let first = try PaymentAttempt(ChargeFixture.order()).key
        let second = try PaymentAttempt(ChargeFixture.order(), slot: 2).key
        #expect(request.header("RequestID") == second && first != second)
    }
}
