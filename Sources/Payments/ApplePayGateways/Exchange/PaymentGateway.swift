public import ApplePayToken
public import FoundationEssentials

/// A merchant's account at a payment gateway: writes the requests, and reads the answers and the messages.
///
/// The gateways of this module conform to it, and a shop can add its own. A conformance creates ``GatewayCall`` values
/// whose readers fill in ``PaymentReport``; it never decides what an order's state is.
///
/// The description of a gateway is its name, and its mirror has no children, so that dumps show no keys.
public protocol PaymentGateway: Sendable, CustomStringConvertible, CustomReflectable {
    /// The name of the gateway, the same in every report.
    var name: String { get }

    /// The gateway's abilities.
    var abilities: GatewayAbilities { get }

    /// Whether the account is for tests, compared with what reports state; nil compares nothing.
    var isTest: Bool? { get }

    /// The gateway's identifier of the account; nil compares nothing.
    ///
    /// It is recorded with each attempt, so that no other account is asked about it: another shop may have an order with the
    /// same reference there.
    var account: String? { get }

    /// Checks whether the gateway accepts an order: its amount, texts and lines, and the attempt's reference.
    ///
    /// - Throws: ``PaymentTokenError`` with stage `gateway`.
    func check(_ order: Order, _ attempt: PaymentAttempt) throws(PaymentTokenError)

    /// Creates the request that charges a payment, or the first of several requests.
    ///
    /// - Throws: ``PaymentTokenError`` with stage `gateway`: the errors of ``check(_:_:)``, and what the payment itself
    ///   lacks, such as a cryptogram.
    func payment(_ accepted: AcceptedPayment) throws(PaymentTokenError) -> PaymentCall

    /// Creates a query for the state of a payment, which changes nothing at the gateway.
    ///
    /// The payment is asked for by its identifier, if that is known and the gateway supports it, otherwise by its
    /// reference.
    ///
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-operation` if the gateway cannot be asked with
    ///   what is known.
    func status(of attempt: PaymentAttempt) throws(PaymentTokenError) -> PaymentCall

    /// Creates the request for a capture, a cancellation or a refund.
    ///
    /// `payment` is the last report about the payment, such as that of a status query: no more than remains is
    /// captured or refunded.
    ///
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-operation`, then those of
    ///   ``PaymentOperation/amount(on:of:)``, then those of the gateway's fields.
    func perform(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentTokenError) -> OperationCall

    /// Verifies a message of the gateway's, with its body as it was received, and reads it.
    ///
    /// - Throws: ``GatewayMessageError``.
    func read(
        _ message: GatewayMessage, receivedAt time: Date
    ) throws(GatewayMessageError) -> GatewayMessageContents
}

extension PaymentGateway {
    /// The gateway's name.
    public var description: String { name }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Nil: the gateway's reports do not state whether a payment is a test.
    public var isTest: Bool? { nil }

    /// Nil: the account has no identifier.
    public var account: String? { nil }

    /// Throws `gateway/unsupported-operation`, for a gateway that cannot be asked.
    public func status(of attempt: PaymentAttempt) throws(PaymentTokenError) -> PaymentCall {
        throw .gateway(.unsupportedOperation, "status")
    }

    /// Throws `gateway/unsupported-operation`, for a gateway without captures, cancellations and refunds.
    public func perform(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentTokenError) -> OperationCall {
        throw .gateway(.unsupportedOperation, operation.kind.rawValue)
    }

    /// Throws `unsupported`, for a gateway whose messages cannot be verified.
    public func read(
        _ message: GatewayMessage, receivedAt time: Date
    ) throws(GatewayMessageError) -> GatewayMessageContents {
        throw .init(.unsupported)
    }

    /// Checks an operation against the gateway's abilities, and returns its amount.
    ///
    /// - Throws: The errors of ``perform(_:on:of:)``, before those of the gateway's fields.
    func amount(
        of operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentTokenError) -> Int64 {
        let (kind, extent) = (operation.kind, abilities[operation.kind])
        guard extent != .none else { throw .gateway(.unsupportedOperation, kind.rawValue) }
        let amount = try operation.amount(on: payment, of: attempt)
        let all = try PaymentOperation(kind, name: "").amount(on: payment, of: attempt)
        guard extent == .part || amount == all else { throw .gateway(.unsupportedAmount, "amount") }
        return amount
    }
}

extension PaymentTokenError {
    /// Creates the error for a field that a gateway does not accept, or for what it cannot do.
    public static func gateway(_ code: Code, _ field: String) -> PaymentTokenError {
        PaymentTokenError(code, member: field)
    }
}

extension PaymentAcceptor {
    /// Accepts a token as the payment of an order, after the gateway has checked the order.
    ///
    /// - Parameters:
    ///   - text: The token's UTF-8 JSON, at most 256 KiB.
    ///   - order: The order that the customer was shown.
    ///   - gateway: The gateway that will be paid with; nothing is claimed if it does not accept the order.
    ///   - slot: 1, plus the number of payments of the order that the gateway itself stated as refused or returned.
    /// - Returns: The payment, claimed.
    /// - Throws: ``PaymentTokenError``: the errors of ``PaymentGateway/check(_:_:)``, then those of
    ///   ``PaymentAcceptor/accept(_:form:agePolicy:order:slot:)``.
    public func accept(
        _ text: some Sequence<UInt8>, order: Order, for gateway: some PaymentGateway, slot: Int = 1
    ) async throws(PaymentTokenError) -> AcceptedPayment {
        try gateway.check(order, try PaymentAttempt(order, slot: slot))
        return try await accept(text, order: order, slot: slot)
    }
}
