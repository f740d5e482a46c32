internal import ApplePayDecryption
internal import ApplePayPrimitives
internal import ApplePayWire

/// What the customer was shown, to be compared with what the customer paid.
public struct Order: Hashable, Sendable {
    /// The total in minor units of ``currency``.
    public let amount: Int64

    /// The currency.
    public let currency: Currency

    /// What the payment request carried; nil when it carried none.
    public let applicationData: ApplicationData?

    /// The parts of a payment for several merchants, in any order; none for an ordinary payment.
    public let merchants: [MerchantAmount]

    /// What is said of a token for the amount 0.
    public let zeroAmount: ZeroAmountPolicy

    /// Makes an order.
    ///
    /// - Parameters:
    ///   - amount: The total in minor units: 1099 for EUR 10.99.
    ///   - currency: The currency.
    ///   - applicationData: What the payment request carried; nil when it carried none.
    ///   - merchants: The parts of a payment for several merchants, in any order.
    ///   - zeroAmount: What is said of a token for the amount 0.
    public init(
        amount: Int64,
        currency: Currency,
        applicationData: ApplicationData? = nil,
        merchants: [MerchantAmount] = [],
        zeroAmount: ZeroAmountPolicy = .asOrdered
    ) {
        self.amount = amount
        self.currency = currency
        self.applicationData = applicationData
        self.merchants = merchants
        self.zeroAmount = zeroAmount
    }

    /// Compares a payment with this order.
    ///
    /// The merchants' parts are compared as a multiset, and may not be more than the total together.
    /// An amount below 0 differs from every token's.
    ///
    /// - Parameter payment: The opened token.
    /// - Throws: ``PaymentTokenError``: `order/library-failure`, then `order/order-mismatch` with the members that differ:
    ///   `transactionAmount`, `currencyCode`, `applicationData`, `authenticationResponses`.
    ///
    /// Source: Apple, *Payment token format reference*, "decrypting the payment data", steps 5 to 7.
    public func check(_ payment: Payment) throws(PaymentTokenError) {
        let hash = try rethrowing(
            applicationData?.hash(), as: { _ in PaymentTokenError(.orderLibraryFailure) })
        var differences: [String] = []
        if !fits(payment.data.amount) { differences.append("transactionAmount") }
        if payment.data.currencyCode != currency.numeric { differences.append("currencyCode") }
        if payment.applicationData != hash { differences.append("applicationData") }
        if !fits(payment.data.authenticationResponses, of: payment.data.amount) {
            differences.append("authenticationResponses")
        }
        guard differences.isEmpty else {
            throw PaymentTokenError(.orderMismatch, members: differences)
        }
    }

    private func fits(_ paid: Int64) -> Bool {
        guard paid == 0 else { return paid == amount }
        switch zeroAmount {
        case .asOrdered: return amount == 0
        case .accepted: return amount >= 0
        case .refused: return false
        }
    }

    private func fits(_ responses: [AuthenticationResponse], of total: Int64) -> Bool {
        var rest = total
        var expected: [MerchantAmount: Int] = [:]
        for merchant in merchants { expected[merchant, default: 0] += 1 }
        for response in responses {
            let merchant = MerchantAmount(
                merchantIdentifier: response.merchantIdentifier, amount: response.amount)
            guard let count = expected[merchant], count > 0, response.amount <= rest else {
                return false
            }
            expected[merchant] = count - 1
            rest -= response.amount
        }
        return responses.count == merchants.count
    }
}

/// One merchant's part of an order for several merchants.
public struct MerchantAmount: Hashable, Sendable {
    /// The merchant, by the text that Apple gives in `authenticationResponses`.
    public let merchantIdentifier: String

    /// The merchant's part in minor units of the order's currency.
    public let amount: Int64

    /// Makes a part.
    ///
    /// - Parameters:
    ///   - merchantIdentifier: The merchant, by the text that Apple gives.
    ///   - amount: The merchant's part in minor units.
    public init(merchantIdentifier: String, amount: Int64) {
        self.merchantIdentifier = merchantIdentifier
        self.amount = amount
    }
}

/// What an order says of a token for the amount 0.
///
/// A request for a recurring or deferred payment can be authorised for nothing today, and charged later.
public enum ZeroAmountPolicy: String, Hashable, CaseIterable, Sendable {
    /// A token for 0 pays an order of 0, and no other.
    case asOrdered = "as-ordered"

    /// The request was recurring or deferred: a token for 0 fits whatever the order's amount is.
    case accepted

    /// A token for 0 is refused, also for an order of 0.
    case refused
}
