import ApplePayGateways
import ApplePayOrders
import ApplePayToken
import Foundation
import TestVectors
import Testing

/// A person's decision about a capture, a cancellation or a refund.
@Suite("A person decides about an operation")
struct OperationDecisionTests {
    /// Returns a shop with a refused refund `a` and a refund `b` whose answer or request was lost.
    private static func shop(_ way: TestTransport.Way) async throws -> Shop {
        let shop = try Shop(.query)
        #expect(try await shop.pay().state == .paid)
        shop.transport.next(.refuse)
        let refused = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        #expect(refused.state == .refused)
        shop.transport.next(.capture, way)
        shop.transport.all(nil, questions: .lost)
        shop.transport.nextQuestion(.answered)
        let lost = try await shop.payments.refund("order-1", amount: 50, operation: "b")
        #expect(lost.state == .unknown)
        shop.transport.all(nil)
        return shop
    }

    private static func decide(
        _ name: String, isDone: Bool, at shop: Shop
    ) async throws -> OperationOutcome {
        try await shop.payments.resolve(
            "order-1", operation: ExactText(name), isDone: isDone, by: "Ada", because: "books")
    }

    @Test("that it was done at once, that it was not a day later")
    func day() async throws {
        let early = try await Self.shop(.lost)
        #expect(
            await Courses.refusal { _ = try await Self.decide("b", isDone: false, at: early) }
                == "order/decision-refused: its request may still be carried out; decide a day after it began"
        )
        #expect(try await Self.decide("b", isDone: true, at: early).state == .done)
        let later = try await Self.shop(.lost)
        later.clock.pass(86_400)
        #expect(try await Self.decide("b", isDone: false, at: later).state == .refused)
        #expect(try await later.payments.state(of: "order-1")?.state == .paid)
        #expect(try await later.payments.openPayments().isEmpty)
    }

    @Test("after the gateway has decided, and gets its outcome")
    func decided() async throws {
        let shop = try await Self.shop(.answerLost)
        #expect(try await Self.decide("b", isDone: false, at: shop).state == .done)
        #expect(shop.books.kept == 1_049)
    }

    @Test("only if it is open", arguments: ["a", "c"])
    func closed(_ name: String) async throws {
        let shop = try await Self.shop(.lost)
        #expect(
            await Courses.refusal { _ = try await Self.decide(name, isDone: true, at: shop) }
                == (name == "a"
                    ? "order/decision-refused: the operation a is refused; nothing is to be decided"
                    : "order/no-payment: the order order-1 has no operation with the name c"))
    }
}
