public import ApplePayAcceptance
public import ApplePayWire
public import FoundationEssentials

/// A merchant's account at a payment gateway: writes the requests, and reads the answers and the messages.
///
/// The gateways of this module conform to it, and a shop can add its own. A conformance creates ``GatewayCall`` values
/// whose readers fill in ``PaymentReport``; it never sends one, and never decides what an order's state is. `OrderPayments`
/// of ApplePayOrders does both.
///
/// The description of a gateway is its name, and its mirror has no children, so that dumps show no keys.
public protocol PaymentGateway: Sendable, CustomStringConvertible, CustomReflectable {
    /// The name of the gateway, the same in every report.
    var name: ExactText { get }

    /// The gateway's abilities.
    var abilities: GatewayAbilities { get }

    /// Whether the account is for tests; compared with what reports state.
    ///
    /// It is recorded with each attempt, as ``account`` is, so that a test payment pays no order of a live account.
    var isTest: Bool { get }

    /// The gateway's identifier of the account, or one that the shop chose; it never changes.
    ///
    /// It is recorded with each attempt, so that no other account is asked about it: another shop may have an order with the
    /// same reference there.
    var account: ExactText { get }

    /// Checks whether the gateway accepts an order: its amount, texts and lines, and the attempt's reference.
    ///
    /// - Throws: ``PaymentError`` with stage `gateway`.
    func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError)

    /// Creates the request that charges a payment, or the first of several requests.
    ///
    /// - Throws: ``PaymentError`` with stage `gateway`: the errors of ``check(_:attempt:)``, and what the payment itself
    ///   lacks, such as a cryptogram.
    func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall

    /// Creates the request that charges a card which the gateway stored, or the first of several requests.
    ///
    /// - Parameters:
    ///   - card: The card, which is stored at this account.
    ///   - initiator: Who begins the payment: one of ``GatewayAbilities/initiators``.
    ///   - order: The order.
    ///   - attempt: The attempt to pay it.
    /// - Returns: The request, as of ``payment(_:)``.
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-operation` for a gateway without stored cards, then the
    ///   errors of ``check(_:attempt:)``, and those of what the card lacks.
    func payment(
        with card: PaymentReport.Card, by initiator: PaymentInitiator, for order: Order,
        attempt: PaymentAttempt
    ) throws(PaymentError) -> PaymentCall

    /// Creates the request for a page of the gateway on which the customer pays an order, which itself moves no money.
    ///
    /// The report about its answer has an address, a `sessionID`, with which the state of the payment is asked for, and
    /// ``PaymentReport/returnCode`` if the customer's return can be verified.
    ///
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-operation` for a gateway without pages, then the
    ///   errors of ``check(_:attempt:)``, and those of the return address.
    func page(for order: Order, attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall

    /// Returns the request that charges a payment, without the account's credentials, for a shop that sends it with a
    /// client of its own, which adds them.
    ///
    /// It is not recorded and not sent: nothing prevents that an order is charged twice, or that an answer is lost.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - order: The order, which the payment must fit.
    /// - Returns: The method, the address, the headers and the body.
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-operation` if the request needs earlier answers or
    ///   contains credentials, `order` with the codes of `Order.check(_:)` and `invalid-reference`, then the errors of
    ///   ``check(_:attempt:)`` and ``payment(_:)``.
    func paymentRequest(
        _ payment: Payment, for order: Order
    ) throws(PaymentError) -> GatewayRequest

    /// Creates a query for the state of a payment, which changes nothing at the gateway.
    ///
    /// The payment is asked for by its identifier, if that is known and the gateway supports it, otherwise by its
    /// reference.
    ///
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-operation` if the gateway cannot be asked with
    ///   what is known.
    func status(of attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall

    /// Creates the request for a capture, a cancellation or a refund.
    ///
    /// `payment` is the last report about the payment, such as that of a status query: no more than remains is
    /// captured or refunded.
    ///
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-operation`, then those of
    ///   ``PaymentOperation/amount(on:of:)``, then those of the gateway's fields.
    func perform(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> OperationCall

    /// Verifies a message of the gateway's, with its body as it was received, and reads it.
    ///
    /// - Throws: ``PaymentError``.
    func read(
        _ message: GatewayMessage, receivedAt time: Date
    ) throws(PaymentError) -> GatewayMessageContents
}

extension PaymentGateway {
    /// The gateway's name.
    public var description: String { String(name) }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Throws `gateway/unsupported-operation`, for a gateway without stored cards.
    public func payment(
        with card: PaymentReport.Card, by initiator: PaymentInitiator, for order: Order,
        attempt: PaymentAttempt
    ) throws(PaymentError) -> PaymentCall {
        throw .gateway(.unsupportedOperation, "card")
    }

    /// Throws `gateway/unsupported-operation`, for a gateway without pages.
    public func page(
        for order: Order, attempt: PaymentAttempt
    ) throws(PaymentError) -> PaymentCall {
        throw .gateway(.unsupportedOperation, "page")
    }

    /// Throws `gateway/unsupported-operation`, for a gateway whose request only `OrderPayments` can send.
    public func paymentRequest(
        _ payment: Payment, for order: Order
    ) throws(PaymentError) -> GatewayRequest {
        throw .gateway(
            .unsupportedOperation, "a payment that another client sends; let pay send it")
    }

    /// Throws `gateway/unsupported-operation`, for a gateway that cannot be asked.
    public func status(of attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        throw .gateway(.unsupportedOperation, "status")
    }

    /// Throws `gateway/unsupported-operation`, for a gateway without captures, cancellations and refunds.
    public func perform(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> OperationCall {
        throw .gateway(.unsupportedOperation, operation.kind.rawValue)
    }

    /// Throws `unsupported-messages`, for a gateway whose messages cannot be verified.
    public func read(
        _ message: GatewayMessage, receivedAt time: Date
    ) throws(PaymentError) -> GatewayMessageContents {
        throw .gateway(.unsupportedMessages)
    }

    /// Returns the request that charges a payment, without the headers that contain credentials.
    ///
    /// - Throws: The errors of ``paymentRequest(_:for:)-swift.requirement``, where those of the request are those of `write`.
    package func withoutCredentials(
        _ payment: Payment, for order: Order,
        _ write: (PaymentInput) throws(PaymentError) -> GatewayRequest
    ) throws(PaymentError) -> GatewayRequest {
        try order.check(payment)
        let attempt = try PaymentAttempt(order)
        try check(order, attempt: attempt)
        let request = try write(PaymentInput(order, attempt, payment.token.parsed, payment))
        return GatewayRequest(
            method: request.method, request.origin, request.path, query: request.query,
            headers: request.headers.filter { !$0.isSecret }, body: request.body)
    }

    /// Checks an operation against the gateway's abilities, and returns its amount.
    ///
    /// - Throws: The errors of ``perform(_:on:of:)``, before those of the gateway's fields.
    package func amount(
        of operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> Int64 {
        let (kind, extent) = (operation.kind, abilities[operation.kind])
        guard extent != .none else { throw .gateway(.unsupportedOperation, kind.rawValue) }
        let amount = try operation.amount(on: payment, of: attempt)
        let all = try PaymentOperation(kind, name: "").amount(on: payment, of: attempt)
        guard extent == .part || amount == all else {
            throw PaymentError(
                .unsupportedAmount, members: ["amount"],
                reason: "the gateway does this only with all of it, \(all) minor units")
        }
        return amount
    }
}

extension PaymentError {
    /// Creates the error for a field that a gateway does not accept, for what it cannot do, or for a member of a text of the
    /// gateway's, also for a gateway that you write; without a field it is about the whole.
    public static func gateway(_ code: Code, _ field: String = "") -> PaymentError {
        PaymentError(code, members: field.isEmpty ? [] : [field])
    }

    /// The error if the time in which a request may be sent was over.
    package static let paused = PaymentError(
        .notSent, reason: "This process paused before it could send the request")

    /// Creates the error for an object of the gateway's in which the order cannot be paid.
    package static func session(_ reason: String) -> PaymentError {
        PaymentError(.unsupportedValue, members: ["session"], reason: reason)
    }
}
