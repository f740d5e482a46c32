public import ApplePayToken
public import FoundationEssentials

/// What a verified message reports.
///
/// A gateway repeats messages and may send them out of order: drop those whose ``identifier`` was seen before, and ask for
/// the payment's state before acting on an older one.
public struct GatewayEvent: GatewayAnswer {
    /// What identifies the event: equal for a message that is repeated.
    public let identifier: String

    /// The gateway's word for what happened, such as `payment.captured`.
    public let type: String

    /// When it happened; nil where the message does not state it.
    public let time: Date?

    /// The gateway's identifier of the payment or the transaction; nil where the message has none.
    public let paymentId: String?

    /// The merchant's reference of the order; nil where the message has none.
    public let merchantReference: String?

    /// The meaning of the message.
    public let outcome: PaymentOutcome

    /// The gateway's own word for the state.
    public let gatewayStatus: String?

    private let isAgreeing: @Sendable (Order) -> Bool

    init(
        identifier: String,
        type: String,
        time: Date?,
        paymentId: String?,
        merchantReference: String?,
        outcome: PaymentOutcome,
        gatewayStatus: String?,
        agrees: @escaping @Sendable (Order) -> Bool
    ) {
        self.identifier = identifier
        self.type = type
        self.time = time
        self.paymentId = paymentId
        self.merchantReference = merchantReference
        self.outcome = outcome
        self.gatewayStatus = gatewayStatus
        isAgreeing = agrees
    }

    /// Returns false if the message contains another amount or currency.
    public func agrees(with order: Order) -> Bool { isAgreeing(order) }
}

extension GatewayEvent: CustomReflectable {
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
