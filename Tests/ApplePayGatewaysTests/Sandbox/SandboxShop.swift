import ApplePayGateways
import ApplePayToken
import Testing

/// A payment on its way through a gateway of the sandbox.
struct SandboxSale: Sendable {
    /// The decrypted token.
    let payment: Payment

    /// The order that it pays for.
    let order: Order

    /// The merchant's identifier of the order.
    let reference: String

    /// The gateway's identifier of the payment; nil until an answer contains it.
    var id: String?
}

/// A request with what reads its answer.
struct SandboxStep: Sendable {
    let request: GatewayRequest
    let read: @Sendable (GatewayResponse) throws(UnreadableJSONError) -> any GatewayAnswer
}

/// A shop that pays through one gateway of the sandbox with the library's requests, answers and client.
struct SandboxShop: Sendable, CustomTestStringConvertible {
    /// The expected answers, as outcome and gateway's status, such as `paid CAPTURED`; nil for a step that the gateway
    /// does not have.
    struct Answers: Sendable {
        var payment: String
        /// To a question after a payment that succeeded; that of ``payment`` if nil.
        var settled: String?
        /// To the same payment, sent a second time.
        var repeated: String?
        /// To the steps after the payment, in order.
        var followUps: [String] = []
        /// To a question after the refund.
        var returned: String?
        var decline: String
        /// To a question after a payment that was declined.
        var declined: String?
        /// To a payment that waits for the customer.
        var action: String?
        /// To a question before the customer acts.
        var waiting: String?
        var duplicate: String?
    }

    /// The name of the gateway in the sandbox's help.
    let name: String

    let answers: Answers

    /// Sends what comes before the payment, and returns the payment.
    let payment: @Sendable (inout SandboxSale, SandboxClient) async throws -> SandboxStep

    /// Returns the question about a payment; nil for a gateway that cannot be asked.
    var question: (@Sendable (SandboxSale, SandboxStep) throws -> SandboxStep)?

    /// Returns the steps after a payment: captures, refunds, or a consent.
    var followUps: [@Sendable (SandboxSale) throws -> SandboxStep] = []

    /// Returns the gateway's identifier of the payment.
    var identifier: @Sendable (any GatewayAnswer) -> String? = { _ in nil }

    var testDescription: String { name }

    /// Begins to pay an order of an amount in euro, with a new reference.
    static func sale(_ amount: Int64) throws -> SandboxSale {
        SandboxSale(
            payment: try GatewayFixture.payment(GatewayFixture.payload(amount: String(amount))),
            order: try GatewayFixture.order(amount), reference: "order-\(amount)")
    }

    /// Sends what comes before the payment and the payment itself, and compares its answer.
    func pay(
        _ sale: inout SandboxSale,
        _ client: SandboxClient,
        _ expected: String
    ) async throws -> (step: SandboxStep, outcome: PaymentOutcome) {
        let step = try await payment(&sale, client)
        let answer = try await answer(to: step, sale, client, expected)
        sale.id = sale.id ?? identifier(answer)
        return (step, answer.outcome(for: sale.order))
    }

    /// Sends a request, and compares outcome and gateway's word of its answer.
    @discardableResult
    func answer(
        to step: SandboxStep,
        _ sale: SandboxSale,
        _ client: SandboxClient,
        _ expected: String
    ) async throws -> any GatewayAnswer {
        let answer = try step.read(try await client.send(step.request))
        let found = "\(answer.outcome(for: sale.order).word) \(answer.gatewayStatus ?? "-")"
        #expect(found == expected, "\(name) \(step.request.target)")
        return answer
    }
}

extension PaymentOutcome {
    /// The word that `paytoken answer` writes for the outcome.
    var word: String {
        switch self {
        case .paid: "paid"
        case .authorized: "authorized"
        case .pending: "pending"
        case .actionRequired: "action-required"
        case .refused: "refused"
        case .unknown: "unknown"
        }
    }
}
