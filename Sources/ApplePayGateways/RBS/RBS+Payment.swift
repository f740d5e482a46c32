internal import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

extension RBS {
    /// Creates a payment request with the encrypted token: `POST {prefix}/applepay/payment.do`, JSON.
    ///
    /// The request contains the merchant's login, but neither credentials nor an amount nor a currency: the gateway
    /// reads the amount from the token. Compare the amount of ``OrderStatus`` with the order afterwards.
    ///
    /// - Parameters:
    ///   - token: The verified token.
    ///   - merchant: `merchant`, the API login: 1 to 255 characters.
    ///   - orderNumber: `orderNumber`; nil if the gateway numbers orders itself, which BPC's manual does not document.
    ///   - options: The optional members.
    ///   - extras: The members that only this request has.
    ///   - host: The gateway's server.
    /// - Returns: The request; its body is compact UTF-8 JSON, `paymentToken` the base64 of
    ///   `paymentData` itself.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length`, `unsupported-character` or
    ///   `unsupported-amount` for the first field that the gateway does not accept, in the order of these parameters,
    ///   ``PaymentOptions`` and ``PaymentExtras``; `paymentToken` last.
    ///
    /// Source: BPC, *REST API*, "Apple Pay"; RBS, *Apple Pay (mobile application)*.
    public static func payment(
        _ token: VerifiedToken,
        merchant: String,
        orderNumber: String?,
        options: PaymentOptions = PaymentOptions(),
        extras: PaymentExtras = PaymentExtras(),
        host: Host
    ) throws(PaymentTokenError) -> GatewayRequest {
        try payment(
            token.token, merchant: merchant, orderNumber: orderNumber, options: options,
            extras: extras, host: host)
    }

    /// Creates the same request from a token that was not verified.
    package static func payment(
        _ token: PaymentToken,
        merchant: String,
        orderNumber: String?,
        options: PaymentOptions = PaymentOptions(),
        extras: PaymentExtras = PaymentExtras(),
        host: Host
    ) throws(PaymentTokenError) -> GatewayRequest {
        try FieldLength.check(merchant, "merchant", 1...255)
        try check(orderNumber: orderNumber, host.limits)
        try check(options, host.limits)
        try check(extras)
        let paymentToken = try paymentToken(TokenJSON.paymentData(token))
        let body = JSONBody.object { body in
            body.string("merchant", merchant)
            body.string("orderNumber", orderNumber)
            body.string("description", options.description)
            body.string("language", options.language)
            body.boolean("preAuth", options.preAuth)
            body.secret("paymentToken", paymentToken)
            body.string("clientId", options.clientId)
            body.string("email", options.email)
            body.string("phone", extras.phone)
            body.string("tii", options.storedCredential?.rawValue)
            body.string("autocompletionDate", extras.autocompletionDate)
            body.string("autoReverseDate", extras.autoReverseDate)
            body.integer("feeInput", options.feeInput)
            body.string("dynamicCallbackUrl", extras.dynamicCallbackURL)
            write(options.additionalParameters, into: &body)
        }
        return request("/applepay/payment.do", body, host)
    }

    /// Creates a payment request with a decrypted token: `POST {prefix}/applepay/paymentDirect.do`, JSON.
    ///
    /// `paymentToken` is the base64 of Apple's own plaintext, with expiry and amount as Apple wrote them. The request
    /// does not contain another amount, so a token for 0 cannot pay for an order with another amount. It is not known
    /// which banks offer this request.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - order: The order, whose amount and currency must be those of the payment.
    ///   - orderNumber: `orderNumber`.
    ///   - user: The merchant's login.
    ///   - merchant: `merchant`: the merchant on whose behalf the user pays, 1 to 255 characters; nil for the user
    ///     itself.
    ///   - verifies: Whether the card is only verified (`features` with `VERIFY`); the token's amount must then be 0.
    ///   - options: The optional members.
    ///   - host: The gateway's server.
    /// - Returns: The request; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `order` if the amount or the currency differs, then `gateway` with code
    ///   `cryptogram-missing`, `unsupported-amount` for `features` if `verifies` is true and the token's amount is not
    ///   0, or for `paymentToken` if `verifies` is false and the token's amount is not the order's, then
    ///   `unsupported-length`, `unsupported-character` or `unsupported-amount` for `userName`, `password`,
    ///   `orderNumber`, `merchant` and the options; `paymentToken` last.
    ///
    /// Source: BPC, *REST API*, "Apple Pay Direct".
    public static func paymentDirect(
        _ payment: Payment,
        order: Order,
        orderNumber: String,
        user: User,
        merchant: String? = nil,
        verifies: Bool = false,
        options: PaymentOptions = PaymentOptions(),
        host: Host
    ) throws(PaymentTokenError) -> GatewayRequest {
        try order.check(payment)
        _ = try payment.requiredCryptogram("paymentToken")
        let amount = payment.data.amount
        guard amount == (verifies ? 0 : order.amount) else {
            throw PaymentTokenError(
                .unsupportedAmount, member: verifies ? "features" : "paymentToken")
        }
        try user.check()
        try check(orderNumber: orderNumber, host.limits)
        try FieldLength.check(merchant, "merchant", 1...255)
        try check(options, host.limits)
        let paymentToken = try paymentToken(payment.data.rawPayload)
        let body = JSONBody.object { body in
            user.write(into: &body)
            body.string("orderNumber", orderNumber)
            body.string("merchant", merchant)
            body.string("description", options.description)
            body.string("language", options.language)
            body.boolean("preAuth", options.preAuth)
            body.secret("paymentToken", paymentToken)
            body.string("clientId", options.clientId)
            body.string("email", options.email)
            body.string("tii", options.storedCredential?.rawValue)
            body.integer("feeInput", options.feeInput)
            if verifies { body.string("features", "VERIFY") }
            write(options.additionalParameters, into: &body)
        }
        return request("/applepay/paymentDirect.do", body, host)
    }

    private static func write(
        _ parameters: [String: String],
        into body: inout JSONBody
    ) {
        guard !parameters.isEmpty else { return }
        body.object("additionalParameters") { body in
            for name in parameters.keys.sorted() { body.string(name, parameters[name]) }
        }
    }

    static func request(_ path: String, _ body: SensitiveBytes, _ host: Host) -> GatewayRequest {
        GatewayRequest(
            host.origin, host.prefix + path, headers: [.contentType()], body: body)
    }
}

extension RBS {
    /// Creates a payment request with the fields of a decrypted token: `POST {prefix}/token/payment.do`, JSON.
    ///
    /// The expiry is sent as `MM` and `YYYY`, and `eci` as a number, which is left out if Apple gave none. A cardholder
    /// name with fewer than 2 or more than 45 characters is left out. The merchant needs a special permission.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - order: The order, whose amount and currency must be those of the payment.
    ///   - user: The merchant's login.
    ///   - returnURL: `returnUrl`: the address to which the customer returns; not empty.
    ///   - orderNumber: `orderNumber`; nil leaves it out.
    ///   - preAuth: `preAuth`; nil leaves it out.
    ///   - host: The gateway's server.
    /// - Returns: The request; its body is compact UTF-8 JSON, `amount` in minor units, `currency` the
    ///   three digits of ISO 4217.
    /// - Throws: ``PaymentTokenError``: `order` if the amount or the currency differs, then `gateway` with
    ///   code `cryptogram-missing`, then `unsupported-length` for `userName`, `password`, `returnUrl`,
    ///   `orderNumber` and `tokenCryptogram` (at most 1,024 characters).
    ///
    /// Source: BPC, *REST API*, "Tokenised payment".
    public static func tokenPayment(
        _ payment: Payment,
        order: Order,
        user: User,
        returnURL: String,
        orderNumber: String? = nil,
        preAuth: Bool? = nil,
        host: Host
    ) throws(PaymentTokenError) -> GatewayRequest {
        try order.check(payment)
        let cryptogram = try payment.requiredCryptogram("tokenCryptogram").text
        try user.check()
        try FieldLength.check(returnURL, "returnUrl", 1...Int.max)
        try check(orderNumber: orderNumber, host.limits)
        try FieldLength.check(cryptogram, "tokenCryptogram", 1...1024)
        let name = payment.cardholderName(2...45)
        let body = JSONBody.object { body in
            user.write(into: &body)
            body.integer("amount", order.amount)
            body.string("currency", order.currency.numeric)
            body.string("tokenType", "APPLE")
            body.string("returnUrl", returnURL)
            body.string("orderNumber", orderNumber)
            body.boolean("preAuth", preAuth)
            body.secret("cardholderName", name)
            body.object("paymentData") { body in
                body.secret("dpan", payment.data.accountNumber.digits)
                body.secret("tokenCryptogram", cryptogram)
                body.string("MM", payment.data.expiration.twoDigitMonth)
                body.string("YYYY", payment.data.expiration.fourDigitYear)
                body.integer("eci", payment.data.eciIndicator.map { Int64($0.integer) })
            }
        }
        return request("/token/payment.do", body, host)
    }
}
