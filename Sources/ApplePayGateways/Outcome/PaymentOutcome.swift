public import ApplePayToken
public import FoundationEssentials

/// What a gateway's answer means for the order, in the same words for all gateways.
///
/// After ``unknown(reason:)`` the payment may have been made: ask the gateway before doing anything else. See
/// ``GatewayRequest/statusRequest`` and the status requests of each gateway.
public enum PaymentOutcome: Hashable, Sendable {
    /// The amount is captured, or, where the answer is about a capture, cancellation or refund, that was done.
    case paid

    /// The amount is reserved: its capture must still be requested, or was requested and has not happened yet.
    case authorized

    /// The gateway has not decided yet, or another step of its flow has to follow.
    case pending

    /// The customer has to go to this address (http or https) before the gateway decides.
    case actionRequired(URL)

    /// Nothing was or will be charged: the gateway's code and its text, as far as the answer contains them.
    ///
    /// The text is for the merchant's staff unless the gateway's documentation allows showing it.
    case refused(code: String?, text: String?)

    /// Whether the amount was charged cannot be concluded from the answer; the reason is one sentence for people.
    case unknown(reason: String)
}

extension PaymentOutcome {
    /// Reads an answer and concludes its outcome; what cannot be read is ``unknown(reason:)``.
    ///
    /// - Parameters:
    ///   - response: The gateway's answer.
    ///   - order: The order, compared with the answer's amount and currency; nil compares nothing.
    ///   - read: Reads the answer, such as `BePaid.TransactionAnswer.init`.
    public init(
        _ response: GatewayResponse,
        order: Order? = nil,
        _ read: (GatewayResponse) throws(UnreadableJSONError) -> any GatewayAnswer
    ) {
        do {
            let answer = try read(response)
            self = order.map(answer.outcome(for:)) ?? answer.outcome
        } catch {
            self = .unknown(
                reason: response.isEmpty
                    ? "The answer with HTTP status \(response.status) has no body."
                    : "HTTP status \(response.status): \(error)")
        }
    }

    /// Whether this is ``refused(code:text:)``.
    var isRefused: Bool { if case .refused = self { true } else { false } }

    /// The customer's next address; nil text means that none was given.
    ///
    /// - Returns: ``actionRequired(_:)``, ``pending`` without an address, and ``unknown(reason:)`` for an address
    ///   that is not http or https.
    static func action(_ address: String?) -> PaymentOutcome {
        guard let address else { return .pending }
        guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
            scheme == "https" || scheme == "http", url.host() != nil
        else {
            return .unknown(reason: "The address for the customer is not an http or https URL.")
        }
        return .actionRequired(url)
    }

    /// Only a part of the amount is authorized or captured, which is not what the order asks for.
    static var partial: PaymentOutcome {
        .unknown(reason: "Only a part of the amount is authorized or captured.")
    }

    /// A word of the gateway's that its documentation does not list.
    static func undocumented(_ name: String, _ value: String?) -> PaymentOutcome {
        .unknown(
            reason: value.map { "The \(name) \($0) is not documented." }
                ?? "The answer has no \(name).")
    }
}
