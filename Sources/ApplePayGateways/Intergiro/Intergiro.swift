public import ApplePayPrimitives
public import ApplePayToken

/// Intergiro, the issuer's side: adds a card that was issued to Apple Wallet.
///
/// No payment token takes part. The steps: log in, ``tokenize(cardID:accessToken:environment:)``, which
/// answers 412 with a consent to be given, ``consent(_:accessToken:returnURL:environment:)``, which
/// brings the launch token for the vendor's SDK in the app, and the SDK's callback, ``LaunchAnswer``.
///
/// Source: Intergiro, *Apple Pay*, its developer portal (authentication, SCA), and its iOS SDK 1.1.0. The
/// API reference was not at hand: the bodies of errors, and what is answered when consent was given
/// already, are not known.
public enum Intergiro {
    /// Where requests go.
    public enum Environment: String, CaseIterable, Sendable {
        /// Real cards.
        case live = "https://3d.intergiro.com"

        /// The staging system.
        case staging = "https://3d.staging.intergiro.tech"
    }
}

extension Intergiro {
    /// Logs in: `POST /v3/auth/login` with `{"api_key": …}`.
    ///
    /// - Parameters:
    ///   - apiKey: The API key, UTF-8, not empty.
    ///   - environment: Where to send it.
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

    /// Renews an access token: `POST /v3/auth/refresh` with `{"refresh_token": …}`.
    ///
    /// Only after an answer 401: earlier it is an error. The answer has a new refresh token too.
    ///
    /// - Parameters:
    ///   - refreshToken: The latest refresh token, UTF-8, not empty.
    ///   - environment: Where to send it.
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
