package import ApplePayAcceptance
package import ApplePayGateways
internal import ApplePayPrimitives
package import ApplePayWire

extension PayPal {
    /// The currencies for which PayPal does not accept decimals.
    private static let scale = CurrencyScale(exceptions: ["HUF": 0, "JPY": 0, "TWD": 0])
    private static let path = "/v2/checkout/orders"

    /// Returns the request of ``payment(_:)``, without the header that authenticates it.
    package func paymentRequest(_ input: PaymentInput) throws(PaymentError) -> GatewayRequest {
        let payment = try input.decrypted("decrypted_token")
        let (data, order) = (payment.data, input.order)
        if data.type == .threeDSecure { _ = try payment.requiredCryptogram("cryptogram") }
        // PayPal answers 422 to a payment without it.
        guard data.deviceManufacturerIdentifier != nil else {
            throw .gateway(.unsupportedLength, "device_manufacturer_id")
        }
        try check(order, attempt: input.attempt)
        let currency = order.currency.alphabetic
        let value = try Self.value(order.amount, order.currency)
        let paid = try Self.value(data.amount, order.currency)
        try FieldLength.check(data.accountNumber.digits, "number", 13...19)
        try FieldLength.check(payment.givenCardholderName, "name", 1...300)
        try FieldLength.check(data.cryptogram?.text, "cryptogram", 1...2000)
        try FieldLength.check(data.emvData?.text, "emv_data", 1...2000)
        try FieldLength.check(data.encryptedPINData, "pin", 1...2000)

        let reference = input.attempt.reference
        let body = JSONBody.object { body in
            body.string("intent", options.intent.rawValue)
            body.objects("purchase_units", [order]) { body, order in
                body.string("reference_id", reference)
                body.string("description", order.description)
                body.string("custom_id", options.customID)
                body.string("invoice_id", options.sendsInvoiceID ? reference : nil)
                body.object("amount") { body in
                    body.string("currency_code", currency)
                    body.string("value", value)
                }
            }
            body.object("payment_source") { body in
                body.object("apple_pay") { body in
                    body.string(
                        "id",
                        input.token.unsignedMembers?.transactionIdentifier
                            ?? ExactText(input.token.transactionId))
                    body.string("email_address", order.customer?.emailAddress)
                    body.object("decrypted_token") { body in
                        body.object("transaction_amount") { body in
                            body.string("currency_code", currency)
                            body.string("value", paid)
                        }
                        body.object("tokenized_card") { body in
                            body.secret("name", payment.givenCardholderName)
                            body.secret("number", data.accountNumber.digits)
                            body.string("expiry", data.expiration.description)
                        }
                        body.string("device_manufacturer_id", data.deviceManufacturerIdentifier)
                        body.string("payment_data_type", data.type == .emv ? "EMV" : "3DSECURE")
                        body.object("payment_data") { body in
                            body.secret("cryptogram", data.cryptogram?.text)
                            body.string("eci_indicator", data.eciIndicator?.text)
                            body.secret("emv_data", data.emvData?.text)
                            body.secret("pin", data.encryptedPINData)
                        }
                    }
                }
            }
        }
        return try post(Self.path, key: input.attempt.key, body)
    }

    /// Returns the request of ``status(of:)``, without the header that authenticates it.
    package func statusRequest(_ id: ExactText) throws(PaymentError) -> GatewayRequest {
        GatewayRequest(method: "GET", origin, "\(Self.path)/\(try PathSegment.encoded(id, "id"))")
    }

    private func post(
        _ path: String, key: ExactText, _ body: SensitiveBytes
    ) throws(PaymentError) -> GatewayRequest {
        let headers: [GatewayHeader] = [
            .contentType(), try .checked("PayPal-Request-Id", key, 1...108),
            GatewayHeader("Prefer", "return=representation"),
        ]
        return GatewayRequest(origin, path, headers: headers, body: body)
    }

    /// Returns an amount as a decimal string.
    ///
    /// - Throws: `gateway` with code `unsupported-amount` for decimals that PayPal does not accept.
    static func value(_ amount: Int64, _ currency: Currency) throws(PaymentError) -> String {
        guard scale.exponent(of: currency) != currency.exponent else {
            return DecimalAmount.text(amount, currency)
        }
        return String(
            try scale.amount(amount, of: currency, "value"))
    }

    /// Creates a call with an access token, which begins with a login if ``credentials`` are a client's.
    ///
    /// - Throws: `gateway` with code `unsupported-length` or `unsupported-character` for the credentials.
    func call(
        _ attempt: PaymentAttempt, canMoveMoney: Bool, _ request: GatewayRequest,
        _ report: @escaping @Sendable (GatewayResponse) -> PaymentReport
    ) throws(PaymentError) -> PaymentCall {
        try credentials.call(attempt, at: self, login: loginRequest) {
            token throws(PaymentError) in
            GatewayCall(
                attempt, at: self, canMoveMoney: canMoveMoney, try request.authorized(by: token),
                report: report)
        }
    }

    /// Returns a request for an access token: `POST /v1/oauth2/token`.
    ///
    /// Source: PayPal, *Authentication*; RFC 6749 §4.4.
    package func loginRequest() throws(PaymentError) -> GatewayRequest {
        let authorization = try credentials.basicAuthorization()
        var form = FormBody()
        form.parameter("grant_type", "client_credentials")
        return GatewayRequest(
            origin, "/v1/oauth2/token",
            headers: [.contentType(FormBody.contentType), authorization], body: form.bytes())
    }
}
