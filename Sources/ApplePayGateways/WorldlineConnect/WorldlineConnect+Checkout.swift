public import ApplePayToken

extension WorldlineConnect {
    /// CreateHostedCheckout: `POST /v1/{merchantId}/hostedcheckouts`, a page of Worldline's with Apple Pay.
    ///
    /// - Parameters:
    ///   - order: The order; 0 minor units or more.
    ///   - checkout: The page.
    ///   - account: Whose payment it is, and where.
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
        let input = try orderInput(
            order, checkout.merchantReference, checkout.customer, checkout.shipping)
        let body = JSONBody.object { body in
            input.write(into: &body)
            body.object("hostedCheckoutSpecificInput") { checkout.write(into: &$0) }
            body.object("mobilePaymentMethodSpecificInput") { body in
                body.string("authorizationMode", checkout.authorizationMode?.rawValue)
                body.integer("paymentProductId", Worldline.paymentProductId)
            }
        }
        return GatewayRequest(
            account.environment.origin, try account.path("/hostedcheckouts"),
            headers: try WorldlineDirect.contentHeaders(nil), body: body)
    }

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
        let segment = try PathSegment.encoded(id, "hostedCheckoutId")
        return GatewayRequest(
            method: "GET", account.environment.origin,
            try account.path("/hostedcheckouts/\(segment)"))
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
        let segment = try PathSegment.encoded(id, "paymentId")
        return GatewayRequest(
            method: "GET", account.environment.origin, try account.path("/payments/\(segment)"))
    }
}
