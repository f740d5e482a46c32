public import ApplePayGateways
public import ApplePayWire

/// The answer to a gateway's message, and what it led to.
public struct MessageReply: Hashable, Sendable {
    /// The HTTP status of the answer: 200 if the message or the return was verified, 400 if it was not; 500 if this shop's
    /// settings are the reason, and 503 if the ledger, or the question after a message, failed: then the gateway repeats it.
    public let status: Int
    /// The body of the answer, `text/plain`; empty unless the gateway checks the address.
    public let body: ExactText
    /// The state of the order that the message is about; nil if it is about none of this ledger's.
    public let outcome: OrderOutcome?
    /// Why the message was refused, or why its order was not asked for: a sentence; nil otherwise.
    public let reason: ExactText?

    init(
        _ status: Int, body: ExactText = "", outcome: OrderOutcome? = nil, reason: ExactText? = nil
    ) {
        self.status = status
        self.body = body
        self.outcome = outcome
        self.reason = reason
    }
}
