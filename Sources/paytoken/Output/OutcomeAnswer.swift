internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

/// One JSON object about the outcome of a payment, ended by a line feed.
struct OutcomeAnswer {
    /// The meaning of the answer.
    let outcome: PaymentOutcome

    /// The gateway.
    let gateway: Gateway

    /// The step that was answered; nil for a message.
    var step: String?

    /// The gateway's own word for the state; nil if the answer does not contain one or cannot be read.
    var status: String?

    /// The HTTP status code; nil if there is none.
    var httpStatus: Int?

    /// The event of a verified message.
    var event: GatewayEvent?

    /// The reason if a message cannot be attributed to the gateway.
    var error: GatewayMessageError?

    /// The exit status: 0, 1, 4 or 5.
    var exit: ExitStatus {
        switch outcome {
        case .paid, .authorized: .done
        case .refused: .refused
        case .pending, .actionRequired: .pending
        case .unknown: .unknown
        }
    }

    /// Writes the object to standard output; false if not all of it could be written.
    func write() -> Bool { StandardStream.output.writeAll(json.span) }

    /// The object and the line feed.
    var json: [UInt8] {
        var sink = ByteArraySink()
        var json = JSONWriter()
        json.beginObject(into: &sink)
        func string(_ name: String, _ value: String?) {
            json.name(name, into: &sink)
            if let value { json.string(value, into: &sink) } else { json.null(into: &sink) }
        }
        string("outcome", word)
        string("gateway", gateway.rawValue)
        if let step { string("step", step) }
        string("status", status)
        if let httpStatus {
            json.name("httpStatus", into: &sink)
            json.integer(Int64(httpStatus), into: &sink)
        }
        switch outcome {
        case .paid, .authorized, .pending: break
        case .actionRequired(let url): string("url", url.absoluteString)
        case .refused(let code, let text):
            string("code", code)
            string("text", text)
        case .unknown(let reason): string("reason", reason)
        }
        if let error { string("code", error.code.rawValue) }
        if let event {
            json.name("event", into: &sink)
            json.beginObject(into: &sink)
            string("id", event.identifier)
            string("type", event.type)
            string("time", event.time.map(Answer.time))
            string("paymentId", event.paymentId)
            string("reference", event.merchantReference)
            json.endObject(into: &sink)
        }
        json.endObject(into: &sink)
        sink.append(UInt8(ascii: "\n"))
        return sink.bytes
    }

    private var word: String {
        switch outcome {
        case .paid: "paid"
        case .authorized: "authorized"
        case .pending: "pending"
        case .actionRequired: "action-required"
        case .refused: "refused"
        case .unknown: "unknown"
        }
    }
}
