internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

/// One JSON object about what a gateway's answer or message means, ended by a line feed.
struct OutcomeAnswer {
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
    let conclusion: Conclusion

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

    /// Writes the object to standard output; false if not all of it could be written.
    func write() -> Bool { StandardStream.output.writeAll(json.span) }

    /// The object and the line feed.
    var json: [UInt8] {
        var object = OutcomeObject()
        let report: PaymentReport?
        var reason: String?
        switch conclusion {
        case .order(let outcome):
            (report, reason) = (outcome.report, outcome.reason)
            object.string("outcome", outcome.state.rawValue)
        case .operation(let outcome):
            (report, reason) = (outcome.report, outcome.reason)
            object.string("operation", outcome.state.rawValue)
        case .preparation(let failure):
            (report, reason) = (nil, failure)
            object.string("outcome", failure == nil ? "pending" : "failed")
        case .card(let outcome):
            let needsConsent = Self.needsConsent(outcome)
            (report, reason) = (nil, needsConsent ? nil : outcome.reason)
            object.string("outcome", needsConsent ? "pending" : outcome.state.rawValue)
        case .endpointCheck:
            report = nil
            object.string("outcome", "endpoint-check")
        }
        object.string("gateway", gateway)
        if let step { object.string("step", step) }
        switch conclusion {
        case .order, .operation: write(report, into: &object)
        case .card(let outcome):
            object.string("consentId", ifAny: outcome.consentID)
            // The token is for the app, which starts the provisioning with it.
            object.string("token", ifAny: outcome.launchToken?.revealText())
            object.string("url", ifAny: outcome.address?.absoluteString)
        case .endpointCheck(let reply): object.string("reply", reply)
        case .preparation: break
        }
        if case .order(let outcome) = conclusion {
            object.string("cause", ifAny: outcome.returnCause?.rawValue)
        }
        if let httpStatus { object.integer("httpStatus", Int64(httpStatus)) }
        object.string("code", ifAny: error?.code.rawValue)
        object.string("reason", ifAny: reason)
        if let event {
            object.object("event") { object in
                object.string("id", event.identifier)
                object.string("type", event.type)
                object.string("about", event.report.about.rawValue)
                object.string("time", event.time.map(Answer.time))
            }
        }
        return object.bytes
    }

    /// Writes what a report states; the first three members are null if it does not state them.
    private func write(_ report: PaymentReport?, into object: inout OutcomeObject) {
        object.string("paymentId", report?.paymentID)
        object.string("reference", report?.reference)
        object.string("status", report?.status)
        guard let report else { return }
        object.string("sessionId", ifAny: report.sessionID)
        object.string("operationId", ifAny: report.operationID)
        object.string("currency", ifAny: report.currency)
        let amounts = [
            ("ordered", report.ordered), ("authorized", report.authorized),
            ("captureRequested", report.captureRequested), ("captured", report.captured),
            ("refundRequested", report.refundRequested), ("refunded", report.refunded),
            ("operationAmount", report.operationAmount),
        ]
        for case (let name, let amount?) in amounts { object.integer(name, amount) }
        object.string("url", ifAny: report.address?.absoluteString)
        object.string("code", ifAny: report.refusal?.code)
        object.string("text", ifAny: report.refusal?.text)
        object.string("origin", ifAny: report.refusal?.origin.rawValue)
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

/// A JSON object that is written member by member.
private struct OutcomeObject {
    private var sink = ByteArraySink()
    private var json = JSONWriter()

    init() { json.beginObject(into: &sink) }

    /// The object and a line feed.
    var bytes: [UInt8] {
        var (sink, json) = (sink, json)
        json.endObject(into: &sink)
        sink.append(UInt8(ascii: "\n"))
        return sink.bytes
    }

    mutating func object(_ name: String, _ write: (inout OutcomeObject) -> Void) {
        json.name(name, into: &sink)
        json.beginObject(into: &sink)
        write(&self)
        json.endObject(into: &sink)
    }

    mutating func string(_ name: String, _ value: String?) {
        json.name(name, into: &sink)
        if let value { json.string(value, into: &sink) } else { json.null(into: &sink) }
    }

    mutating func string(_ name: String, ifAny value: String?) {
        if let value { string(name, value) }
    }

    mutating func integer(_ name: String, _ value: Int64) {
        json.name(name, into: &sink)
        json.integer(value, into: &sink)
    }
}
