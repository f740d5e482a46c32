public import ApplePayWire
public import FoundationEssentials

/// The contents of a message of a gateway.
public enum GatewayMessageContents: Hashable, Sendable {
    /// An event.
    case event(GatewayEvent)
    /// The gateway checks whether the address exists: answer with 200 and this text as the body (`text/plain`).
    case endpointCheck(reply: ExactText)
    /// A customer says to have returned from the page with this ``PaymentReport/sessionID``, which is true only if the code is
    /// the page's ``PaymentReport/returnCode``.
    case customerReturn(sessionID: ExactText, code: ExactText)
}

/// An event that a verified message reports.
///
/// A gateway repeats messages and may send them late and in any order, so an event is only a reason to ask for the payment's
/// state.
public struct GatewayEvent: Hashable, Sendable {
    /// The identifier of the event; repeated messages have the same one.
    public let identifier: ExactText
    /// The gateway's name for the event, such as `payment.captured`.
    public let type: ExactText
    /// The time of the event; nil if the message does not contain it.
    public let time: Date?
    /// The report; only one about the payment can state the order's state, in ``OrderOutcome/init(report:attempt:isTest:)``.
    public private(set) var report: PaymentReport
    /// The identifier of what an operation or a dispute is about, if that may be the payment: it finds the order, about which
    /// the gateway is asked, and states nothing.
    public let relatedID: ExactText?

    /// Creates an event.
    ///
    /// A report about a payment without a reference gets a ``PaymentReport/fault``: it may be about another payment, and
    /// nobody asked for it.
    public init(
        identifier: ExactText, type: ExactText, time: Date?, report: PaymentReport,
        relatedID: ExactText? = nil
    ) {
        self.identifier = identifier
        self.type = type
        self.time = time
        self.report = report
        self.relatedID = relatedID
        if report.about == .payment, report.reference == nil {
            self.report.fault = report.fault ?? "The message does not repeat a reference."
        }
    }
}
