package import ApplePayAcceptance
public import ApplePayPrimitives
internal import ApplePayWire
package import FoundationEssentials

/// The types and functions that Worldline Direct and Worldline Connect share.
///
/// Source: the server SDKs of both.
public enum Worldline {
    /// The number of Apple Pay among Worldline's payment products.
    static let paymentProductId: Int64 = 302

    /// How the amount is authorized; acquirers that do not support the distinction ignore it.
    public enum AuthorizationMode: String, CaseIterable, Sendable {
        /// A final authorization: captured in full within 7 days, and not reversible.
        case finalAuthorization = "FINAL_AUTHORIZATION"

        /// A pre-authorization: reversible, and captured within 30 days, in full or in part.
        ///
        /// The SDKs contain this value; Worldline Direct's page about Apple Pay does not.
        case preAuthorization = "PRE_AUTHORIZATION"

        /// The amount is captured at once.
        case sale = "SALE"
    }

    /// The JSON type of `eci`.
    public enum ECIForm: String, CaseIterable, Sendable {
        /// A number, such as 7, as in all SDKs.
        case number
        /// The string that Apple gave, such as `"07"`, as in some samples.
        case string
    }

    /// The members of CreateHostedCheckout that are the same for every order.
    public struct PageOptions: Sendable {
        /// `locale`, such as `en_GB`.
        public var locale: String?
        /// `showResultPage`: whether Worldline shows the result.
        public var showResultPage: Bool?
        /// `isRecurring`: whether more payments will follow.
        public var isRecurring: Bool?
        /// `variant`: the merchant's page design to use.
        public var variant: String?
        /// `authorizationMode`; nil uses the account's setting.
        public var authorizationMode: AuthorizationMode?
        /// `order.shipping.addressIndicator`, such as `different-than-billing`; nil leaves it out.
        public var addressIndicator: String?
        /// `sessionTimeout`, 1 minute or more, only for Direct; nil uses Worldline's default, 180.
        public var sessionTimeout: Int64?
        /// `allowedNumberOfPaymentAttempts`, 1 to 10, only for Direct; nil uses Worldline's default, 10.
        public var allowedPaymentAttempts: Int64?
        /// `paymentProduct302SpecificInput`, only for Direct; nil leaves it out.
        public var applePay: WorldlineDirect.ApplePayInput?

        /// Creates options with the settings of the account.
        public init() {}

        /// Checks the members that only Direct has.
        ///
        /// - Throws: `gateway` with code `unsupported-amount` (the lines of ``applePay``), then `unsupported-value`
        ///   (`sessionTimeout`, `allowedNumberOfPaymentAttempts`).
        func check() throws(PaymentError) {
            try applePay?.check()
            if let sessionTimeout, sessionTimeout <= 0 {
                throw .gateway(.unsupportedValue, "sessionTimeout")
            }
            if let allowedPaymentAttempts, !(1...10).contains(allowedPaymentAttempts) {
                throw .gateway(.unsupportedValue, "allowedNumberOfPaymentAttempts")
            }
        }
    }

    /// The merchant's API key.
    public struct Credentials: Sendable {
        /// The identifier of the API key: visible ASCII, no colon.
        public var apiKeyId: String
        /// The secret API key, as the merchant's portal shows it.
        public var secretAPIKey: SensitiveBytes

        /// Creates credentials.
        public init(apiKeyId: String, secretAPIKey: SensitiveBytes) {
            self.apiKeyId = apiKeyId
            self.secretAPIKey = secretAPIKey
        }
    }

    /// Signs a request: adds `Date` and `Authorization: GCS v1HMAC:…` at the end of its headers.
    ///
    /// The signature covers the method, the content type, the date, the headers whose names begin with `x-gcs-`, and
    /// the path: do not change them afterwards. It does not cover the body. Worldline refuses old requests.
    ///
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-length` or `unsupported-character` for `apiKeyId`, `unsupported-length` for an empty
    ///   `secretApiKey`, `unsupported-value` for a `Date` before 1970 or after 9999, then `library-failure`.
    ///
    /// Source: the server SDKs of Direct and Connect, `V1HmacAuthenticator`; RFC 9110 §5.6.7 for the date.
    package static func authorize(
        _ request: GatewayRequest, _ credentials: Credentials, date: Date
    ) throws(PaymentError) -> GatewayRequest {
        try FieldLength.check(credentials.apiKeyId, "apiKeyId", 1...Int.max)
        try FieldCharacters.check(ExactText(credentials.apiKeyId), "apiKeyId") {
            $0.isVisible && $0 != UInt8(ascii: ":")
        }
        try FieldLength.check(credentials.secretAPIKey, "secretApiKey", 1...Int.max)
        guard let time = HTTPDate.text(date) else { throw .gateway(.unsupportedValue, "Date") }
        let text = textToSign(
            method: request.method, contentType: request.contentType, date: time,
            headers: request.headers.map { ($0.name, $0.revealValue()) }, target: request.target)
        let signature = try signature(of: text, credentials.secretAPIKey)
        return request.adding(GatewayHeader("Date", time)).adding(
            GatewayHeader(
                secret: "Authorization",
                signature.base64(prefix: "GCS v1HMAC:\(credentials.apiKeyId):")))
    }

    /// Returns the text that is signed: lines that each end with a line feed.
    package static func textToSign(
        method: String, contentType: String?, date: String,
        headers: [(name: String, value: String)], target: String
    ) -> String {
        let own = headers.map { ($0.name.lowercased(), $0.value) }
            .filter { $0.0.hasPrefix("x-gcs-") }.sorted { $0.0 < $1.0 }
        let lines = [method, contentType ?? "", date] + own.map { "\($0):\($1)" } + [target]
        return lines.map { "\($0)\n" }.joined()
    }

    /// Returns the HMAC-SHA256 of a text, 32 bytes.
    package static func signature(
        of text: String, _ secret: SensitiveBytes
    ) throws(PaymentError) -> SensitiveBytes {
        do {
            let code = try secret.withRevealedBytes { key throws(PrimitivesError) in
                try HMACSHA256.code(of: text.utf8.span, key: key)
            }
            return code.withSpan { SensitiveBytes(copying: $0) }
        } catch {
            throw .gateway(.gatewayLibraryFailure, "Authorization")
        }
    }
}
