import ApplePayGateways
import ApplePayGatewaysHTTP
import ApplePayToken
import Testing

/// Tests payments from the token to the refund with the library's requests, answers and client, over HTTP.
@Suite("A Swift client at the sandbox", .serialized, .timeLimit(.minutes(5)))
struct SandboxSwiftClientTests {
    private let client: SandboxClient

    init() throws { client = SandboxClient(sandbox: try SandboxProcess()) }

    @Test("pays once, asks, captures where that is a step, and refunds", arguments: SandboxShop.all)
    func success(_ shop: SandboxShop) async throws {
        let answers = shop.answers
        var sale = try SandboxShop.sale(71_929)
        let (payment, _) = try await shop.pay(&sale, client, answers.payment)
        if let repeated = answers.repeated {
            try await shop.answer(to: payment, sale, client, repeated)
        }
        if let question = shop.question {
            try await shop.answer(
                to: question(sale, payment), sale, client, answers.settled ?? answers.payment)
        }
        #expect(shop.followUps.count == answers.followUps.count)
        for (step, expected) in zip(shop.followUps, answers.followUps) {
            let answer = try await shop.answer(to: step(sale), sale, client, expected)
            if case .actionRequired = answer.outcome { try await client.visit(answer.outcome) }
        }
        if let returned = answers.returned {
            let question = try #require(shop.question)
            try await shop.answer(to: question(sale, payment), sale, client, returned)
        }
    }

    @Test("is refused when the bank declines", arguments: SandboxShop.all)
    func decline(_ shop: SandboxShop) async throws {
        var sale = try SandboxShop.sale(40_200)
        let (payment, _) = try await shop.pay(&sale, client, shop.answers.decline)
        if let declined = shop.answers.declined, let question = shop.question {
            try await shop.answer(to: question(sale, payment), sale, client, declined)
        }
    }

    @Test(
        "waits for the customer", arguments: SandboxShop.all.filter { $0.answers.action != nil })
    func customer(_ shop: SandboxShop) async throws {
        let answers = shop.answers
        let question = try #require(shop.question)
        var sale = try SandboxShop.sale(30_300)
        let (payment, outcome) = try await shop.pay(
            &sale, client, try #require(answers.action))
        try await shop.answer(
            to: question(sale, payment), sale, client, try #require(answers.waiting))
        try await client.visit(outcome)
        try await shop.answer(
            to: question(sale, payment), sale, client, answers.settled ?? answers.payment)
    }

    @Test("knows nothing after a time-out until it asks", arguments: SandboxShop.all)
    func timeOut(_ shop: SandboxShop) async throws {
        var sale = try SandboxShop.sale(40_800)
        let payment = try await shop.payment(&sale, client)
        var impatient = client
        impatient.timeLimit = .seconds(1)
        let error = await #expect(throws: GatewayTransportError.self) {
            try await impatient.send(payment.request)
        }
        #expect(error?.code == .timedOut)
        #expect(error?.outcome?.word == "unknown")
        if let question = shop.question {
            try await shop.answer(
                to: question(sale, payment), sale, client,
                shop.answers.settled ?? shop.answers.payment)
        }
    }

    @Test(
        "does not take a duplicate for a payment",
        arguments: SandboxShop.all.filter { $0.answers.duplicate != nil })
    func duplicate(_ shop: SandboxShop) async throws {
        var sale = try SandboxShop.sale(40_900)
        _ = try await shop.pay(&sale, client, try #require(shop.answers.duplicate))
    }
}
