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
        let input = Worldline.OrderInput(
            amount: order.amount, currency: order.currency,
            merchantReference: checkout.merchantReference, customer: checkout.customer,
            shipping: checkout.shipping)
        try input.check([:])
        let body = JSONBody.object { body in
            input.write(into: &body)
            body.object("hostedCheckoutSpecificInput") { body in
                checkout.write(into: &body)
                body.integer("sessionTimeout", sessionTimeout)
                body.integer("allowedNumberOfPaymentAttempts", allowedPaymentAttempts)
            }
            body.object("mobilePaymentMethodSpecificInput") { body in
                body.string("authorizationMode", checkout.authorizationMode?.rawValue)
                body.integer("paymentProductId", Worldline.paymentProductId)
                applePay?.write(order.currency, into: &body)
            }
        }
        return GatewayRequest(
            account.environment.rawValue, try account.path("/hostedcheckouts"),
            headers: try contentHeaders(nil), body: body)
    }

    /// GetHostedCheckout: `GET /v2/{merchantId}/hostedcheckouts/{hostedCheckoutId}`.
    ///
    /// - Parameters:
    ///   - id: `hostedCheckoutId` of the answer to CreateHostedCheckout.
    ///   - account: Whose payment it is, and where.
    /// - Returns: The request, not yet signed, without a body.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `hostedCheckoutId` and `merchantId`.
    ///
    /// Source: Worldline Direct server SDKs.
    public static func getHostedCheckout(
        _ id: String,
        account: Account = Account()
    ) throws(PaymentTokenError) -> GatewayRequest {
        let segment = try PathSegment.encoded(id, "hostedCheckoutId")
        return GatewayRequest(
            method: "GET", account.environment.rawValue,
            try account.path("/hostedcheckouts/\(segment)"))
    }

    /// GetPayment: `GET /v2/{merchantId}/payments/{paymentId}`.
    ///
    /// - Parameters:
    ///   - id: `id` of a payment.
    ///   - account: Whose payment it is, and where.
    /// - Returns: The request, not yet signed, without a body.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `paymentId` and `merchantId`.
    ///
    /// Source: Worldline Direct server SDKs.
    public static func getPayment(
        _ id: String,
        account: Account = Account()
    ) throws(PaymentTokenError) -> GatewayRequest {
        let segment = try PathSegment.encoded(id, "paymentId")
        return GatewayRequest(
            method: "GET", account.environment.rawValue, try account.path("/payments/\(segment)"))
    }
}
