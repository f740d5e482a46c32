public import ApplePayAcceptance
public import ApplePayGateways
internal import ApplePayLedger
public import ApplePayWire
package import FoundationEssentials

/// Pays orders, each once, at one gateway: verifies and decrypts the token, claims it together with the order, sends the
/// payment, records what the gateway reports, and asks again about what stayed open.
///
/// ```swift
/// let payments = try OrderPayments(decryptor: decryptor, ledger: ledger, gateway: gateway, transport: HTTPSClient())
/// let outcome = try await payments.pay(body, for: order)
/// ```
///
/// An order is `paid` only if the gateway stated it about this reference, this amount and this currency. In one durable
/// ledger it is charged at most once at gateways that keep the first answer for a key, within the time that they
/// promise; at the others, a lost answer is decided by a person (``resolve(_:serial:as:by:because:isConfirmed:)``).
/// The article "Pay an order once" of the module ApplePayLedger explains the states.
public struct OrderPayments: Sendable {
    private let opener: TokenOpener
    let inquirer: OrderInquirer

    /// The conditions on which payments and operations begin.
    package var permission = OrderPermission()

    /// Creates payments for tokens that are decrypted here.
    ///
    /// - Parameters:
    ///   - decryptor: Verifies and decrypts tokens.
    ///   - ledger: Remembers the attempts.
    ///   - gateway: The merchant's account.
    ///   - transport: Sends the requests, such as `HTTPSClient`.
    /// - Throws: `LedgerError` with code `window-too-wide` if the ledger would forget claims of tokens that the
    ///   decryptor still accepts.
    public init(
        decryptor: PaymentTokenDecryptor, ledger: any AttemptLedger, gateway: any PaymentGateway,
        transport: any GatewayTransport
    ) throws(LedgerError) {
        try self.init(
            verifier: decryptor.verifier, decryptor: decryptor, ledger: ledger, gateway: gateway,
            transport: transport, time: OrderTime())
    }

    /// Creates payments for tokens that the gateway decrypts.
    ///
    /// Only the signature is verified here, and the amount that the customer confirmed is not known:
    /// `OrderOutcome.isAmountSigned` is false.
    ///
    /// - Parameters:
    ///   - verifier: Verifies tokens.
    ///   - ledger: Remembers the attempts.
    ///   - gateway: The merchant's account.
    ///   - transport: Sends the requests, such as `HTTPSClient`.
    /// - Throws: `LedgerError` with code `window-too-wide` if the ledger would forget claims of tokens that the verifier
    ///   still accepts.
    public init(
        verifier: PaymentTokenVerifier, ledger: any AttemptLedger, gateway: any PaymentGateway,
        transport: any GatewayTransport
    ) throws(LedgerError) {
        try self.init(
            verifier: verifier, decryptor: nil, ledger: ledger, gateway: gateway,
            transport: transport, time: OrderTime())
    }

    /// Creates payments with another clock, for tokens that are decrypted here if there is a decryptor.
    package init(
        verifier: PaymentTokenVerifier, decryptor: PaymentTokenDecryptor?,
        ledger: any AttemptLedger, gateway: any PaymentGateway, transport: any GatewayTransport,
        time: OrderTime
    ) throws(LedgerError) {
        opener = try TokenOpener(verifier, decryptor, for: ledger)
        inquirer = OrderInquirer(
            book: OrderBook(ledger: ledger, gateway: gateway, time: time), transport: transport)
    }

    private var payer: OrderPayer {
        OrderPayer(opener: opener, inquirer: inquirer, permission: permission)
    }

    var operating: OrderOperator {
        OrderOperator(inquirer: inquirer, permission: permission)
    }

    // MARK: Paying

    /// Pays an order with a token, once.
    ///
    /// If the order has an attempt already, its state is returned: it was asked again if it was open, and it is `pending` with
    /// the reason `OrderOutcome.inProgress` while another call or process pays. Nothing is sent then, except that a gateway which
    /// gives its first answer for a key whatever the request contains gets the request of an open attempt again, with this
    /// token. Only after an attempt that was released, or refused by the gateway or a person, does the order get another one,
    /// and after one that was returned if `again` says so. It never throws after something that can move money was sent, also not
    /// in an open attempt that this token cannot go on with: `OrderOutcome.unanswered` states why.
    ///
    /// - Parameters:
    ///   - text: The token's UTF-8 JSON, at most 256 KiB.
    ///   - order: The order that the customer was shown.
    ///   - form: The accepted forms of the token.
    ///   - agePolicy: When the token was received; the current time by default.
    ///   - session: The gateway's identifier of the object in which the order is paid, if the shop or its app has created one,
    ///     such as Dintero's session or bePaid's checkout; nil otherwise.
    ///   - serial: The serial of the last attempt, if the shop wants the order paid again after all of it was returned;
    ///     that of an earlier attempt, and any after a chargeback, has no effect.
    /// - Returns: The state of the order, recorded in the ledger unless `isRecorded` is false.
    /// - Throws: ``PaymentError``: `gateway/unsupported-operation` for a session at a gateway without any,
    ///   `gateway/unsupported-length` unless it has 1 to 255 characters, `gateway/unsupported-character` unless these are
    ///   visible ASCII; then `replay/ledger-unavailable`, `order` with codes `reference-changed`, `no-payment` (`again`) for a
    ///   serial that no attempt of the order has, and `invalid-reference`, those of `PaymentGateway.check(_:attempt:)`, then that of the first stage of the token that fails, `json` to `replay`, then those of
    ///   `PaymentGateway.payment(_:)`, `gateway/unsupported-value` (`session`) if the order cannot be paid in the session, and
    ///   `gateway/not-sent`. Nothing was charged then.
    public func pay(
        _ text: some Collection<UInt8>, for order: Order, form: TokenForm = .any,
        agePolicy: AgePolicy = .now, session: ExactText? = nil, again serial: ExactText? = nil
    ) async throws(PaymentError) -> OrderOutcome {
        try await payer.pay(text, form, agePolicy, for: order, session: session, again: serial)
    }

    /// Pays an order with a card that the gateway stored with an earlier payment, once.
    ///
    /// The order has at most one payment then, too: everything of ``pay(_:for:form:agePolicy:session:again:)`` holds, and the
    /// order's reference alone is claimed. Nobody confirmed the amount with this order: `OrderOutcome.isAmountSigned` is false.
    ///
    /// - Parameters:
    ///   - card: The card, of `RecordedPayment.card` of an earlier order at this account.
    ///   - order: The order.
    ///   - initiator: Who begins the payment, and for what.
    ///   - serial: As in ``pay(_:for:form:agePolicy:session:again:)``.
    /// - Returns: The state of the order, recorded in the ledger unless `isRecorded` is false.
    /// - Throws: ``PaymentError``: `gateway/unsupported-operation` (`card`) at a gateway without stored cards,
    ///   `gateway/unsupported-value` for a card of another account (`card`), and for an initiator that the gateway does not
    ///   document (`initiator`); then `replay/ledger-unavailable`, `order` with codes `reference-changed`, `no-payment` (`again`)
    ///   and `invalid-reference`, those of `PaymentGateway.check(_:attempt:)` and of
    ///   `PaymentGateway.payment(with:by:for:attempt:)`, and `gateway/not-sent`. Nothing was charged then.
    public func pay(
        _ card: StoredCard, for order: Order, initiator: PaymentInitiator,
        again serial: ExactText? = nil
    ) async throws(PaymentError) -> OrderOutcome {
        try await payer.pay(card, by: initiator, for: order, again: serial)
    }

    /// Creates a page of the gateway on which the customer pays an order, once.
    ///
    /// The order has at most one payment then, too: if it has an attempt already, that attempt's state is returned, with the
    /// page's address as long as the customer may pay there. The address is given only after the page is recorded.
    ///
    /// - Parameters:
    ///   - order: The order; it needs a return address.
    ///   - serial: As in ``pay(_:for:form:agePolicy:session:again:)``.
    /// - Returns: The state of the order: `action-required` with the address that the customer must open, unless the order
    ///   has another attempt or the gateway refuses the page.
    /// - Throws: ``PaymentError``: `gateway/unsupported-operation` for a gateway without pages; then
    ///   `replay/ledger-unavailable`, `order` with codes `reference-changed`, `no-payment` (`again`) and `invalid-reference`, those of
    ///   `PaymentGateway.page(for:attempt:)`, and `gateway/not-sent`. The customer can pay on no page then.
    public func page(
        for order: Order, again serial: ExactText? = nil
    ) async throws(PaymentError) -> OrderOutcome {
        try await payer.createPage(for: order, again: serial)
    }

    // MARK: Asking

    /// Returns the state of an order, after asking the gateway.
    ///
    /// It is `pending` with the reason `OrderOutcome.inProgress` if another call or process pays it at this moment, and the
    /// gateway does not have the payment yet.
    ///
    /// - Parameter reference: The order.
    /// - Returns: The state; nil if there is no attempt, or only attempts that were released.
    /// - Throws: ``PaymentError``: `replay/ledger-unavailable`.
    public func state(of reference: ExactText) async throws(PaymentError) -> OrderOutcome? {
        try await inquirer.state(of: reference)
    }

    /// The results of ``recover(limit:)``.
    public struct Recovery: Hashable, Codable, Sendable {
        /// The number of attempts that were asked about.
        public var asked = 0
        /// The number of attempts that were released, because nothing was sent.
        public var released = 0
        /// The number of attempts whose state changed otherwise.
        public var changed = 0
        /// The number of attempts whose records could not be read or written.
        public var failed = 0
        /// The number of attempts that were asked about, and about which the gateway did not answer; they are asked about again.
        public var unanswered = 0
        /// Why it did not answer about one of them, such as the server with which no connection was made; nil if it answered.
        public var reason: ExactText?
    }

    /// Asks about every attempt at this account that is due, and releases those whose owner sent nothing.
    ///
    /// Call it at start-up and every minute, on any number of servers. It never charges. An attempt is asked about after
    /// 1, 2, 4 … minutes, at most every 6 hours. One whose request may have been sent ends only by a report about its
    /// payment: ``openPayments(after:limit:)`` lists the others, and a person decides.
    ///
    /// - Parameter limit: The greatest number of attempts.
    /// - Returns: The numbers of attempts.
    /// - Throws: ``PaymentError``: `replay/ledger-unavailable`.
    @discardableResult
    public func recover(limit: Int = 1_000) async throws(PaymentError) -> Recovery {
        try await inquirer.recover(limit: max(limit, 0))
    }

    /// Receives a message of the gateway's, or a customer's return from its page: verifies it, and asks the gateway for the
    /// state of the payment.
    ///
    /// Forged, late, repeated and reordered messages therefore do no harm. If the gateway cannot be asked, a message about a
    /// payment is believed if none of its totals is smaller than before; after one about an operation the order is
    /// `unknown`.
    ///
    /// - Parameter message: The message, as it was received.
    /// - Returns: The answer for the gateway, and the state of the order.
    public func receive(_ message: GatewayMessage) async -> MessageReply {
        await inquirer.receive(message)
    }
}

/// What a program that may be about to end permits; an error prevents a payment or an operation, and is thrown to its caller.
package struct OrderPermission: Sendable {
    /// Asked before an order and its token are claimed, which ends with a release unless money may move.
    package var claim: @Sendable () throws(PaymentError) -> Void = {}
    /// Asked before it is recorded that money may move; afterwards the exchange and its record must be finished.
    package var sending: @Sendable () throws(PaymentError) -> Void = {}

    /// Creates permission for everything.
    package init() {}
}

/// The clock of payments, which tests replace.
package struct OrderTime: Sendable {
    /// Returns the current time.
    package var now: @Sendable () -> Date = { Date() }
    /// Returns the time that the limit for the first byte of a request counts from; this clock is never set.
    package var instant: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Waits.
    package var sleep: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

    /// Creates the system's clock.
    package init() {}
}

extension OrderPayments: CustomStringConvertible, CustomReflectable {
    /// The gateway's name.
    public var description: String { "OrderPayments(\(inquirer.gateway.name))" }

    /// A mirror without children, so that dumps do not include keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
