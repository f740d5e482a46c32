public import ApplePayToken

extension WorldlineConnect {
    /// Creates a CreateHostedCheckout request: `POST /v1/{merchantId}/hostedcheckouts`, for a Worldline page that
    /// offers Apple Pay.
    ///
    /// - Parameters:
    ///   - order: The order; 0 minor units or more.
    ///   - checkout: The page.
    ///   - account: The merchant's account and its environment.
    /// - Returns: The request, not yet signed; its body is compact UTF-8 JSON, without a token.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-value` (`returnUrl`),
    ///   `unsupported-amount` (`amount`), then `unsupported-length` or `unsupported-character` for the
    ///   members of `customer` and `shipping` and for `merchantId`.
    ///
    /// Source: Worldline Connect's server SDKs, `CreateHostedCheckoutRequest`,
    /// `HostedCheckoutSpecificInput`.
    public static func createHostedCheckout(
        order: Order,
        _ checkout: Worldline.HostedCheckout,
        account: Account = Account()
    ) throws(PaymentTokenError) -> GatewayRequest {
        try checkout.checkReturnURL()
        try Worldline.checkAmount(order)
        let input = try Worldline.OrderInput(
            order, scale, checkout.merchantReference, checkout.customer, checkout.shipping,
            lengths: lengths)
        return try account.post(
            "hostedcheckouts", checkout.body(input), idempotenceKey: nil)
    }
}
