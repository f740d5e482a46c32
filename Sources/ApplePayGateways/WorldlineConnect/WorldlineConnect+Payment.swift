internal import ApplePayPrimitives
public import ApplePayToken

extension WorldlineConnect {
    /// CreatePayment with `decryptedPaymentData`: `POST /v1/{merchantId}/payments`.
    ///
    /// `amount` has two decimals whatever the currency, `expiryDate` is MMYY; an ECI that Apple did not
    /// give is left out, and so is a cardholder name that has not 2 to 51 characters.
    ///
    /// - Parameters:
    ///   - payment: The opened token.
    ///   - order: The order, which must be what was paid.
    ///   - account: Whose payment it is, and where.
    ///   - options: The optional members.
    /// - Returns: The request, not yet signed; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `order` when amount or currency differ, then `gateway` with
    ///   code `cryptogram-missing`, `unsupported-amount` for an
    ///   `amount` with a third decimal or too large, then `unsupported-length` or `unsupported-character`
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

    /// CreatePayment with `encryptedPaymentData`, which Worldline opens: the whole of `paymentData` as
    /// JSON text in a string.
    ///
    /// There is nothing to compare the order with: compare the answer's amount and currency. Whether
    /// Worldline opens RSA_v1 as well is not stated.
    ///
    /// - Parameters:
    ///   - token: The verified token; members, order and unknown members of `paymentData` are kept.
    ///   - order: The order; 0 minor units or more.
    ///   - account: Whose payment it is, and where.
    ///   - options: The optional members.
    /// - Returns: The request, not yet signed; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `gateway` as for the opened form, from `unsupported-amount` on.
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

    /// The same with a token of which nothing is proven.
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
