import ApplePayGateways
import ApplePayOrders
import ApplePayToken
import ApplePayWire
import Foundation
import TestVectors
import Testing

/// The servers themselves: what is shown with them must not be a fault of theirs.
@Suite("A vendor's own server")
struct VendorServerTests {
    @Test("books one payment, which is found again", arguments: VendorName.allCases)
    func pays(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        let outcome = try await shop.pay()
        let isLater = name == .checkout
        #expect(outcome.state == (isLater || name.reserves ? .authorized : .paid))
        try await shop.expect(name.paid)
        #expect(shop.server.paymentRequests == 1)
        #expect(
            shop.server.own.map { ExactText($0.reference) } == [outcome.payment?.attempt.reference])
    }

    @Test("declines a card, and takes another one", arguments: VendorName.allCases)
    func declines(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.next(.decline)
        let declined = try await shop.pay()
        #expect(declined.state == .refused && declined.report?.refusal?.origin == .issuer)
        // Dintero names the transaction only if the customer is asked about the session.
        #expect(name == .dintero || declined.report?.paymentID == shop.server.own.first?.id)
        try await shop.pay("two")
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 2)
    }

    @Test("asks the customer to confirm", arguments: VendorName.allCases)
    func challenges(_ name: VendorName) async throws {
        guard name != .cyberSource else { return }
        let shop = try VendorShop(name)
        shop.server.next(.challenge)
        let outcome = try await shop.pay()
        #expect(outcome.report?.paymentID != nil)
        #expect(name == .rbs || outcome.state == .actionRequired)
        #expect(shop.server.charges.isEmpty)
    }

    @Test("gives a payment back", arguments: VendorName.withRefunds)
    func refunds(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        let part = try await shop.payments.refund(
            "order-1", amount: 99, operation: "part", reason: "damaged")
        #expect(part.state == .done)
        #expect(try await shop.end().state == .partlyReturned)
        let rest = try await shop.payments.refund("order-1", operation: "rest", reason: "sold out")
        #expect(rest.state == .done)
        let end = try await shop.end()
        #expect(end.state == .returned && end.money == 0 && end.charges == 0)
        #expect(shop.server.own.first?.refunded == 1_099)
    }

    @Test("signs its messages", arguments: VendorName.withMessages)
    func messages(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        let reply = try await shop.receive(messageAbout: try #require(shop.server.own.first?.id))
        #expect(reply.status == 200 && reply.outcome?.state == .paid)
    }

    @Test("books a request that waited after its sender gave up", arguments: VendorName.allCases)
    func held(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, .held(504))
        #expect(try await shop.pay().isUncertain)
        shop.server.all(.payment, nil)
        #expect(shop.server.payments.isEmpty)
        shop.clock.pass(3_000)
        shop.server.deliver()
        #expect(shop.server.charges.count == 1)
    }

    @Test("sends the first answer for a key as long as it keeps it", arguments: VendorName.withKeys)
    func keys(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        // The answers are lost, and the lists lack the payment, so the owner repeats its request with the key.
        shop.server.change { $0.paymentLag = 60 }
        shop.server.all(.payment, .answerLost)
        _ = try await shop.pay()
        #expect(shop.server.paymentRequests > 1)
        #expect(shop.server.charges.count == 1)
    }

    @Test(
        "lists other channels' payments with the same reference", arguments: VendorName.withSearch)
    func foreign(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        let payment = shop.server.addForeign(.decline)
        #expect(payment.isForeign && payment.reference == "order-1" && payment.money == 0)
        #expect(shop.server.addForeign(.accept).money == 1_099)
        #expect(shop.server.own.isEmpty)
    }
}
