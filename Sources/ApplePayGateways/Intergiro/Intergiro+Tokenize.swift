public import ApplePayPrimitives
public import ApplePayToken
public import FoundationEssentials

extension Intergiro {
    /// Asks for a card to be added: `POST /v3/cards/{card_id}/apple_pay/tokenize`, without a body.
    ///
    /// - Parameters:
    ///   - cardID: The card's identifier.
    ///   - accessToken: The session's access token, visible ASCII.
    ///   - environment: Where to send it.
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

    /// The headers of a request in a session.
    static func headers(
        _ accessToken: SensitiveBytes
    ) throws(PaymentTokenError) -> [GatewayHeader] {
        [
            .contentType(),
            try .checked(secret: "Authorization", prefix: "Bearer ", accessToken, "access_token"),
        ]
    }

    /// The answer to ``tokenize(cardID:accessToken:environment:)``.
    ///
    /// HTTP 412 is the expected outcome and no failure: it names the consent that is to be given.
    public struct TokenizeAnswer: Sendable {
        /// The HTTP status code.
        public let httpStatus: Int

        /// The consent of a 412; nil with any other status.
        public let consent: Consent?

        /// Whether the session has expired, so that it must be renewed: 401.
        public var isSessionExpired: Bool { httpStatus == 401 }

        /// Reads an answer; of one that is not 412 only the HTTP status, since its body is not documented.
        ///
        /// - Parameter response: What Intergiro answered.
        /// - Throws: ``GatewayResponseError``, where the HTTP status is 412, with code `not-json` or
        ///   `wrong-type`, then `missing-member` or `wrong-type` for `consent.id`, `consent.status` and
        ///   `consent.expires_at`.
        public init(_ response: GatewayResponse) throws(GatewayResponseError) {
            httpStatus = response.status
            consent =
                response.status == 412 ? try Consent(try response.object()) : nil
        }
    }

    /// A consent that the cardholder is to give.
    public struct Consent: Sendable {
        /// `id`, for ``Intergiro/consent(_:accessToken:returnURL:environment:)``.
        public let id: String

        /// `status`, such as `pending`.
        public let status: String

        /// `scope`; empty where it is missing.
        public let scope: [String]

        /// `expires_at`; nil where it is missing.
        public let expiresAt: Date?

        init(_ answer: ResponseValue) throws(GatewayResponseError) {
            id = try answer.mandatoryText("consent", "id")
            status = try answer.mandatoryText("consent", "status")
            scope = (answer["consent", "scope"]?.elements ?? []).compactMap(\.string)
            expiresAt = try Intergiro.date(answer, "consent", "expires_at")
        }
    }

    /// A time, in any of the forms that Intergiro writes; nil where it is missing.
    static func date(
        _ answer: ResponseValue,
        _ object: String,
        _ member: String
    ) throws(GatewayResponseError) -> Date? {
        guard let value = answer[object, member] else { return nil }
        guard let date = value.string.flatMap(InternetTime.date) else {
            throw GatewayResponseError(.wrongType, field: "\(object).\(member)")
        }
        return date
    }
}
