internal import ApplePayPrimitives
public import ApplePayToken

extension WorldlinePlatform {
    /// Creates a GetHostedCheckout request: `GET /{version}/{merchantId}/hostedcheckouts/{hostedCheckoutId}`.
    ///
    /// - Parameters:
    ///   - id: `hostedCheckoutId` of the answer to CreateHostedCheckout.
    ///   - account: The merchant's account and its environment.
    /// - Returns: The request, not yet signed, without a body; ``Worldline/HostedCheckoutStatusAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `hostedCheckoutId` and `merchantId`.
    ///
    /// Source: the server SDKs of both platforms.
    public static func getHostedCheckout(
        _ id: String,
        account: Worldline.Account<Self> = .init()
    ) throws(PaymentTokenError) -> GatewayRequest {
        try account.get("hostedcheckouts/\(try PathSegment.encoded(id, "hostedCheckoutId"))")
    }

    /// Creates a GetPayment request: `GET /{version}/{merchantId}/payments/{paymentId}`.
    ///
    /// - Parameters:
    ///   - id: `id` of a payment.
    ///   - account: The merchant's account and its environment.
    /// - Returns: The request, not yet signed, without a body; ``Worldline/PaymentStatusAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `paymentId` and `merchantId`.
    ///
    /// Source: the server SDKs of both platforms.
    public static func getPayment(
        _ id: String,
        account: Worldline.Account<Self> = .init()
    ) throws(PaymentTokenError) -> GatewayRequest {
        try account.get("payments/\(try PathSegment.encoded(id, "paymentId"))")
    }

    /// Creates a CapturePayment request: `POST /{version}/{merchantId}/payments/{paymentId}/capture`.
    ///
    /// - Parameters:
    ///   - id: `id` of a payment whose amount is authorized.
    ///   - amount: The amount to capture in minor units; nil for the whole amount.
    ///   - authorized: The amount and currency that were authorized.
    ///   - isFinal: `isFinal`: whether this is the last capture; nil leaves it out.
    ///   - idempotenceKey: The header `X-GCS-Idempotence-Key`, visible ASCII; nil leaves it out.
    ///   - account: The merchant's account and its environment.
    /// - Returns: The request, not yet signed; ``Worldline/OperationAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-amount` (`amount`) for less than 1 or more
    ///   than was authorized, then `unsupported-length` or `unsupported-character` for `paymentId`, `merchantId` and
    ///   `X-GCS-Idempotence-Key`.
    ///
    /// Source: the server SDKs of both platforms, `CapturePaymentRequest`.
    public static func capture(
        _ id: String,
        amount: Int64? = nil,
        authorized: Order,
        isFinal: Bool? = nil,
        idempotenceKey: String? = nil,
        account: Worldline.Account<Self> = .init()
    ) throws(PaymentTokenError) -> GatewayRequest {
        let part = try authorized.part(amount, "amount")
        let amount = try scale.amount(part, "amount")
        let body = JSONBody.object { body in
            body.integer("amount", amount)
            body.boolean("isFinal", isFinal)
        }
        return try post(id, "capture", body, idempotenceKey, account)
    }

    /// Creates a CancelPayment request: `POST /{version}/{merchantId}/payments/{paymentId}/cancel`, without a body.
    ///
    /// - Parameters:
    ///   - id: `id` of a payment that is not captured.
    ///   - idempotenceKey: The header `X-GCS-Idempotence-Key`, visible ASCII; nil leaves it out.
    ///   - account: The merchant's account and its environment.
    /// - Returns: The request, not yet signed; ``Worldline/OperationAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or `unsupported-character` for
    ///   `paymentId`, `merchantId` and `X-GCS-Idempotence-Key`.
    ///
    /// Source: the server SDKs of both platforms; for Direct the body is optional.
    public static func cancel(
        _ id: String,
        idempotenceKey: String? = nil,
        account: Worldline.Account<Self> = .init()
    ) throws(PaymentTokenError) -> GatewayRequest {
        try post(id, "cancel", nil, idempotenceKey, account)
    }

    /// Creates a RefundPayment request: `POST /{version}/{merchantId}/payments/{paymentId}/refund`.
    ///
    /// - Parameters:
    ///   - id: `id` of a payment that is captured.
    ///   - amount: The amount to refund in minor units; nil for the whole amount.
    ///   - authorized: The amount and currency that were paid.
    ///   - idempotenceKey: The header `X-GCS-Idempotence-Key`, visible ASCII; nil leaves it out.
    ///   - account: The merchant's account and its environment.
    /// - Returns: The request, not yet signed; ``Worldline/OperationAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-amount` (`amount`) for less than 1 or more
    ///   than was paid, then `unsupported-length` or `unsupported-character` for `paymentId`, `merchantId` and
    ///   `X-GCS-Idempotence-Key`.
    ///
    /// Source: the server SDKs of both platforms, `RefundRequest`.
    public static func refund(
        _ id: String,
        amount: Int64? = nil,
        authorized: Order,
        idempotenceKey: String? = nil,
        account: Worldline.Account<Self> = .init()
    ) throws(PaymentTokenError) -> GatewayRequest {
        let part = try authorized.part(amount, "amount")
        let amount = try scale.amount(part, "amount")
        let body = JSONBody.object { body in
            body.object("amountOfMoney") { body in
                body.integer("amount", amount)
                body.string("currencyCode", part.currency.alphabetic)
            }
        }
        return try post(id, "refund", body, idempotenceKey, account)
    }

    private static func post(
        _ id: String,
        _ operation: String,
        _ body: SensitiveBytes?,
        _ idempotenceKey: String?,
        _ account: Worldline.Account<Self>
    ) throws(PaymentTokenError) -> GatewayRequest {
        try account.post(
            "payments/\(try PathSegment.encoded(id, "paymentId"))/\(operation)", body,
            idempotenceKey: idempotenceKey)
    }
}

extension WorldlinePlatform where Self == WorldlineDirect {
    /// Creates a GetPaymentDetails request: `GET /v2/{merchantId}/payments/{paymentId}/details`.
    ///
    /// Its answer contains the payment and its operations. Connect's server SDKs do not have this request.
    ///
    /// - Parameters:
    ///   - id: `id` of a payment.
    ///   - account: The merchant's account and its environment.
    /// - Returns: The request, not yet signed, without a body; ``Worldline/PaymentStatusAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `paymentId` and `merchantId`.
    ///
    /// Source: Worldline Direct server SDKs, `GetPaymentDetails`.
    public static func getPaymentDetails(
        _ id: String,
        account: Worldline.Account<Self> = .init()
    ) throws(PaymentTokenError) -> GatewayRequest {
        try account.get("payments/\(try PathSegment.encoded(id, "paymentId"))/details")
    }
}
