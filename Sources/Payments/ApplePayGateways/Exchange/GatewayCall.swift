public import ApplePayAcceptance
public import ApplePayWire
public import FoundationEssentials

/// A request to a gateway that knows which payment it is about, and how its answer is read.
///
/// A payment can take several requests, such as a session before the payment itself: the reader of an answer then returns
/// the next one. `OrderPayments` of ApplePayOrders sends all of them; a gateway only creates them.
public struct GatewayCall<Outcome: GatewayOutcome>: Sendable {
    /// The result of an answer.
    public enum Reading: Sendable {
        /// The result.
        case outcome(Outcome)
        /// Another request, to be sent now.
        case next(GatewayCall)

        /// A request that prepares the payment failed, such as a login, so the payment is not sent.
        case notSent(PaymentError)

        /// A request that prepares the payment failed, so the payment is not sent, with the reason in a sentence.
        public static func notSent(because reason: String) -> Reading {
            .notSent(PaymentError(.notSent, reason: reason))
        }
    }

    /// The payment, with the identifiers that earlier answers contained; nil for a request that is about none, such as
    /// that of a card issuer.
    public let attempt: PaymentAttempt?

    /// Whether this request can move money: once a byte of it may have been sent, only the gateway knows the result.
    public let canMoveMoney: Bool

    private let gateway: (any PaymentGateway)?
    private let makeRequest: @Sendable (Date) throws(PaymentError) -> GatewayRequest
    private let readResponse: @Sendable (GatewayResponse) -> Reading

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - attempt: The payment.
    ///   - gateway: The gateway, which is asked again.
    ///   - canMoveMoney: Whether the request can move money.
    ///   - request: Creates the request for the time at which it is sent, signed if the gateway requires it.
    ///   - read: Reads the answer.
    public init(
        _ attempt: PaymentAttempt, at gateway: any PaymentGateway, canMoveMoney: Bool,
        request: @escaping @Sendable (Date) throws(PaymentError) -> GatewayRequest,
        read: @escaping @Sendable (GatewayResponse) -> Reading
    ) {
        self.attempt = attempt
        self.gateway = gateway
        self.canMoveMoney = canMoveMoney
        makeRequest = request
        readResponse = read
    }

    /// Creates a call that is about no payment and moves no money.
    public init(_ request: GatewayRequest, read: @escaping @Sendable (GatewayResponse) -> Reading) {
        attempt = nil
        gateway = nil
        canMoveMoney = false
        makeRequest = { _ throws(PaymentError) in request }
        readResponse = read
    }

    /// Returns the request as it is sent at a time, with its signature; gateways refuse signatures that are some
    /// minutes old.
    ///
    /// - Throws: ``PaymentError``: `gateway` with the errors of the credentials, and `library-failure`.
    package func request(at date: Date) throws(PaymentError) -> GatewayRequest {
        try makeRequest(date)
    }

    /// Reads the answer to this request: the result, or the next request.
    package func read(_ response: GatewayResponse) -> Reading { readResponse(response) }

    /// Returns the outcome of this request if no answer to it is known.
    package func unknown(_ reason: ExactText) -> Outcome {
        var report = gateway.map { PaymentReport(gateway: $0.name) }
        report?.paymentID = attempt?.paymentID
        report?.sessionID = attempt?.sessionID
        report?.fault = reason
        return Outcome(unknown: reason, report: report)
    }
}

/// A request about the payment of an order.
public typealias PaymentCall = GatewayCall<OrderOutcome>

/// A request for a capture, a cancellation or a refund.
public typealias OperationCall = GatewayCall<OperationOutcome>

/// The result of a ``GatewayCall``.
public protocol GatewayOutcome: Sendable {
    /// Creates the outcome of a request to which no answer is known.
    ///
    /// - Parameters:
    ///   - reason: Why, in one sentence for people.
    ///   - report: The identifiers that are known of the payment.
    init(unknown reason: ExactText, report: PaymentReport?)
}

extension GatewayCall where Outcome == OrderOutcome {
    /// Creates a call about a payment with a request that is sent as it is, without a signature; the outcome is
    /// concluded from the report and ``PaymentGateway/isTest``.
    public init(
        _ attempt: PaymentAttempt, at gateway: any PaymentGateway, canMoveMoney: Bool,
        _ request: GatewayRequest, report: @escaping @Sendable (GatewayResponse) -> PaymentReport
    ) {
        let isTest = gateway.isTest
        self.init(
            attempt, at: gateway, canMoveMoney: canMoveMoney, request: { _ in request },
            read: { .outcome(OrderOutcome(report: report($0), attempt: attempt, isTest: isTest)) })
    }
}

extension GatewayCall where Outcome == OperationOutcome {
    /// Creates the call of a capture, a cancellation or a refund.
    package init(
        _ attempt: PaymentAttempt, at gateway: any PaymentGateway, _ kind: PaymentOperation.Kind,
        _ amount: Int64,
        request: @escaping @Sendable (Date) throws(PaymentError) -> GatewayRequest,
        report: @escaping @Sendable (GatewayResponse) -> PaymentReport
    ) {
        self.init(attempt, at: gateway, canMoveMoney: true, request: request) {
            .outcome(OperationOutcome(report($0), of: kind, amount: amount, on: attempt))
        }
    }
}

extension GatewayCall {
    /// Creates a call that prepares another one, such as a login.
    ///
    /// If it fails, nothing that can move money was sent, so the payment is not sent.
    ///
    /// `name` is a word for what the request asks for, `read` reads what the next request needs.
    package static func preparation<Value>(
        _ name: String, _ attempt: PaymentAttempt, at gateway: any PaymentGateway,
        _ request: GatewayRequest,
        read: @escaping @Sendable (GatewayResponse) throws(PaymentError) -> Value,
        _ next: @escaping @Sendable (Value) throws(PaymentError) -> GatewayCall
    ) -> GatewayCall {
        GatewayCall(
            attempt, at: gateway, canMoveMoney: false, request: { _ in request },
            read: { response in
                let value: Value
                do throws(PaymentError) {
                    value = try read(response)
                } catch {
                    return .notSent(because: response.failure(of: name, error))
                }
                do throws(PaymentError) {
                    return .next(try next(value))
                } catch {
                    return .notSent(error)
                }
            })
    }
}

extension GatewayResponse {
    /// Returns why an answer to a request that prepares a payment cannot be used, in a sentence: its HTTP status and the
    /// gateway's code, or what cannot be read.
    package func failure(of name: String, _ error: PaymentError) -> String {
        guard !isAccepted else { return "The answer to the \(name) cannot be read: \(error)" }
        let stated = (try? object())?["error"]
        let code = stated?["code"]?.string ?? stated?["message"]?.string ?? stated?.string
        return
            "The answer to the \(name) has HTTP status \(status)\(code.map { " (\($0))" } ?? "")."
    }
}
