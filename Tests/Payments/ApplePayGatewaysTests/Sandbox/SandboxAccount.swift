import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayHTTPS
import ApplePayLedger
import ApplePayOrders
import ApplePayTokenTesting
import Foundation
import Testing

/// A shop's account at one gateway of the sandbox.
struct SandboxAccount: Sendable, CustomTestStringConvertible {
    /// The gateway's name.
    let name: String

    /// Creates the gateway, with the sandbox as its server.
    let gateway: @Sendable (SandboxProcess) throws -> any PaymentGateway

    var testDescription: String { name }

    /// All gateways that take payments; they capture at once, if the vendor can.
    static let all = GatewaySuites.all.compactMap { $0.sandboxAccount }

    /// The same gateways, which only reserve the amount; without those that can do nothing afterwards.
    static let reserving = GatewaySuites.all.compactMap { $0.reservingAccount }

    /// The merchant that the sandbox knows.
    static let merchant = ExampleMerchant(secret: "sandbox-secret")

    /// Worldline Direct, which captures at once.
    static func worldlineDirect(_ sandbox: SandboxProcess) throws -> WorldlineDirect {
        with(merchant.worldlineDirect) {
            $0.origin = sandbox.origin
            $0.options.authorizationMode = .sale
        }
    }

    /// Worldline Connect, which captures at once.
    static func worldlineConnect(_ sandbox: SandboxProcess) throws -> WorldlineConnect {
        with(merchant.worldlineConnect) {
            $0.origin = sandbox.origin
            $0.options.authorizationMode = .sale
        }
    }

    /// bePaid.
    static func bePaid(_ sandbox: SandboxProcess) -> BePaid {
        with(merchant.bePaid) { $0.origin = sandbox.origin }
    }

    /// RBS with decrypted tokens, whose amounts the sandbox sees.
    static func rbs(_ sandbox: SandboxProcess) -> RBS {
        with(merchant.rbs(.decrypted)) { $0.host.origin = sandbox.origin }
    }
}

/// A shop with an account at the sandbox, and a ledger.
struct SandboxShop: Sendable {
    let sandbox: SandboxProcess
    let gateway: any PaymentGateway
    let ledger: InMemoryLedger
    var transport: HTTPSClient
    let decryptor: PaymentTokenDecryptor
    private let pki: TestPKI
    private let merchant: Merchant

    init(_ account: SandboxAccount, _ sandbox: SandboxProcess? = nil) throws {
        let sandbox = try sandbox ?? SandboxProcess()
        self.sandbox = sandbox
        gateway = try account.gateway(sandbox)
        ledger = InMemoryLedger()
        transport = HTTPSClient()
        pki = TestPKI()
        merchant = try pki.testMerchant("shop")
        decryptor = try pki.decryptor(for: merchant)
    }

    /// Returns the payments with the transport as it is now.
    func payments() throws -> OrderPayments {
        try OrderPayments(
            verifier: decryptor.verifier, decryptor: decryptor, ledger: ledger, gateway: gateway,
            transport: transport, time: .fast)
    }

    /// Returns an order of an amount.
    static func order(
        _ amount: Int64, _ reference: String = "order-1", currency: String = "EUR"
    ) throws -> Order {
        var order = Order(
            reference: ExactText(reference), amount: amount,
            currency: try #require(Currency(alphabetic: ExactText(currency))))
        order.description = "Order"
        order.returnURL = "https://shop.example/return"
        return order
    }

    /// Returns a new token for an order.
    func token(_ order: Order) throws -> [UInt8] {
        let options = TestTokenOptions(amount: Int(order.amount), currency: order.currency)
        return Array(try pki.testToken(for: merchant, options))
    }

    /// Returns the payment of an order as a gateway gets it, without a ledger.
    func accepted(_ order: Order, key: String? = nil) throws -> AcceptedPayment {
        let payment = try decryptor.decrypt(token(order))
        let attempt =
            try key.map { key in try PaymentAttempt(order, key: ExactText(key)) }
            ?? PaymentAttempt(order)
        return AcceptedPayment(order, attempt, payment.token, payment)
    }

    /// Pays an order of an amount with a new token.
    func pay(
        _ amount: Int64, _ reference: String = "order-1"
    ) async throws -> (attempt: PaymentAttempt, outcome: OrderOutcome) {
        let order = try Self.order(amount, reference)
        let outcome = try await payments().pay(token(order), for: order)
        return (try #require(outcome.payment).attempt, outcome)
    }

    /// Asks for the state of a payment.
    func status(_ attempt: PaymentAttempt, _ known: OrderOutcome) async throws -> OrderOutcome {
        try await transport.outcome(of: gateway.status(of: with(attempt, known)))
    }

    /// Captures, cancels or refunds, by what the gateway states now.
    func perform(
        _ kind: PaymentOperation.Kind,
        _ amount: Int64? = nil,
        named name: String,
        _ attempt: PaymentAttempt,
        _ known: OrderOutcome
    ) async throws -> OperationOutcome {
        let report = try #require(try await status(attempt, known).report)
        var operation = PaymentOperation(kind, amount: amount, name: ExactText(name))
        operation.reason = "returned"
        return try await transport.outcome(
            of: gateway.perform(operation, on: report, of: with(attempt, known)))
    }

    private func with(_ attempt: PaymentAttempt, _ known: OrderOutcome) -> PaymentAttempt {
        var attempt = attempt
        attempt.paymentID = known.report?.paymentID
        attempt.sessionID = known.report?.sessionID
        return attempt
    }
}

extension OrderTime {
    /// The system's clock, with pauses that are 20 times shorter.
    static var fast: OrderTime {
        var time = OrderTime()
        time.sleep = { try? await Task.sleep(for: $0 / 20) }
        return time
    }
}
