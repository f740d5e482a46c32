public import ApplePayPrimitives
public import ApplePayToken

extension PayPal {
    /// The present order: `GET /v2/checkout/orders/{id}`.
    ///
    /// - Parameters:
    ///   - id: The order's `id`.
    ///   - accessToken: The access token, visible ASCII.
    ///   - environment: Where to send it.
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

    /// Captures an order that is approved and not yet paid: `POST /v2/checkout/orders/{id}/capture`.
    ///
    /// An order made with Apple Pay data is captured when it is made, as far as is known; this is for
    /// answers whose status is `APPROVED`.
    ///
    /// - Parameters:
    ///   - id: The order's `id`.
    ///   - accessToken: The access token, visible ASCII.
    ///   - requestID: The header `PayPal-Request-Id`, 1 to 108 visible ASCII characters;
    ///     the length is from the published API reference; not confirmed here.
    ///   - environment: Where to send it.
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

    /// Authorises an order that is approved: `POST /v2/checkout/orders/{id}/authorize`.
    ///
    /// - Parameters:
    ///   - id: The order's `id`.
    ///   - accessToken: The access token, visible ASCII.
    ///   - requestID: The header `PayPal-Request-Id`, 1 to 108 visible ASCII characters;
    ///     the length is from the published API reference; not confirmed here.
    ///   - environment: Where to send it.
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
