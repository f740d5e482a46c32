public import ApplePayToken
internal import FoundationEssentials

extension GatewayCall where Outcome == OrderOutcome {
    /// Creates a call about a payment with a request that is sent as it is, without a signature.
    ///
    /// - Parameters:
    ///   - attempt: The payment.
    ///   - gateway: The gateway, which is asked again.
    ///   - canMoveMoney: Whether the request can move money.
    ///   - request: The request.
    ///   - report: Reads the answer; the outcome is concluded from it and ``PaymentGateway/isTest``.
    public init(
        _ attempt: PaymentAttempt,
        at gateway: any PaymentGateway,
        canMoveMoney: Bool,
        _ request: GatewayRequest,
        report: @escaping @Sendable (GatewayResponse) -> PaymentReport
    ) {
        let isTest = gateway.isTest
        self.init(
            attempt, at: gateway, canMoveMoney: canMoveMoney, request: { _ in request },
            read: { .outcome(OrderOutcome(report($0), of: attempt, isTest: isTest)) })
    }
}

extension GatewayCall where Outcome == OperationOutcome {
    /// Creates the call of a capture, a cancellation or a refund.
    ///
    /// - Parameters:
    ///   - attempt: The payment.
    ///   - gateway: The gateway.
    ///   - kind: The operation's kind.
    ///   - amount: The operation's amount.
    ///   - request: Creates the request for the time at which it is sent.
    ///   - report: Reads the answer.
    init(
        _ attempt: PaymentAttempt,
        at gateway: any PaymentGateway,
        _ kind: PaymentOperation.Kind,
        _ amount: Int64,
        request: @escaping @Sendable (Date) throws(PaymentTokenError) -> GatewayRequest,
        report: @escaping @Sendable (GatewayResponse) -> PaymentReport
    ) {
        self.init(attempt, at: gateway, canMoveMoney: true, request: request) {
            .outcome(OperationOutcome(report($0), of: kind, amount: amount, on: attempt))
        }
    }
}
