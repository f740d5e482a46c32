import ApplePayAcceptance
import ApplePayGateways
import ApplePayOrders
import Foundation
import TestVectors
import Testing

/// Payments with a stored card at Dintero's own server, whose processes are killed and whose answers are lost.
@Suite("A card that Dintero stored")
struct DinteroCardCoursesTests {
    /// Returns a shop after a payment with a token, and the card that was stored with it.
    private static func shop() async throws -> (shop: VendorShop, card: StoredCard) {
        var gateway = try #require(try DinteroServer().gateway(.first) as? Dintero)
        gateway.options.settings = .inApp(generatesPaymentToken: true)
        let shop = try VendorShop(.dintero, gateway: gateway)
        let paid = try await shop.pay("first", reference: "first")
        #expect(paid.state == .paid)
        return (shop, try #require(paid.payment?.card))
    }

    @discardableResult
    private static func pay(
        _ card: StoredCard, at shop: VendorShop, _ reference: String = "order-1",
        by process: OrderPayments? = nil
    ) async throws -> OrderOutcome {
        try await (process ?? shop.payments).pay(
            card, for: shop.order(reference), initiator: .unscheduled)
    }

    /// Returns the payments of an order that hold money.
    private static func charges(_ shop: VendorShop, _ reference: String = "order-1") -> Int {
        shop.server.charges.count { $0.reference.hasPrefix(reference) }
    }

    @Test("pays two orders, each once")
    func twice() async throws {
        let (shop, card) = try await Self.shop()
        for reference in ["order-1", "order-2"] {
            for _ in 0..<2 {
                let outcome = try await Self.pay(card, at: shop, reference)
                #expect(outcome.state == .paid && outcome.payment?.initiator == .unscheduled)
            }
            #expect(Self.charges(shop, reference) == 1)
        }
    }

    @Test("pays only what the merchant begins, at no time that was fixed before")
    func initiators() async throws {
        let (shop, card) = try await Self.shop()
        for initiator in PaymentInitiator.allCases where initiator != .unscheduled {
            let refusal = await Courses.refusal {
                _ = try await shop.payments.pay(
                    card, for: shop.order(), initiator: initiator)
            }
            #expect(refusal?.hasPrefix("gateway/unsupported-value") == true)
        }
        #expect(shop.server.paymentRequests == 1)
    }

    @Test(
        "pays an order once, and a lost answer is found by the mark",
        arguments: RBSCardCoursesTests.Fault.all)
    func faults(_ fault: RBSCardCoursesTests.Fault) async throws {
        let (shop, card) = try await Self.shop()
        shop.server.next(fault.purpose, fault.way)
        _ = try? await Self.pay(card, at: shop)
        for _ in 0..<3 {
            try await shop.recover(after: 200)
            _ = try? await Self.pay(card, at: shop, by: shop.process())
        }
        shop.server.deliver()
        try await shop.settle()
        let end = try await Self.pay(card, at: shop, by: shop.process())
        let isLost = fault.purpose == .payment && fault.way == .lost
        #expect(end.state == (isLost ? .unknown : .paid), "\(end)")
        #expect(Self.charges(shop) == (isLost ? 0 : 1))
        guard isLost else { return }
        shop.clock.pass(86_400)
        try await shop.decide(.refused())
        #expect(try await Self.pay(card, at: shop, by: shop.process()).state == .paid)
        #expect(Self.charges(shop) == 1)
    }

    @Test("leaves an order to a person if somebody wrote over the mark")
    func overwritten() async throws {
        let (shop, card) = try await Self.shop()
        shop.server.next(.accept, .killed)
        _ = try? await Self.pay(card, at: shop)
        let id = try #require(shop.server.charges.last?.id)
        shop.server.change { $0.change(id) { $0.mark = "4711" } }
        try await shop.recover(after: 200)
        let open = try await Self.pay(card, at: shop, by: shop.process())
        #expect(open.state == .unknown && open.reason == Courses.secondPayment)
        shop.clock.pass(86_400)
        try await shop.decide(.refused())
        let adopted = try await shop.process().adopt(
            ExactText(id), for: shop.order(), by: "Ada", because: "books")
        #expect(adopted.state == .paid && Self.charges(shop) == 1)
    }

    @Test("that is declined pays with the next reference")
    func declined() async throws {
        let (shop, card) = try await Self.shop()
        shop.server.next(.decline)
        let declined = try await Self.pay(card, at: shop)
        #expect(declined.state == .refused && declined.report?.refusal?.origin == .issuer)
        #expect(try await Self.pay(card, at: shop).state == .paid)
        #expect(Self.charges(shop) == 1)
    }
}
