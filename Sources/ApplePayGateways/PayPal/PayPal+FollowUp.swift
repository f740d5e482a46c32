public import ApplePayPrimitives
public import ApplePayToken

extension PayPal {
    /// Creates a request for the order's current state: `GET /v2/checkout/orders/{id}`.
    ///
    /// - Parameters:
    ///   - id: The order's `id`.
    ///   - accessToken: The access token, visible ASCII.
    ///   - environment: The server that receives the request.
    /// - Returns: The request, without a body.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `id`, then for `accessToken`.
    ///
    /// Source: PayPal, *Orders v2*, "Show order details".
    public static func getOrder(
        _ id: String,
        accessToken: SensitiveBytes,
        environment: Environment = .live
    ) throws(PaymentTokenError) -> GatewayRequest {
        let segment = try PathSegment.encoded(id, "id")
        let authorization = try GatewayHeader.checked(
            secret: "Authorization", prefix: "Bearer ", accessToken, "accessToken")
        return GatewayRequest(
            method: "GET", environment.rawValue, "/v2/checkout/orders/\(segment)",
            headers: [authorization])
    }

    /// Creates a request that captures an order that is approved but not yet paid:
    /// `POST /v2/checkout/orders/{id}/capture`.
    ///
    /// As far as is known, PayPal captures an order with Apple Pay data when the order is created. This request is for
    /// answers with the status `APPROVED`.
    ///
    /// - Parameters:
    ///   - id: The order's `id`.
    ///   - accessToken: The access token, visible ASCII.
    ///   - requestID: The header `PayPal-Request-Id`, 1 to 108 visible ASCII characters; the length is from the
    ///     published API reference and was not confirmed.
    ///   - environment: The server that receives the request.
    /// - Returns: The request; its body is `{}`.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `id`, `accessToken` and `PayPal-Request-Id`.
    ///
    /// Source: PayPal, *Orders v2*, "Capture payment for order".
    public static func captureOrder(
        _ id: String,
        accessToken: SensitiveBytes,
        requestID: String,
        environment: Environment = .live
    ) throws(PaymentTokenError) -> GatewayRequest {
        try followUp(id, "capture", accessToken, requestID, environment)
    }

    /// Creates a request that authorizes an approved order: `POST /v2/checkout/orders/{id}/authorize`.
    ///
    /// - Parameters:
    ///   - id: The order's `id`.
    ///   - accessToken: The access token, visible ASCII.
    ///   - requestID: The header `PayPal-Request-Id`, 1 to 108 visible ASCII characters; the length is from the
    ///     published API reference and was not confirmed.
    ///   - environment: The server that receives the request.
    /// - Returns: The request; its body is `{}`.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `id`, `accessToken` and `PayPal-Request-Id`.
    ///
    /// Source: PayPal, *Orders v2*, "Authorize payment for order".
    public static func authorizeOrder(
        _ id: String,
        accessToken: SensitiveBytes,
        requestID: String,
        environment: Environment = .live
    ) throws(PaymentTokenError) -> GatewayRequest {
        try followUp(id, "authorize", accessToken, requestID, environment)
    }

    private static func followUp(
        _ id: String,
        _ action: String,
        _ accessToken: SensitiveBytes,
        _ requestID: String,
        _ environment: Environment
    ) throws(PaymentTokenError) -> GatewayRequest {
        let segment = try PathSegment.encoded(id, "id")
        return GatewayRequest(
            environment.rawValue, "/v2/checkout/orders/\(segment)/\(action)",
            headers: try headers(accessToken, requestID: requestID),
            body: JSONBody.object { _ in })
    }
}
