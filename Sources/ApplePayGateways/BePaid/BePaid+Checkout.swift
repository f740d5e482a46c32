public import ApplePayPrimitives
public import ApplePayToken

extension BePaid {
    /// Creates a payment request under a checkout's payment token: `POST /ctp/api/apple_pay/payment`.
    ///
    /// Apple's token is sent as a JSON object, and `contract` as a Boolean. The request contains neither amount nor
    /// currency, because the checkout knows them, and no credentials.
    ///
    /// - Parameters:
    ///   - token: The verified token.
    ///   - checkoutToken: The payment token that `/checkouts` returned.
    ///   - contract: Whether a reusable card token is to be returned.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request; its body is compact UTF-8 JSON.
    ///
    /// Source: beGateway's iOS SDK, `RequestPaymentAppleV2`.
    public static func checkoutPayment(
        _ token: VerifiedToken,
        checkoutToken: SensitiveBytes,
        contract: Bool = false,
        origin: String = defaultCheckoutOrigin
    ) -> GatewayRequest {
        checkoutPayment(
            token.token, checkoutToken: checkoutToken, contract: contract, origin: origin)
    }

    /// Creates the same request from a token that was not verified.
    package static func checkoutPayment(
        _ token: PaymentToken,
        checkoutToken: SensitiveBytes,
        contract: Bool,
        origin: String = defaultCheckoutOrigin
    ) -> GatewayRequest {
        let body = JSONBody.object { body in
            body.object("request") { body in
                body.object("token") { TokenJSON.writePassKitToken(token, into: &$0) }
            }
            body.secret("token", checkoutToken)
            body.boolean("contract", contract)
        }
        return GatewayRequest(
            origin, "/ctp/api/apple_pay/payment", headers: [.contentType(), accept], body: body)
    }

    /// Creates a request that asks bePaid to validate the merchant for a web page: `POST /ctp/api/apple_pay/validate`.
    ///
    /// - Parameters:
    ///   - validationURL: `validationURL` of the event that Apple's script sent.
    ///   - checkoutToken: The payment token that `/checkouts` returned.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request, with `X-API-Version: 2`. Pass the answer unchanged to Apple's script.
    ///
    /// Source: bePaid, *Apple Pay on your own checkout page*.
    public static func validateMerchant(
        validationURL: String,
        checkoutToken: SensitiveBytes,
        origin: String = defaultCheckoutOrigin
    ) -> GatewayRequest {
        let body = JSONBody.object { body in
            body.string("url", validationURL)
            body.secret("token", checkoutToken)
            body.string("context", "merchant")
        }
        return GatewayRequest(
            origin, "/ctp/api/apple_pay/validate",
            headers: [.contentType(), accept, GatewayHeader("X-API-Version", "2")], body: body)
    }
}
