public import ApplePayPrimitives
public import ApplePayToken

/// Intergiro, a card issuer's service: adds an issued card to Apple Wallet.
///
/// It does not use payment tokens. The steps are: log in; ``tokenize(cardID:accessToken:environment:)``, whose answer
/// 412 names a consent; ``consent(_:accessToken:returnURL:environment:)``, whose answer contains the launch token for
/// Intergiro's SDK in the app; and the SDK's callback, ``LaunchAnswer``.
///
/// Source: Intergiro, *Apple Pay*, its developer portal (authentication, SCA), and its iOS SDK 1.1.0. The API reference
/// was not available, so the bodies of errors and the answer to a consent that was given before are not known.
public enum Intergiro {
    /// The servers that accept requests.
    public enum Environment: String, CaseIterable, Sendable {
        /// Real cards.
        case live = "https://3d.intergiro.com"

        /// The staging system.
        case staging = "https://3d.staging.intergiro.tech"
    }
}

extension Intergiro {
    /// Creates a login request: `POST /v3/auth/login` with `{"api_key": …}`.
    ///
    /// - Parameters:
    ///   - apiKey: The API key, UTF-8, not empty.
    ///   - environment: The server that receives the request.
    /// - Returns: The request.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` for an empty `api_key`.
    ///
    /// Source: Intergiro's developer portal, *Authentication*.
    public static func login(
        apiKey: SensitiveBytes,
        environment: Environment = .live
    ) throws(PaymentTokenError) -> GatewayRequest {
        try session("login", "api_key", apiKey, environment)
    }

    /// Creates a request for a new access token: `POST /v3/auth/refresh` with `{"refresh_token": …}`.
    ///
    /// Send it only after an answer 401; before that, Intergiro answers with an error. The answer also contains a new
    /// refresh token.
    ///
    /// - Parameters:
    ///   - refreshToken: The latest refresh token, UTF-8, not empty.
    ///   - environment: The server that receives the request.
    /// - Returns: The request.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` for an empty
    ///   `refresh_token`.
    ///
    /// Source: Intergiro's developer portal, *Authentication*.
    public static func refresh(
        refreshToken: SensitiveBytes,
        environment: Environment = .live
    ) throws(PaymentTokenError) -> GatewayRequest {
        try session("refresh", "refresh_token", refreshToken, environment)
    }

    private static func session(
        _ action: String,
        _ field: String,
        _ secret: SensitiveBytes,
        _ environment: Environment
    ) throws(PaymentTokenError) -> GatewayRequest {
        try FieldLength.check(secret, field, 1...Int.max)
        return GatewayRequest(
            environment.rawValue, "/v3/auth/\(action)", headers: [.contentType()],
            body: JSONBody.object { $0.secret(field, secret) })
    }
}
