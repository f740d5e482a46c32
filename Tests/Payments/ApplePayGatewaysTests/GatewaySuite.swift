import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import ApplePayWire
import TestVectors
import Testing

/// The facts about a gateway that the tests of all gateways need; the gateway's own suite states them.
protocol GatewaySuite: Sendable {
    /// The gateway's name.
    static var gatewayName: String { get }

    /// The requests that are equal to the gateway's vectors of TestVectors/gateways.
    static var vectors: [RequestVector] { get }

    /// The header with a payment's idempotency key, for which the gateway keeps its first answer; nil if it keeps none.
    static var keyHeader: String? { get }

    /// Returns a merchant's accounts, one for each kind of payment request; none for a service without payments.
    static func accounts(of merchant: ExampleMerchant) throws -> [any TestedGateway]

    /// Returns the account that the gateway's page in Docs.docc creates, as it is printed there; nil for a service without payments.
    static func pageAccount(_ secret: SensitiveBytes) throws -> (any TestedGateway)?

    /// The account that pays at the sandbox, and captures at once, if the vendor can; nil for a service without payments.
    static var sandboxAccount: SandboxAccount? { get }

    /// The account at the sandbox that only reserves the amount; nil for a gateway without captures.
    static var reservingAccount: SandboxAccount? { get }

    /// The words for the status, in addition to those of ``StatusWords/listed``.
    static var statusWords: [StatusWords] { get }

    /// The totals of payments, in addition to those of ``TotalsTests/listed``.
    static var totals: [TotalsCase] { get }

    /// Reads a published answer about a payment; nil for a step that has none.
    static func paymentReport(
        of vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) throws -> PaymentReport?

    /// Reads a published answer about an operation; nil for a gateway that has none.
    static func operationReport(
        of operation: AnswerVector.Operation, _ response: GatewayResponse
    ) -> PaymentReport?

    /// Reads the answer to a request that prepares a payment, and returns what the next one needs; nil for another step.
    static func identifiers(
        after step: String, _ response: GatewayResponse
    ) throws(PaymentError) -> [String: String]?

    /// Signs a published message with this text as its body, and reads it.
    static func message(of vector: AnswerVector, _ text: String) throws -> GatewayMessageContents

    /// Reads an answer about a card for Wallet; nil for a gateway that takes payments.
    static func cardReading(
        of vector: AnswerVector, _ response: GatewayResponse, _ text: String
    ) -> AnswerReading?
}

extension GatewaySuite {
    static var keyHeader: String? { nil }
    static func pageAccount(_ secret: SensitiveBytes) throws -> (any TestedGateway)? { nil }
    static var sandboxAccount: SandboxAccount? { nil }
    static var reservingAccount: SandboxAccount? { nil }
    static var statusWords: [StatusWords] { [] }
    static var totals: [TotalsCase] { [] }

    static func paymentReport(
        of vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) throws -> PaymentReport? { nil }

    static func operationReport(
        of operation: AnswerVector.Operation, _ response: GatewayResponse
    ) -> PaymentReport? { nil }

    static func identifiers(
        after step: String, _ response: GatewayResponse
    ) throws(PaymentError) -> [String: String]? { nil }

    static func message(of vector: AnswerVector, _ text: String) throws -> GatewayMessageContents {
        throw AnswerError("no message can be signed for \(gatewayName)")
    }

    static func cardReading(
        of vector: AnswerVector, _ response: GatewayResponse, _ text: String
    ) -> AnswerReading? { nil }
}

/// The suites of all gateways.
enum GatewaySuites {
    /// The suites; that of a new gateway is added here.
    static let all: [any GatewaySuite.Type] = [
        WorldlineDirectTests.self, WorldlineConnectTests.self, BePaidTests.self, DinteroTests.self,
        RBSTests.self, IntergiroTests.self, CyberSourceTests.self, CheckoutTests.self,
        AdyenTests.self, PayPalTests.self,
    ]

    /// The words of all gateways.
    static let statusWords = StatusWords.listed + all.flatMap { $0.statusWords }

    /// The totals of all gateways.
    static let totals = TotalsTests.listed + all.flatMap { $0.totals }

    /// Returns the suite of a gateway; throws if there is none.
    static func named(_ name: String) throws -> any GatewaySuite.Type {
        try #require(
            all.first { $0.gatewayName == name }, "no suite in GatewaySuites.all for \(name)")
    }
}

@Suite("The lists of gateways in these tests")
struct GatewaySuiteTests {
    /// The gateways that take payments.
    private static let paying = DeclaredGateway.all.filter { $0.abilities != nil }

    @Test(
        "contain the suite of each declared gateway, with its accounts",
        arguments: DeclaredGateway.all.map(\.name.description))
    func suites(_ name: String) throws {
        let suites = GatewaySuites.all.filter { $0.gatewayName == name }
        #expect(suites.count == 1, "GatewaySuites.all must name the suite of \(name) once")
        let suite = try #require(suites.first)
        let accounts = try suite.accounts(of: .example)
        #expect(accounts.allSatisfy { $0.name == name })
        let pays = Self.paying.contains { $0.name == name }
        #expect(accounts.isEmpty != pays, "accounts(of:) of the suite of \(name)")
        #expect(suite.keyHeader == nil || pays)
    }

    @Test("contain no other suites")
    func others() {
        #expect(
            GatewaySuites.all.map { ExactText($0.gatewayName) }.sorted()
                == DeclaredGateway.all.map(\.name).sorted())
    }

    @Test("name every gateway that takes payments")
    func names() throws {
        let secret = GatewayFixture.secret("secret")
        let pages = try GatewaySuites.all.compactMap {
            try $0.pageAccount(secret)?.name.description
        }
        for (list, names) in [
            ("GatewaySuite.pageAccount", pages),
            ("GatewaySuite.statusWords", GatewaySuites.statusWords.map(\.gateway)),
            ("GatewaySuite.totals", GatewaySuites.totals.map(\.vector.gateway)),
            ("SandboxAccount.all", SandboxAccount.all.map(\.name)),
        ] {
            #expect(Set(names).sorted() == Self.paying.map(\.name.description).sorted(), "\(list)")
        }
    }

    @Test("name every gateway that can capture later")
    func capturing() {
        let capturing = Self.paying.filter {
            $0.abilities?[.capture] != GatewayAbilities.Extent.none
        }
        #expect(
            SandboxAccount.reserving.map(\.name).sorted()
                == capturing.map(\.name.description).sorted(),
            "SandboxAccount.reserving")
    }
}
