internal import ApplePayDecryption
internal import ApplePayPrimitives
public import ApplePayWire
public import FoundationEssentials

/// The order that the customer saw: it is compared with the payment, and informs the gateway what is paid for.
public struct Order: Sendable {
    /// The merchant's reference of the order, unique in the shop: 1 to 255 characters.
    ///
    /// The gateway receives it and repeats it in its answers. It is empty only for an order that is compared with a
    /// token and not charged.
    public let reference: ExactText

    /// The total in minor units of ``currency``.
    public let amount: Int64

    /// The currency.
    public let currency: Currency

    /// The payment request's applicationData; nil when it had none.
    public let applicationData: ApplicationData?

    /// The parts of a payment for several merchants, in any order; empty for an ordinary payment.
    public let merchants: [MerchantAmount]

    /// How to treat a token whose amount is 0.
    public let zeroAmount: ZeroAmountPolicy

    /// The purpose of the payment, in a few words; nil to send nothing.
    public var description: String?

    /// The customer's language: two letters of ISO 639-1 for most gateways; nil to send nothing.
    public var language: String?

    /// The address to which the customer returns from a page of the gateway or the bank; nil to send nothing.
    public var returnURL: String?

    /// The address that receives the gateway's messages; nil to use the one that the account states.
    public var notificationURL: String?

    /// The merchant's identifier of the customer; nil to send nothing.
    public var customerReference: String?

    /// The gateway's identifiers of the customer's stored cards, which its page offers; empty to send none.
    public var storedCards: [ExactText] = []

    /// A fee in minor units that the gateway charges in addition to the total, 0 or more; nil to send none.
    public var fee: Int64?

    /// The billing contact, which loses its empty strings here; nil to send nothing.
    public var customer: PaymentContact? {
        didSet { customer = customer?.withoutEmptyTexts }
    }

    /// The IP address of the customer's device; nil to send nothing.
    public var customerIP: String?

    /// The shipping contact, which loses its empty strings here; nil to send nothing.
    public var shipping: PaymentContact? {
        didSet { shipping = shipping?.withoutEmptyTexts }
    }

    /// When the shop created the order, as it stored it then, before it began any payment of it; nil if it is not known.
    ///
    /// Only a ledger that may have lost attempts needs it: an order that is younger than the loss has lost none.
    public var created: Date?

    /// The lines of the order, whose amounts add up to the total; empty to send none.
    public var items: [OrderItem] = []

    /// Creates an order.
    ///
    /// - Parameters:
    ///   - reference: The merchant's reference of the order.
    ///   - amount: The total in minor units: 1099 for EUR 10.99.
    ///   - currency: The currency.
    ///   - applicationData: The payment request's applicationData; nil when it had none.
    ///   - merchants: The parts of a payment for several merchants, in any order; empty for an ordinary payment.
    ///   - zeroAmount: How to treat a token whose amount is 0.
    public init(
        reference: ExactText,
        amount: Int64,
        currency: Currency,
        applicationData: ApplicationData? = nil,
        merchants: [MerchantAmount] = [],
        zeroAmount: ZeroAmountPolicy = .asOrdered
    ) {
        self.reference = reference
        self.amount = amount
        self.currency = currency
        self.applicationData = applicationData
        self.merchants = merchants
        self.zeroAmount = zeroAmount
    }

    /// Compares a payment with this order.
    ///
    /// The merchants' parts are compared as a multiset, and their sum must not exceed the total. An order
    /// with a negative amount never matches.
    ///
    /// - Parameter payment: The decrypted payment.
    /// - Throws: ``PaymentError``: `order/library-failure`, then `order/order-mismatch` with the members that differ:
    ///   `transactionAmount`, `currencyCode`, `applicationData`, `authenticationResponses`.
    ///
    /// Source: Apple, *Payment token format reference*, "decrypting the payment data", steps 5 to 7.
    public func check(_ payment: Payment) throws(PaymentError) {
        let hash = try rethrowing(
            applicationData?.hash(),
            as: { _ in PaymentError(.orderLibraryFailure).about(payment.token.identity) })
        var differences: [String] = []
        if !fits(payment.data.amount) { differences.append("transactionAmount") }
        if payment.data.currencyCode != currency.numeric { differences.append("currencyCode") }
        if payment.applicationData != hash { differences.append("applicationData") }
        if !fits(payment.data.authenticationResponses, of: payment.data.amount) {
            differences.append("authenticationResponses")
        }
        guard differences.isEmpty else {
            throw PaymentError(
                .orderMismatch, members: differences, reason: difference(from: payment.data)
            ).about(payment.token.identity)
        }
    }

    /// Returns amounts and currencies in figures, if one of them differs.
    ///
    /// With an amount in major units every payment differs, and only the figures show it.
    private func difference(from payment: PaymentData) -> String? {
        guard !fits(payment.amount) || payment.currencyCode != currency.numeric else { return nil }
        let (paid, ordered) = (payment.amount, amount)
        func isPower(_ large: Int64, _ small: Int64) -> Bool {
            payment.currencyCode == currency.numeric && small > 0
                && [10, 100, 1_000].contains {
                    small.multipliedReportingOverflow(by: $0) == (large, false)
                }
        }
        let unit = payment.currency?.alphabetic ?? payment.currencyCode
        let question =
            isPower(paid, ordered)
            ? "; is the order's amount in major units?"
            : isPower(ordered, paid)
                ? "; was the order's amount turned into minor units twice?" : ""
        return
            "the token has \(paid) minor units of \(unit), the order \(ordered) of \(currency.alphabetic)"
            + question
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
    /// The merchant's identifier as Apple writes it in `authenticationResponses`.
    public let merchantIdentifier: ExactText

    /// The merchant's part in minor units of the order's currency.
    public let amount: Int64

    /// Creates one merchant's part.
    ///
    /// - Parameters:
    ///   - merchantIdentifier: The merchant's identifier as Apple writes it.
    ///   - amount: The merchant's part in minor units.
    public init(merchantIdentifier: ExactText, amount: Int64) {
        self.merchantIdentifier = merchantIdentifier
        self.amount = amount
    }
}

/// How an order treats a token whose amount is 0.
///
/// A recurring or deferred payment can be authorized with the amount 0 and charged later.
public enum ZeroAmountPolicy: String, Hashable, CaseIterable, Sendable {
    /// A token for 0 matches only an order of 0.
    case asOrdered = "as-ordered"

    /// A token for 0 matches an order of any amount, because the request was recurring or deferred.
    case accepted

    /// A token for 0 is refused, even for an order of 0.
    case refused
}
