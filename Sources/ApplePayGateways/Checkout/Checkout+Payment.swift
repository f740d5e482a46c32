public import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

extension Checkout {
    /// The currencies whose decimals differ from ISO 4217.
    static var scale: CurrencyScale {
        CurrencyScale(exceptions: ["CLF": 2, "CLP": 2, "UYI": 2, "UYW": 2])
    }

    /// The currencies with three decimals, whose last decimal must be 0.
    private static var coarseCurrencies: Set<String> {
        ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
    }

    /// Creates a payment request: `POST /payments` with a source of type `network_token` and token type `applepay`.
    ///
    /// `amount` is in Checkout.com's minor units. They are those of ISO 4217, except that CLF, CLP, UYI and UYW have
    /// two decimals: Checkout.com lists these neither among the currencies without decimals nor among those with three.
    /// `expiry_month` and `expiry_year`, such as 12 and 2025, are strings or numbers. `eci` is a string of two digits,
    /// left out if Apple gave none. The cryptogram is sent unchanged, in any length.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - order: The order, whose amount and currency must be those of the payment.
    ///   - secretKey: The account's secret key, visible ASCII.
    ///   - keyForm: How the key is sent.
    ///   - options: The optional members.
    ///   - endpoint: The server that receives the request.
    /// - Returns: The request, authenticated; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `order` if the amount or the currency differs, then `gateway` with
    ///   code `cryptogram-missing`, `unsupported-amount` for `amount` unless it has 1 to 9 digits, is
    ///   above 0 and ends in 0 for a currency with three decimals, then `unsupported-length` or
    ///   `unsupported-character` for `reference`, `processing_channel_id`, `subdomain`, `secretKey` and
    ///   `Cko-Idempotency-Key`. The maximum lengths are from the published API reference and were not confirmed.
    ///
    /// Source: Checkout.com, *Pay with a pre-decrypted Apple Pay token*, *Format the amount value*.
    public static func createPayment(
        _ payment: Payment,
        order: Order,
        secretKey: SensitiveBytes,
        keyForm: KeyForm = .bearer,
        options: PaymentOptions = PaymentOptions(),
        endpoint: Endpoint = .live
    ) throws(PaymentTokenError) -> GatewayRequest {
        try order.check(payment)
        let cryptogram = try payment.requiredCryptogram("cryptogram")
        let amount = try amount(order)
        try FieldLength.check(options.reference, "reference", 1...80)
        try FieldLength.check(options.processingChannelID, "processing_channel_id", 1...Int.max)
        let origin = try endpoint.origin()
        var headers: [GatewayHeader] = [
            .contentType(),
            try .checked(
                secret: "Authorization", prefix: keyForm == .bearer ? "Bearer " : "", secretKey,
                "secretKey"),
        ]
        if let key = options.idempotencyKey {
            headers.append(try .checked("Cko-Idempotency-Key", key, 1...80))
        }

        let expiration = payment.data.expiration
        let body = JSONBody.object { body in
            body.object("source") { body in
                body.string("type", "network_token")
                body.secret("token", payment.data.accountNumber.digits)
                body.string("token_type", "applepay")
                switch options.expiryForm {
                case .string:
                    body.string("expiry_month", expiration.twoDigitMonth)
                    body.string("expiry_year", expiration.fourDigitYear)
                case .number:
                    body.integer("expiry_month", Int64(expiration.month))
                    body.integer("expiry_year", Int64(expiration.year))
                }
                body.string("eci", payment.data.eciIndicator?.twoDigits)
                body.secret("cryptogram", cryptogram.text)
            }
            body.integer("amount", amount)
            body.string("currency", order.currency.alphabetic)
            body.boolean("capture", options.capture)
            body.string("reference", options.reference)
            body.string("processing_channel_id", options.processingChannelID)
        }
        return GatewayRequest(origin, "/payments", headers: headers, body: body)
    }

    private static func amount(_ order: Order) throws(PaymentTokenError) -> Int64 {
        let amount = try scale.amount(order, "amount")
        let isCoarse = coarseCurrencies.contains(order.currency.alphabetic)
        guard (1...999_999_999).contains(amount), !isCoarse || amount.isMultiple(of: 10) else {
            throw PaymentTokenError(.unsupportedAmount, member: "amount")
        }
        return amount
    }
}
