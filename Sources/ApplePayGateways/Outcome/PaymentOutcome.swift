public import ApplePayToken
public import FoundationEssentials

/// The meaning of a gateway's answer for the order, in the same terms for all gateways.
///
/// After ``unknown(reason:)`` the payment may have been made: ask the gateway before doing anything else. See
/// ``GatewayRequest/statusRequest`` and the status requests of each gateway.
public enum PaymentOutcome: Hashable, Sendable {
    /// The amount is captured; for a capture, cancellation or refund, the operation is done.
    case paid

    /// The amount is reserved; the capture was not requested yet, or has not happened yet.
    case authorized

    /// The gateway has not decided yet, or its flow has another step.
    case pending

    /// The customer must open this address (http or https) before the gateway decides.
    case actionRequired(URL)

    /// The order is not paid by this payment: nothing was or will be charged, or all of it was given back.
    ///
    /// Contains the gateway's code and text, if the answer contains them. After a full refund or a chargeback, the code
    /// is the gateway's word for it, such as `REFUNDED`; a payment that was refunded in part is still ``paid``.
    /// The text is for the merchant's staff unless the gateway's documentation allows showing it.
    case refused(code: String?, text: String?)

    /// The answer does not show whether the amount was charged; the reason is one sentence for people.
    case unknown(reason: String)
}

extension PaymentOutcome {
    /// Reads an answer and derives its outcome, which is ``unknown(reason:)`` if the answer cannot be read.
    ///
    /// - Parameters:
    ///   - response: The gateway's answer.
    ///   - order: The order to compare with the answer's amount and currency; nil compares nothing.
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

    /// Returns the outcome for the customer's next address; nil if the answer does not contain one.
    ///
    /// - Returns: ``actionRequired(_:)``, ``pending`` for nil, or ``unknown(reason:)`` for an address that is neither
    ///   http nor https.
    static func action(_ address: String?) -> PaymentOutcome {
        guard let address else { return .pending }
        guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
            scheme == "https" || scheme == "http", url.host() != nil
        else {
            return .unknown(reason: "The address for the customer is not an http or https URL.")
        }
        return .actionRequired(url)
    }

    /// The outcome if only a part of the amount is authorized or captured, while the order asks for all of it.
    static var partial: PaymentOutcome {
        .unknown(reason: "Only a part of the amount is authorized or captured.")
    }

    /// Returns the outcome for a value that the gateway's documentation does not list.
    static func undocumented(_ name: String, _ value: String?) -> PaymentOutcome {
        .unknown(
            reason: value.map { "The \(name) \($0) is not documented." }
                ?? "The answer has no \(name).")
    }
}
