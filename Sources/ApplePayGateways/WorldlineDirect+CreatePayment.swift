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

        var body = SecretBuffer()
        var json = JSONWriter()
        json.beginObject(into: &body)
        json.name("order", into: &body)
        json.beginObject(into: &body)
        json.name("amountOfMoney", into: &body)
        json.beginObject(into: &body)
        json.name("amount", into: &body)
        json.integer(order.amount, into: &body)
        json.name("currencyCode", into: &body)
        json.string(order.currency.alphabetic, into: &body)
        json.endObject(into: &body)
        if let merchantReference = options.merchantReference {
            json.name("references", into: &body)
            json.beginObject(into: &body)
            json.name("merchantReference", into: &body)
            json.string(merchantReference, into: &body)
            json.endObject(into: &body)
        }
        json.endObject(into: &body)

        json.name("mobilePaymentMethodSpecificInput", into: &body)
        json.beginObject(into: &body)
        json.name("paymentProductId", into: &body)
        json.integer(paymentProductId, into: &body)
        if let authorizationMode = options.authorizationMode {
            json.name("authorizationMode", into: &body)
            json.string(authorizationMode.rawValue, into: &body)
        }
        if let requiresApproval = options.requiresApproval {
            json.name("requiresApproval", into: &body)
            json.boolean(requiresApproval, into: &body)
        }
        json.name("decryptedPaymentData", into: &body)
        json.beginObject(into: &body)
        json.name("dpan", into: &body)
        payment.data.accountNumber.digits.withRevealedBytes { json.string($0, into: &body) }
        json.name("cryptogram", into: &body)
        cryptogram.text.withRevealedBytes { json.string($0, into: &body) }
        json.name("expiryDate", into: &body)
        json.string(expiryDate(payment.data.expiration), into: &body)
        if let cardholderName {
            json.name("cardholderName", into: &body)
            cardholderName.withRevealedBytes { json.string($0, into: &body) }
        }
        if let eciIndicator = payment.data.eciIndicator {
            json.name("eci", into: &body)
            json.integer(Int64(eciIndicator.integer), into: &body)
        }
        json.endObject(into: &body)
        json.endObject(into: &body)
        json.endObject(into: &body)

        return GatewayRequest(
            method: "POST",
            pathTemplate: "/v2/{merchantId}/payments",
            headers: [("Content-Type", "application/json; charset=utf-8")],
            body: body.sensitiveBytes()
        )
    }

    /// MMYY, where Apple writes YYMMDD.
    private static func expiryDate(_ expiration: ExpirationDate) -> String {
        String(expiration.text.dropFirst(2).prefix(2) + expiration.text.prefix(2))
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
