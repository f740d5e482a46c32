import ApplePayAcceptance
import ApplePayGateways
import ApplePayHTTPS
import ApplePayOrders
import Foundation
import TestVectors
import Testing

@Suite("What a test can order at the sandbox", .serialized, .timeLimit(.minutes(5)))
struct SandboxOtherChannelTests {
    /// The accounts at which another channel can pay.
    private static let accounts = SandboxAccount.all.filter {
        ["worldline-direct", "worldline-connect", "bepaid", "dintero", "rbs", "checkout"]
            .contains($0.name)
    }

    private static func payment(_ gateway: String, _ state: String) -> [String: Any] {
        [
            "gateway": gateway, "reference": "order-1", "amount": 1_099, "currency": "EUR",
            "state": state,
        ]
    }

    /// Asks for a payment by its identifier, or by the order's reference where a gateway is asked so.
    private func report(_ id: String, _ shop: SandboxShop) async throws -> PaymentReport? {
        var attempt = try PaymentAttempt(SandboxShop.order(1_099))
        attempt.paymentID = ExactText(id)
        let answer = try await shop.transport.outcome(of: shop.gateway.status(of: attempt))
        return answer.report.flatMap { report in
            ([report] + report.others).first { $0.paymentID == id }
        }
    }

    @Test(
        "is a payment of another channel, which the gateway's questions find",
        // Dintero's is at the account of the sandbox's file, which another token than that of the tests belongs to.
        arguments: accounts.filter { $0.name != "dintero" })
    func otherChannel(_ account: SandboxAccount) async throws {
        for state in ["captured", "authorized", "refused"] {
            let shop = try SandboxShop(account)
            let made = try await shop.sandbox.send("payments", Self.payment(account.name, state))
            let id = try #require(made.answer["id"] as? String)
            let report = try await report(id, shop)
            #expect(report?.reference == "order-1" && report?.ordered == 1_099, "\(state)")
            #expect(report?.mark == nil)
            guard state != "refused" else {
                #expect(report?.meaning == .refused)
                #expect(try await shop.sandbox.books().isEmpty)
                continue
            }
            #expect(state == "captured" ? report?.captured == 1_099 : report?.authorized == 1_099)
            let book = try #require(try await shop.sandbox.books().first)
            #expect(book.isForeign == true && book.requests == 0)
            #expect(book.amounts == (state == "captured" ? [0, 1_099, 0] : [1_099, 0, 0]))

            _ = try await shop.sandbox.send("returns", ["gateway": account.name, "id": id])
            let returned = try await self.report(id, shop)
            #expect(
                state == "captured" ? returned?.refunded == 1_099 : returned?.meaning == .cancelled,
                "\(String(describing: returned))")
        }
    }

    @Test(
        "is refused with a state that does not exist, and under an order number that RBS has used")
    func refusals() async throws {
        let sandbox = try SandboxProcess()
        func status(_ gateway: String, _ state: String) async throws -> Int {
            try await sandbox.send("payments", Self.payment(gateway, state)).status
        }
        #expect(try await status("rbs", "captured") == 200)
        #expect(try await status("rbs", "refused") == 409)
        #expect(try await status("bepaid", "paid") == 400)
        #expect(try await status("adyen", "refused") == 400)
        #expect(try await sandbox.send("returns", ["gateway": "rbs", "id": "x"]).status == 404)
        #expect(try await sandbox.send("late", ["reference": "order-1"]).status == 400)
    }

    @Test(
        "is one late payment, which a repetition with its key does not make twice",
        arguments: accounts)
    func latePayment(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        _ = try await shop.sandbox.send("late", ["reference": "order-1", "seconds": 3])
        let (_, first) = try await shop.pay(71_929)
        let late = try await shop.sandbox.lateReferences()
        #expect(late.count == 1 && late[0].hasPrefix("order-1"), "\(late)")
        let hasKeys = shop.gateway.abilities.repetition
        #expect(
            // The answer that is repeated last may state no totals.
            hasKeys
                ? [.paid, .pending].contains(first.state)
                : ![.paid, .authorized].contains(first.state), "\(first)")
        #expect(try await shop.sandbox.books().count == (hasKeys ? 1 : 0))
        while try await !shop.sandbox.lateReferences().isEmpty {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(try await shop.sandbox.books().map(\.requests) == [1])
        #expect(
            try await shop.payments().state(of: "order-1")?.isSettled == (account.name != "dintero")
        )
        // The order holds for one payment.
        let (_, second) = try await shop.pay(71_929, "order-1.1")
        #expect(second.state != .unknown, "\(second)")
    }
}
