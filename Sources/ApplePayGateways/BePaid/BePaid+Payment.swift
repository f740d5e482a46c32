public import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

extension BePaid {
    /// The permitted lengths of `description`, `tracking_id` and `reason`, in characters.
    static var textCounts: ClosedRange<Int> { 0...255 }

    /// Creates a request for a payment, authorization or charge with a token that the merchant decrypted.
    ///
    /// The path is `/transactions/payments`, `/transactions/authorizations` or `/services/credit_cards/charges`, or the
    /// same path under `/async`; the method is `POST`. The paths under `/async` and the members from `return_url` on
    /// come from weaker sources than the rest.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - payment: The decrypted payment.
    ///   - order: The order, whose amount and currency must be those of the payment.
    ///   - shop: The shop.
    ///   - options: The optional members.
    /// - Returns: The request; its body is compact UTF-8 JSON, `amount` in minor units.
    /// - Throws: ``PaymentTokenError``: `order` if the amount or the currency differs, then `gateway` with code
    ///   `cryptogram-missing`, `unsupported-amount` (`amount`) if the order accepts a token for 0 and has another
    ///   amount, because the token string would contradict it, `unsupported-length` or
    ///   `unsupported-character` (`shop_id`), `unsupported-length` (`secret_key`, `description`,
    ///   `tracking_id`), then `unsupported-length` or `unsupported-character` for `RequestID`.
    ///
    /// Source: bePaid, *Payment*, *Apple Pay payments with decrypted token*.
    public static func transaction(
        _ operation: Operation,
        _ payment: Payment,
        order: Order,
        shop: Shop,
        options: TransactionOptions
    ) throws(PaymentTokenError) -> GatewayRequest {
        try order.check(payment)
        let tokenString = try tokenString(payment)
        guard order.amount == payment.data.amount else {
            throw PaymentTokenError(.unsupportedAmount, member: "amount")
        }
        return try transaction(
            operation, tokenString: tokenString, order: order, shop: shop, options: options)
    }

    /// Creates a request for a payment, authorization or charge with an encrypted token, which bePaid decrypts.
    ///
    /// The token's amount cannot be read here, so compare the answer's amount and currency with the order.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - token: The verified token.
    ///   - order: The order; 0 minor units or more.
    ///   - shop: The shop.
    ///   - options: The optional members.
    /// - Returns: The request; its body is compact UTF-8 JSON, `amount` in minor units.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or `unsupported-character`
    ///   (`shop_id`), `unsupported-length` for an empty `secret_key`, `unsupported-amount` (`amount`) and
    ///   `unsupported-length` (`description`, `tracking_id`), then `unsupported-length` or `unsupported-character`
    ///   for `RequestID`.
    ///
    /// Source: bePaid, *Payment*, *Apple Pay in a mobile application*.
    public static func transaction(
        _ operation: Operation,
        _ token: VerifiedToken,
        order: Order,
        shop: Shop,
        options: TransactionOptions
    ) throws(PaymentTokenError) -> GatewayRequest {
        try transaction(operation, token.token, order: order, shop: shop, options: options)
    }

    /// Creates the same request from a token that was not verified.
    package static func transaction(
        _ operation: Operation,
        _ token: PaymentToken,
        order: Order,
        shop: Shop,
        options: TransactionOptions
    ) throws(PaymentTokenError) -> GatewayRequest {
        try transaction(
            operation, tokenString: tokenString(token, form: options.tokenForm), order: order,
            shop: shop, options: options)
    }

    private static func transaction(
        _ operation: Operation,
        tokenString: SensitiveBytes,
        order: Order,
        shop: Shop,
        options: TransactionOptions
    ) throws(PaymentTokenError) -> GatewayRequest {
        let authorization = try authorization(shop)
        guard order.amount >= 0 else {
            throw PaymentTokenError(.unsupportedAmount, member: "amount")
        }
        try FieldLength.check(options.description, "description", textCounts)
        try FieldLength.check(options.trackingId, "tracking_id", textCounts)
        let body = JSONBody.object { body in
            body.object("request") { body in
                body.integer("amount", order.amount)
                body.string("currency", order.currency.alphabetic)
                body.string("description", options.description)
                body.string("tracking_id", options.trackingId)
                body.boolean("test", options.isTest)
                body.string("language", options.language)
                body.string("return_url", options.returnURL)
                body.string("notification_url", options.notificationURL)
                body.string("expired_at", options.expiresAt)
                body.object("credit_card") { $0.secret("token", tokenString) }
                write(options, into: &body)
            }
        }
        let version = options.asksForVersion3 ? [GatewayHeader("X-API-Version", "3")] : []
        return GatewayRequest(
            shop.origin, (options.isAsynchronous ? "/async" : "") + operation.path,
            headers: [authorization, .contentType(), accept] + version
                + (try requestID(options.requestID)), body: body)
    }

    /// Writes the members that follow the card.
    private static func write(_ options: TransactionOptions, into body: inout JSONBody) {
        if !options.contract.isEmpty {
            body.object("additional_data") { body in
                body.strings("contract", options.contract.map(\.rawValue))
            }
        }
        if let customer = options.customer {
            body.object("customer") { body in
                body.string("ip", customer.ip)
                body.string("email", customer.email)
            }
        }
        if let address = options.billingAddress {
            body.object("billing_address") { body in
                body.string("first_name", address.firstName)
                body.string("last_name", address.lastName)
                body.string("country", address.country)
                body.string("city", address.city)
                body.string("zip", address.zip)
                body.string("address", address.address)
            }
        }
    }

    static var accept: GatewayHeader { GatewayHeader("Accept", "application/json") }

    /// Creates the header `RequestID`, 1 to 255 visible ASCII characters; bePaid does not document a maximum.
    static func requestID(_ value: String?) throws(PaymentTokenError) -> [GatewayHeader] {
        guard let value else { return [] }
        return [try .checked("RequestID", value, 1...255)]
    }

    /// Creates `Authorization: Basic …`; a colon in the user name would shift the password (RFC 7617 §2).
    static func authorization(_ shop: Shop) throws(PaymentTokenError) -> GatewayHeader {
        try FieldLength.check(shop.identifier, "shop_id", 1...255)
        guard !shop.identifier.utf8.contains(UInt8(ascii: ":")) else {
            throw PaymentTokenError(.unsupportedCharacter, member: "shop_id")
        }
        try FieldLength.check(shop.secretKey, "secret_key", 1...Int.max)
        let credentials = SecretBuffer()
        credentials.append(shop.identifier.utf8.span)
        credentials.append(UInt8(ascii: ":"))
        shop.secretKey.withRevealedBytes { credentials.append($0) }
        return GatewayHeader(
            secret: "Authorization",
            TokenJSON.base64(prefix: "Basic ", credentials.sensitiveBytes()))
    }
}

extension BePaid {
    /// Returns the value of `credit_card.token` for an encrypted token: `$begateway_apple_pay_1_0_0$`, then base64.
    ///
    /// - Parameters:
    ///   - token: The verified token; all members of `paymentData` are kept in their order, unknown ones included.
    ///   - form: How much of the token is sent.
    /// - Returns: One line of ASCII: the prefix, then strict base64 of compact JSON.
    ///
    /// Source: bePaid, *Apple Pay in a mobile application*.
    public static func tokenString(
        _ token: VerifiedToken,
        form: TokenForm = .wholeToken
    ) -> SensitiveBytes {
        tokenString(token.token, form: form)
    }

    /// Returns the value of `credit_card.token` for a decrypted token.
    ///
    /// It is `$begateway_apple_pay_decrypted_1_0_0$`, then the base64 of Apple's own plaintext, with expiry, amount and
    /// ECI as Apple wrote them.
    ///
    /// - Parameter payment: The decrypted payment.
    /// - Returns: One line of ASCII: the prefix, then strict base64.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `cryptogram-missing`.
    ///
    /// Source: bePaid, *Apple Pay payments with decrypted token*.
    public static func tokenString(_ payment: Payment) throws(PaymentTokenError) -> SensitiveBytes {
        _ = try payment.requiredCryptogram("credit_card.token")
        return decryptedTokenString(payment.data.rawPayload)
    }

    /// Returns the token string for a token that was not verified.
    package static func tokenString(
        _ token: PaymentToken,
        form: TokenForm
    ) -> SensitiveBytes {
        let json = JSONBody.object { body in
            switch form {
            case .wholeToken: TokenJSON.writePassKitToken(token, into: &body)
            case .paymentDataOnly: body.raw("paymentData", TokenJSON.paymentData(token))
            }
        }
        return TokenJSON.base64(prefix: "$begateway_apple_pay_1_0_0$", json)
    }

    /// Returns the token string for a payload that was not checked.
    package static func decryptedTokenString(_ payload: SensitiveBytes) -> SensitiveBytes {
        TokenJSON.base64(prefix: "$begateway_apple_pay_decrypted_1_0_0$", payload)
    }
}
