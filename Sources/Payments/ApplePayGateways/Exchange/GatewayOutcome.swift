/// The result of a ``GatewayCall``.
public protocol GatewayOutcome: Sendable {
    /// Creates the outcome of a request to which no answer is known.
    ///
    /// - Parameters:
    ///   - reason: Why, in one sentence for people.
    ///   - report: The identifiers that are known of the payment.
    init(unknown reason: String, report: PaymentReport?)
}
