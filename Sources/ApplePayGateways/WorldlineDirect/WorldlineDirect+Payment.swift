internal import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

extension WorldlineDirect {
    /// Creates a CreatePayment request with `decryptedPaymentData`: `POST /v2/{merchantId}/payments`.
    ///
    /// `amount` is in minor units, and `expiryDate` is MMYY. `eci` is left out if Apple gave none. A cardholder name
    /// with fewer than 2 or more than 51 characters is left out: Direct does not document a limit, so Connect's limit
    /// is used.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - order: The order, whose amount and currency must be those of the payment.
    ///   - account: The merchant's account and its environment.
    ///   - options: The optional members.
    /// - Returns: The request, not yet signed; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `order` if the amount or the currency differs, then `gateway` with
    ///   code `cryptogram-missing`, `unsupported-amount` (`amount`, then `applePay`'s lines),
    ///   `unsupported-value` (`applePayRecurringPaymentRequest`), `unsupported-length` (`countryCode`),
    ///   `unsupported-version` (`ephemeralKey`, if the token is RSA_v1 and the options include its keys), then
    ///   `unsupported-length` or `unsupported-character` for `merchantId` and `X-GCS-Idempotence-Key`.
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

    /// Creates a CreatePayment request with `encryptedPaymentData`, which Worldline decrypts.
    ///
    /// It contains the token's `data`, `header.ephemeralPublicKey` as `ephemeralKey`, and `header.publicKeyHash`. The
    /// API does not have members for the signature and the transactionId, so Worldline cannot verify the token: the
    /// merchant must. The token's amount cannot be read here, so compare the answer's amount and currency with the
    /// order.
    ///
    /// - Parameters:
    ///   - token: The verified token; only EC_v1, because the API does not have a member for RSA_v1's `wrappedKey`.
    ///   - order: The order; 0 minor units or more.
    ///   - account: The merchant's account and its environment.
    ///   - options: The optional members.
    /// - Returns: The request, not yet signed; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-version` (`ephemeralKey`),
    ///   `unsupported-amount` (`amount`, then `applePay`'s lines), `unsupported-value`
    ///   (`applePayRecurringPaymentRequest`), then `unsupported-length` or `unsupported-character` for `countryCode`,
    ///   `merchantId` and `X-GCS-Idempotence-Key`.
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

    /// Creates the same request from a token that was not verified.
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

    /// The members `ephemeralKey` and `publicKeyHash`.
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

    /// Checks that no amount is negative.
    static func checkAmounts(
        _ order: Order,
        _ applePay: ApplePayInput?
    ) throws(PaymentTokenError) {
        try Worldline.checkAmount(order)
        let request = applePay?.recurringRequest
        let lines = [
            ("regularBilling", request?.regularBilling), ("trialBilling", request?.trialBilling),
        ]
        for case (let name, let line?) in lines where line.amount < 0 {
            throw PaymentTokenError(.unsupportedAmount, member: name)
        }
    }
}
