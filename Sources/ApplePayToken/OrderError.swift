/// How a payment differs from the order: the names of what differs, never card data.
public struct OrderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// At least one of the compared values differs.
        case orderMismatch = "order-mismatch"

        /// libcrypto failed for a reason of its own.
        case libraryFailure = "library-failure"
    }

    /// What was compared, by Apple's names.
    public enum Difference: String, CaseIterable, Sendable {
        /// The amount in minor units.
        case transactionAmount
        /// The currency.
        case currencyCode
        /// The SHA-256 of the request's application data, also when only one side has any.
        case applicationData
        /// The merchants and their parts, or that the parts are more than the total together.
        case authenticationResponses
    }

    /// What is wrong.
    public let code: Code

    /// All that differs, in the order of ``Difference``.
    public let differences: [Difference]

    init(_ code: Code, _ differences: [Difference] = []) {
        self.code = code
        self.differences = differences
    }

    /// One sentence for people.
    public var description: String {
        switch code {
        case .orderMismatch:
            "The payment is not for this order: "
                + differences.map(\.rawValue).joined(separator: " and ")
                + (differences.count == 1 ? " differs." : " differ.")
        case .libraryFailure: "libcrypto could not compare the application data."
        }
    }
}
