internal import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

extension RBS {
    /// How much of an authorized amount is captured.
    public enum Deposit: Hashable, Sendable {
        /// The whole amount; the gateway reads the amount 0 as "all".
        case all

        /// A part in minor units, 1 or more.
        case amount(Int64)
    }

    /// Creates a status query by the gateway's order number: `POST {prefix}/rest/getOrderStatusExtended.do`.
    ///
    /// - Parameters:
    ///   - orderId: `orderId` from the payment's answer; not empty.
    ///   - credentials: Login or token.
    ///   - language: The language of the messages: two letters of ISO 639-1; nil leaves it out.
    ///   - host: The gateway's server.
    /// - Returns: The request; its body is a form.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` (`userName`,
    ///   `password` or `token`, `orderId`, `language`).
    ///
    /// Source: BPC, *REST API*, "Order status".
    public static func orderStatus(
        orderId: String,
        credentials: Credentials,
        language: String? = nil,
        host: Host
    ) throws(PaymentTokenError) -> GatewayRequest {
        try credentials.check()
        try FieldLength.check(orderId, "orderId", 1...Int.max)
        try FieldLength.check(language, "language", 2...2)
        var body = FormBody()
        credentials.write(into: &body)
        body.parameter("orderId", orderId)
        body.parameter("language", language)
        return form("/rest/getOrderStatusExtended.do", body, host)
    }

    /// Creates a status query by the merchant's order number: `POST {prefix}/rest/getOrderStatusExtended.do`.
    ///
    /// The gateway does not accept a `token` as credentials for this query.
    ///
    /// - Parameters:
    ///   - orderNumber: `orderNumber`.
    ///   - user: The merchant's login.
    ///   - merchantLogin: `merchantLogin`: the login of the merchant whose order it is, if it is not the user's; nil
    ///     leaves it out.
    ///   - language: The language of the messages: two letters of ISO 639-1; nil leaves it out.
    ///   - host: The gateway's server.
    /// - Returns: The request; its body is a form.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` (`userName`,
    ///   `password`, `orderNumber`, `language`).
    ///
    /// Source: BPC, *REST API*, "Order status".
    public static func orderStatus(
        orderNumber: String,
        user: User,
        merchantLogin: String? = nil,
        language: String? = nil,
        host: Host
    ) throws(PaymentTokenError) -> GatewayRequest {
        try user.check()
        try check(orderNumber: orderNumber, host.limits)
        try FieldLength.check(language, "language", 2...2)
        var body = FormBody()
        user.write(into: &body)
        body.parameter("orderNumber", orderNumber)
        body.parameter("language", language)
        body.parameter("merchantLogin", merchantLogin)
        return form("/rest/getOrderStatusExtended.do", body, host)
    }

    /// Creates a request that captures an authorized amount: `POST {prefix}/rest/deposit.do`.
    ///
    /// The answer does not describe the order: ask for its state afterwards.
    ///
    /// - Parameters:
    ///   - deposit: How much to capture.
    ///   - orderId: `orderId` from the payment's answer; not empty.
    ///   - credentials: The login, or the token, which older clients send.
    ///   - authorized: The authorized amount in minor units, which a part must not exceed; nil compares nothing.
    ///   - currency: `currency` as the three digits of ISO 4217; nil leaves it out.
    ///   - language: The language of the messages: two letters of ISO 639-1; nil leaves it out.
    ///   - host: The gateway's server.
    /// - Returns: The request; its body is a form.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` (`userName`,
    ///   `password` or `token`, `orderId`), `unsupported-amount` (`amount` below 1 or more than was authorized), then
    ///   `unsupported-length` (`language`).
    ///
    /// Source: BPC, *REST API*, "Order management"; RBS, *Apple Pay (mobile application)*, steps 10, 11.
    public static func deposit(
        _ deposit: Deposit,
        orderId: String,
        credentials: Credentials,
        authorized: Int64? = nil,
        currency: Currency? = nil,
        language: String? = nil,
        host: Host
    ) throws(PaymentTokenError) -> GatewayRequest {
        try credentials.check()
        try FieldLength.check(orderId, "orderId", 1...Int.max)
        let amount = try amount(deposit, authorized)
        try FieldLength.check(language, "language", 2...2)
        var body = FormBody()
        credentials.write(into: &body)
        body.parameter("orderId", orderId)
        body.parameter("amount", amount)
        body.parameter("currency", currency?.numeric)
        body.parameter("language", language)
        return form("/rest/deposit.do", body, host)
    }

    /// Creates a request that captures an authorized amount by the merchant's order number:
    /// `POST {prefix}/rest/deposit.do`.
    ///
    /// - Parameters:
    ///   - deposit: How much to capture.
    ///   - orderNumber: `orderNumber`.
    ///   - merchantLogin: `merchantLogin`: the login of the merchant whose order it is.
    ///   - user: The merchant's login.
    ///   - authorized: The authorized amount in minor units, which a part must not exceed; nil compares nothing.
    ///   - currency: `currency` as the three digits of ISO 4217; nil leaves it out.
    ///   - language: The language of the messages: two letters of ISO 639-1; nil leaves it out.
    ///   - host: The gateway's server.
    /// - Returns: The request; its body is a form.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` (`userName`,
    ///   `password`, `orderNumber`), `unsupported-amount` (`amount` below 1 or more than was authorized), then
    ///   `unsupported-length` (`language`).
    ///
    /// Source: BPC, *REST API*, "Order management".
    public static func deposit(
        _ deposit: Deposit,
        orderNumber: String,
        merchantLogin: String,
        user: User,
        authorized: Int64? = nil,
        currency: Currency? = nil,
        language: String? = nil,
        host: Host
    ) throws(PaymentTokenError) -> GatewayRequest {
        try user.check()
        try check(orderNumber: orderNumber, host.limits)
        let amount = try amount(deposit, authorized)
        try FieldLength.check(language, "language", 2...2)
        var body = FormBody()
        user.write(into: &body)
        body.parameter("orderNumber", orderNumber)
        body.parameter("merchantLogin", merchantLogin)
        body.parameter("amount", amount)
        body.parameter("currency", currency?.numeric)
        body.parameter("language", language)
        return form("/rest/deposit.do", body, host)
    }

    /// Creates a request that releases an authorized amount: `POST {prefix}/rest/reverse.do`.
    ///
    /// - Parameters:
    ///   - orderId: `orderId` from the payment's answer; not empty.
    ///   - credentials: Login or token.
    ///   - host: The gateway's server.
    /// - Returns: The request; its body is a form. ``DepositAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` (`userName`, `password` or `token`,
    ///   `orderId`).
    ///
    /// Source: BPC, *REST API*, "Order management", reverse.do.
    public static func reverse(
        orderId: String,
        credentials: Credentials,
        host: Host
    ) throws(PaymentTokenError) -> GatewayRequest {
        try credentials.check()
        try FieldLength.check(orderId, "orderId", 1...Int.max)
        var body = FormBody()
        credentials.write(into: &body)
        body.parameter("orderId", orderId)
        return form("/rest/reverse.do", body, host)
    }

    /// Creates a request that refunds a captured amount or a part of it: `POST {prefix}/rest/refund.do`.
    ///
    /// - Parameters:
    ///   - orderId: `orderId` from the payment's answer; not empty.
    ///   - amount: The amount in minor units; nil for the whole amount, which is then sent as a number.
    ///   - authorized: The amount and currency that were paid.
    ///   - credentials: Login or token.
    ///   - host: The gateway's server.
    /// - Returns: The request; its body is a form. ``DepositAnswer`` reads the answer.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` (`userName`, `password` or `token`,
    ///   `orderId`), then `unsupported-amount` (`amount`) for less than 1 or more than was paid.
    ///
    /// Source: BPC, *REST API*, "Order management", refund.do.
    public static func refund(
        orderId: String,
        amount: Int64? = nil,
        authorized: Order,
        credentials: Credentials,
        host: Host
    ) throws(PaymentTokenError) -> GatewayRequest {
        try credentials.check()
        try FieldLength.check(orderId, "orderId", 1...Int.max)
        let part = try authorized.part(amount, "amount")
        var body = FormBody()
        credentials.write(into: &body)
        body.parameter("orderId", orderId)
        body.parameter("amount", "\(part.amount)")
        return form("/rest/refund.do", body, host)
    }

    /// Returns `amount`; refuses a part of 0, which would mean the whole amount, and more than was authorized.
    private static func amount(
        _ deposit: Deposit,
        _ authorized: Int64?
    ) throws(PaymentTokenError) -> String {
        switch deposit {
        case .all: return "0"
        case .amount(let part):
            guard part > 0, part <= authorized ?? part else {
                throw PaymentTokenError(.unsupportedAmount, member: "amount")
            }
            return String(part)
        }
    }

    private static func form(_ path: String, _ body: FormBody, _ host: Host) -> GatewayRequest {
        GatewayRequest(
            host.origin, host.prefix + path, headers: [.contentType(FormBody.contentType)],
            body: body.bytes())
    }
}
