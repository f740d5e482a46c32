public import ApplePayPrimitives
public import ApplePayToken

extension BePaid {
    /// The second route: a payment under a checkout's payment token, `POST /ctp/api/apple_pay/payment`.
    ///
    /// Here Apple's token is a JSON object and `contract` a Boolean; neither amount nor currency is
    /// said, since the checkout knows them. No credentials are sent.
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

    /// The same with a token of which nothing is proven.
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

    /// Asks bePaid to validate the merchant for a web page: `POST /ctp/api/apple_pay/validate`.
    ///
    /// - Parameters:
    ///   - validationURL: The address that Apple's script gave, `validationURL` of its event.
    ///   - checkoutToken: The payment token that `/checkouts` returned.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request, with `X-API-Version: 2`; its answer goes to Apple's script as it is.
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
