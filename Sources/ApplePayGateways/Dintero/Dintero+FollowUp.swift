internal import ApplePayPrimitives
public import ApplePayToken

extension Dintero {
    /// Asks for a transaction: `GET /v1/transactions/{transaction_id}`.
    ///
    /// - Parameters:
    ///   - transactionId: The transaction, from a session, a callback or the address of a return.
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

    /// Asks for a session, which names its transaction once a payment is completed: `GET /v1/sessions/{session_id}`.
    ///
    /// - Parameters:
    ///   - sessionId: The session.
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

    /// Captures, voids or refunds a transaction: `POST /v1/transactions/{transaction_id}/capture`, `/void` or `/refund`.
    ///
    /// No header makes a repetition harmless: after an answer that did not arrive, ask for the transaction first.
    ///
    /// - Parameters:
    ///   - operation: What is done.
    ///   - transactionId: The transaction.
    ///   - amount: The part in minor units; nil for all of it. A void is always for all of it.
    ///   - authorized: What was authorized.
    ///   - reason: `reason` of a refund; nil leaves it out.
    ///   - accessToken: The merchant's access token, sent after `Bearer`.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request; its body is compact UTF-8 JSON, and a void has none. ``TransactionAnswer`` reads the
    ///   answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-amount` (`amount`) for less than 1 or more
    ///   than what was authorized, or for a part of a void, then `unsupported-length` or `unsupported-character`
    ///   for `transaction_id` and `access_token`.
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
