public import ApplePayPrimitives
public import ApplePayToken

extension PayPal {
    /// The currencies for which PayPal does not accept decimals.
    private static var wholeCurrencies: Set<String> { ["HUF", "JPY", "TWD"] }

    /// Creates a request for an order that is paid at once: `POST /v2/checkout/orders` with
    /// `payment_source.apple_pay.decrypted_token`.
    ///
    /// `value` is a decimal string with the currency's decimals, and without decimals for HUF, JPY and TWD. `expiry` is
    /// YYYY-MM. `eci_indicator` is sent as Apple wrote it; it and `device_manufacturer_id` are left out if Apple gave
    /// none. `apple_pay.id` is PassKit's transactionIdentifier as it was received, or the token's transactionId if
    /// there is none. `transaction_amount` is the token's own amount, which is 0 for a token for 0 that the order
    /// accepts. EMV data is sent in `emv_data` and `pin`. The header `Prefer: return=representation` requests the
    /// complete answer, with the captures in it.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - order: The order, whose amount and currency must be those of the payment.
    ///   - accessToken: The access token from ``AccessTokenAnswer``, visible ASCII.
    ///   - requestID: The header `PayPal-Request-Id`, which PayPal requires with a payment source: 1 to 108 visible
    ///     ASCII characters, the same if the request is repeated.
    ///   - options: The optional members.
    ///   - environment: The server that receives the request.
    /// - Returns: The request, authenticated; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `order` if the amount or the currency differs, then `gateway` with code
    ///   `cryptogram-missing` unless the payment is EMV, `unsupported-amount` for `value`,
    ///   `unsupported-length` for a member that is too long or too short (among them `number`, 13 to 19 digits, `name`
    ///   and `emv_data`), then `unsupported-length` or `unsupported-character` for `accessToken` and
    ///   `PayPal-Request-Id`. The lengths are from the published API reference and were not confirmed.
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

    /// Returns the headers of a request that changes something.
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
