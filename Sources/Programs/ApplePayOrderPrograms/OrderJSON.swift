package import ApplePayGateways
package import ApplePayOrders
internal import ApplePayPrimitives
package import ApplePayPrograms
internal import ApplePayToken
package import ApplePayWire
package import FoundationEssentials

/// The objects for machines about orders and operations on their payments.
package enum OrderJSON {
    /// Writes the state of an order.
    ///
    /// - Parameters:
    ///   - outcome: The state.
    ///   - status: The exit status of the state.
    ///   - showsCard: Whether the card that the gateway stored is written, with the identifier by which it can be charged.
    /// - Returns: `status`, also if nothing can be written: it alone then states what became of the payment.
    package static func write(
        _ outcome: OrderOutcome, as status: ExitStatus, showsCard: Bool = false
    ) -> ExitStatus {
        if let advice = outcome.advice {
            let fault = outcome.unanswered.map { "the state is the recorded one: \($0). " }
            Notice.write("\(fault ?? "")\(advice)")
        }
        let line = JSONLine { $0.order(outcome, showsCard: showsCard) }
        return write(line, outcome.state.rawValue, as: status)
    }

    /// Writes the state of an operation on the payment of an order.
    ///
    /// - Parameters:
    ///   - outcome: The state.
    ///   - name: The shop's name of the operation.
    ///   - operation: The operation; nil if only its name is known.
    ///   - reference: The order.
    ///   - gateway: The gateway's name.
    ///   - status: The exit status; nil for that of the state.
    /// - Returns: The exit status, as for an order.
    package static func write(
        _ outcome: OperationOutcome, _ name: ExactText, of operation: PaymentOperation? = nil,
        on reference: ExactText, at gateway: ExactText, as status: ExitStatus? = nil
    ) -> ExitStatus {
        if let advice = outcome.advice { Notice.write(advice) }
        let line = JSONLine {
            $0.operation(outcome, name, of: operation, on: reference, at: gateway)
        }
        return write(line, outcome.state.rawValue, as: status ?? ExitStatus(outcome))
    }

    private static func write(
        _ line: JSONLine, _ state: String, as status: ExitStatus
    ) -> ExitStatus {
        guard !line.write() else { return status }
        Notice.write(
            "the state is \(state), which could not be written to standard output; payments show writes it again."
        )
        return status
    }
}

extension JSONOutput {
    /// Adds the members about an operation on the payment of an order.
    package mutating func operation(
        _ outcome: OperationOutcome, _ name: ExactText, of operation: PaymentOperation? = nil,
        on reference: ExactText, at gateway: ExactText
    ) {
        let report = outcome.report
        member("operation", outcome.state.rawValue)
        member("kind", operation?.kind.rawValue)
        member("reference", reference)
        member("name", name)
        member("gateway", gateway)
        member("paymentId", report?.paymentID)
        member("operationId", report?.operationID)
        member("status", orNull: report?.status)
        member("amount", report?.operationAmount ?? operation?.amount)
        member("currency", report?.currency)
        member("isRecorded", outcome.isRecorded)
        member("isRepeated", outcome.isRepeated)
        refusal(report?.refusal)
        member("reason", outcome.reason)
        member("advice", outcome.advice)
    }

    /// Adds the members about an attempt that is not settled.
    package mutating func open(_ outcome: OrderOutcome, _ payment: RecordedPayment, at now: Date) {
        let attempt = payment.attempt
        member("reference", attempt.orderReference)
        member("serial", payment.serial)
        member("slot", attempt.slot)
        member("outcome", outcome.state.rawValue)
        member("reason", outcome.reason)
        member("gateway", payment.gateway)
        member("account", payment.account)
        member("isTest", payment.isTest)
        member("paymentId", orNull: attempt.paymentID)
        member("secondPaymentId", payment.secondPaymentID)
        member("amount", attempt.amount)
        member("currency", attempt.currency.alphabetic)
        operations(payment)
        member("since", payment.beginning)
        member("ageSeconds", now.seconds(since: payment.beginning))
    }

    /// Adds the numbers of a recovery, and sentences about open payments that were not asked about.
    package mutating func recovery(_ recovery: OrderPayments.Recovery, _ unasked: [String] = []) {
        member("asked", recovery.asked)
        member("released", recovery.released)
        member("changed", recovery.changed)
        member("failed", recovery.failed)
        member("unanswered", recovery.unanswered)
        member("reason", recovery.reason?.printable)
        member("advice", unasked.isEmpty ? nil : unasked.joined(separator: " ").printable)
    }

    /// Adds the answer for a gateway to its message, and the state of the order that the message is about.
    package mutating func reply(
        _ status: Int, body: ExactText = "", _ outcome: OrderOutcome? = nil, reason: ExactText?
    ) {
        member("status", status)
        member("body", body)
        // The object has the answer's status already, and one reason.
        if let outcome {
            order(outcome, status: "paymentStatus", reason: reason)
        } else {
            member("reason", reason)
        }
    }
}

extension JSONOutput {
    /// Adds the members about an order; those that its gateway has not stated are null.
    ///
    /// - Parameters:
    ///   - outcome: The state of the order.
    ///   - status: The name of the member with the gateway's word for the status.
    ///   - reason: The reason instead of the outcome's.
    ///   - showsCard: Whether the card that the gateway stored is added, with the identifier by which it can be charged.
    package mutating func order(
        _ outcome: OrderOutcome, status: String = "status", reason: ExactText? = nil,
        showsCard: Bool = false
    ) {
        let (payment, report) = (outcome.payment, outcome.report)
        member("reference", orNull: payment?.attempt.orderReference ?? report?.reference)
        member("outcome", outcome.state.rawValue)
        member("gateway", orNull: payment?.gateway ?? report?.gateway)
        member("paymentId", orNull: report?.paymentID ?? payment?.attempt.paymentID)
        member(status, orNull: report?.status)
        member("amount", payment?.attempt.amount)
        member("currency", payment?.attempt.currency.alphabetic)
        member("captured", orNull: report?.captured)
        member("refunded", orNull: report?.refunded)
        member("transactionId", payment?.transaction.map { "\($0)" })
        member("initiator", payment?.initiator?.rawValue)
        member("publicKeyHash", outcome.token?.publicKeyHash)
        member("signingTime", outcome.token?.signingTime)
        member("isRecorded", outcome.isRecorded)
        member("isAmountSigned", outcome.isAmountSigned)
        member("isAnswered", outcome.isAnswered)
        member("unanswered", outcome.unanswered?.printable)
        member("secondPaymentId", payment?.secondPaymentID)
        member("serial", payment?.serial)
        member("slot", payment?.attempt.slot)
        operations(payment)
        member("authorized", report?.authorized)
        member("captureRequested", report?.captureRequested)
        member("url", report?.address?.absoluteString)
        if showsCard { storedCard(payment?.card) }
        refusal(report?.refusal)
        member("cause", outcome.returnCause?.rawValue)
        member("reason", reason ?? outcome.reason)
        member("advice", outcome.advice)
    }

    /// Adds the names of the operations that are not decided, if there are any.
    fileprivate mutating func operations(_ payment: RecordedPayment?) {
        let names = payment?.openOperations ?? []
        member("openOperations", names.isEmpty ? nil : names)
    }

    /// Adds the members about a refusal.
    fileprivate mutating func refusal(_ refusal: PaymentReport.Refusal?) {
        member("code", refusal?.code)
        member("text", refusal?.text?.withoutCardNumbers)
        member("origin", refusal?.origin.rawValue)
    }

    /// Adds an amount in minor units, or null if it is not known.
    private mutating func member(_ name: String, orNull amount: Int64?) {
        guard amount == nil else { return member(name, amount) }
        member(name, orNull: String?.none)
    }
}

extension Date {
    /// Returns the whole seconds since an earlier time; 0 if that time is later.
    package func seconds(since earlier: Date) -> Int64 {
        let seconds = max(timeIntervalSince(earlier), 0)
        return Int64(exactly: seconds.rounded(.down)) ?? .max
    }
}

extension ExitStatus {
    /// Creates the exit status for the state of an order.
    package init(_ outcome: OrderOutcome) {
        self =
            switch outcome.state {
            case .paid: .done
            case .authorized, .partlyAuthorized, .partlyPaid, .partlyReturned: .partial
            case .returned: .refused
            case .refused: outcome.report?.refusal?.origin == .operator ? .means : .refused
            case .returning, .actionRequired, .pending: .pending
            case .unknown: .unknown
            }
    }

    /// Creates the exit status for the state of a capture, a cancellation or a refund.
    package init(_ outcome: OperationOutcome) {
        self =
            switch outcome.state {
            case .done: .done
            case .pending: .pending
            case .refused: outcome.report?.refusal?.origin == .operator ? .means : .refused
            case .unknown: .unknown
            }
    }
}
