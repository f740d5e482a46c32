internal import ApplePayPrimitives
public import ApplePayToken

extension Dintero {
    /// Creates a status query for a transaction: `GET /v1/transactions/{transaction_id}`.
    ///
    /// - Parameters:
    ///   - transactionId: The transaction's identifier, from a session, a callback or the return address.
    ///   - accessToken: The merchant's access token, sent after `Bearer`.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request, without a body; ``TransactionAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or `unsupported-character` for
    ///   `transaction_id` and `access_token`.
    ///
    /// Source: Dintero, *Checkout API*, *Get transaction* (2026-11-22).
    public static func statusRequest(
        transactionId: String,
        accessToken: SensitiveBytes,
        origin: String = defaultOrigin
    ) throws(PaymentTokenError) -> GatewayRequest {
        let segment = try PathSegment.encoded(transactionId, "transaction_id")
        return GatewayRequest(
            method: "GET", origin, "/v1/transactions/\(segment)",
            headers: [try bearer(accessToken)])
    }

    /// Creates a status query for a session: `GET /v1/sessions/{session_id}`.
    ///
    /// Once a payment is completed, the answer contains the identifier of its transaction.
    ///
    /// - Parameters:
    ///   - sessionId: The session's identifier.
    ///   - accessToken: The merchant's access token, sent after `Bearer`.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request, without a body; ``SessionStatusAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or `unsupported-character` for
    ///   `session_id` and `access_token`.
    ///
    /// Source: Dintero, *Checkout API*, *Get session* (2026-11-22).
    public static func statusRequest(
        sessionId: String,
        accessToken: SensitiveBytes,
        origin: String = defaultOrigin
    ) throws(PaymentTokenError) -> GatewayRequest {
        let segment = try PathSegment.encoded(sessionId, "session_id")
        return GatewayRequest(
            method: "GET", origin, "/v1/sessions/\(segment)", headers: [try bearer(accessToken)])
    }

    /// Creates a request for a capture, void or refund of a transaction:
    /// `POST /v1/transactions/{transaction_id}/capture`, `/void` or `/refund`.
    ///
    /// Dintero does not have an idempotency key: if the answer does not arrive, ask for the transaction before you
    /// repeat the request.
    ///
    /// - Parameters:
    ///   - operation: The operation to request.
    ///   - transactionId: The transaction's identifier.
    ///   - amount: The amount in minor units; nil for the whole amount. A void is always for the whole amount.
    ///   - authorized: The amount and currency that were authorized.
    ///   - reason: `reason` of a refund; nil leaves it out.
    ///   - accessToken: The merchant's access token, sent after `Bearer`.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request; its body is compact UTF-8 JSON, and a void does not have a body. ``TransactionAnswer``
    ///   reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-amount` (`amount`) for less than 1 or more
    ///   than was authorized, or for a void of a part, then `unsupported-length` or `unsupported-character` for
    ///   `transaction_id` and `access_token`.
    ///
    /// Source: Dintero, *Checkout API*, *Capture*, *Void*, *Refund* (2026-11-22).
    public static func operation(
        _ operation: PaymentOperation,
        transactionId: String,
        amount: Int64? = nil,
        authorized: Order,
        reason: String? = nil,
        accessToken: SensitiveBytes,
        origin: String = defaultOrigin
    ) throws(PaymentTokenError) -> GatewayRequest {
        let part = try authorized.part(amount, "amount")
        guard operation != .cancel || part.amount == authorized.amount else {
            throw PaymentTokenError(.unsupportedAmount, member: "amount")
        }
        let segment = try PathSegment.encoded(transactionId, "transaction_id")
        let bearer = try bearer(accessToken)
        let path =
            switch operation {
            case .capture: "capture"
            case .cancel: "void"
            case .refund: "refund"
            }
        guard operation != .cancel else {
            return GatewayRequest(
                origin, "/v1/transactions/\(segment)/\(path)", headers: [bearer])
        }
        let body = JSONBody.object { body in
            body.integer("amount", part.amount)
            body.string("reason", operation == .refund ? reason : nil)
        }
        return GatewayRequest(
            origin, "/v1/transactions/\(segment)/\(path)", headers: [bearer, .contentType()],
            body: body)
    }

    private static func bearer(
        _ accessToken: SensitiveBytes
    ) throws(PaymentTokenError) -> GatewayHeader {
        try .checked(
            secret: "Authorization", prefix: "Bearer ", accessToken, "access_token")
    }
}
