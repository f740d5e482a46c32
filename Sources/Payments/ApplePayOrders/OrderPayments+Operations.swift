public import ApplePayAcceptance
public import ApplePayGateways
public import ApplePayWire

extension OrderPayments {
    /// Charges the reserved amount of an order or a part of it.
    ///
    /// - Parameters:
    ///   - reference: The order.
    ///   - amount: The amount in minor units; nil for all that remains.
    ///   - name: The shop's name of this capture, unique for the order; the same name again sends nothing, and returns
    ///     the outcome of the first call. By default it is the amount, so give names if you capture equal parts.
    ///   - isFinal: Whether nothing more will be captured; nil leaves it to the gateway.
    /// - Returns: The outcome of the capture, which never states that the order is paid.
    /// - Throws: The errors of ``perform(_:on:)``.
    public func capture(
        _ reference: ExactText, amount: Int64? = nil, operation name: ExactText? = nil,
        isFinal: Bool? = nil
    ) async throws(PaymentError) -> OperationOutcome {
        var operation = Self.operation(.capture, amount, name)
        operation.isFinal = isFinal
        return try await perform(operation, on: reference)
    }

    /// Releases the reserved amount of an order.
    ///
    /// - Parameters:
    ///   - reference: The order.
    ///   - amount: The amount in minor units; nil for all that remains.
    ///   - name: The shop's name of this cancellation; see ``capture(_:amount:operation:isFinal:)``.
    /// - Returns: The outcome of the cancellation.
    /// - Throws: The errors of ``perform(_:on:)``.
    public func cancel(
        _ reference: ExactText, amount: Int64? = nil, operation name: ExactText? = nil
    ) async throws(PaymentError) -> OperationOutcome {
        try await perform(Self.operation(.cancellation, amount, name), on: reference)
    }

    /// Gives the captured amount of an order or a part of it back to the customer.
    ///
    /// - Parameters:
    ///   - reference: The order.
    ///   - amount: The amount in minor units; nil for all that remains.
    ///   - name: The shop's name of this refund; see ``capture(_:amount:operation:isFinal:)``.
    ///   - reason: Why, for the gateway's records; bePaid requires it.
    /// - Returns: The outcome of the refund.
    /// - Throws: The errors of ``perform(_:on:)``.
    public func refund(
        _ reference: ExactText, amount: Int64? = nil, operation name: ExactText? = nil,
        reason: ExactText? = nil
    ) async throws(PaymentError) -> OperationOutcome {
        var operation = Self.operation(.refund, amount, name)
        operation.reason = reason
        return try await perform(operation, on: reference)
    }

    /// Returns an operation with the name that the shop gives, or with the standard one: the kind, and the amount if there
    /// is one.
    package static func operation(
        _ kind: PaymentOperation.Kind, _ amount: Int64?, _ name: ExactText?
    ) -> PaymentOperation {
        let standard: ExactText = "\(kind.rawValue)\(amount.map { "-\($0)" } ?? "")"
        return PaymentOperation(kind, amount: amount, name: name ?? standard)
    }

    /// Performs an operation on the payment of an order, once for each name.
    ///
    /// The gateway is asked for the payment first, and no more than remains is captured or given back. One operation of
    /// a payment is open at a time.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - reference: The order.
    /// - Returns: The outcome; `isRecorded` is false if the ledger failed after something was sent.
    /// - Throws: ``PaymentError``: `replay/ledger-unavailable`, `order` with codes `no-payment`, also after a refusal,
    ///   `reference-changed` if the payment is at another gateway or the name is that of another operation, also on an earlier
    ///   payment of the order, and `operation-open` if the order is being paid, which a payment whose answer was lost counts as
    ///   for a day, its payment or another operation of this payment is not decided, or
    ///   a person must decide about money that does not pay the order, before a capture and where no other payment is to be changed, then those of `PaymentGateway.perform(_:on:of:)`, and `gateway/not-sent`. Nothing was
    ///   done then.
    public func perform(
        _ operation: PaymentOperation, on reference: ExactText
    ) async throws(PaymentError) -> OperationOutcome {
        try await operating.perform(operation, on: reference)
    }

    // MARK: Decisions of people

    /// A person's decision about an attempt, or about a payment whose money does not pay the order.
    public enum Decision: Hashable, Sendable {
        /// The payment with this identifier of the gateway, which this library requested, pays the order.
        case paid(paymentID: ExactText)
        /// No payment was made, or only the declined one with this identifier: the order can be paid again.
        case refused(paymentID: ExactText? = nil)
        /// All of the payment with this identifier was given back; nil for that of the attempt.
        case returned(paymentID: ExactText? = nil)

        var paymentID: ExactText? {
            switch self {
            case .paid(let paymentID): paymentID
            case .refused(let paymentID), .returned(let paymentID): paymentID
            }
        }
    }

    /// Records a person's decision about an attempt that the gateway does not decide, or about a second payment.
    ///
    /// A report of the gateway's can still overtake it: an attempt that was given up is asked about for 30 days, and money
    /// that is reported for it makes the order `unknown` with the reason `OrderOutcome.secondPayment`.
    ///
    /// That no payment was made keeps the slot, so the next one has the same key. A decision within the time for which the gateway
    /// remembers it trusts the key, and permits another payment only as long.
    ///
    /// - Parameters:
    ///   - reference: The order.
    ///   - serial: The serial of the attempt that the person looked at.
    ///   - decision: The decision.
    ///   - person: The person.
    ///   - reason: The reason. The record has the first 1,000 characters of both, and an ellipsis in place of what may be a
    ///     card's number.
    ///   - isConfirmed: Whether the person has compared the payment in the gateway's own books, for a gateway that cannot
    ///     be asked. It is not needed for `paid` if the gateway states that the attempt's own payment holds money.
    /// - Returns: The state of the order.
    /// - Throws: ``PaymentError``: `replay/ledger-unavailable`, `order` with code `no-payment` if the order has no
    ///   such attempt; `reference-changed` if it was made at another gateway; `decision-refused` if it is being paid, or is
    ///   settled without a second payment, if the payment is another order's or another channel's, if the gateway reports something else,
    ///   or cannot be asked and `isConfirmed` is false; or, for `refused` where neither a key nor an object that is paid once
    ///   protects the order, while a request may still be under way, which takes a day.
    public func resolve(
        _ reference: ExactText, serial: ExactText, as decision: Decision, by person: ExactText,
        because reason: ExactText, isConfirmed: Bool = false
    ) async throws(PaymentError) -> OrderOutcome {
        try await operating.resolve(
            reference, serial, as: decision, Decider(person, reason, isConfirmed))
    }

    /// Records a person's decision about an operation that the gateway does not decide.
    ///
    /// - Parameters:
    ///   - reference: The order.
    ///   - name: The shop's name of the operation.
    ///   - isDone: Whether the person saw it in the gateway's books; false if it is not there, which takes a day.
    ///   - person: The person.
    ///   - reason: The reason. The record has the first 1,000 characters of both, and an ellipsis in place of what may be a
    ///     card's number.
    /// - Returns: The outcome of the operation; the gateway's, if it has decided meanwhile.
    /// - Throws: ``PaymentError``: `replay/ledger-unavailable`, `order` with code `no-payment` if the order has no such
    ///   operation, `reference-changed` if the payment is at another gateway, `decision-refused` if it is decided, or while the
    ///   request may still be under way.
    public func resolve(
        _ reference: ExactText, operation name: ExactText, isDone: Bool, by person: ExactText,
        because reason: ExactText
    ) async throws(PaymentError) -> OperationOutcome {
        try await operating.resolve(
            reference, operation: name, isDone: isDone, Decider(person, reason))
    }

    /// Records a person's decision that no payment was made for an order that the ledger does not have: its attempts may have
    /// been lost with the ledger.
    ///
    /// The gateway is asked, if it can be. The order can be paid then.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - person: The person who decides.
    ///   - reason: The reason. The record has the first 1,000 characters of both, and an ellipsis in place of what may be a
    ///     card's number.
    ///   - isConfirmed: Whether the person saw that the gateway's own books contain no such payment.
    /// - Returns: The state of the order: `refused`.
    /// - Throws: ``PaymentError``: `order/invalid-reference`, `replay/ledger-unavailable`, `order/decision-refused` if the
    ///   ledger has an attempt of the order, or was restored or created less than a day ago, so that a request may still be under
    ///   way; `gateway/not-sent` if the gateway did not answer; `order/decision-refused` if it has such a payment, or cannot be
    ///   asked and `isConfirmed` is false.
    public func resolve(
        lost order: Order, by person: ExactText, because reason: ExactText,
        isConfirmed: Bool = false
    ) async throws(PaymentError) -> OrderOutcome {
        try await operating.resolve(lost: order, Decider(person, reason, isConfirmed))
    }

    /// Records that a payment which this ledger does not have pays an order: another channel's, or one that was lost with the
    /// ledger.
    ///
    /// The gateway is asked: the payment must hold money, and have the order's reference, amount, currency and mode. An open
    /// attempt of the order must be decided first; it is asked about on.
    ///
    /// - Parameters:
    ///   - paymentID: The gateway's identifier of the payment.
    ///   - order: The order.
    ///   - person: The person who decides.
    ///   - reason: The reason. The record has the first 1,000 characters of both, and an ellipsis in place of what may be a
    ///     card's number.
    /// - Returns: The state of the order.
    /// - Throws: ``PaymentError``: `replay/ledger-unavailable`, `order` with codes `reference-changed`, `invalid-reference`
    ///   and `decision-refused` if the payment is another order's, if another attempt pays the order or may, or if the gateway
    ///   does not state that the payment fits the order and holds money.
    public func adopt(
        _ paymentID: ExactText, for order: Order, by person: ExactText, because reason: ExactText
    ) async throws(PaymentError) -> OrderOutcome {
        try await operating.adopt(paymentID, for: order, Decider(person, reason))
    }
}
