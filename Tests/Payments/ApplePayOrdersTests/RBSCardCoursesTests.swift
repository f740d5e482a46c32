import ApplePayAcceptance
import ApplePayGateways
import ApplePayOrders
import Foundation
import TestVectors
import Testing

/// Payments with a stored card at a bank's own server, whose processes are killed and whose answers are lost.
@Suite("A card that RBS stored")
struct RBSCardCoursesTests {
    /// What happens to one request of a payment.
    struct Fault: CustomTestStringConvertible {
        let purpose: VendorPurpose
        let way: VendorServer.Way

        var testDescription: String { "\(purpose) \(way)" }

        static let payments = [
            VendorServer.Way.killed, .answerLost, .lost, .killedAndHeld, .held(504), .replaced(502),
            .notSent,
        ].map { Fault(purpose: .payment, way: $0) }
        static let all =
            payments
            + [.killed, .answerLost, .lost, .replaced(502), .notSent].map {
                Fault(purpose: .other, way: $0)
            }
    }

    private static let kinds: [PaymentInitiator: RBS.StoredCredential] = [
        .customer: .common, .unscheduled: .common, .recurring: .recurring,
    ]

    /// Returns a shop after a payment with a token, and the card that was stored with it.
    private static func shop(
        for initiator: PaymentInitiator
    ) async throws -> (shop: VendorShop, card: StoredCard) {
        var gateway = try #require(try RBSServer().gateway(.first) as? RBS)
        gateway.options.storedCredential = kinds[initiator]
        let shop = try VendorShop(.rbs, gateway: gateway)
        let paid = try await shop.payments.pay(
            Shop.token("first"), for: order("first", at: shop), agePolicy: .anyAge)
        #expect(paid.state == .paid)
        return (shop, try #require(paid.payment?.card))
    }

    private static func order(_ reference: String, at shop: VendorShop) throws -> Order {
        var order = try shop.order(reference)
        order.customerReference = RBSServer.client
        return order
    }

    @discardableResult
    private static func pay(
        _ card: StoredCard, _ initiator: PaymentInitiator, at shop: VendorShop,
        _ reference: String = "order-1", by process: OrderPayments? = nil
    ) async throws -> OrderOutcome {
        try await (process ?? shop.payments).pay(
            card, for: order(reference, at: shop), initiator: initiator)
    }

    /// Returns the payments of an order that hold money.
    private static func charges(_ shop: VendorShop, _ reference: String = "order-1") -> Int {
        shop.server.charges.count { $0.reference.hasPrefix(reference) }
    }

    @Test("pays two orders, each once", arguments: kinds.keys)
    func twice(_ initiator: PaymentInitiator) async throws {
        let (shop, card) = try await Self.shop(for: initiator)
        for reference in ["order-1", "order-2"] {
            for _ in 0..<2 {
                let outcome = try await Self.pay(card, initiator, at: shop, reference)
                #expect(outcome.state == .paid && !outcome.isAmountSigned)
                #expect(outcome.payment?.initiator == initiator)
            }
            #expect(Self.charges(shop, reference) == 1)
        }
    }

    @Test(
        "pays an order once, whatever request and answer is lost",
        arguments: [PaymentInitiator.customer, .unscheduled], Fault.all)
    func faults(_ initiator: PaymentInitiator, _ fault: Fault) async throws {
        let (shop, card) = try await Self.shop(for: initiator)
        shop.server.next(fault.purpose, fault.way)
        _ = try? await Self.pay(card, initiator, at: shop)
        #expect(Self.charges(shop) <= 1)
        for _ in 0..<3 {
            try await shop.recover(after: 200)
            _ = try? await Self.pay(card, initiator, at: shop, by: shop.process())
        }
        shop.server.deliver()
        // The registered order ends with its time; a payment that never arrived then ends, too.
        try await shop.settle()
        let end = try await Self.pay(card, initiator, at: shop, by: shop.process())
        #expect(end.state == .paid, "\(end)")
        #expect(Self.charges(shop) == 1)
        #expect(try await Courses.open(shop.process()).isEmpty)
    }

    @Test(
        "pays an order of a series once, and waits for a person if its request may be lost",
        arguments: Fault.payments)
    func series(_ fault: Fault) async throws {
        let (shop, card) = try await Self.shop(for: .recurring)
        shop.server.next(fault.purpose, fault.way)
        _ = try? await Self.pay(card, .recurring, at: shop)
        for _ in 0..<3 {
            try await shop.recover(after: 200)
            _ = try? await Self.pay(card, .recurring, at: shop, by: shop.process())
        }
        shop.server.deliver()
        try await shop.settle()
        let end = try await Self.pay(card, .recurring, at: shop, by: shop.process())
        let isLost = fault.way == .lost
        #expect(end.state == (isLost ? .unknown : .paid), "\(end)")
        #expect(Self.charges(shop) == (isLost ? 0 : 1))
        guard isLost else { return }
        shop.clock.pass(86_400)
        try await shop.decide(.refused())
        #expect(try await Self.pay(card, .recurring, at: shop, by: shop.process()).state == .paid)
        #expect(Self.charges(shop) == 1)
    }

    @Test(
        "that is declined pays with the next order number",
        arguments: [PaymentInitiator.unscheduled, .recurring])
    func declined(_ initiator: PaymentInitiator) async throws {
        let (shop, card) = try await Self.shop(for: initiator)
        shop.server.next(.decline)
        let declined = try await Self.pay(card, initiator, at: shop)
        #expect(declined.state == .refused && declined.report?.refusal?.origin == .issuer)
        #expect(try await Self.pay(card, initiator, at: shop).state == .paid)
        #expect(Self.charges(shop) == 1)
    }

    @Test("pays no order whose number another channel registered")
    func foreign() async throws {
        let (shop, card) = try await Self.shop(for: .unscheduled)
        shop.server.change { books in
            books.sessions["md-foreign"] = [
                "number": "order-1", "amount": "1099", "currency": "978", "mark": "theirs",
                "client": RBSServer.client, "end": "\(books.now.timeIntervalSince1970 + 1_200)",
            ]
        }
        let refusal = await Courses.refusal {
            _ = try await Self.pay(card, .unscheduled, at: shop)
        }
        #expect(
            refusal
                == "gateway/not-sent: The order number order-1 is registered already, for another order"
        )
        #expect(Self.charges(shop) == 0)
    }

    @Test("that the bank does not have leaves an order open until its registration ends")
    func revoked() async throws {
        let (shop, card) = try await Self.shop(for: .unscheduled)
        let bindings = shop.server.change { books in
            let bindings = books.sessions
            books.sessions = [:]
            return bindings
        }
        let open = try await Self.pay(card, .unscheduled, at: shop)
        #expect(open.isUncertain && Self.charges(shop) == 0)
        shop.clock.pass(1_300)
        #expect(try await shop.process().state(of: "order-1")?.state == .refused)
        shop.server.change { $0.sessions.merge(bindings) { first, _ in first } }
        #expect(try await Self.pay(card, .unscheduled, at: shop).state == .paid)
    }
}
