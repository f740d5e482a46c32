internal import ApplePayPrimitives
public import ApplePayToken

extension BePaid {
    /// Creates a status query by a transaction's `uid`: `GET /transactions/{uid}`.
    ///
    /// - Parameters:
    ///   - uid: ``TransactionAnswer/uid``.
    ///   - shop: The shop.
    /// - Returns: The request, without a body; ``StatusAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or `unsupported-character` for `uid`
    ///   and `shop_id`, then `unsupported-length` (`secret_key`).
    ///
    /// Source: bePaid, *Status query* (2026-11-22).
    public static func statusRequest(
        uid: String,
        shop: Shop
    ) throws(PaymentTokenError) -> GatewayRequest {
        try get("/transactions/\(try PathSegment.encoded(uid, "uid"))", shop)
    }

    /// Creates a status query for the transactions of an order: `GET /v2/transactions/tracking_id/{tracking_id}`.
    ///
    /// - Parameters:
    ///   - trackingId: `tracking_id` of the payment, unique for each order.
    ///   - shop: The shop.
    /// - Returns: The request, without a body; ``StatusAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or `unsupported-character` for
    ///   `tracking_id` and `shop_id`, then `unsupported-length` (`secret_key`).
    ///
    /// Source: bePaid, *Status query* (2026-11-22).
    public static func statusRequest(
        trackingId: String,
        shop: Shop
    ) throws(PaymentTokenError) -> GatewayRequest {
        let segment = try PathSegment.encoded(trackingId, "tracking_id")
        return try get("/v2/transactions/tracking_id/\(segment)", shop)
    }

    /// Creates a request for a capture, void or refund: `POST /transactions/captures`, `/voids` or `/refunds`.
    ///
    /// - Parameters:
    ///   - operation: The operation to request.
    ///   - uid: `parent_uid`: the authorization; for a refund the payment or the capture.
    ///   - amount: The amount in minor units; nil for the whole amount.
    ///   - authorized: The amount and currency that were authorized; for a refund, those that were paid.
    ///   - reason: `reason`, at most 255 characters; bePaid requires it for refunds.
    ///   - requestID: The header `RequestID`, visible ASCII; nil leaves it out.
    ///   - shop: The shop.
    /// - Returns: The request; its body is compact UTF-8 JSON. ``TransactionAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or `unsupported-character`
    ///   (`shop_id`), `unsupported-length` (`secret_key`), `unsupported-amount` (`amount`) for less than 1 or more
    ///   than was authorized, `unsupported-length` (`parent_uid`; `reason`, also for a refund without one), then
    ///   `unsupported-length` or `unsupported-character` (`RequestID`).
    ///
    /// Source: bePaid, *Capture*, *Void*, *Refund* (2026-11-22).
    public static func operation(
        _ operation: PaymentOperation,
        uid: String,
        amount: Int64? = nil,
        authorized: Order,
        reason: String? = nil,
        requestID: String? = nil,
        shop: Shop
    ) throws(PaymentTokenError) -> GatewayRequest {
        let authorization = try authorization(shop)
        let part = try authorized.part(amount, "amount")
        try FieldLength.check(uid, "parent_uid", 1...255)
        if operation == .refund { try FieldLength.check(reason ?? "", "reason", 1...Int.max) }
        try FieldLength.check(reason, "reason", textCounts)
        let requestID = try self.requestID(requestID)
        let body = JSONBody.object { body in
            body.object("request") { body in
                body.string("parent_uid", uid)
                body.integer("amount", part.amount)
                body.string("reason", reason)
            }
        }
        let path =
            switch operation {
            case .capture: "/transactions/captures"
            case .cancel: "/transactions/voids"
            case .refund: "/transactions/refunds"
            }
        return GatewayRequest(
            shop.origin, path, headers: [authorization, .contentType(), accept] + requestID,
            body: body)
    }

    private static func get(
        _ path: String,
        _ shop: Shop
    ) throws(PaymentTokenError) -> GatewayRequest {
        GatewayRequest(
            method: "GET", shop.origin, path, headers: [try authorization(shop), accept])
    }
}
