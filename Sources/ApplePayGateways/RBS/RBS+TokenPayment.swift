internal import ApplePayPrimitives
public import ApplePayToken

extension RBS {
    /// A payment with the opened token's fields: `POST {prefix}/token/payment.do`, JSON.
    ///
    /// The expiry is `MM` and `YYYY`, `eci` a number, which is left out when Apple gave none, and so is a
    /// cardholder name that has not 2 to 45 characters. Needs a special permission.
    ///
    /// - Parameters:
    ///   - payment: The opened token.
    ///   - order: The order, which must be what was paid.
    ///   - user: The merchant's login.
    ///   - returnURL: `returnUrl`, where the customer returns to; not empty.
    ///   - orderNumber: `orderNumber`; nil leaves it out.
    ///   - preAuth: `preAuth`; nil leaves it out.
    ///   - host: Where the gateway is.
    /// - Returns: The request; its body is compact UTF-8 JSON, `amount` in minor units, `currency` the
    ///   three digits of ISO 4217.
    /// - Throws: ``PaymentTokenError``: `order` when amount or currency differ, then `gateway` with
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
