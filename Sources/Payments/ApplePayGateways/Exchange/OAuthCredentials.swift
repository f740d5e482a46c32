package import ApplePayAcceptance
public import ApplePayPrimitives
internal import ApplePayWire

/// How a merchant authenticates to a gateway with OAuth 2.0.
public enum OAuthCredentials: Sendable {
    /// The client's identifier and its secret: every call begins with a login.
    case client(id: String, secret: SensitiveBytes)
    /// An access token that the merchant's program keeps and renews.
    case accessToken(SensitiveBytes)
}

extension OAuthCredentials {
    /// Returns the header of a login: `Authorization: Basic`, followed by the base64 of identifier, colon and secret.
    ///
    /// - Throws: `gateway` with code `unsupported-operation` (`login`) for an access token, then `unsupported-length` and
    ///   `unsupported-character` for `client_id`, and `unsupported-length` for `client_secret`.
    ///
    /// Source: RFC 6749 §2.3.1; RFC 7617 §2.
    package func basicAuthorization() throws(PaymentError) -> GatewayHeader {
        guard case .client(let id, let secret) = self else {
            throw .gateway(.unsupportedOperation, "login")
        }
        try FieldLength.check(id, "client_id", 1...Int.max)
        try FieldCharacters.check(ExactText(id), "client_id") {
            $0.isVisible && $0 != UInt8(ascii: ":")
        }
        try FieldLength.check(secret, "client_secret", 1...Int.max)
        return .basic(id, secret)
    }

    /// Creates a call that needs an access token: it begins with a login, unless the merchant gave the token.
    ///
    /// - Throws: The errors of `login`, or of `next` for the merchant's token.
    package func call<Outcome: GatewayOutcome>(
        _ attempt: PaymentAttempt,
        at gateway: any PaymentGateway,
        login: () throws(PaymentError) -> GatewayRequest,
        _ next:
            @escaping @Sendable (SensitiveBytes) throws(PaymentError) -> GatewayCall<Outcome>
    ) throws(PaymentError) -> GatewayCall<Outcome> {
        if case .accessToken(let token) = self { return try next(token) }
        return .preparation(
            "login", attempt, at: gateway, try login(), read: Self.accessToken, next)
    }

    /// Reads the access token in the answer to a login.
    ///
    /// - Throws: ``PaymentError``.
    ///
    /// Source: RFC 6749 §5.1.
    package static func accessToken(
        _ response: GatewayResponse
    ) throws(PaymentError) -> SensitiveBytes {
        try response.accepted().mandatorySecret("access_token")
    }
}
