public import ApplePayAcceptance
public import ApplePayWire

/// The state of an order, concluded from its gateway's report about the payment.
///
/// One rule decides for all gateways: ``init(report:attempt:isTest:)``. Anything uncertain counts against shipping and against
/// charging again.
public struct OrderOutcome: Hashable, GatewayOutcome {
    /// The states.
    public enum State: String, CaseIterable, Sendable {
        /// The whole amount is captured, and nothing was given back: ship.
        case paid
        /// The whole amount is reserved; for an order of 0, the card is verified: capture it before you ship.
        case authorized
        /// A part of the amount is reserved.
        case partlyAuthorized = "partly-authorized"
        /// A part of the amount is captured.
        case partlyPaid = "partly-paid"
        /// A part of what was captured was given back.
        case partlyReturned = "partly-returned"
        /// All that was captured is being given back or is disputed, or more is still reserved.
        case returning
        /// All of it was given back, or what was reserved was released.
        case returned
        /// The customer must open the report's address.
        case actionRequired = "action-required"
        /// The gateway has not decided, or it has to be asked.
        case pending
        /// The gateway refused the payment: nothing was and nothing will be charged for it.
        case refused
        /// Nothing is certain: do not ship, do not charge again, ask the gateway.
        case unknown
    }

    /// The reasons why an order is not paid any more.
    public enum ReturnCause: String, CaseIterable, Sendable {
        /// The merchant released what was reserved.
        case cancellation
        /// The reservation expired, which released the amount.
        case expiry
        /// The merchant gave back what was captured.
        case refund
        /// The card's issuer took back what was captured, or is about to.
        case chargeback
    }

    /// The state.
    public let state: State
    /// Whether the state changes only if the merchant, the bank or the customer begins something new.
    public let isSettled: Bool
    /// Why the state is unknown or pending: ``inProgress``, ``secondPayment``, ``restored``, or a sentence for people; nil for other states.
    public let reason: ExactText?
    /// The report; nil if there is none.
    public let report: PaymentReport?

    /// Why money went back, or was released; nil unless the state is `partly-returned`, `returning` or `returned`.
    public var returnCause: ReturnCause? {
        switch state {
        case .partlyReturned, .returning, .returned: break
        default: return nil
        }
        if report?.hasChargeback == true { return .chargeback }
        if report?.captured ?? 0 > 0 { return .refund }
        return report?.meaning == .expired ? .expiry : .cancellation
    }

    /// Whether the gateway answered just now; false if what is recorded is repeated.
    public package(set) var isAnswered = false

    /// Why the gateway did not answer just now, such as the server with which no connection was made, does not know its payment,
    /// was not asked because the account is another one, or why the payment was not sent again, without a full stop.
    public package(set) var unanswered: ExactText?

    /// Whether the call had a token or a stored card and sent nothing, because the order has an earlier payment or attempt.
    package var isRepeated = false

    /// Whether the ledger recorded it; false only if a payment was sent, and the ledger failed afterwards.
    public var isRecorded = true

    /// Whether the order's amount is the one that the customer confirmed and Apple signed; false if the token was not
    /// decrypted here.
    public package(set) var isAmountSigned = true

    /// The attempt to pay the order, as the ledger has it; nil without attempts in a ledger.
    public package(set) var payment: RecordedPayment?

    /// The token with which the order was paid by this call; nil for a call without a token, or if its token was not read.
    public package(set) var token: TokenIdentity?

    /// Whether the token of this call had the account number of a device, and not a merchant token; nil without a token that was
    /// decrypted here.
    public package(set) var hasDeviceNumber: Bool?

    /// The ``reason`` while another process, or another call of this one, pays the order.
    public static let inProgress: ExactText = "in-progress"

    /// The ``reason`` if the gateway has money that does not pay the order, such as that of another channel, or of an attempt
    /// that had ended without it: a person must decide about the payment `RecordedPayment.secondPaymentID`.
    public static let secondPayment: ExactText = "second-payment"

    /// The ``reason`` as long as an order may have lost its attempts with the ledger, and cannot be asked for yet.
    public static let restored: ExactText = "restored"

    package init(
        _ state: State, isSettled: Bool = false, _ report: PaymentReport?,
        _ reason: ExactText? = nil
    ) {
        self.state = state
        self.isSettled = isSettled
        self.report = report
        self.reason = reason
    }

    /// Creates the outcome of a request to which no answer is known.
    public init(unknown reason: ExactText, report: PaymentReport? = nil) {
        self.init(.unknown, report, reason)
    }
}

extension OrderOutcome {
    /// Concludes the state of an order from a report; of the rules, in their order, the first that applies decides.
    ///
    /// The rules, with what a shop does in each case, are in <doc:Outcomes>. `isTest` is whether the merchant's
    /// account is for tests; nil compares nothing.
    public init(report: PaymentReport, attempt: PaymentAttempt, isTest: Bool? = nil) {
        self = Self.concluded(report, attempt, isTest)
        isAmountSigned = attempt.isAmountSigned
    }

    private static func concluded(
        _ report: PaymentReport, _ attempt: PaymentAttempt, _ isTest: Bool?
    ) -> OrderOutcome {
        if let reason = mismatch(report, attempt, isTest) {
            return OrderOutcome(.unknown, report, reason)
        }
        let money = Money(report)
        if let reason = contradiction(report, money, attempt.amount) {
            return OrderOutcome(.unknown, report, reason)
        }
        if report.meaning == .booked || money.captured > 0, let missing = missingMember(report) {
            let reason: ExactText = "The gateway states that money moved, but not \(missing)."
            return OrderOutcome(report.canBeAsked ? .pending : .unknown, report, reason)
        }
        return state(report, money, attempt.amount)
    }

    /// Returns why a report is not about this payment, or cannot be used.
    private static func mismatch(
        _ report: PaymentReport, _ attempt: PaymentAttempt, _ isTest: Bool?
    ) -> ExactText? {
        if let fault = report.fault { return fault }
        guard report.about == .payment else {
            return
                "The report is about a \(report.about.rawValue), not about the payment; ask the gateway."
        }
        if report.meaning == .undocumented {
            return report.status.map { "The status \($0) is not documented." }
                ?? "The gateway states no status."
        }
        if let reference = report.reference, reference != attempt.reference {
            return "The report is about another reference than \(attempt.reference)."
        }
        if let paymentID = report.paymentID, let own = attempt.paymentID, paymentID != own {
            return "The report is about another payment than \(own)."
        }
        if let currency = report.currency, currency != attempt.currency.alphabetic {
            return "The payment is in another currency than \(attempt.currency)."
        }
        if let ordered = report.ordered, ordered != attempt.amount {
            return "The payment is for \(ordered) minor units, the order for \(attempt.amount)."
        }
        if let isTest, let stated = report.isTest, stated != isTest {
            return stated ? "The payment is a test." : "The payment is not a test."
        }
        return nil
    }

    /// Returns why the members of a report contradict each other or the order.
    private static func contradiction(
        _ report: PaymentReport, _ money: Money, _ order: Int64
    ) -> ExactText? {
        if money.isNegative { return "An amount is negative." }
        if money.refunded > money.captured { return "More was given back than captured." }
        if money.captured + money.open > order {
            return "More is reserved and captured than was ordered."
        }
        if money.refundRequested > 0, money.captured == 0,
            report.captured != nil || report.meaning != .booked
        {
            return "A refund was requested, but nothing is captured."
        }
        switch report.meaning {
        case .booked: return nil
        case .cancelled, .expired:
            return money.open > 0 ? "The payment has ended, but money is still reserved." : nil
        case .verified where order > 0: return "The card was verified, but nothing was reserved."
        case .verified, .absent, .undecided, .awaitingCustomer, .refused, .undocumented:
            return money.open + money.captured > 0
                ? "The status contradicts the amounts." : nil
        }
    }

    /// Returns what a report lacks that the guarantee "this reference, this amount, this currency" needs.
    private static func missingMember(_ report: PaymentReport) -> ExactText? {
        let amounts = [report.authorized, report.captureRequested, report.captured]
        if amounts.allSatisfy({ $0 == nil }) { return "how much" }
        if report.currency == nil { return "in which currency" }
        return report.reference == nil ? "for which reference" : nil
    }

    /// Returns the state for a report that fits the order.
    private static func state(
        _ report: PaymentReport, _ money: Money, _ order: Int64
    ) -> OrderOutcome {
        let returned = money.refunded + money.refundRequested
        switch report.meaning {
        case .booked, .verified, .cancelled, .expired:
            if order == 0, report.meaning == .booked || report.meaning == .verified {
                return OrderOutcome(.authorized, isSettled: true, report)
            }
            if money.captured > 0 {
                switch returned {
                case 0 where money.captured == order:
                    return OrderOutcome(.paid, isSettled: true, report)
                case 0: return OrderOutcome(.partlyPaid, isSettled: money.open == 0, report)
                case ..<money.captured:
                    return OrderOutcome(
                        .partlyReturned,
                        isSettled: money.refundRequested == 0 && money.open == 0, report)
                default:
                    return money.refundRequested > 0 || money.open > 0
                        ? OrderOutcome(.returning, report)
                        : OrderOutcome(.returned, isSettled: true, report)
                }
            }
            if money.open >= order, order > 0 { return OrderOutcome(.authorized, report) }
            if money.open > 0 { return OrderOutcome(.partlyAuthorized, report) }
            return report.meaning == .booked
                ? OrderOutcome(.unknown, report, "Neither reserved nor captured money is stated.")
                : OrderOutcome(.returned, isSettled: true, report)
        case .awaitingCustomer where report.address != nil:
            return OrderOutcome(.actionRequired, report)
        case .awaitingCustomer, .undecided:
            return OrderOutcome(.pending, report, "The gateway has not decided.")
        case .refused: return OrderOutcome(.refused, isSettled: true, report)
        case .absent:
            return OrderOutcome(
                .unknown, report,
                "The gateway does not know the payment, which proves nothing: the request may still arrive."
            )
        case .undocumented: return OrderOutcome(.unknown, report, "The status is not documented.")
        }
    }

    /// The amounts of a report, where a missing one counts as 0; wide enough for every sum.
    ///
    /// A chargeback without an amount is about all that is captured.
    package struct Money {
        package let captured, refunded, refundRequested, open: Int128
        package let isNegative: Bool

        package init(_ report: PaymentReport) {
            let (authorized, requested) = (report.authorized ?? 0, report.captureRequested ?? 0)
            captured = Int128(report.captured ?? 0)
            refunded = Int128(report.refunded ?? 0)
            let returning = Int128(report.refundRequested ?? 0)
            refundRequested =
                report.hasChargeback && refunded == 0 && returning == 0 ? captured : returning
            open = Int128(authorized) + Int128(requested)
            isNegative =
                min(authorized, requested) < 0 || min(captured, refunded, refundRequested) < 0
        }
    }
}
