public import ApplePayToken
internal import ApplePayWire

extension WorldlineDirect {
    /// Creates a CreateHostedCheckout request: `POST /v2/{merchantId}/hostedcheckouts`, for a Worldline page that
    /// offers Apple Pay.
    ///
    /// - Parameters:
    ///   - order: The order; 0 minor units or more.
    ///   - checkout: The page.
    ///   - account: The merchant's account and its environment.
    ///   - sessionTimeout: `sessionTimeout` in minutes; nil uses Worldline's default, 180.
    ///   - allowedPaymentAttempts: `allowedNumberOfPaymentAttempts`, 1 to 10; nil uses Worldline's default, 10.
    ///   - applePay: `paymentProduct302SpecificInput`; nil leaves it out.
    /// - Returns: The request, not yet signed; its body is compact UTF-8 JSON, without a token.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-amount` (`amount`, then
    ///   `applePay`'s lines), `unsupported-value` (`returnUrl`, `sessionTimeout`,
    ///   `allowedNumberOfPaymentAttempts`), then `unsupported-length` or `unsupported-character` for
    ///   `countryCode` and `merchantId`.
    ///
    /// Source: Worldline Direct server SDKs, `CreateHostedCheckoutRequest`, `HostedCheckoutSpecificInput`.
    public static func createHostedCheckout(
        order: Order,
        _ checkout: Worldline.HostedCheckout,
        account: Account = Account(),
        sessionTimeout: Int64? = nil,
        allowedPaymentAttempts: Int64? = nil,
        applePay: ApplePayInput? = nil
    ) throws(PaymentTokenError) -> GatewayRequest {
        try checkAmounts(order, applePay)
        try checkout.checkReturnURL()
        if let sessionTimeout, sessionTimeout <= 0 {
            throw PaymentTokenError(.unsupportedValue, member: "sessionTimeout")
        }
        if let allowedPaymentAttempts, !(1...10).contains(allowedPaymentAttempts) {
            throw PaymentTokenError(.unsupportedValue, member: "allowedNumberOfPaymentAttempts")
        }
        let input = try Worldline.OrderInput(
            order, scale, checkout.merchantReference, checkout.customer, checkout.shipping,
            lengths: [:])
        let body = checkout.body(
            input,
            pageMembers: { body in
                body.integer("sessionTimeout", sessionTimeout)
                body.integer("allowedNumberOfPaymentAttempts", allowedPaymentAttempts)
            }, paymentMembers: { applePay?.write(order.currency, into: &$0) })
        return try account.post("hostedcheckouts", body, idempotenceKey: nil)
    }
}
