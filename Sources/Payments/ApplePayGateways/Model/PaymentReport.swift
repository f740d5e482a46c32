public import ApplePayWire
public import FoundationEssentials

/// A gateway's statements about one payment, in the same terms for all gateways: the answer to a request, a message, or a
/// customer's return, after it was read.
///
/// A report does not decide anything. ``OrderOutcome`` compares it with the order, by one rule for all gateways.
///
/// Amounts are in the minor units of ``currency``, in totals: what is captured by now, never what the last capture
/// captured. An amount is nil if the gateway does not state it, or states it in another currency.
public struct PaymentReport: Hashable, Sendable {
    /// The subject of a report; a type of message that is not among these keeps the gateway's name for it.
    public struct Subject: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: ExactText

        /// Creates a subject from one of the names below, or from the gateway's own.
        public init(rawValue: ExactText) { self.rawValue = rawValue }

        /// The payment as a whole; only such a report can state the state of an order.
        public static let payment = Subject(rawValue: "payment")
        /// One capture.
        public static let capture = Subject(rawValue: "capture")
        /// One cancellation.
        public static let cancellation = Subject(rawValue: "cancellation")
        /// One refund.
        public static let refund = Subject(rawValue: "refund")
        /// A chargeback or another dispute.
        public static let chargeback = Subject(rawValue: "chargeback")
    }

    /// The meaning of the gateway's word for the status, according to the gateway's documentation.
    public enum Meaning: String, CaseIterable, Sendable {
        /// The word is not documented, or there is none.
        case undocumented
        /// The gateway does not know such a payment; it may still receive the request.
        case absent
        /// Money is reserved, captured or given back, or the operation is done: the amounts state how much.
        case booked
        /// The card was verified; no money was reserved.
        case verified
        /// The gateway or the bank has not decided.
        case undecided
        /// The customer must act before anything else happens.
        case awaitingCustomer = "awaiting-customer"
        /// The reserved amount is released, because the merchant canceled it; the amounts state what had been captured.
        case cancelled
        /// The reserved amount is released, because it expired; the amounts state what had been captured.
        case expired
        /// It was refused, and what was refused can no longer be paid or done.
        case refused
    }

    /// Why a payment or an operation was refused, and who can do something about it.
    public struct Refusal: Hashable, Sendable {
        /// Who can do something about a refusal.
        public enum Origin: String, CaseIterable, Sendable {
            /// The customer canceled, or failed the authentication.
            case customer
            /// The card's issuer, or a check of the gateway's for the card: another card may work.
            case issuer
            /// The merchant: credentials, account, settings, or a request that the gateway does not accept.
            case `operator`
        }

        /// The gateway's code; nil if there is none.
        public var code: ExactText?
        /// The gateway's text, for the merchant's staff; nil if there is none.
        public var text: ExactText?
        /// Who can do something about it.
        public var origin: Origin

        /// Creates a refusal.
        public init(code: ExactText? = nil, text: ExactText? = nil, origin: Origin = .issuer) {
            self.code = code
            self.text = text
            self.origin = origin
        }
    }

    /// The gateway's name, such as `worldline-direct`.
    public let gateway: ExactText
    /// The subject of the report.
    public var about: Subject
    /// The meaning of the gateway's word for the status.
    public var meaning = Meaning.undocumented
    /// The gateway's word for the status; nil if there is none.
    public var status: ExactText?
    /// The gateway's identifier of the payment, with which it is asked for, captured and refunded.
    public var paymentID: ExactText?
    /// The gateway's identifier of the object in which the payment is made, such as a session or a page.
    public var sessionID: ExactText?
    /// The gateway's identifier of the operation that the report is about; nil for a payment.
    public var operationID: ExactText?
    /// The merchant's reference, as the gateway repeats it.
    public var reference: ExactText?
    /// The mark of the payment (`PaymentAttempt.mark`), as the gateway repeats it; nil if it repeats none.
    public var mark: ExactText?
    /// Whether the gateway stated that it had given this answer before, to an earlier request with the same key.
    public var isRepeated = false
    /// The other payments that the same answer contained, such as that to a question by reference.
    public var others: [PaymentReport] = []
    /// The currency of the amounts: three capital letters.
    public var currency: ExactText?
    /// The amount that was ordered.
    public var ordered: Int64?
    /// The amount that is reserved and can still be captured.
    public var authorized: Int64?
    /// The amount whose capture was requested and is not done.
    public var captureRequested: Int64?
    /// The amount that is captured, also if it was given back later.
    public var captured: Int64?
    /// The amount whose refund was requested and is not done, or that is disputed.
    public var refundRequested: Int64?
    /// The amount that was given back.
    public var refunded: Int64?
    /// The amount of the one operation that the report is about; nil for a payment.
    public var operationAmount: Int64?
    /// Whether some of the amount was charged back or is disputed.
    public var hasChargeback = false
    /// Whether the payment is a test; nil if the gateway does not state it.
    public var isTest: Bool?
    /// The address that the customer must open: http or https.
    public var address: URL?
    /// The code that the customer's return from a page must contain; nil if there is none.
    public var returnCode: ExactText?
    /// The card that the gateway stored with the payment; nil if it states none.
    public var card: Card? {
        get { cards.first }
        set { cards = newValue.map { [$0] } ?? [] }
    }
    /// ``card``, in a list of one or none, because a report is copied often, and seldom has a card.
    private var cards: [Card] = []
    /// Why it was refused.
    public var refusal: Refusal?
    /// Whether a status query can state what this report leaves open.
    public var canBeAsked = false
    /// Why the answer cannot be used, in a sentence: a member that cannot be read, an HTTP status, a contradiction.
    public var fault: ExactText?

    /// Creates a report that does not state anything.
    public init(gateway: ExactText, about: Subject = .payment) {
        self.gateway = gateway
        self.about = about
    }
}

extension PaymentReport {
    /// Sets ``address``, or ``fault`` if the text is not an http or https URL; nil leaves the report as it is.
    public mutating func setAddress(_ text: ExactText?) {
        guard let text else { return }
        guard let url = URL(string: String(text)), let scheme = url.scheme?.lowercased(),
            scheme == "https" || scheme == "http", url.host() != nil
        else {
            fault = "The address for the customer is not an http or https URL."
            return
        }
        address = url
    }

    /// Returns whether this report can be newer than one that was stored before: both are about the same payment, and
    /// no total is smaller.
    ///
    /// A gateway's messages may arrive late and in any order. Do not let a report replace one of which it returns
    /// false; ask the gateway instead.
    public func canFollow(_ earlier: PaymentReport) -> Bool {
        (paymentID ?? earlier.paymentID) == (earlier.paymentID ?? paymentID)
            && (reference ?? earlier.reference) == (earlier.reference ?? reference)
            && (captured ?? 0) >= (earlier.captured ?? 0) && returned >= earlier.returned
            && (refunded ?? 0) >= (earlier.refunded ?? 0)
            && (hasChargeback || !earlier.hasChargeback)
    }

    /// The amount that was or will be given back.
    private var returned: Int128 {
        Int128(refunded ?? 0) + Int128(refundRequested ?? 0)
    }
}

extension PaymentReport: CustomReflectable {
    /// A mirror without children, because a gateway's text may repeat card data.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Int64 {
    /// Adds an amount; a sum beyond the limits stays at the limit, and then contradicts every order.
    package mutating func add(_ amount: Int64) {
        self = Int64(clamping: Int128(self) + Int128(amount))
    }

    /// Returns what is left of a total without some amounts: 0 or more.
    package func without(_ amounts: Int64...) -> Int64 {
        Int64(clamping: Swift.max(amounts.reduce(Int128(self)) { $0 - Int128($1) }, 0))
    }
}
