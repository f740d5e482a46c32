internal import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

extension WorldlineDirect {
    /// Apple Pay among Worldline's payment products.
    private static var paymentProductId: Int64 { 302 }

    /// The lengths of a cardholder name, in characters, that Worldline Connect states; Direct states none.
    private static var cardholderNameCounts: ClosedRange<Int> { 2...51 }

    /// The request CreatePayment with `decryptedPaymentData`: `POST /v2/{merchantId}/payments`.
    ///
    /// `expiryDate` is MMYY and `eci` a number; an ECI that Apple did not give is left out, and so is
    /// a cardholder name that is missing or empty. The authorization header is the caller's to add.
    ///
    /// - Parameters:
    ///   - payment: The opened token.
    ///   - order: The order, which must be what was paid.
    ///   - options: What else to say.
    /// - Returns: The request; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `order` when amount or currency differ, then `gateway` with
    ///   code `cryptogram-missing` and `unsupported-length`.
    ///
    /// Source: Worldline Direct server SDKs, `DecryptedPaymentData`, `MobilePaymentMethodSpecificInput`,
    /// `AmountOfMoney`.
    public static func createPayment(
        _ payment: Payment,
        order: Order,
        options: CreatePaymentOptions = CreatePaymentOptions()
    ) throws(PaymentTokenError) -> GatewayRequest {
        try order.check(payment)
        guard let cryptogram = payment.data.cryptogram else {
            throw .gateway(GatewayError(.cryptogramMissing, field: "cryptogram"))
        }
        let cardholderName = try cardholderName(payment)

        let body = JSONBody.object { body in
            body.object("order") { body in
                body.object("amountOfMoney") { body in
                    body.integer("amount", order.amount)
                    body.string("currencyCode", order.currency.alphabetic)
                }
                if let merchantReference = options.merchantReference {
                    body.object("references") { $0.string("merchantReference", merchantReference) }
                }
            }
            body.object("mobilePaymentMethodSpecificInput") { body in
                body.integer("paymentProductId", paymentProductId)
                body.string("authorizationMode", options.authorizationMode?.rawValue)
                body.boolean("requiresApproval", options.requiresApproval)
                body.object("decryptedPaymentData") { body in
                    body.secret("dpan", payment.data.accountNumber.digits)
                    body.secret("cryptogram", cryptogram.text)
                    body.string("expiryDate", payment.data.expiration.monthAndYear)
                    body.secret("cardholderName", cardholderName)
                    body.integer("eci", payment.data.eciIndicator.map { Int64($0.integer) })
                }
            }
        }
        return GatewayRequest(
            "https://payment.direct.worldline-solutions.com", "/v2/{merchantId}/payments",
            headers: [.contentType("application/json; charset=utf-8")], body: body)
    }

    /// The name, if there is one to say; one that Worldline would not take is refused, never cut.
    private static func cardholderName(
        _ payment: Payment
    ) throws(PaymentTokenError) -> SensitiveBytes? {
        guard let name = payment.data.cardholderName, name.count > 0 else { return nil }
        let characterCount = name.withRevealedBytes { bytes in
            var count = 0
            // Every byte of UTF-8 that does not continue a character begins one.
            for index in bytes.indices where bytes[index] & 0xC0 != 0x80 { count += 1 }
            return count
        }
        guard cardholderNameCounts.contains(characterCount) else {
            throw .gateway(GatewayError(.unsupportedLength, field: "cardholderName"))
        }
        return name
    }
}
