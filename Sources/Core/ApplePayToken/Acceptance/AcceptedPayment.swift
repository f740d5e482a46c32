internal import ApplePayWire
internal import Synchronization

/// A payment that may be charged: verified, compared with its order, and claimed; gateways take nothing else.
///
/// ``PaymentAcceptor`` creates one. Call ``confirm()`` after you sent the charge, or ``release()`` if the charge was not
/// sent and never will be. If you do not know whether it was sent, call neither: the claim then stays open.
public struct AcceptedPayment: Sendable {
    /// The order that is paid.
    public let order: Order

    /// The attempt: the reference and the key that the gateway gets.
    public private(set) var attempt: PaymentAttempt

    /// The verified token, for gateways that decrypt it themselves.
    public let token: VerifiedToken

    /// The decrypted payment; nil if the gateway has the key and the token was only verified.
    public let payment: Payment?

    /// The claim; nil if the caller charges without a ledger.
    public let claim: Claim?

    private let ledger: (any ReplayLedger)?
    private let charging = Charging()

    /// Whether a charge has begun; all copies of a payment share it.
    private final class Charging: Sendable {
        let hasBegun = Atomic(false)
    }

    /// Whether the order's amount is the one that the customer confirmed and Apple signed.
    ///
    /// It is false for a token that was not decrypted: its amount is not known here, and what the gateway confirms is the
    /// amount that it was given. It is also false for a token of 0 that pays another amount (`ZeroAmountPolicy.accepted`).
    public var isAmountSigned: Bool { payment?.data.amount == order.amount }

    /// Creates a payment from a token that the caller has claimed; nil for a ledger that has the claim in an attempt.
    package init(
        _ order: Order, _ attempt: PaymentAttempt, _ opened: OpenedToken, _ claim: Claim,
        in ledger: (any ReplayLedger)?
    ) {
        self.init(order, attempt, opened.token, opened.payment, claim, in: ledger)
    }

    private init(
        _ order: Order,
        _ attempt: PaymentAttempt,
        _ token: VerifiedToken,
        _ payment: Payment?,
        _ claim: Claim?,
        in ledger: (any ReplayLedger)?
    ) {
        self.order = order
        self.attempt = attempt
        self.token = token
        self.payment = payment
        self.claim = claim
        self.ledger = ledger
        self.attempt.isAmountSigned = isAmountSigned
    }

    /// Creates a payment that no ledger claimed, for a shop that claims each transaction by its own means.
    ///
    /// Nothing here then prevents the token from being charged twice.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - order: The order, whose amount and currency must be those of the payment.
    ///   - attempt: The attempt to pay this order, with a key of yours.
    /// - Throws: ``PaymentTokenError``: `order` with code `reference-changed` if the attempt is not this order's, then
    ///   the errors of ``Order/check(_:)``.
    public init(
        unclaimed payment: Payment,
        order: Order,
        attempt: PaymentAttempt
    ) throws(PaymentTokenError) {
        try order.check(payment)
        try self.init(unclaimed: payment.token, payment, order, attempt)
    }

    /// Creates a payment that no ledger claimed from a token that was only verified, which the gateway decrypts.
    ///
    /// Nothing here then prevents the token from being charged twice, and its amount is not compared with the order.
    ///
    /// - Parameters:
    ///   - token: The verified token.
    ///   - order: The order.
    ///   - attempt: The attempt to pay this order, with a key of yours.
    /// - Throws: ``PaymentTokenError``: `order` with code `reference-changed` if the attempt is not this order's.
    public init(
        unclaimed token: VerifiedToken,
        order: Order,
        attempt: PaymentAttempt
    ) throws(PaymentTokenError) {
        try self.init(unclaimed: token, nil, order, attempt)
    }

    private init(
        unclaimed token: VerifiedToken,
        _ payment: Payment?,
        _ order: Order,
        _ attempt: PaymentAttempt
    ) throws(PaymentTokenError) {
        guard attempt.isOf(order) else { throw PaymentTokenError(.referenceChanged) }
        self.init(order, attempt, token, payment, nil, in: nil)
    }

    /// Begins the only charge of this payment: later the claim may be released, and another one's.
    ///
    /// - Throws: ``PaymentTokenError``: `replay` with code `already-claimed` for a second call, also of a copy.
    package func beginCharge() throws(PaymentTokenError) {
        guard !charging.hasBegun.exchange(true, ordering: .relaxed) else {
            throw PaymentTokenError(.alreadyClaimed)
        }
    }

    /// Records that the charge was sent; a second call changes nothing.
    ///
    /// The record is made even if the calling task is cancelled. Without a ledger nothing is recorded.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`, `not-claimed`.
    public func confirm() async throws(LedgerError) {
        if let claim { try await ledger?.confirm(claim) }
    }

    /// Releases the claim because the charge was never sent; a second call changes nothing.
    ///
    /// The claim is released even if the calling task is cancelled.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`, `already-confirmed`, `not-claimed`.
    public func release() async throws(LedgerError) {
        if let claim { try await ledger?.release(claim) }
    }
}

extension AcceptedPayment: CustomStringConvertible, CustomReflectable {
    /// The order's reference and amount.
    public var description: String {
        "AcceptedPayment(\(attempt.reference), \(order.amount) \(order.currency))"
    }

    /// A mirror without children, so that dumps do not include the payment.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
