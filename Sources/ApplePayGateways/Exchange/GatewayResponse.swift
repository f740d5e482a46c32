internal import ApplePayPrimitives
internal import ApplePayWire

/// The answer of a gateway, as the caller's client received it.
///
/// Unknown members are ignored, because gateways add some without notice.
public struct GatewayResponse: Sendable {
    /// The HTTP status code.
    public let status: Int

    /// The headers, in order.
    public let headers: [(name: String, value: String)]

    /// The body, after any content coding was decoded.
    private let body: [UInt8]

    /// Creates an answer from what the client received.
    ///
    /// - Parameters:
    ///   - status: The HTTP status code.
    ///   - headers: The headers, in order.
    ///   - body: The body; at most 1 MiB is read.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the first value of a header, such as `Retry-After`.
    ///
    /// - Parameter name: The name, case-insensitive (RFC 9110 §5.1).
    /// - Returns: The value; nil if the answer does not have this header.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    /// Returns the body as a JSON object.
    ///
    /// - Throws: ``UnreadableJSONError`` with code `not-json`, then `wrong-type`.
    func object() throws(UnreadableJSONError) -> ResponseValue {
        try ResponseValue(object: body)
    }
}

extension GatewayResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the length of the body; not the body itself, which can contain an account number.
    public var description: String { "GatewayResponse(\(status), \(body.count) bytes)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension GatewayResponse {
    /// Whether the HTTP status is 2xx (RFC 9110 §15.3).
    var isAccepted: Bool { (200..<300).contains(status) }

    /// Whether the body is empty.
    var isEmpty: Bool { body.isEmpty }

    /// Derives the outcome of a request that changes something.
    ///
    /// After a status other than 2xx and 4xx, the request may have been carried out. The same applies to 408
    /// (time-out), 409 (the first request with the same key is in progress), 425 and 429 (too many requests, or a
    /// duplicate).
    ///
    /// - Parameters:
    ///   - code: The gateway's code for a refusal; nil to use the HTTP status.
    ///   - text: The gateway's text for a refusal.
    ///   - accepted: Derives the outcome of an answer with status 2xx.
    /// - Returns: The outcome.
    func outcome(
        code: String?,
        text: String?,
        _ accepted: () -> PaymentOutcome
    ) -> PaymentOutcome {
        switch status {
        case 200..<300: accepted()
        case 408, 409, 425, 429:
            .unknown(reason: "HTTP status \(status): the request may be done or in progress.")
        case 400..<500: .refused(code: code ?? "\(status)", text: text)
        default:
            .unknown(
                reason:
                    "HTTP status \(status): it is not known whether the request was carried out.")
        }
    }

    /// Returns an outcome; a success becomes unknown if the HTTP status is not the documented one.
    func confirmed(_ outcome: PaymentOutcome, by documented: Int) -> PaymentOutcome {
        guard outcome == .paid || outcome == .authorized, status != documented else {
            return outcome
        }
        return .unknown(
            reason: "HTTP status \(status) is not documented for a payment that was made.")
    }

    /// Derives the outcome of a status query: an answer other than 2xx does not describe the payment.
    func outcomeOfQuestion(_ accepted: () -> PaymentOutcome) -> PaymentOutcome {
        guard !isAccepted else { return accepted() }
        return .unknown(
            reason: "HTTP status \(status): the question about the payment was not answered.")
    }
}
