public import ApplePayPrimitives
public import FoundationEssentials

extension Intergiro {
    /// The answer to a log-in or a renewal.
    public struct SessionAnswer: GatewayAnswer {
        /// ``PaymentOutcome/pending`` for a session: the next step is yours.
        public let outcome: PaymentOutcome

        /// Nil: the answer contains no state.
        public var gatewayStatus: String? { nil }

        /// The HTTP status code.
        public let httpStatus: Int

        /// `access_token`; nil unless the HTTP status is 2xx.
        public let accessToken: SensitiveBytes?

        /// `refresh_token`, to be kept for the next renewal; nil unless the HTTP status is 2xx.
        public let refreshToken: SensitiveBytes?

        /// Reads an answer; of one that is not 2xx only the HTTP status, since its body is not documented.
        ///
        /// - Parameter response: Intergiro's answer.
        /// - Throws: ``UnreadableJSONError``, where the HTTP status is 2xx, with code `not-json` or
        ///   `wrong-type`, then `missing-member` or `wrong-type` for `access_token` and `refresh_token`.
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
    /// HTTP 412 is the expected outcome and no failure: it names the consent that is to be given.
    public struct TokenizeAnswer: GatewayAnswer {
        /// ``PaymentOutcome/pending`` for a consent to be given.
        public let outcome: PaymentOutcome

        /// `status` of the consent.
        public var gatewayStatus: String? { consent?.status }

        /// The HTTP status code.
        public let httpStatus: Int

        /// The consent of a 412; nil with any other status.
        public let consent: Consent?

        /// Whether the session has expired, so that it must be renewed: 401.
        public var isSessionExpired: Bool { httpStatus == 401 }

        /// Reads an answer; of one that is not 412 only the HTTP status, since its body is not documented.
        ///
        /// - Parameter response: Intergiro's answer.
        /// - Throws: ``UnreadableJSONError``, where the HTTP status is 412, with code `not-json` or
        ///   `wrong-type`, then `missing-member` or `wrong-type` for `consent.id`, `consent.status` and
        ///   `consent.expires_at`.
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

        init(_ answer: ResponseValue) throws(UnreadableJSONError) {
            id = try answer.mandatoryText("consent", "id")
            status = try answer.mandatoryText("consent", "status")
            scope = (answer["consent", "scope"]?.elements ?? []).compactMap(\.string)
            expiresAt = try Intergiro.date(answer, "consent", "expires_at")
        }
    }

    /// The answer to ``consent(_:accessToken:returnURL:environment:)``.
    public struct ConsentAnswer: GatewayAnswer {
        /// Where the cardholder has to go, or ``PaymentOutcome/pending`` with a token for the SDK.
        public let outcome: PaymentOutcome

        /// Nil: the answer contains no state.
        public var gatewayStatus: String? { nil }

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
        /// - Parameter response: Intergiro's answer.
        /// - Throws: ``UnreadableJSONError``, where the HTTP status is 2xx, with code `not-json` or
        ///   `wrong-type`, then `wrong-type` for a member of another type, `missing-member` when there is
        ///   neither `method.token` nor `method.redirect_url`.
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

    /// The outcome of an answer; the body of an error is not documented, but it is JSON.
    static func outcome(
        _ response: GatewayResponse,
        _ accepted: () -> PaymentOutcome
    ) -> PaymentOutcome {
        guard response.isAccepted || (try? response.object()) != nil else {
            return .unknown(reason: "HTTP status \(response.status) with a body that is not JSON.")
        }
        return response.outcome(code: nil, text: nil, accepted)
    }

    /// A time, in any of the forms that Intergiro writes; nil where it is missing.
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

    /// What the SDK's callback brought: `completion([String: Any]?, Error?)`, sent on by the app as JSON.
    ///
    /// The vendor's page calls the argument `callback:`; in SDK 1.1.0 it is `completion:`. It is the app
    /// that states it: whether the card was added is for Intergiro to confirm.
    ///
    /// Source: Intergiro, *Apple Pay*, step 3; its iOS SDK 1.1.0.
    public struct LaunchAnswer: GatewayAnswer {
        /// ``PaymentOutcome/authorized`` once the cardholder consented.
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
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then
        ///   `missing-member` for no `status` and `wrong-type` for one that is not documented.
        public init(_ json: [UInt8]) throws(UnreadableJSONError) {
            let payload = try GatewayResponse(status: 200, body: json).object()
            guard let status = LaunchStatus(rawValue: try payload.mandatoryText("status")) else {
                throw UnreadableJSONError(.wrongType, field: "status")
            }
            self.status = status
        }
    }

    /// The outcome that the SDK's callback names.
    public enum LaunchStatus: String, CaseIterable, Sendable {
        /// The cardholder consented.
        case approved

        /// Something went wrong; the cardholder may begin again.
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
        /// Anything else.
        case unexpectedError = 4
        /// The SDK could not read an answer.
        case decodingError = 5
    }
}
