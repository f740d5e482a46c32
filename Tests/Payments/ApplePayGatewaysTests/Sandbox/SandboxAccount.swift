import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayHTTPS
import ApplePayLedger
import ApplePayToken
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
    private let acceptor: PaymentAcceptor
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
        acceptor = try PaymentAcceptor(decryptor: pki.decryptor(for: merchant), ledger: ledger)
    }

    /// Returns an order of an amount.
    static func order(
        _ amount: Int64, _ reference: String = "order-1", currency: String = "EUR"
    ) throws -> Order {
        var order = Order(
            reference: reference, amount: amount,
            currency: try #require(Currency(alphabetic: currency)))
        order.description = "Order"
        order.returnURL = "https://shop.example/return"
        return order
    }

    /// Returns a new token for an order.
    func token(_ order: Order) throws -> [UInt8] {
        let options = TestTokenOptions(amount: Int(order.amount), currency: order.currency)
        return Array(try pki.testToken(for: merchant, options))
    }

    /// Accepts a token as the payment of an order.
    func accept(
        _ order: Order, token: [UInt8]? = nil, slot: Int = 1
    ) async throws -> AcceptedPayment {
        let token = try token ?? self.token(order)
        return try await acceptor.accept(token, order: order, for: gateway, slot: slot)
    }

    /// Accepts a new token for an order of an amount, and charges it.
    func pay(
        _ amount: Int64, _ reference: String = "order-1"
    ) async throws -> (accepted: AcceptedPayment, outcome: OrderOutcome) {
        let accepted = try await accept(Self.order(amount, reference))
        return (accepted, try await accepted.charge(at: gateway, with: transport))
    }

    /// Asks for the state of a payment.
    func status(_ accepted: AcceptedPayment, _ known: OrderOutcome) async throws -> OrderOutcome {
        try await transport.outcome(of: gateway.status(of: attempt(accepted, known)))
    }

    /// Captures, cancels or refunds, by what the gateway states now.
    func perform(
        _ kind: PaymentOperation.Kind,
        _ amount: Int64? = nil,
        named name: String,
        _ accepted: AcceptedPayment,
        _ known: OrderOutcome
    ) async throws -> OperationOutcome {
        let report = try #require(try await status(accepted, known).report)
        var operation = PaymentOperation(kind, amount: amount, name: name)
        operation.reason = "returned"
        return try await transport.outcome(
            of: gateway.perform(operation, on: report, of: attempt(accepted, known)))
    }

    private func attempt(_ accepted: AcceptedPayment, _ known: OrderOutcome) -> PaymentAttempt {
        var attempt = accepted.attempt
        attempt.paymentID = known.report?.paymentID
        attempt.sessionID = known.report?.sessionID
        return attempt
    }
}
