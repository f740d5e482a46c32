/// A payment that a gateway of the sandbox made or refused.
struct SandboxPayment: Sendable {
    /// The states of a payment.
    enum State: Sendable {
        /// The customer must open a URL first.
        case awaitingCustomer

        /// The payment is in progress.
        case processing

        /// The bank declined the payment.
        case declined

        /// The amount is reserved, to be captured or canceled.
        case authorized

        /// The amount is captured, in full or in part.
        case captured

        /// The reserved amount was released.
        case cancelled

        /// The whole captured amount was refunded.
        case refunded
    }

    /// A later request that changed the payment.
    struct FollowUp: Sendable {
        /// The kinds of later requests.
        enum Kind: String, Sendable {
            case capture, cancel, refund
        }

        /// The gateway's identifier of the request.
        let id: String

        /// The kind.
        let kind: Kind

        /// The amount in minor units.
        let amount: Int64
    }

    /// The reason why a later request is refused.
    enum Refusal: String, Error {
        case notAuthorized = "the payment is not authorized, or is captured already"
        case notCaptured = "nothing of the payment is captured"
        case amountTooHigh = "the amount is greater than what remains"
        case amountTooLow = "the amount must be at least 1"
    }

    /// The gateway's identifier.
    let id: String

    /// The amount in minor units; nil if the request does not show it, as with RBS's encrypted tokens.
    let amount: Int64?

    /// The currency as the request wrote it; nil if the request does not show it.
    let currency: String?

    /// The merchant's identifier of the order.
    let reference: String?

    /// Whether the amount is captured at once.
    let captures: Bool

    /// A gateway-specific detail, such as the kind of a transaction.
    let note: String

    /// The state.
    private(set) var state: State

    /// The captured amount in minor units.
    private(set) var capturedAmount: Int64 = 0

    /// The refunded amount in minor units.
    private(set) var refundedAmount: Int64 = 0

    /// The requests that changed the payment, in order.
    private(set) var followUps: [FollowUp] = []

    /// Creates a payment in the state that results from a scenario.
    init(id: String, _ purchase: Purchase, _ scenario: Scenario) {
        self.id = id
        amount = purchase.amount
        currency = purchase.currency
        reference = purchase.reference
        captures = purchase.captures
        note = purchase.note
        state =
            switch scenario {
            case .decline: .declined
            case .customerAction: .awaitingCustomer
            case .pending: .processing
            default: .authorized
            }
        if state == .authorized { succeed() }
    }

    /// The maximum total of all captures.
    private var total: Int64 { amount ?? Int64.max }

    /// Completes a payment that was waiting: it succeeds.
    mutating func succeed() {
        state = captures ? .captured : .authorized
        if captures { capturedAmount = total }
    }

    /// Completes a payment that was waiting: it is declined.
    mutating func decline() { state = .declined }

    /// Captures an amount, or the whole authorized amount.
    ///
    /// - Throws: ``Refusal``.
    mutating func capture(_ part: Int64?, id: String) throws(Refusal) {
        guard state == .authorized || (state == .captured && capturedAmount < total) else {
            throw .notAuthorized
        }
        let part = part ?? total - capturedAmount
        guard part >= 1 else { throw .amountTooLow }
        guard part <= total - capturedAmount else { throw .amountTooHigh }
        capturedAmount += part
        state = .captured
        followUps.append(FollowUp(id: id, kind: .capture, amount: part))
    }

    /// Releases the reserved amount.
    ///
    /// - Throws: ``Refusal/notAuthorized``.
    mutating func cancel(id: String) throws(Refusal) {
        guard state == .authorized else { throw .notAuthorized }
        state = .cancelled
        followUps.append(FollowUp(id: id, kind: .cancel, amount: total))
    }

    /// Refunds an amount, or everything that was captured and not yet refunded.
    ///
    /// - Throws: ``Refusal``.
    mutating func refund(_ part: Int64?, id: String) throws(Refusal) {
        guard state == .captured else { throw .notCaptured }
        let rest = capturedAmount - refundedAmount
        let part = part ?? rest
        guard part >= 1 else { throw .amountTooLow }
        guard part <= rest else { throw .amountTooHigh }
        refundedAmount += part
        if refundedAmount == capturedAmount { state = .refunded }
        followUps.append(FollowUp(id: id, kind: .refund, amount: part))
    }
}

/// The payment that a request asks for.
struct Purchase: Sendable {
    /// The amount in minor units; nil if the request does not show it.
    var amount: Int64?

    /// The currency as the request wrote it.
    var currency: String?

    /// The merchant's identifier of the order.
    var reference: String?

    /// Whether the amount is captured at once.
    var captures: Bool

    /// A gateway-specific detail.
    var note = ""
}
