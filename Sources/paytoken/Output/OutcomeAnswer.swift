internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

/// One JSON object about the outcome of a payment, ended by a line feed.
struct OutcomeAnswer {
    /// What the answer means.
    let outcome: PaymentOutcome

    /// The gateway, and the step that was answered.
    let gateway: Gateway
    let step: String

    /// The gateway's own word for the state; nil where the answer has none or cannot be read.
    var status: String?

    /// The HTTP status code; nil where there is none.
    var httpStatus: Int?

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
    func write() -> Bool {
        var sink = ByteArraySink()
        var json = JSONWriter()
        json.beginObject(into: &sink)
        func string(_ name: String, _ value: String?) {
            json.name(name, into: &sink)
            if let value { json.string(value, into: &sink) } else { json.null(into: &sink) }
        }
        string("outcome", word)
        string("gateway", gateway.rawValue)
        string("step", step)
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
        json.endObject(into: &sink)
        sink.append(UInt8(ascii: "\n"))
        return StandardStream.output.writeAll(sink.bytes.span)
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
