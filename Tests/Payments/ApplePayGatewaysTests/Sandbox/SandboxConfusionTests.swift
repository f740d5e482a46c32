import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayHTTPS
import ApplePayLedger
import ApplePayOrders
import TestVectors
import Testing

@Suite("Payments that are mixed up at the sandbox", .serialized, .timeLimit(.minutes(10)))
struct SandboxConfusionTests {
    @Test(
        "do not pay an order with the identifiers of another one", arguments: SandboxAccount.all)
    func identifiers(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (first, paid) = try await shop.pay(3000, "order-1")
        #expect([.paid, .authorized].contains(paid.state), "\(paid)")
        guard shop.gateway.abilities.status.contains(.identifier) else { return }
        let report = try #require(paid.report)

        var mixed = try PaymentAttempt(SandboxShop.order(3000, "order-2"))
        (mixed.paymentID, mixed.sessionID) = (report.paymentID, report.sessionID)
        let stolen = try await shop.transport.outcome(of: shop.gateway.status(of: mixed))
        #expect(stolen.state == .unknown, "\(stolen)")

        // The same customer may have paid both orders: then the identifiers are exchanged.
        let (second, other) = try await shop.pay(3000, "order-2")
        let exchanged = try await shop.status(second, paid)
        #expect(exchanged.state == .unknown, "\(exchanged)")
        let right = try await shop.status(second, other)
        #expect([.paid, .authorized].contains(right.state), "\(right)")
        let alsoRight = try await shop.status(first, paid)
        #expect([.paid, .authorized].contains(alsoRight.state), "\(alsoRight)")
    }

    @Test(
        "do not pay two orders with one key: the first answer belongs to the first order",
        arguments: SandboxAccount.all)
    func keys(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        var outcomes: [OrderOutcome] = []
        for reference in ["order-1", "order-2"] {
            let accepted = try shop.accepted(SandboxShop.order(3000, reference), key: "attempt-1")
            outcomes.append(
                try await shop.transport.outcome(of: shop.gateway.payment(accepted)))
        }
        // bePaid's first answer does not state how much is left.
        let isMade =
            [.paid, .authorized].contains(outcomes[0].state)
            || outcomes[0].report?.meaning == .booked
        #expect(isMade, "\(outcomes[0])")
        let books = try await shop.sandbox.books()
        if books.count == 1 {
            #expect(outcomes[1].state != .paid && outcomes[1].state != .authorized)
            #expect(!outcomes[1].isSettled, "\(outcomes[1])")
        } else {
            // The gateway keeps no keys for payments: it books both.
            #expect(books.map(\.reference) == ["order-1", "order-2"])
            #expect(outcomes[1].state == outcomes[0].state)
        }
        let keeps = try GatewaySuites.named(account.name).keyHeader != nil
        #expect((books.count == 1) == keeps, "\(books)")
    }

    @Test("do not pay an order of another amount", arguments: SandboxAccount.all)
    func amounts(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (_, paid) = try await shop.pay(3000)
        guard shop.gateway.abilities.status.contains(.identifier) else { return }
        let report = try #require(paid.report)
        for amount: Int64 in [2999, 3001] {
            var mixed = try PaymentAttempt(SandboxShop.order(amount))
            (mixed.paymentID, mixed.sessionID) = (report.paymentID, report.sessionID)
            let outcome = try await shop.transport.outcome(of: shop.gateway.status(of: mixed))
            #expect(outcome.state != .paid && outcome.state != .authorized, "\(outcome)")
        }
    }

    @Test(
        "are neither paid nor returned if the amount differs by one unit",
        arguments: SandboxAccount.reserving)
    func units(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (attempt, known) = try await shop.pay(10_000)
        _ = try await shop.perform(.capture, 1, named: "c-1", attempt, known)
        _ = try await shop.status(attempt, known)
        let captured = try await shop.status(attempt, known)
        #expect(captured.state == .partlyPaid, "\(captured)")
        _ = try await shop.perform(.refund, 1, named: "r-1", attempt, known)
        _ = try await shop.status(attempt, known)
        let refunded = try await shop.status(attempt, known)
        // RBS released what it did not capture; at the others it is still reserved.
        let expected: OrderOutcome.State = account.name == "rbs" ? .returned : .returning
        #expect(refunded.state == expected, "\(refunded)")
        let books = try await shop.sandbox.books()
        #expect(books.map { $0.captured } == [1] && books.map { $0.refunded } == [1])
    }

    @Test(
        "of 0 are authorized and canceled, or refused before anything is claimed",
        arguments: SandboxAccount.reserving)
    func nothing(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let order = try SandboxShop.order(0)
        guard account.name != "bepaid" else {
            let token = try shop.token(order)
            let error = await #expect(throws: PaymentError.self) {
                try await shop.payments().pay(token, for: order)
            }
            #expect(error?.code == .unsupportedAmount)
            let transaction = ClaimRequest(try shop.decryptor.decrypt(token)).transaction
            #expect(await shop.ledger.record(of: transaction) == nil)
            return
        }
        let (attempt, known) = try await shop.pay(0)
        #expect(known.state == .authorized, "\(known)")
        let canceled = try await shop.perform(.cancellation, named: "v-1", attempt, known)
        #expect([.done, .pending].contains(canceled.state), "\(canceled)")
        _ = try await shop.status(attempt, known)
        let outcome = try await shop.status(attempt, known)
        #expect(outcome.state == .returned, "\(outcome)")
    }

    @Test(
        "of RBS are recognized, whichever of two codes their currency has",
        arguments: ["RUB", "BYN"], [true, false])
    func formerCurrencies(_ code: String, isFormer: Bool) async throws {
        let account = SandboxAccount(name: "rbs") { sandbox in
            with(SandboxAccount.rbs(sandbox)) {
                $0.options.sendsFormerCurrencyCodes = isFormer
                $0.options.preAuth = true
            }
        }
        let shop = try SandboxShop(account)
        let order = try SandboxShop.order(3000, currency: code)
        let known = try await shop.payments().pay(shop.token(order), for: order)
        let attempt = try #require(known.payment).attempt
        #expect(known.state == .authorized, "\(known)")
        _ = try await shop.perform(.capture, named: "c-1", attempt, known)
        let outcome = try await shop.status(attempt, known)
        #expect(outcome.state == .paid, "\(outcome)")
    }
}
