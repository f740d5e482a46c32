public import ApplePayToken
public import FoundationEssentials

/// The event that a verified message reports.
///
/// A gateway repeats messages and may send them out of order: drop messages whose ``identifier`` you have seen before,
/// and ask for the payment's state before you act on an older one.
public struct GatewayEvent: GatewayAnswer {
    /// The identifier of the event; repeated messages have the same one.
    public let identifier: String

    /// The gateway's name for the event, such as `payment.captured`.
    public let type: String

    /// The time of the event; nil if the message does not contain it.
    public let time: Date?

    /// The gateway's identifier of the payment or the transaction; nil if the message does not contain it.
    public let paymentId: String?

    /// The merchant's reference of the order; nil if the message does not contain it.
    public let merchantReference: String?

    /// The meaning of the event for the order.
    public let outcome: PaymentOutcome

    /// The gateway's name for the state.
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
