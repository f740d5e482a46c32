/// How a payment differs from the order: the names of what differs, never card data.
public struct OrderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The only code.
    public enum Code: String, CaseIterable, Sendable {
        /// At least one of the compared values differs.
        case orderMismatch = "order-mismatch"
    }

    /// What was compared, by Apple's names.
    public enum Difference: String, CaseIterable, Sendable {
        /// The amount in minor units.
        case transactionAmount
        /// The currency.
        case currencyCode
    }

    /// The only code.
    public var code: Code { .orderMismatch }

    /// All that differs, in the order of ``Difference``.
    public let differences: [Difference]

    init(_ differences: [Difference]) {
        self.differences = differences
    }

    /// One sentence for people.
    public var description: String {
        "The payment is not for this order: "
            + differences.map(\.rawValue).joined(separator: " and ") + " differ."
    }
}
