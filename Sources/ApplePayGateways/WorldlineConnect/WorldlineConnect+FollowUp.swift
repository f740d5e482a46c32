public import ApplePayToken

extension WorldlineConnect {
    /// GetHostedCheckout: `GET /v1/{merchantId}/hostedcheckouts/{hostedCheckoutId}`.
    ///
    /// - Parameters:
    ///   - id: `hostedCheckoutId` of the answer to CreateHostedCheckout.
    ///   - account: Whose payment it is, and where.
    /// - Returns: The request, not yet signed, without a body.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `hostedCheckoutId` and `merchantId`.
    ///
    /// Source: Worldline Connect's server SDKs.
    public static func getHostedCheckout(
        _ id: String,
        account: Account = Account()
    ) throws(PaymentTokenError) -> GatewayRequest {
        try account.api.get("hostedcheckouts", id, "hostedCheckoutId")
    }

    /// GetPayment: `GET /v1/{merchantId}/payments/{paymentId}`.
    ///
    /// - Parameters:
    ///   - id: `id` of a payment.
    ///   - account: Whose payment it is, and where.
    /// - Returns: The request, not yet signed, without a body.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `paymentId` and `merchantId`.
    ///
    /// Source: Worldline Connect's server SDKs.
    public static func getPayment(
        _ id: String,
        account: Account = Account()
    ) throws(PaymentTokenError) -> GatewayRequest {
        try account.api.get("payments", id, "paymentId")
    }
}
