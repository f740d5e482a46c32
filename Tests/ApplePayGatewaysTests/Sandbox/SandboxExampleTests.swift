import ApplePayGateways
import ApplePayLedger
import ApplePayToken
import Testing

/// Runs the code of the founding gateways' pages, from the bytes of a token to the outcome, against the sandbox.
@Suite("The code of the gateways' pages at the sandbox", .serialized, .timeLimit(.minutes(5)))
struct SandboxExampleTests {
    /// The code of one page.
    struct Page: Sendable, CustomTestStringConvertible {
        let name: String
        /// The outcome of a payment that succeeds.
        let success: String
        let run: @Sendable (GatewayExamples) async throws -> PaymentOutcome

        var testDescription: String { name }

        static let all = [
            Page(name: "worldline-direct", success: "paid") { try await $0.worldlineDirect() },
            Page(name: "worldline-connect", success: "paid") { try await $0.worldlineConnect() },
            Page(name: "bepaid", success: "paid") { try await $0.bePaid() },
            Page(name: "dintero", success: "authorized") { try await $0.dintero() },
            Page(name: "rbs", success: "paid") { try await $0.rbs() },
        ]
    }

    @Test(
        "charges an order once, and confirms the claim unless the outcome is unknown",
        arguments: Page.all)
    func outcomes(_ page: Page) async throws {
        for (amount, word) in [(3000, page.success), (40_200, "refused"), (40_800, "unknown")] {
            let sandbox = try SandboxProcess()
            var client = SandboxClient(sandbox: sandbox)
            if word == "unknown" { client.timeLimit = .seconds(5) }
            let ledger = InMemoryLedger()
            let example = try GatewayExamples.atSandbox(
                client, amount: Int64(amount), ledger: ledger)
            #expect(try await page.run(example).word == word, "\(amount)")
            let open = await ledger.openClaims(limit: 10)
            #expect(open.count == (word == "unknown" ? 1 : 0), "\(amount)")
            // The same token is not charged again.
            let error = await #expect(throws: PaymentTokenError.self) {
                try await page.run(example)
            }
            #expect(
                error?.code == (word == "unknown" ? .alreadyClaimed : .alreadyConfirmed))
        }
    }

    @Test("leads the cardholder of Intergiro to the address of the consent")
    func intergiro() async throws {
        let client = SandboxClient(sandbox: try SandboxProcess())
        let example = try GatewayExamples.atSandbox(
            client, amount: 3000, ledger: InMemoryLedger())
        let outcome = try await example.intergiro()
        #expect(outcome.word == "action-required")
        try await client.visit(outcome)
    }
}
