internal import ApplePayGateways
internal import ApplePayPrimitives
internal import FoundationEssentials

/// The meaning of a gateway's answer or message, as one JSON object and as an exit status.
struct AnswerMeaning {
    /// The conclusion.
    enum Conclusion {
        /// The state of the order.
        case order(OrderOutcome)

        /// The state of a capture, a cancellation or a refund.
        case operation(OperationOutcome)

        /// A request that prepares a payment was answered, so the payment has another step, or it failed for a reason.
        case preparation(String?)

        /// How far a card is on its way to Wallet.
        case card(CardOutcome)

        /// The gateway checks the address of messages, and expects this text as the answer.
        case endpointCheck(reply: String)
    }

    /// The conclusion.
    var conclusion: Conclusion

    /// The gateway.
    let gateway: String

    /// The step that was answered; nil for a message.
    var step: String?

    /// The HTTP status code; nil if there is none.
    var httpStatus: Int?

    /// The event of a verified message.
    var event: GatewayEvent?

    /// The reason if a message cannot be attributed to the gateway.
    var error: GatewayMessageError?

    /// The exit status; 0 only if the order is paid or the operation is done, because callers then ship.
    var exit: ExitStatus {
        switch conclusion {
        case .order(let outcome): ExitStatus(outcome)
        case .operation(let outcome): ExitStatus(outcome)
        case .preparation(let failure): failure == nil ? .pending : .means
        case .card(let outcome):
            switch outcome.state {
            case .added: .done
            case .launch, .browser: .pending
            case .refused: .refused
            case .unknown: Self.needsConsent(outcome) ? .pending : .unknown
            }
        // Anybody can send such a check: it is not signed.
        case .endpointCheck: .pending
        }
    }

    /// Whether the card needs a consent, which is the next step.
    private static func needsConsent(_ outcome: CardOutcome) -> Bool {
        outcome.state == .unknown && outcome.consentID != nil
    }

    /// The object for machines.
    var json: JSONLine {
        JSONLine { json in
            let (name, state, reason) = summary
            json.member(name, state)
            json.member("gateway", gateway)
            json.member("step", step)
            switch conclusion {
            case .order(let outcome):
                Self.write(outcome.report, to: &json)
                json.member("cause", outcome.returnCause?.rawValue)
            case .operation(let outcome): Self.write(outcome.report, to: &json)
            case .card(let outcome):
                json.member("consentId", outcome.consentID)
                // The token is for the app, which starts the provisioning with it.
                json.member("token", outcome.launchToken?.revealText())
                json.member("url", outcome.address?.absoluteString)
            case .endpointCheck(let reply): json.member("reply", reply)
            case .preparation: break
            }
            json.member("httpStatus", httpStatus)
            json.member("code", error?.code.rawValue)
            json.member("reason", reason)
            guard let event else { return }
            json.object("event") { json in
                json.member("id", orNull: event.identifier)
                json.member("type", orNull: event.type)
                json.member("about", event.report.about.rawValue)
                json.member("time", orNull: event.time?.internetTime)
            }
        }
    }

    /// The member with the state, the state, and its reason.
    private var summary: (name: String, state: String, reason: String?) {
        switch conclusion {
        case .order(let outcome): ("outcome", outcome.state.rawValue, outcome.reason)
        case .operation(let outcome): ("operation", outcome.state.rawValue, outcome.reason)
        case .preparation(let failure):
            ("outcome", failure == nil ? "pending" : "failed", failure)
        case .card(let outcome) where Self.needsConsent(outcome): ("outcome", "pending", nil)
        case .card(let outcome): ("outcome", outcome.state.rawValue, outcome.reason)
        case .endpointCheck: ("outcome", "endpoint-check", nil)
        }
    }

    /// Writes what a report states; the first three members are null if it does not state them.
    private static func write(_ report: PaymentReport?, to json: inout JSONMembers) {
        json.member("paymentId", orNull: report?.paymentID)
        json.member("reference", orNull: report?.reference)
        json.member("status", orNull: report?.status)
        guard let report else { return }
        json.member("sessionId", report.sessionID)
        json.member("operationId", report.operationID)
        json.member("currency", report.currency)
        json.member("ordered", report.ordered)
        json.member("authorized", report.authorized)
        json.member("captureRequested", report.captureRequested)
        json.member("captured", report.captured)
        json.member("refundRequested", report.refundRequested)
        json.member("refunded", report.refunded)
        json.member("operationAmount", report.operationAmount)
        json.member("url", report.address?.absoluteString)
        json.member("code", report.refusal?.code)
        json.member("text", report.refusal?.text)
        json.member("origin", report.refusal?.origin.rawValue)
    }
}

extension ExitStatus {
    /// Creates the exit status for the state of an order.
    init(_ outcome: OrderOutcome) {
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
    init(_ outcome: OperationOutcome) {
        self =
            switch outcome.state {
            case .done: .done
            case .pending: .pending
            case .refused: outcome.report?.refusal?.origin == .operator ? .means : .refused
            case .unknown: .unknown
            }
    }
}
