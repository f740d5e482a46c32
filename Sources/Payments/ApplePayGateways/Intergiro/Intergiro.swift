public import ApplePayAcceptance
public import ApplePayPrimitives
public import ApplePayWire

/// Intergiro, a card issuer's service, which adds an issued card to Apple Wallet and takes no payments.
///
/// Source: Intergiro, *Apple Pay*, its developer portal (*Authentication*, *SCA*), and its iOS SDK 1.1.0. The API
/// reference was not available: the bodies of errors and the answer to a consent that was given before are not known.
public struct Intergiro: Sendable {
    /// The servers that accept requests.
    public enum Environment: String, CaseIterable, Sendable {
        /// Real cards.
        case live = "https://3d.intergiro.com"
        /// The staging system.
        case staging = "https://3d.staging.intergiro.tech"
    }

    /// The API key, UTF-8.
    public var apiKey: SensitiveBytes
    /// Scheme and host: those of an ``Environment``, or of a proxy.
    public var origin: String

    /// Creates the service of an issuer.
    public init(apiKey: SensitiveBytes, environment: Environment) {
        self.apiKey = apiKey
        origin = environment.rawValue
    }

    /// Begins to add a card to Wallet: logs in, asks for the tokenization, and for the consent that the cardholder must give.
    ///
    /// - Parameters:
    ///   - cardID: Intergiro's identifier of the card.
    ///   - returnURL: The absolute URL to which the browser returns; nil for the flow in the app, with the SDK.
    ///   - transport: Sends the requests, such as `HTTPSClient`.
    /// - Returns: How far the card is.
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-length` (`card_id`, `return_url`, `api_key`) or
    ///   `unsupported-character` (`card_id`), then `not-sent` if a request was not answered; you may begin again.
    public func addCard(
        _ cardID: ExactText, returnURL: String? = nil, over transport: some GatewayTransport
    ) async throws(PaymentError) -> CardOutcome {
        try await transport.outcome(of: addition(of: cardID, returnURL: returnURL))
    }

    /// Creates the requests of ``addCard(_:returnURL:over:)``.
    package func addition(
        of cardID: ExactText, returnURL: String?
    ) throws(PaymentError) -> GatewayCall<CardOutcome> {
        _ = try PathSegment.encoded(cardID, "card_id")
        try FieldLength.check(returnURL, "return_url", 1...Int.max)
        return GatewayCall(try loginRequest()) { response in
            guard let token = try? Self.sessionTokens(response).accessToken,
                let request = try? tokenizeRequest(cardID, token)
            else { return .outcome(CardOutcome(unexpected: response, ofLogin: true)) }
            return .next(
                GatewayCall(request) { response in
                    let asked = Self.tokenizeOutcome(response)
                    guard let id = asked.consentID,
                        let request = try? consentRequest(id, token, returnURL: returnURL)
                    else { return .outcome(asked) }
                    return .next(
                        GatewayCall(request) { response in
                            var outcome = Self.consentOutcome(response, isBrowser: returnURL != nil)
                            outcome.consentID = id
                            return .outcome(outcome)
                        })
                })
        }
    }
}

extension Intergiro: CustomStringConvertible, CustomReflectable {
    /// The name and the server.
    public var description: String { "Intergiro(\(origin))" }

    /// A mirror without children, so that dumps do not show the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Intergiro {
    /// Returns a login request: `POST /v3/auth/login`.
    package func loginRequest() throws(PaymentError) -> GatewayRequest {
        try FieldLength.check(apiKey, "api_key", 1...Int.max)
        return GatewayRequest(
            origin, "/v3/auth/login", headers: [.contentType()],
            body: JSONBody.object { $0.secret("api_key", apiKey) })
    }

    /// Returns the request to add a card: `POST /v3/cards/{card_id}/apple_pay/tokenize`, without a body.
    package func tokenizeRequest(
        _ cardID: ExactText, _ accessToken: SensitiveBytes
    ) throws(PaymentError) -> GatewayRequest {
        let segment = try PathSegment.encoded(cardID, "card_id")
        let path = "/v3/cards/\(segment)/apple_pay/tokenize"
        return try GatewayRequest(origin, path, headers: [.contentType()])
            .authorized(by: accessToken)
    }

    /// Returns the request to begin the consent that the answer to the tokenization names, although Intergiro's sample
    /// shows another one: `POST /v3/consents/{consent_id}`, without a body in the app's flow.
    package func consentRequest(
        _ id: ExactText, _ accessToken: SensitiveBytes, returnURL: String?
    ) throws(PaymentError) -> GatewayRequest {
        let segment = try PathSegment.encoded(id, "consent_id")
        try FieldLength.check(returnURL, "return_url", 1...Int.max)
        let body = returnURL.map { url in JSONBody.object { $0.string("return_url", url) } }
        return try GatewayRequest(
            origin, "/v3/consents/\(segment)", headers: [.contentType()], body: body
        ).authorized(by: accessToken)
    }
}
