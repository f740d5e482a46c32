internal import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

extension WorldlineDirect {
    /// CreatePayment with `decryptedPaymentData`: `POST /v2/{merchantId}/payments`.
    ///
    /// `amount` is in minor units, `expiryDate` MMYY; an ECI that Apple did not give is left out, and so
    /// is a cardholder name that has not 2 to 51 characters, which is what Connect states, since Direct
    /// states nothing.
    ///
    /// - Parameters:
    ///   - payment: The opened token.
    ///   - order: The order, which must be what was paid.
    ///   - account: Whose payment it is, and where.
    ///   - options: The optional members.
    /// - Returns: The request, not yet signed; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `order` when amount or currency differ, then `gateway` with
    ///   code `cryptogram-missing`, `unsupported-amount` (`amount`, then `applePay`'s lines),
    ///   `unsupported-value` (`applePayRecurringPaymentRequest`), `unsupported-length` (`countryCode`), `unsupported-version` (`ephemeralKey`, where the token's
    ///   keys are told of RSA_v1), then `unsupported-length` or `unsupported-character` for `merchantId` and
    ///   `X-GCS-Idempotence-Key`.
    ///
    /// Source: Worldline Direct server SDKs, `DecryptedPaymentData`, `MobilePaymentMethodSpecificInput`,
    /// `AmountOfMoney`.
    public static func createPayment(
        _ payment: Payment,
        order: Order,
        account: Account = Account(),
        options: CreatePaymentOptions = CreatePaymentOptions()
    ) throws(PaymentTokenError) -> GatewayRequest {
        try order.check(payment)
        let data = try Worldline.DecryptedPaymentData(payment, options.eciForm)
        let input = try orderInput(order, options)
        let keys = options.includesTokenKeys ? try TokenKeys(payment.token.token) : nil
        let body = Worldline.paymentBody(
            input, options.authorizationMode, options.requiresApproval
        ) { body in
            keys?.write(into: &body)
            data.write(into: &body)
            options.applePay?.write(order.currency, into: &body)
        }
        return try account.post("payments", body, idempotenceKey: options.idempotenceKey)
    }

    /// CreatePayment with `encryptedPaymentData`, which Worldline opens: the token's `data`,
    /// `header.ephemeralPublicKey` as `ephemeralKey`, and `header.publicKeyHash`.
    ///
    /// Neither signature nor transactionId have a member, so Worldline cannot verify what the merchant did
    /// not. There is nothing to compare the order with: compare the answer's amount and currency.
    ///
    /// - Parameters:
    ///   - token: The verified token; an EC_v1 one, since RSA_v1's `wrappedKey` has no member.
    ///   - order: The order; 0 minor units or more.
    ///   - account: Whose payment it is, and where.
    ///   - options: The optional members.
    /// - Returns: The request, not yet signed; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-version` (`ephemeralKey`),
    ///   `unsupported-amount` (`amount`, then `applePay`'s lines), `unsupported-value`
    ///   (`applePayRecurringPaymentRequest`), then `unsupported-length` or `unsupported-character` for `countryCode`, `merchantId` and `X-GCS-Idempotence-Key`.
    ///
    /// Source: Worldline Direct, *Apple Pay*; its server SDKs, `MobilePaymentMethodSpecificInput`.
    public static func createPayment(
        _ token: VerifiedToken,
        order: Order,
        account: Account = Account(),
        options: CreatePaymentOptions = CreatePaymentOptions()
    ) throws(PaymentTokenError) -> GatewayRequest {
        try createPayment(token.token, order: order, account: account, options: options)
    }

    /// The same with a token of which nothing is proven.
    package static func createPayment(
        _ token: PaymentToken,
        order: Order,
        account: Account = Account(),
        options: CreatePaymentOptions = CreatePaymentOptions()
    ) throws(PaymentTokenError) -> GatewayRequest {
        let keys = try TokenKeys(token)
        let input = try orderInput(order, options)
        let data = SensitiveBytes(copying: token.signedMessage[token.dataRange].span)
        let body = Worldline.paymentBody(
            input, options.authorizationMode, options.requiresApproval
        ) { body in
            body.base64("encryptedPaymentData", data)
            keys.write(into: &body)
            options.applePay?.write(order.currency, into: &body)
        }
        return try account.post("payments", body, idempotenceKey: options.idempotenceKey)
    }

    /// `ephemeralKey` and `publicKeyHash`.
    private struct TokenKeys {
        private let ephemeralKey: SensitiveBytes
        private let publicKeyHash: SensitiveBytes

        init(_ token: PaymentToken) throws(PaymentTokenError) {
            guard token.version == .ecV1 else {
                throw PaymentTokenError(.unsupportedTokenVersion, member: "ephemeralKey")
            }
            ephemeralKey = SensitiveBytes(copying: token.signedMessage[token.keyRange].span)
            publicKeyHash = token.publicKeyHash.withSpan { SensitiveBytes(copying: $0) }
        }

        func write(into body: inout JSONBody) {
            body.base64("ephemeralKey", ephemeralKey)
            body.base64("publicKeyHash", publicKeyHash)
        }
    }

    private static func orderInput(
        _ order: Order,
        _ options: CreatePaymentOptions
    ) throws(PaymentTokenError) -> Worldline.OrderInput {
        try checkAmounts(order, options.applePay)
        guard options.applePay?.recurringRequest == nil else {
            throw PaymentTokenError(
                .unsupportedValue, member: "applePayRecurringPaymentRequest")
        }
        return try Worldline.OrderInput(
            order, scale, options.merchantReference, options.customer, options.shipping,
            lengths: [:])
    }

    /// Refuses amounts below 0.
    static func checkAmounts(
        _ order: Order,
        _ applePay: ApplePayInput?
    ) throws(PaymentTokenError) {
        try Worldline.checkAmount(order)
        let request = applePay?.recurringRequest
        let lines = [
            ("regularBilling", request?.regularBilling), ("trialBilling", request?.trialBilling),
        ]
        for (name, line) in lines where (line?.amount ?? 0) < 0 {
            throw PaymentTokenError(.unsupportedAmount, member: name)
        }
    }
}
