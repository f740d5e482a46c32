public import ApplePayPrimitives
public import ApplePayToken

extension PayPal {
    /// The currencies in which PayPal takes no decimals.
    private static var wholeCurrencies: Set<String> { ["HUF", "JPY", "TWD"] }

    /// An order that is paid at once: `POST /v2/checkout/orders` with
    /// `payment_source.apple_pay.decrypted_token`.
    ///
    /// `value` is a decimal string with the currency's decimals, and none for HUF, JPY and TWD; `expiry`
    /// is YYYY-MM; `eci_indicator` is sent as Apple wrote it; it and `device_manufacturer_id` are left out when
    /// Apple gave none;
    /// `apple_pay.id` is PassKit's transactionIdentifier as it was written, or the token's transactionId
    /// when that came without. `transaction_amount` is the token's own amount, so 0 where the order takes
    /// such a token for another amount. EMV data is said in `emv_data` and `pin`. The header
    /// `Prefer: return=representation` asks for the whole answer, with the captures in it.
    ///
    /// - Parameters:
    ///   - payment: The opened token.
    ///   - order: The order, which must be what was paid.
    ///   - accessToken: What ``accessToken(clientID:clientSecret:environment:)`` brought, visible ASCII.
    ///   - requestID: The header `PayPal-Request-Id`, which PayPal wants with a payment source: 1 to 108
    ///     visible ASCII characters, the same when the request is repeated.
    ///   - options: The optional members.
    ///   - environment: Where to send it.
    /// - Returns: The request, authenticated; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `order` when amount or currency differ, then `gateway` with code
    ///   `cryptogram-missing` unless the payment is EMV, `unsupported-amount` for `value`,
    ///   `unsupported-length` for what is too long or short, `number` (13 to 19 digits), `name` and
    ///   `emv_data` among it, then `unsupported-length` or `unsupported-character` for `accessToken` and
    ///   `PayPal-Request-Id`. The lengths are from the published API reference; not confirmed here.
    ///
    /// Source: PayPal's official server SDK, `OrderRequest`; PayPal, *Currency codes*, *Idempotency*.
    public static func createOrder(
        _ payment: Payment,
        order: Order,
        accessToken: SensitiveBytes,
        requestID: String,
        options: OrderOptions = OrderOptions(),
        environment: Environment = .live
    ) throws(PaymentTokenError) -> GatewayRequest {
        try order.check(payment)
        if payment.data.type == .threeDSecure { _ = try payment.requiredCryptogram("cryptogram") }
        let value = try value(order)
        let paid = try self.value(Order(amount: payment.data.amount, currency: order.currency))
        try checkLengths(payment, options)
        let headers = try headers(accessToken, requestID: requestID)

        let body = JSONBody.object { body in
            body.string("intent", options.intent.rawValue)
            body.objects("purchase_units", [options]) { body, options in
                body.string("reference_id", options.referenceID)
                body.string("description", options.description)
                body.string("custom_id", options.customID)
                body.string("invoice_id", options.invoiceID)
                body.object("amount") { body in
                    body.string("currency_code", order.currency.alphabetic)
                    body.string("value", value)
                }
            }
            body.object("payment_source") { body in
                body.object("apple_pay") { body in
                    let token = payment.token.token
                    body.string(
                        "id", token.unsignedMembers?.transactionIdentifier ?? token.transactionId)
                    body.string("email_address", options.emailAddress)
                    body.object("decrypted_token") { body in
                        body.object("transaction_amount") { body in
                            body.string("currency_code", order.currency.alphabetic)
                            body.string("value", paid)
                        }
                        body.object("tokenized_card") { body in
                            body.secret("name", payment.givenCardholderName)
                            body.secret("number", payment.data.accountNumber.digits)
                            body.string("expiry", payment.data.expiration.yearAndMonth)
                        }
                        body.string(
                            "device_manufacturer_id", payment.data.deviceManufacturerIdentifier)
                        body.string(
                            "payment_data_type", payment.data.type == .emv ? "EMV" : "3DSECURE")
                        body.object("payment_data") { body in
                            body.secret("cryptogram", payment.data.cryptogram?.text)
                            body.string("eci_indicator", payment.data.eciIndicator?.text)
                            body.secret("emv_data", payment.data.emvData?.text)
                            body.secret("pin", payment.data.encryptedPINData)
                        }
                    }
                }
            }
        }
        return GatewayRequest(
            environment.rawValue, "/v2/checkout/orders", headers: headers, body: body)
    }

    /// The headers of a request that changes something.
    static func headers(
        _ accessToken: SensitiveBytes,
        requestID: String
    ) throws(PaymentTokenError) -> [GatewayHeader] {
        [
            .contentType(),
            try .checked(secret: "Authorization", prefix: "Bearer ", accessToken, "accessToken"),
            try .checked("PayPal-Request-Id", requestID, 1...108),
            GatewayHeader("Prefer", "return=representation"),
        ]
    }

    private static func value(_ order: Order) throws(PaymentTokenError) -> String {
        guard wholeCurrencies.contains(order.currency.alphabetic) else {
            return DecimalAmount.text(order.amount, order.currency)
        }
        let scale = CurrencyScale(exceptions: [order.currency.alphabetic: 0])
        return String(try scale.amount(order, "value"))
    }

    private static func checkLengths(
        _ payment: Payment,
        _ options: OrderOptions
    ) throws(PaymentTokenError) {
        try FieldLength.check(payment.data.accountNumber.digits, "number", 13...19)
        try FieldLength.check(payment.givenCardholderName, "name", 1...300)
        try FieldLength.check(payment.data.cryptogram?.text, "cryptogram", 1...2000)
        try FieldLength.check(payment.data.emvData?.text, "emv_data", 1...2000)
        try FieldLength.check(payment.data.encryptedPINData, "pin", 1...2000)
        try FieldLength.check(options.referenceID, "reference_id", 1...256)
        try FieldLength.check(options.description, "description", 1...127)
        try FieldLength.check(options.customID, "custom_id", 1...255)
        try FieldLength.check(options.invoiceID, "invoice_id", 1...127)
        try FieldLength.check(options.emailAddress, "email_address", 3...254)
    }
}
