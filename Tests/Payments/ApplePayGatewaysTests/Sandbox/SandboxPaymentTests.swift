import ApplePayAcceptance
import ApplePayGateways
import ApplePayHTTPS
import ApplePayLedger
import ApplePayOrders
import ApplePayOtherGateways
import ApplePayTokenTestingPrimitives
import TestVectors
import Testing

/// The amounts that select a scenario; those of the sandbox's help.
enum SandboxAmount {
    static let pending: Int64 = 20_200
    static let customer: Int64 = 30_300
    static let decline: Int64 = 40_200
    static let timeOut: Int64 = 40_800
    static let lostRequest: Int64 = 40_801
    static let duplicate: Int64 = 40_900
    static let serverError: Int64 = 50_000
    static let errorPage: Int64 = 50_200
    static let unavailable: Int64 = 50_300
    static let late: Int64 = 50_400
    static let chargeback: Int64 = 60_100
    static let partlyApproved: Int64 = 60_200
    static let slowOperations: Int64 = 60_300
    static let unknownWord: Int64 = 60_400

    /// Returns whether the account at an index is tried with an amount: where the client's time limit must be reached,
    /// every seventh is, or all of them in long tests.
    static func isTried(_ amount: Int64, at index: Int) -> Bool {
        ![timeOut, lostRequest, late].contains(amount) || LongTest.includes(index)
    }
}

@Suite("A charge at the sandbox", .serialized, .timeLimit(.minutes(10)))
struct SandboxPaymentTests {
    /// Returns the accounts with the amounts with which they are tried.
    private static func combinations(_ amounts: [Int64]) -> [(SandboxAccount, Int64)] {
        SandboxAccount.all.enumerated().flatMap { index, account in
            amounts.filter { SandboxAmount.isTried($0, at: index) }.map { (account, $0) }
        }
    }

    /// The gateways that reserve the amount, and capture it later or never state that they did.
    private static let reserves = ["dintero", "cybersource", "checkout", "adyen"]

    /// The gateways that cannot be asked in any way after a lost answer.
    private static let mute = ["cybersource"]

    /// Returns the state of a successful payment in its first answer.
    private static func success(_ account: SandboxAccount) -> OrderOutcome.State {
        reserves.contains(account.name) ? .authorized : .paid
    }

    /// Returns the state of a successful payment that was asked for: Checkout.com has captured it by then.
    private static func asked(_ account: SandboxAccount) -> OrderOutcome.State {
        account.name == "checkout" ? .paid : success(account)
    }

    /// Expects that the order was charged once, or not at all.
    private func expectCharges(
        _ count: Int, _ shop: SandboxShop, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let books = try await shop.sandbox.books()
        #expect(books.count == count, "\(books)", sourceLocation: sourceLocation)
        #expect(
            books.allSatisfy { $0.requests == count }, "\(books)", sourceLocation: sourceLocation)
    }

    @Test(
        "pays an order once, and refuses the token for another order",
        arguments: SandboxAccount.all)
    func success(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (order, payments) = (try SandboxShop.order(71_929), try shop.payments())
        let token = try shop.token(order)
        let outcome = try await payments.pay(token, for: order)
        #expect(outcome.state == Self.success(account), "\(outcome)")
        #expect(outcome.isRecorded)
        try await expectCharges(1, shop)
        // The same token again, and a second tap, which is another token.
        for token in [token, try shop.token(order)] {
            let again = try await payments.pay(token, for: order)
            #expect(![.refused, .unknown].contains(again.state), "\(again)")
            #expect(again.payment?.serial == outcome.payment?.serial)
        }
        let error = await #expect(throws: PaymentError.self) {
            try await payments.pay(token, for: SandboxShop.order(71_929, "order-2"))
        }
        #expect(error?.code == .alreadyClaimed)
        try await expectCharges(1, shop)
    }

    @Test(
        "is refused if the bank declines, and the next slot can pay", arguments: SandboxAccount.all)
    func decline(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (attempt, outcome) = try await shop.pay(SandboxAmount.decline)
        #expect(outcome.state == .refused && outcome.isSettled, "\(outcome)")
        #expect(outcome.report?.refusal?.origin == .issuer, "\(outcome)")
        try await expectCharges(0, shop)
        let (again, second) = try await shop.pay(SandboxAmount.decline)
        #expect(again.reference != attempt.reference && again.key != attempt.key)
        #expect(second.state == .refused, "\(second)")
    }

    @Test("waits for the customer, who confirms or declines", arguments: SandboxAccount.all)
    func customer(_ account: SandboxAccount) async throws {
        for decision in ["confirm", "decline"] {
            let shop = try SandboxShop(account)
            let (attempt, outcome) = try await shop.pay(SandboxAmount.customer)
            guard account.name != "cybersource" else {
                // Its address takes a form with a token, so the customer cannot open it.
                #expect(outcome.state == .pending, "\(outcome)")
                continue
            }
            #expect(outcome.state == .actionRequired, "\(outcome)")
            try await expectCharges(0, shop)
            try await shop.sandbox.visit(outcome.report?.address, decision: decision)
            guard account.name != "adyen" else { continue }
            let ended = try await shop.status(attempt, outcome)
            // At PayPal, the shop must still take the money that the customer approved.
            let confirmed = account.name == "paypal" ? .pending : Self.asked(account)
            let expected = decision == "decline" ? .refused : confirmed
            #expect(ended.state == expected, "\(decision) \(ended)")
        }
    }

    @Test(
        "asks about a payment in progress, as far as the gateway can be asked",
        arguments: SandboxAccount.all)
    func pending(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (_, outcome) = try await shop.pay(SandboxAmount.pending)
        let states: [String: OrderOutcome.State] = [
            "cybersource": .pending, "adyen": .pending,
            // PayPal states that the capture was requested.
            "paypal": .authorized,
        ]
        #expect(outcome.state == states[account.name] ?? Self.asked(account), "\(outcome)")
    }

    @Test(
        "is found by a query after a lost answer, or is unknown, and is never sent twice",
        arguments: combinations([SandboxAmount.timeOut, SandboxAmount.errorPage]))
    func lostAnswer(_ account: SandboxAccount, _ amount: Int64) async throws {
        var shop = try SandboxShop(account)
        shop.transport.timeLimit = .seconds(2)
        let (_, outcome) = try await shop.pay(amount)
        let expected = Self.mute.contains(account.name) ? .unknown : Self.asked(account)
        #expect(outcome.state == expected, "\(outcome)")
        try await expectCharges(1, shop)
        let transaction = try #require(outcome.payment?.transaction)
        #expect(await shop.ledger.record(of: transaction)?.serial == outcome.payment?.serial)
    }

    @Test(
        "is unknown if nothing is known about it, however often it is asked for",
        arguments: combinations([
            SandboxAmount.lostRequest, SandboxAmount.serverError, SandboxAmount.unavailable,
        ]))
    func lostRequest(_ account: SandboxAccount, _ amount: Int64) async throws {
        var shop = try SandboxShop(account)
        shop.transport.timeLimit = .seconds(2)
        let (_, outcome) = try await shop.pay(amount)
        #expect([.unknown, .pending].contains(outcome.state), "\(outcome)")
        #expect(!outcome.isSettled)
        try await expectCharges(0, shop)
    }

    @Test(
        "is unknown after a duplicate or an undocumented status word",
        arguments: SandboxAccount.all)
    func duplicates(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (_, duplicate) = try await shop.pay(SandboxAmount.duplicate)
        #expect([.unknown, .pending].contains(duplicate.state), "\(duplicate)")
        let (_, word) = try await shop.pay(SandboxAmount.unknownWord, "order-2")
        let canBeAsked = shop.gateway.abilities.status != []
        #expect(word.state == (canBeAsked ? Self.asked(account) : .unknown), "\(word)")
    }

    @Test(
        "is never paid by a part, a test or a payment that was charged back",
        arguments: SandboxAccount.all)
    func parts(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (_, part) = try await shop.pay(SandboxAmount.partlyApproved)
        let showsParts = ["rbs", "cybersource", "checkout", "adyen"].contains(account.name)
        #expect(part.state != .paid || !showsParts, "\(part)")
        let (attempt, outcome) = try await shop.pay(SandboxAmount.chargeback, "order-2")
        guard ["worldline-connect", "bepaid", "rbs"].contains(account.name) else { return }
        let later = try await shop.status(attempt, outcome)
        #expect([.returned, .returning].contains(later.state), "\(later)")
        #expect(later.returnCause == .chargeback)
    }
}
