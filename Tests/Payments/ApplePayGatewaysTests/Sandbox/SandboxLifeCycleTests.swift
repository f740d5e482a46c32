import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayHTTPS
import ApplePayOrders
import Foundation
import TestVectors
import Testing

@Suite("The life of a payment at the sandbox", .serialized, .timeLimit(.minutes(10)))
struct SandboxLifeCycleTests {
    /// Expects the state of the order at the gateway, and the sandbox's books.
    private func expect(
        _ state: OrderOutcome.State,
        _ amounts: [Int64],
        _ shop: SandboxShop,
        _ attempt: PaymentAttempt,
        _ known: OrderOutcome,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        // Operations that were only requested are done when the gateway is asked the second time.
        _ = try await shop.status(attempt, known)
        let outcome = try await shop.status(attempt, known)
        #expect(outcome.state == state, "\(outcome)", sourceLocation: sourceLocation)
        let books = try await shop.sandbox.books()
        #expect(books.map(\.amounts) == [amounts], sourceLocation: sourceLocation)
    }

    /// Captures, cancels or refunds, and expects that it is done or attempt.
    private func perform(
        _ kind: PaymentOperation.Kind,
        _ amount: Int64?,
        _ name: String,
        _ shop: SandboxShop,
        _ attempt: PaymentAttempt,
        _ known: OrderOutcome,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await shop.perform(kind, amount, named: name, attempt, known)
        #expect(
            [.done, .pending].contains(outcome.state), "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.report?.about == kind.subject, sourceLocation: sourceLocation)
    }

    /// Expects that an operation of more than remains is refused before anything is sent.
    private func expectTooMuch(
        _ kind: PaymentOperation.Kind,
        _ amount: Int64,
        _ shop: SandboxShop,
        _ attempt: PaymentAttempt,
        _ known: OrderOutcome,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: PaymentError.self, sourceLocation: sourceLocation) {
            try await shop.perform(kind, amount, named: "too-much", attempt, known)
        }
        #expect(error?.code == .unsupportedAmount, sourceLocation: sourceLocation)
    }

    @Test(
        "is a capture of the whole, and refunds of a part and of the rest",
        arguments: SandboxAccount.reserving)
    func whole(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (attempt, known) = try await shop.pay(3000)
        #expect(known.state == .authorized, "\(known)")
        try await expect(.authorized, [3000, 0, 0], shop, attempt, known)
        await expectTooMuch(.capture, 3001, shop, attempt, known)
        await expectTooMuch(.refund, 1, shop, attempt, known)
        try await perform(.capture, nil, "c-1", shop, attempt, known)
        try await expect(.paid, [0, 3000, 0], shop, attempt, known)
        try await perform(.refund, 1000, "r-1", shop, attempt, known)
        try await expect(.partlyReturned, [0, 3000, 1000], shop, attempt, known)
        await expectTooMuch(.refund, 2001, shop, attempt, known)
        try await perform(.refund, nil, "r-2", shop, attempt, known)
        try await expect(.returned, [0, 3000, 3000], shop, attempt, known)
        await expectTooMuch(.refund, 1, shop, attempt, known)
    }

    @Test(
        "is a capture of a part, of which nothing can be captured twice",
        arguments: SandboxAccount.reserving)
    func part(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (attempt, known) = try await shop.pay(3000)
        try await perform(.capture, 1000, "c-1", shop, attempt, known)
        // At RBS, the capture of a part releases the rest.
        let isFinal = account.name == "rbs"
        try await expect(.partlyPaid, [isFinal ? 0 : 2000, 1000, 0], shop, attempt, known)
        await expectTooMuch(.capture, isFinal ? 1 : 2001, shop, attempt, known)
        guard !isFinal else { return }
        try await perform(.capture, 2000, "c-2", shop, attempt, known)
        try await expect(.paid, [0, 3000, 0], shop, attempt, known)
    }

    @Test("is a cancellation of the whole", arguments: SandboxAccount.reserving)
    func cancellation(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (attempt, known) = try await shop.pay(3000)
        try await perform(.cancellation, nil, "v-1", shop, attempt, known)
        try await expect(.returned, [0, 0, 0], shop, attempt, known)
        let outcome = try await shop.status(attempt, known)
        #expect(outcome.returnCause == .cancellation)
    }

    @Test(
        "is a cancellation of a part, where the gateway supports it",
        arguments: SandboxAccount.reserving)
    func partialCancellation(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (attempt, known) = try await shop.pay(3000)
        guard shop.gateway.abilities[.cancellation] == .part else {
            await expectTooMuch(.cancellation, 1000, shop, attempt, known)
            return
        }
        try await perform(.cancellation, 1000, "v-1", shop, attempt, known)
        try await expect(.partlyAuthorized, [2000, 0, 0], shop, attempt, known)
        try await perform(.capture, 2000, "c-1", shop, attempt, known)
        try await expect(.partlyPaid, [0, 2000, 0], shop, attempt, known)
    }

    @Test("is a refund of what was captured at once", arguments: SandboxAccount.all)
    func refund(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        guard shop.gateway.abilities[.refund] == .part, account.name != "dintero" else { return }
        let (attempt, known) = try await shop.pay(3000)
        #expect(known.state == .paid)
        try await perform(.refund, nil, "r-1", shop, attempt, known)
        try await expect(.returned, [0, 3000, 3000], shop, attempt, known)
        let outcome = try await shop.status(attempt, known)
        #expect(outcome.returnCause == .refund && outcome.isSettled)
    }

    @Test(
        "does not repeat operations that are in progress",
        arguments: SandboxAccount.reserving)
    func slow(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (attempt, known) = try await shop.pay(SandboxAmount.slowOperations)
        let first = try await shop.perform(.capture, named: "c-1", attempt, known)
        #expect([.pending, .done].contains(first.state), "\(first)")
        guard first.state == .pending else { return }
        let waiting = try await shop.status(attempt, known)
        #expect(waiting.state != .refused && waiting.state != .returned, "\(waiting)")
        _ = try await shop.status(attempt, known)
        let done = try await shop.status(attempt, known)
        #expect(done.state == .paid, "\(done)")
    }

    @Test("of Worldline Connect can require an approval, which captures once")
    func approval() async throws {
        let account = SandboxAccount(name: "worldline-connect") { sandbox in
            with(try SandboxAccount.worldlineConnect(sandbox)) {
                $0.options.authorizationMode = .preAuthorization
                $0.options.requiresApproval = true
            }
        }
        let shop = try SandboxShop(account)
        let (attempt, known) = try await shop.pay(3000)
        #expect(known.report?.status == "PENDING_APPROVAL" && known.state == .authorized)
        try await perform(.capture, 1000, "c-1", shop, attempt, known)
        try await expect(.partlyPaid, [0, 1000, 0], shop, attempt, known)
    }

    @Test("of Worldline Connect is found by its reference without an identifier")
    func search() async throws {
        let account = try #require(SandboxAccount.all.first { $0.name == "worldline-connect" })
        let shop = try SandboxShop(account)
        let (attempt, _) = try await shop.pay(3000)
        let query = try shop.gateway.status(of: attempt)
        #expect(try await shop.transport.outcome(of: query).state == .paid)
        let other = try PaymentAttempt(SandboxShop.order(3000, "order-2"))
        let none = try await shop.transport.outcome(of: shop.gateway.status(of: other))
        #expect(none.report?.meaning == .absent && none.state == .unknown)
    }

    @Test("of bePaid can be asynchronous, and a test is not a payment")
    func bePaid() async throws {
        let account = SandboxAccount(name: "bepaid") { sandbox in
            with(SandboxAccount.bePaid(sandbox)) { $0.options.isAsynchronous = true }
        }
        let shop = try SandboxShop(account)
        let (_, outcome) = try await shop.pay(3000)
        #expect(outcome.state == .paid, "\(outcome)")
        for (sends, expects) in [(true, true), (true, false), (false, true)] {
            let testing = SandboxAccount(name: "bepaid") { sandbox in
                with(SandboxAccount.bePaid(sandbox)) { $0.isTest = sends }
            }
            let shop = try SandboxShop(testing)
            let (attempt, outcome) = try await shop.pay(3000)
            #expect(outcome.state == .paid)
            let report = try #require(outcome.report)
            let other = OrderOutcome(report: report, attempt: attempt, isTest: expects)
            #expect(other.state == (sends == expects ? .paid : .unknown), "\(other)")
        }
    }

    @Test("on a payment page of Worldline begins there", arguments: [true, false])
    func hostedPage(isDirect: Bool) async throws {
        let account = SandboxAccount(name: isDirect ? "worldline-direct" : "worldline-connect") {
            sandbox in
            guard isDirect else {
                return with(try SandboxAccount.worldlineConnect(sandbox)) {
                    $0.pageOptions.authorizationMode = .sale
                }
            }
            return with(try SandboxAccount.worldlineDirect(sandbox)) {
                $0.pageOptions.authorizationMode = .sale
            }
        }
        let shop = try SandboxShop(account)
        let payments = try shop.payments()
        func page(_ reference: String) async throws -> OrderOutcome {
            let order = try with(SandboxShop.order(3000, reference)) {
                $0.returnURL = "https://shop.example/return?order=1"
            }
            return try await payments.page(for: order)
        }
        func visit(_ page: OrderOutcome) async throws -> String {
            let text = try await shop.sandbox.visit(page.report?.address)
            let address = try #require(
                text.firstMatch(of: #/https:\/\/shop\.example[^"<\s]*/#).map {
                    String($0.output)
                })
            return String(
                address.replacing("&amp;", with: "&").dropFirst("https://shop.example".count))
        }
        func receive(_ target: String) async -> MessageReply {
            await payments.receive(
                GatewayMessage(method: "GET", target: target, headers: [], body: []))
        }
        let created = try await page("order-1")
        #expect(created.state == .actionRequired && created.isRecorded, "\(created)")
        let before = try await payments.state(of: "order-1")
        #expect(before?.state == .actionRequired, "\(String(describing: before))")
        #expect(before?.report?.address == created.report?.address)
        let target = try await visit(created)
        let returned = await receive(target)
        #expect(returned.status == 200 && returned.outcome?.state == .paid, "\(returned)")
        #expect(try await shop.sandbox.books().map(\.requests) == [1])
        // The page of another order, which the same customer did not pay.
        let other = try await page("order-2")
        let id = try #require(other.payment?.attempt.sessionID)
        let mac = try #require(target.firstMatch(of: /RETURNMAC=[^&]*/)).output
        let forged = await receive("/return?\(mac)&hostedCheckoutId=\(id)")
        #expect(forged.status == 400 && forged.outcome == nil, "\(forged)")
        #expect(try await payments.state(of: "order-2")?.state == .actionRequired)
        var mixed = try PaymentAttempt(SandboxShop.order(3000, "order-2"))
        mixed.sessionID = created.payment?.attempt.sessionID
        let stolen = try await shop.transport.outcome(of: shop.gateway.status(of: mixed))
        #expect(stolen.state == .unknown, "\(stolen)")
        // A second page for a paid order is its state.
        #expect(try await page("order-1").state == .paid)
    }
}
