internal import ApplePayPrimitives
public import ApplePayToken

extension WorldlineConnect {
    /// Creates a CreatePayment request with `decryptedPaymentData`: `POST /v1/{merchantId}/payments`.
    ///
    /// `amount` has two decimals in every currency, and `expiryDate` is MMYY. `eci` is left out if Apple gave none, and
    /// a cardholder name with fewer than 2 or more than 51 characters is left out.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - order: The order, whose amount and currency must be those of the payment.
    ///   - account: The merchant's account and its environment.
    ///   - options: The optional members.
    /// - Returns: The request, not yet signed; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `order` if the amount or the currency differs, then `gateway` with code
    ///   `cryptogram-missing`, `unsupported-amount` if `amount` has a third decimal or is too large, then
    ///   `unsupported-length` or `unsupported-character`
    ///   for the members of `customer` and `shipping`, `merchantId` and `X-GCS-Idempotence-Key`.
    ///
    /// Source: Worldline Connect, *Apple Pay: decrypt in your systems*; its server SDKs,
    /// `DecryptedPaymentData`, `AmountOfMoney`.
    public static func createPayment(
        _ payment: Payment,
        order: Order,
        account: Account = Account(),
        options: CreatePaymentOptions = CreatePaymentOptions()
    ) throws(PaymentTokenError) -> GatewayRequest {
        try order.check(payment)
        let data = try Worldline.DecryptedPaymentData(payment, options.eciForm)
        return try request(order, account, options) { data.write(into: &$0) }
    }

    /// Creates a CreatePayment request with `encryptedPaymentData`, which Worldline decrypts.
    ///
    /// `encryptedPaymentData` is a string with the JSON text of the whole of `paymentData`. The token's amount cannot
    /// be read here, so compare the answer's amount and currency with the order. It is not documented whether Worldline
    /// decrypts RSA_v1 as well.
    ///
    /// - Parameters:
    ///   - token: The verified token; all members of `paymentData` are kept in their order, unknown ones included.
    ///   - order: The order; 0 minor units or more.
    ///   - account: The merchant's account and its environment.
    ///   - options: The optional members.
    /// - Returns: The request, not yet signed; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `gateway` as for a decrypted payment, from `unsupported-amount` on.
    ///
    /// Source: Worldline Connect's server SDKs, `MobilePaymentMethodSpecificInput`.
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
        let data = TokenJSON.paymentData(token)
        return try request(order, account, options) { $0.secret("encryptedPaymentData", data) }
    }

    private static func request(
        _ order: Order,
        _ account: Account,
        _ options: CreatePaymentOptions,
        _ data: (inout JSONBody) -> Void
    ) throws(PaymentTokenError) -> GatewayRequest {
        try Worldline.checkAmount(order)
        let input = try Worldline.OrderInput(
            order, scale, options.merchantReference, options.customer, options.shipping,
            lengths: lengths)
        let body = Worldline.paymentBody(
            input, options.authorizationMode, options.requiresApproval
        ) { body in
            body.string("customerReference", options.customerReference)
            body.boolean("tokenize", options.tokenize)
            body.boolean("isRecurring", options.isRecurring)
            if let indicator = options.recurringPaymentSequenceIndicator {
                body.object("recurring") {
                    $0.string("recurringPaymentSequenceIndicator", indicator)
                }
            }
            body.boolean("skipFraudService", options.skipFraudService)
            data(&body)
        }
        return try account.post("payments", body, idempotenceKey: options.idempotenceKey)
    }
}
