public import ApplePayPrimitives
public import FoundationEssentials

extension Intergiro {
    /// The answer to a login or to the renewal of a session.
    public struct SessionAnswer: GatewayAnswer {
        /// The outcome; ``PaymentOutcome/pending`` if the session is open, because the next step follows.
        public let outcome: PaymentOutcome

        /// Always nil: the answer does not contain a state.
        public var gatewayStatus: String? { nil }

        /// The HTTP status code.
        public let httpStatus: Int

        /// `access_token`; nil unless the HTTP status is 2xx.
        public let accessToken: SensitiveBytes?

        /// `refresh_token`; keep it for the next renewal; nil unless the HTTP status is 2xx.
        public let refreshToken: SensitiveBytes?

        /// Reads an answer; unless the HTTP status is 2xx, the body is not read because it is not documented.
        ///
        /// - Parameter response: Intergiro's answer.
        /// - Throws: ``UnreadableJSONError``, if the HTTP status is 2xx, with code `not-json` or `wrong-type`, then
        ///   `missing-member` or `wrong-type` for `access_token` and `refresh_token`.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            httpStatus = response.status
            outcome = Intergiro.outcome(response) { .pending }
            guard response.isAccepted else {
                accessToken = nil
                refreshToken = nil
                return
            }
            let answer = try response.object()
            accessToken = try answer.mandatorySecret("access_token")
            refreshToken = try answer.mandatorySecret("refresh_token")
        }
    }

    /// The answer to ``tokenize(cardID:accessToken:environment:)``.
    ///
    /// HTTP 412 is the expected status, not a failure: the answer names the consent that the cardholder must give.
    public struct TokenizeAnswer: GatewayAnswer {
        /// The outcome; ``PaymentOutcome/pending`` if the cardholder must give a consent.
        public let outcome: PaymentOutcome

        /// `status` of the consent.
        public var gatewayStatus: String? { consent?.status }

        /// The HTTP status code.
        public let httpStatus: Int

        /// The consent of a 412; nil with any other status.
        public let consent: Consent?

        /// Whether the session has expired (HTTP 401) and must be renewed.
        public var isSessionExpired: Bool { httpStatus == 401 }

        /// Reads an answer; unless the HTTP status is 412, the body is not read because it is not documented.
        ///
        /// - Parameter response: Intergiro's answer.
        /// - Throws: ``UnreadableJSONError``, if the HTTP status is 412, with code `not-json` or `wrong-type`, then
        ///   `missing-member` or `wrong-type` for `consent.id`, `consent.status` and `consent.expires_at`.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            httpStatus = response.status
            guard response.status == 412 else {
                consent = nil
                outcome = Intergiro.outcome(response) {
                    .unknown(reason: "HTTP status \(response.status) is not documented here.")
                }
                return
            }
            consent = try Consent(try response.object())
            outcome = .pending
        }
    }

    /// A consent that the cardholder must give.
    public struct Consent: Sendable {
        /// `id`, for ``Intergiro/consent(_:accessToken:returnURL:environment:)``.
        public let id: String

        /// `status`, such as `pending`.
        public let status: String

        /// `scope`; empty if it is missing.
        public let scope: [String]

        /// `expires_at`; nil if it is missing.
        public let expiresAt: Date?

        init(_ answer: ResponseValue) throws(UnreadableJSONError) {
            id = try answer.mandatoryText("consent", "id")
            status = try answer.mandatoryText("consent", "status")
            scope = (answer["consent", "scope"]?.elements ?? []).compactMap(\.string)
            expiresAt = try Intergiro.date(answer, "consent", "expires_at")
        }
    }

    /// The answer to ``consent(_:accessToken:returnURL:environment:)``.
    public struct ConsentAnswer: GatewayAnswer {
        /// The outcome: the address that the cardholder must open, or ``PaymentOutcome/pending`` with a token for the
        /// SDK.
        public let outcome: PaymentOutcome

        /// Always nil: the answer does not contain a state.
        public var gatewayStatus: String? { nil }

        /// The HTTP status code.
        public let httpStatus: Int

        /// `method.token`, which the app passes to `Intergiro.launch(token:…)`.
        ///
        /// Nil unless the HTTP status is 2xx; may be missing in the browser flow.
        public let launchToken: SensitiveBytes?

        /// `method.redirect_url`: the address for the browser; nil unless the HTTP status is 2xx.
        public let redirectURL: String?

        /// `method.expires_at`: when the token and the address expire; nil if it is missing.
        public let expiresAt: Date?

        /// Whether the session has expired (HTTP 401) and must be renewed.
        public var isSessionExpired: Bool { httpStatus == 401 }

        /// Reads an answer; unless the HTTP status is 2xx, the body is not read because it is not documented.
        ///
        /// - Parameter response: Intergiro's answer.
        /// - Throws: ``UnreadableJSONError``, if the HTTP status is 2xx, with code `not-json` or `wrong-type`, then
        ///   `wrong-type` for a member of another type, then `missing-member` if both `method.token` and
        ///   `method.redirect_url` are missing.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            httpStatus = response.status
            guard response.isAccepted else {
                launchToken = nil
                redirectURL = nil
                expiresAt = nil
                outcome = Intergiro.outcome(response) { .pending }
                return
            }
            let answer = try response.object()
            let hasToken = answer["method", "token"] != nil
            let hasURL = answer["method", "redirect_url"] != nil
            launchToken = hasToken ? try answer.mandatorySecret("method", "token") : nil
            redirectURL = hasURL ? try answer.mandatoryText("method", "redirect_url") : nil
            expiresAt = try Intergiro.date(answer, "method", "expires_at")
            guard hasToken || hasURL else {
                throw UnreadableJSONError(.missingMember, field: "method.token")
            }
            outcome = .action(redirectURL)
        }
    }

    /// Returns the outcome of an answer; unknown if the body of an error is not JSON.
    static func outcome(
        _ response: GatewayResponse,
        _ accepted: () -> PaymentOutcome
    ) -> PaymentOutcome {
        guard response.isAccepted || (try? response.object()) != nil else {
            return .unknown(reason: "HTTP status \(response.status) with a body that is not JSON.")
        }
        return response.outcome(code: nil, text: nil, accepted)
    }

    /// Returns a time, in any of the forms that Intergiro uses; nil if it is missing.
    static func date(
        _ answer: ResponseValue,
        _ object: String,
        _ member: String
    ) throws(UnreadableJSONError) -> Date? {
        guard let value = answer[object, member] else { return nil }
        guard let date = value.string.flatMap(InternetTime.date) else {
            throw UnreadableJSONError(.wrongType, field: "\(object).\(member)")
        }
        return date
    }

    /// The arguments of the SDK's callback, `completion([String: Any]?, Error?)`, which the app sends on as JSON.
    ///
    /// Intergiro's page names the argument `callback:`; SDK 1.1.0 names it `completion:`. The app is the only source of
    /// this answer: ask Intergiro whether the card was added.
    ///
    /// Source: Intergiro, *Apple Pay*, step 3; its iOS SDK 1.1.0.
    public struct LaunchAnswer: GatewayAnswer {
        /// The outcome; ``PaymentOutcome/authorized`` once the cardholder has consented.
        public var outcome: PaymentOutcome {
            status == .approved ? .authorized : .refused(code: status.rawValue, text: nil)
        }

        /// `status`.
        public var gatewayStatus: String? { status.rawValue }

        /// `status`.
        public let status: LaunchStatus

        /// Reads the callback's payload.
        ///
        /// - Parameter json: The payload as JSON, UTF-8, at most 1 MiB.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then `missing-member` if `status` is
        ///   missing, and `wrong-type` if it is not documented.
        public init(_ json: [UInt8]) throws(UnreadableJSONError) {
            let payload = try GatewayResponse(status: 200, body: json).object()
            guard let status = LaunchStatus(rawValue: try payload.mandatoryText("status")) else {
                throw UnreadableJSONError(.wrongType, field: "status")
            }
            self.status = status
        }
    }

    /// The outcome that the SDK's callback reports.
    public enum LaunchStatus: String, CaseIterable, Sendable {
        /// The cardholder has consented.
        case approved

        /// An error occurred; the cardholder may start again.
        case error
    }

    /// `IntergiroError`, by its raw values: the code of the `NSError` in the SDK's callback.
    public enum LaunchError: Int, CaseIterable, Sendable {
        /// The `NSError`'s domain.
        public static let domain = "IntergiroSDK.IntergiroError"

        /// The cardholder closed the view.
        case cancelled = 0
        /// The device could not reach Intergiro.
        case connectionIssue = 1
        /// The SDK was launched without a token.
        case missedToken = 2
        /// `setPublicKey` was not called.
        case missedPublicKey = 3
        /// Any other error.
        case unexpectedError = 4
        /// The SDK could not read an answer.
        case decodingError = 5
    }
}
