public import ApplePayAcceptance
public import ApplePayPrimitives
public import ApplePayWire

/// Dintero's checkout with Apple Pay in an app: a session, its operations, the token, and the payment.
///
/// Dintero decrypts the token itself and accepts only Visa and Mastercard. The test system and the live system need
/// separate merchant identifiers and certificates. There are no idempotency keys.
///
/// Source: Dintero, *Apple Pay native app*, *Create session*; Dintero's native iOS example; its Node SDK fa6d03b, whose
/// types are generated from the API's specification.
public struct Dintero: PaymentGateway {
    /// The account, such as `P12345678`; those of the test system begin with `T`.
    public var accountID: String
    /// The API client, or an access token.
    public var credentials: OAuthCredentials
    /// Scheme and host of the checkout: the vendor's, or those of a proxy.
    public var origin = "https://checkout.dintero.com"
    /// Scheme and host of the login: the vendor's, or those of a proxy.
    public var loginOrigin = "https://api.dintero.com"
    /// The secret of `POST /v1/admin/signature`, which signs callbacks; nil refuses all callbacks.
    public var callbackSecret: SensitiveBytes?
    /// The members of the requests that are the same for every order.
    public var options = Options()

    /// Creates a gateway for a merchant's account.
    public init(accountID: String, credentials: OAuthCredentials) {
        self.accountID = accountID
        self.credentials = credentials
    }

    /// `dintero`.
    public var name: ExactText { "dintero" }

    /// `accountID`.
    public var account: ExactText { ExactText(accountID) }

    /// Encrypted payments, parts, and messages; asked by identifier and by reference.
    public var abilities: GatewayAbilities {
        var abilities = GatewayAbilities(
            [.encrypted], status: [.identifier, .reference],
            operations: [.capture: .part, .cancellation: .whole, .refund: .part], messages: true)
        abilities.takesSessions = true
        abilities.initiators = [.unscheduled]
        abilities.mark = .session
        return abilities
    }

    /// Whether the account is of the test system: its identifier begins with T.
    public var isTest: Bool { Self.isTest(account) == true }

    /// Checks the amount, the return address and the lines, whose amounts must add up to the total (`order.amount`).
    public func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {
        guard order.amount >= 0 else { throw .gateway(.unsupportedAmount, "amount") }
        try FieldLength.check(order.returnURL ?? "", "return_url", 1...Int.max)
        guard order.items.allSatisfy({ (0...10_000).contains($0.taxBasisPoints ?? 0) }) else {
            throw .gateway(.unsupportedAmount, "vat")
        }
        let sum = order.items.reduce(Int128(0)) { $0 + Int128($1.amount) }
        guard order.items.isEmpty || sum == Int128(order.amount) else {
            throw .gateway(.unsupportedAmount, "items")
        }
    }
}

extension Dintero {
    /// Returns the request for an access token: `POST /v1/accounts/{account}/auth/token` (Node SDK, `src/client.ts`).
    package func loginRequest() throws(PaymentError) -> GatewayRequest {
        let authorization = try credentials.basicAuthorization()
        let path = "/v1/accounts/\(try PathSegment.encoded(account, "account_id"))"
        let body = JSONBody.object { body in
            body.string("grant_type", "client_credentials")
            // The audience is the vendor's API, also if the request goes through a proxy.
            body.string("audience", "https://api.dintero.com\(path)")
        }
        return GatewayRequest(
            loginOrigin, "\(path)/auth/token", headers: [authorization, .contentType()], body: body)
    }

    /// Returns a request with the access token, which must be visible ASCII.
    package static func authorize(
        _ request: GatewayRequest, _ accessToken: SensitiveBytes
    ) throws(PaymentError) -> GatewayRequest {
        try request.authorized(by: accessToken, isFirst: true)
    }

    /// Returns an empty report.
    static func report(about subject: PaymentReport.Subject = .payment) -> PaymentReport {
        PaymentReport(gateway: "dintero", about: subject)
    }

    /// Returns whether an account, session or transaction is of the test system; their identifiers all begin with the
    /// account's, `T` or `P` and eight digits.
    static func isTest(_ identifier: ExactText?) -> Bool? {
        switch identifier?.utf8.first {
        case UInt8(ascii: "T"): true
        case UInt8(ascii: "P"): false
        default: nil
        }
    }

    /// Returns an outcome with the identifiers that are known if an answer does not repeat them.
    func outcome(_ report: PaymentReport, of attempt: PaymentAttempt) -> OrderOutcome {
        var report = report
        report.paymentID = report.paymentID ?? attempt.paymentID
        report.sessionID = report.sessionID ?? attempt.sessionID
        return OrderOutcome(report: report, attempt: attempt, isTest: isTest)
    }

    func call<Outcome: GatewayOutcome>(
        _ attempt: PaymentAttempt, _ request: GatewayRequest, canMoveMoney: Bool = false,
        _ read: @escaping @Sendable (GatewayResponse) -> GatewayCall<Outcome>.Reading
    ) -> GatewayCall<Outcome> {
        GatewayCall(
            attempt, at: self, canMoveMoney: canMoveMoney,
            request: { _ throws(PaymentError) in request }, read: read)
    }
}
