public import ApplePayToken
internal import ApplePayWire

extension WorldlineDirect {
    /// CreateHostedCheckout: `POST /v2/{merchantId}/hostedcheckouts`, a page of Worldline's with Apple Pay.
    ///
    /// - Parameters:
    ///   - order: The order; 0 minor units or more.
    ///   - checkout: The page.
    ///   - account: Whose payment it is, and where.
    ///   - sessionTimeout: `sessionTimeout` in minutes; nil leaves it at Worldline's 180.
    ///   - allowedPaymentAttempts: `allowedNumberOfPaymentAttempts`, 1 to 10; nil leaves it at 10.
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
        guard (sessionTimeout ?? 1) > 0 else {
            throw PaymentTokenError(.unsupportedValue, member: "sessionTimeout")
        }
        guard (1...10).contains(allowedPaymentAttempts ?? 1) else {
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
