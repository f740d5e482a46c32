internal import ApplePayGateways
internal import ApplePayOrders
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

/// The objects for machines about orders and operations on their payments.
enum OrderJSON {
    /// Writes the state of an order.
    ///
    /// - Parameters:
    ///   - outcome: The state.
    ///   - status: The exit status of the state.
    /// - Returns: `status`, also if nothing can be written: it alone then states what became of the payment.
    static func write(_ outcome: OrderOutcome, as status: ExitStatus) -> ExitStatus {
        write(JSONLine { $0.order(outcome) }, outcome.state.rawValue, as: status)
    }

    /// Writes the state of an operation on the payment of an order; returns the exit status as for an order.
    static func write(
        _ outcome: OperationOutcome, of operation: PaymentOperation, on reference: String,
        at gateway: String
    ) -> ExitStatus {
        let line = JSONLine { json in
            let report = outcome.report
            json.member("operation", outcome.state.rawValue)
            json.member("kind", operation.kind.rawValue)
            json.member("reference", reference)
            json.member("name", operation.name)
            json.member("gateway", gateway)
            json.member("paymentId", report?.paymentID)
            json.member("operationId", report?.operationID)
            json.member("status", orNull: report?.status)
            json.member("amount", report?.operationAmount ?? operation.amount)
            json.member("currency", report?.currency)
            json.member("isRecorded", outcome.isRecorded)
            json.refusal(report?.refusal)
            json.member("reason", outcome.reason)
        }
        return write(line, outcome.state.rawValue, as: ExitStatus(outcome))
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

    /// Returns the line about an attempt that is not settled.
    static func open(_ outcome: OrderOutcome, _ payment: RecordedPayment, at now: Date) -> JSONLine
    {
        JSONLine { json in
            let attempt = payment.attempt
            json.member("reference", attempt.orderReference)
            json.member("serial", payment.serial)
            json.member("slot", attempt.slot)
            json.member("outcome", outcome.state.rawValue)
            json.member("reason", outcome.reason)
            json.member("gateway", payment.gateway)
            json.member("paymentId", orNull: attempt.paymentID)
            json.member("amount", attempt.amount)
            json.member("currency", attempt.currency.alphabetic)
            json.member("since", payment.beginning)
            json.member("ageSeconds", Int64(max(now.timeIntervalSince(payment.beginning), 0)))
        }
    }
}

extension JSONMembers {
    /// Adds the members about an order; those that its gateway has not stated are null.
    ///
    /// - Parameters:
    ///   - outcome: The state of the order.
    ///   - status: The name of the member with the gateway's word for the status.
    mutating func order(_ outcome: OrderOutcome, status: String = "status") {
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
        member("transactionId", payment.map { "\($0.transaction)" })
        member("publicKeyHash", outcome.token?.publicKeyHash)
        member("signingTime", outcome.token?.signingTime)
        member("isRecorded", outcome.isRecorded)
        member("isAmountSigned", outcome.isAmountSigned)
        member("serial", payment?.serial)
        member("slot", payment?.attempt.slot)
        member("authorized", report?.authorized)
        member("url", report?.address?.absoluteString)
        refusal(report?.refusal)
        member("cause", outcome.returnCause?.rawValue)
        member("reason", outcome.reason)
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

extension String {
    /// This text with an ellipsis in place of each number of 12 digits or more, also with spaces or hyphens in between:
    /// a gateway may repeat the number of a card in its message.
    var withoutCardNumbers: String { replacing(/[0-9](?:[ \-]?[0-9]){11,}/, with: "…") }
}
