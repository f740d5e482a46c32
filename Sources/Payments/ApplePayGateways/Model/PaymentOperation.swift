public import ApplePayAcceptance
internal import ApplePayPrimitives
public import ApplePayWire

/// An operation on a payment: a capture, a cancellation or a refund.
public struct PaymentOperation: Hashable, Sendable {
    /// The kinds of operations.
    public enum Kind: String, CaseIterable, Sendable {
        /// Charges the reserved amount or a part of it.
        case capture
        /// Releases the reserved amount.
        case cancellation
        /// Returns the captured amount or a part of it to the customer.
        case refund

        /// The subject of a report about such an operation.
        public var subject: PaymentReport.Subject {
            PaymentReport.Subject(rawValue: ExactText(rawValue))
        }
    }

    /// The kind.
    public let kind: Kind
    /// The amount in minor units; nil for all that remains.
    public let amount: Int64?

    /// The shop's name of the operation, unique among the operations of a payment.
    ///
    /// The operation's key is derived from it: where the gateway keeps keys, the same name again is the same operation.
    public let name: ExactText

    /// Why, for the gateway's records; bePaid requires it for a refund.
    public var reason: ExactText?
    /// Whether nothing more will be captured; nil leaves it to the gateway.
    public var isFinal: Bool?

    /// Creates an operation.
    public init(_ kind: Kind, amount: Int64? = nil, name: ExactText) {
        self.kind = kind
        self.amount = amount
        self.name = name
    }

    /// Returns the operation's idempotency key: 32 hexadecimal digits, different from the payment's.
    ///
    /// - Throws: ``PaymentError``: `order` with code `library-failure`.
    public func key(of attempt: PaymentAttempt) throws(PaymentError) -> ExactText {
        try PaymentAttempt.key([ExactText(kind.rawValue), attempt.key, name])
    }

    /// Returns ``amount``, or all that remains, after comparing it with what the gateway last reported.
    ///
    /// For a capture or a cancellation, what is reserved remains; for a refund, what is captured, not given back, and
    /// neither being refunded nor disputed. A total that is not stated counts as all. All of a payment whose answer was lost
    /// can be cancelled, where a gateway supports that.
    ///
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-value` (`payment`) for a report about another
    ///   payment, or that states another status than a payment that was made, then `unsupported-amount` (`amount`) for less than 1 or more than remains.
    public func amount(
        on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> Int64 {
        if kind == .cancellation, amount ?? attempt.amount == attempt.amount,
            payment.fault != nil, payment.about == .payment,
            (attempt.paymentID ?? payment.paymentID) == nil
        {
            return attempt.amount
        }
        let isUndone: Bool =
            switch payment.meaning {
            case .booked, .verified, .cancelled, .expired: false
            case .undocumented: payment.status != nil
            case .absent, .undecided, .awaitingCustomer, .refused: true
            }
        guard payment.about == .payment, payment.fault == nil, !isUndone, attempt.isOwn(payment)
        else {
            throw PaymentError(
                .unsupportedValue, members: ["payment"],
                reason: "the gateway has not reported that it was made")
        }
        let money = OrderOutcome.Money(payment)
        let remaining =
            switch kind {
            case .capture, .cancellation:
                payment.authorized
                    ?? Int64(clamping: Int128(attempt.amount) - money.captured - money.open)
            case .refund where payment.captured == nil: attempt.amount
            case .refund: Int64(clamping: money.captured - money.refunded - money.refundRequested)
            }
        // The authorization of an order of 0 can be canceled, although nothing is reserved.
        let least: Int64 = kind == .cancellation && attempt.amount == 0 ? 0 : 1
        let amount = amount ?? remaining
        guard amount >= least, amount <= min(remaining, attempt.amount) else {
            throw PaymentError(
                .unsupportedAmount, members: ["amount"],
                reason: Self.limit(kind, least, min(remaining, attempt.amount)))
        }
        return amount
    }

    /// Returns how much an operation can have, or which other one is possible, for a message.
    private static func limit(_ kind: Kind, _ least: Int64, _ most: Int64) -> String {
        let (rest, other) =
            switch kind {
            case .capture: ("reserved and not captured yet", "what is captured can be refunded")
            case .cancellation: ("reserved", "what is captured can be refunded")
            case .refund: ("captured and not refunded yet", "what is reserved can be canceled")
            }
        return most < least
            ? "nothing is \(rest); \(other)"
            : "a \(kind.rawValue) has \(least) to \(most) minor units, which is \(rest)"
    }
}

extension PaymentAttempt {
    /// Returns whether a report can be about this payment, as far as it states the reference, the identifier and the
    /// currency.
    package func isOwn(_ report: PaymentReport) -> Bool {
        (report.reference ?? reference) == reference
            && (report.paymentID == nil || paymentID == nil || report.paymentID == paymentID)
            && (report.currency ?? currency.alphabetic) == currency.alphabetic
    }
}
