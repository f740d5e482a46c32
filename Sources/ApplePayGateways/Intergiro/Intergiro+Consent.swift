public import ApplePayPrimitives
public import ApplePayToken
public import FoundationEssentials

extension Intergiro {
    /// Begins to give a consent: `POST /v3/consents/{consent_id}`.
    ///
    /// Without a return address the body is absent and the answer holds the token that launches the SDK
    /// in the app; with one it is `{"return_url": …}`, and the cardholder goes through the browser.
    ///
    /// - Parameters:
    ///   - id: The consent's identifier: that of the answer to the step before, whatever the sample on
    ///     Intergiro's page shows.
    ///   - accessToken: The session's access token, visible ASCII.
    ///   - returnURL: Where the browser comes back to, an absolute URL; nil for the app's flow. Intergiro
    ///     refuses an empty one.
    ///   - environment: Where to send it.
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

    /// The answer to ``consent(_:accessToken:returnURL:environment:)``.
    public struct ConsentAnswer: Sendable {
        /// The HTTP status code.
        public let httpStatus: Int

        /// `method.token`: what the app hands to `Intergiro.launch(token:…)`; may be missing in the
        /// browser's flow, and is nil unless the HTTP status is 2xx.
        public let launchToken: SensitiveBytes?

        /// `method.redirect_url`: where the browser goes; nil unless the HTTP status is 2xx.
        public let redirectURL: String?

        /// `method.expires_at`: until when token and address are good; nil where it is missing.
        public let expiresAt: Date?

        /// Whether the session has expired, so that it must be renewed: 401.
        public var isSessionExpired: Bool { httpStatus == 401 }

        /// Reads an answer; of one that is not 2xx only the HTTP status, since its body is not documented.
        ///
        /// - Parameter response: What Intergiro answered.
        /// - Throws: ``GatewayResponseError``, where the HTTP status is 2xx, with code `not-json` or
        ///   `wrong-type`, then `wrong-type` for a member of another type, `missing-member` when there is
        ///   neither `method.token` nor `method.redirect_url`.
        public init(_ response: GatewayResponse) throws(GatewayResponseError) {
            httpStatus = response.status
            guard (200..<300).contains(response.status) else {
                launchToken = nil
                redirectURL = nil
                expiresAt = nil
                return
            }
            let answer = try response.object()
            let hasToken = answer["method", "token"] != nil
            let hasURL = answer["method", "redirect_url"] != nil
            launchToken = hasToken ? try answer.mandatorySecret("method", "token") : nil
            redirectURL = hasURL ? try answer.mandatoryText("method", "redirect_url") : nil
            expiresAt = try Intergiro.date(answer, "method", "expires_at")
            guard hasToken || hasURL else {
                throw GatewayResponseError(.missingMember, field: "method.token")
            }
        }
    }
}
