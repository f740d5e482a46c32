public import ApplePayPrimitives
public import ApplePayToken

extension Intergiro {
    /// Creates the request to add a card to Wallet: `POST /v3/cards/{card_id}/apple_pay/tokenize`, without a body.
    ///
    /// - Parameters:
    ///   - cardID: The card's identifier.
    ///   - accessToken: The session's access token, visible ASCII.
    ///   - environment: The server that receives the request.
    /// - Returns: The request, with a JSON content type and no body.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `card_id`, then for `access_token`.
    ///
    /// Source: Intergiro, *Apple Pay*, step 1.
    public static func tokenize(
        cardID: String,
        accessToken: SensitiveBytes,
        environment: Environment = .live
    ) throws(PaymentTokenError) -> GatewayRequest {
        let segment = try PathSegment.encoded(cardID, "card_id")
        return GatewayRequest(
            environment.rawValue, "/v3/cards/\(segment)/apple_pay/tokenize",
            headers: try headers(accessToken))
    }

    /// Returns the headers of a request in a session.
    static func headers(
        _ accessToken: SensitiveBytes
    ) throws(PaymentTokenError) -> [GatewayHeader] {
        [
            .contentType(),
            try .checked(secret: "Authorization", prefix: "Bearer ", accessToken, "access_token"),
        ]
    }
}

extension Intergiro {
    /// Creates the request to begin a consent: `POST /v3/consents/{consent_id}`.
    ///
    /// Without a return address, the request does not have a body, and the answer contains the token that launches the
    /// SDK in the app. With one, the body is `{"return_url": …}`, and the cardholder uses the browser.
    ///
    /// - Parameters:
    ///   - id: The identifier of the consent in the answer to the previous step, although the sample on Intergiro's
    ///     page shows another value.
    ///   - accessToken: The session's access token, visible ASCII.
    ///   - returnURL: The absolute URL to which the browser returns; nil for the flow in the app. Intergiro refuses an
    ///     empty URL.
    ///   - environment: The server that receives the request.
    /// - Returns: The request.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for `consent_id`, `return_url` and `access_token`.
    ///
    /// Source: Intergiro, *Apple Pay*, step 2; its developer portal, *SCA*.
    public static func consent(
        _ id: String,
        accessToken: SensitiveBytes,
        returnURL: String? = nil,
        environment: Environment = .live
    ) throws(PaymentTokenError) -> GatewayRequest {
        let segment = try PathSegment.encoded(id, "consent_id")
        try FieldLength.check(returnURL, "return_url", 1...Int.max)
        return GatewayRequest(
            environment.rawValue, "/v3/consents/\(segment)",
            headers: try headers(accessToken),
            body: returnURL.map { url in JSONBody.object { $0.string("return_url", url) } })
    }
}
