public import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

/// PayPal Orders v2: orders paid with Apple Pay data that the merchant decrypted.
///
/// Source: PayPal, *Orders v2*, and the types of its official server SDK (`ApplePayRequest`,
/// `ApplePayDecryptedTokenData`, `ApplePayPaymentData`).
public enum PayPal {
    /// The servers that accept requests.
    public enum Environment: String, CaseIterable, Sendable {
        /// Real money.
        case live = "https://api-m.paypal.com"

        /// The sandbox.
        case sandbox = "https://api-m.sandbox.paypal.com"
    }
}

extension PayPal {
    /// Creates a request for an access token: `POST /v1/oauth2/token` with the client's credentials.
    ///
    /// The header is `Authorization: Basic`, followed by the base64 of identifier, colon and secret; the body is
    /// `grant_type=client_credentials`, form-encoded.
    ///
    /// - Parameters:
    ///   - clientID: The REST app's client identifier, visible ASCII without a colon.
    ///   - clientSecret: Its secret, visible ASCII.
    ///   - environment: The server that receives the request.
    /// - Returns: The request.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `clientID`, then `unsupported-length` for `clientSecret`.
    ///
    /// Source: PayPal, *Authentication*; RFC 7617 §2.
    public static func accessToken(
        clientID: String,
        clientSecret: SensitiveBytes,
        environment: Environment = .live
    ) throws(PaymentTokenError) -> GatewayRequest {
        try FieldLength.check(clientID, "clientID", 1...Int.max)
        guard clientID.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !clientID.contains(":")
        else { throw PaymentTokenError(.unsupportedCharacter, member: "clientID") }
        try FieldLength.check(clientSecret, "clientSecret", 1...Int.max)
        let credentials = SecretBuffer()
        credentials.append(clientID.utf8.span)
        credentials.append(UInt8(ascii: ":"))
        clientSecret.withRevealedBytes { credentials.append($0) }
        var header = SecretBuffer()
        header.append("Basic ".utf8.span)
        credentials.withSpan { Base64.encode($0, into: &header) }
        var form = FormBody()
        form.parameter("grant_type", "client_credentials")
        return GatewayRequest(
            environment.rawValue, "/v1/oauth2/token",
            headers: [
                .contentType(FormBody.contentType),
                GatewayHeader(secret: "Authorization", header.sensitiveBytes()),
            ],
            body: form.bytes())
    }
}
