public import ApplePayPrimitives
public import ApplePayToken

extension Adyen {
    /// The currencies whose decimals differ from ISO 4217.
    static var scale: CurrencyScale {
        CurrencyScale(exceptions: ["CLP": 2, "CVE": 0, "IDR": 0, "ISK": 2])
    }

    /// Creates a payment request: `POST /v71/payments` with a payment method of type `scheme` and `mpiData`.
    ///
    /// `amount.value` is in Adyen's minor units, which are those of ISO 4217 except for CLP and ISK (two decimals) and
    /// for CVE and IDR (no decimals). `expiryMonth` is MM, `expiryYear` is YYYY. `mpiData.eci` has two digits and is
    /// left out if Apple gave none; `authenticationResponse` and `directoryResponse` are `Y`. The cryptogram is sent
    /// unchanged. Adyen's types document 20 bytes and Mastercard's cryptograms often have 19: 28 characters of base64
    /// are accepted, and the 40 bytes of some American Express cards are refused.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - order: The order, whose amount and currency must be those of the payment.
    ///   - merchantAccount: The merchant account's name; not empty.
    ///   - reference: The merchant's identifier of the order, 1 to 80 characters.
    ///   - apiKey: The API key, visible ASCII.
    ///   - options: The optional members.
    ///   - endpoint: The server that receives the request.
    /// - Returns: The request, authenticated; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `order` if the amount or the currency differs, then `gateway` with
    ///   code `cryptogram-missing`, `unsupported-length` for the cryptogram, `unsupported-amount` for
    ///   `value`, then `unsupported-length` or `unsupported-character` for `merchantAccount`,
    ///   `reference`, `shopperReference`, `prefix`, `apiKey` and `Idempotency-Key`. The lengths are from
    ///   the published API reference and were not confirmed.
    ///
    /// Source: Adyen's official SDKs, Checkout API v71; Adyen, *Currency codes and minor units*.
    public static func createPayment(
        _ payment: Payment,
        order: Order,
        merchantAccount: String,
        reference: String,
        apiKey: SensitiveBytes,
        options: PaymentOptions = PaymentOptions(),
        endpoint: Endpoint
    ) throws(PaymentTokenError) -> GatewayRequest {
        try order.check(payment)
        let field = options.cryptogramField.rawValue
        let cryptogram = try payment.requiredCryptogram(field)
        try FieldLength.check(cryptogram.text, field, 28...28)
        let value = try scale.amount(order, "value")
        try FieldLength.check(merchantAccount, "merchantAccount", 1...Int.max)
        try FieldLength.check(reference, "reference", 1...80)
        try FieldLength.check(options.shopperReference, "shopperReference", 3...256)
        let (origin, path) = try endpoint.address()
        var headers: [GatewayHeader] = [
            .contentType(), try .checked(secret: "X-API-Key", apiKey, "apiKey"),
        ]
        if let key = options.idempotencyKey {
            headers.append(try .checked("Idempotency-Key", key, 1...64))
        }

        let body = JSONBody.object { body in
            body.object("amount") { body in
                body.string("currency", order.currency.alphabetic)
                body.integer("value", value)
            }
            body.string("merchantAccount", merchantAccount)
            body.string("reference", reference)
            body.object("paymentMethod") { body in
                body.string("type", "scheme")
                body.secret("number", payment.data.accountNumber.digits)
                body.string("expiryMonth", payment.data.expiration.twoDigitMonth)
                body.string("expiryYear", payment.data.expiration.fourDigitYear)
                body.secret("holderName", payment.givenCardholderName)
                body.string("brand", brand(payment, options.brand))
            }
            body.object("mpiData") { body in
                body.string("authenticationResponse", "Y")
                body.string("directoryResponse", "Y")
                body.secret(field, cryptogram.text)
                body.string("eci", payment.data.eciIndicator?.twoDigits)
            }
            body.string("shopperReference", options.shopperReference)
            body.string("returnUrl", options.returnURL)
        }
        return GatewayRequest(origin, path, headers: headers, body: body)
    }

    private static func brand(_ payment: Payment, _ choice: Brand?) -> String? {
        switch choice {
        case .applePay: return "applepay"
        case .network:
            switch CardBrand(payment.data.accountNumber) {
            case .americanExpress: return "amex"
            case .dinersClub: return "diners"
            case .discover: return "discover"
            case .jcb: return "jcb"
            case .maestro: return "maestro"
            case .mastercard: return "mc"
            case .unionPay: return "cup"
            case .visa: return "visa"
            case .mir, nil: return nil
            }
        case nil: return nil
        }
    }
}
