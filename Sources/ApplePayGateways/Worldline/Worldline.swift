public import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire
public import FoundationEssentials

/// What Worldline Direct and Worldline Connect have in common.
///
/// Source: the server SDKs of both.
public enum Worldline {
    /// Apple Pay among Worldline's payment products.
    static let paymentProductId: Int64 = 302

    /// How the amount is authorised; acquirers that do not know the difference ignore it.
    public enum AuthorizationMode: String, CaseIterable, Sendable {
        /// Captured in full within 7 days; cannot be reversed.
        case finalAuthorization = "FINAL_AUTHORIZATION"

        /// Reversible, and captured within 30 days, also in part.
        ///
        /// The SDKs name it; Worldline Direct's page about Apple Pay does not.
        case preAuthorization = "PRE_AUTHORIZATION"

        /// Captured at once.
        case sale = "SALE"
    }

    /// How `eci` is written.
    public enum ECIForm: String, CaseIterable, Sendable {
        /// A number, such as 7, as all SDKs have it.
        case number

        /// The string that Apple gave, such as `"07"`, which samples send.
        case string
    }
}

extension Worldline {
    /// An API key of the merchant's.
    public struct Credentials: Sendable {
        /// The identifier of the API key: visible ASCII, no colon.
        public var apiKeyId: String

        /// The secret API key, as the merchant's portal shows it.
        public var secretAPIKey: SensitiveBytes

        /// Makes credentials.
        ///
        /// - Parameters:
        ///   - apiKeyId: The identifier of the API key.
        ///   - secretAPIKey: The secret API key.
        public init(apiKeyId: String, secretAPIKey: SensitiveBytes) {
            self.apiKeyId = apiKeyId
            self.secretAPIKey = secretAPIKey
        }
    }

    /// Signs a request: adds `Date` and `Authorization: GCS v1HMAC:…`.
    ///
    /// Signed are method, content type, date, the headers whose names begin with `x-gcs-`, and the path,
    /// so none of them may be changed afterwards. The body is not signed.
    ///
    /// - Parameters:
    ///   - request: A request of Worldline Direct or Connect with the merchant's identifier in its path.
    ///   - credentials: The API key.
    ///   - date: When the request is sent; Worldline refuses requests that are old.
    /// - Returns: The same request with both headers at the end.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-value` for `merchantId` that was
    ///   left out, `unsupported-length` or `unsupported-character` for `apiKeyId`, `unsupported-length` for
    ///   an empty `secretApiKey`, `unsupported-value` for a `Date` outside of 1970 to 9999, then
    ///   `library-failure`.
    ///
    /// Source: the server SDKs of Direct and Connect, `V1HmacAuthenticator`; RFC 9110 §5.6.7 for the date.
    public static func authorize(
        _ request: GatewayRequest,
        _ credentials: Credentials,
        date: Date
    ) throws(PaymentTokenError) -> GatewayRequest {
        guard !request.path.contains("{") else {
            throw PaymentTokenError(.unsupportedValue, member: "merchantId")
        }
        try FieldLength.check(credentials.apiKeyId, "apiKeyId", 1...Int.max)
        guard credentials.apiKeyId.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3A })
        else { throw PaymentTokenError(.unsupportedCharacter, member: "apiKeyId") }
        try FieldLength.check(credentials.secretAPIKey, "secretApiKey", 1...Int.max)
        guard let time = HTTPDate.text(date) else {
            throw PaymentTokenError(.unsupportedValue, member: "Date")
        }
        let text = textToSign(
            method: request.method, contentType: request.contentType, date: time,
            headers: request.headers.map { ($0.name, $0.revealValue()) }, target: request.target)
        let signature = try signature(of: text, credentials.secretAPIKey)
        return request.adding(GatewayHeader("Date", time)).adding(
            GatewayHeader(
                secret: "Authorization",
                TokenJSON.base64(prefix: "GCS v1HMAC:\(credentials.apiKeyId):", signature)))
    }

    /// What is signed: lines that each end with a line feed.
    package static func textToSign(
        method: String,
        contentType: String?,
        date: String,
        headers: [(name: String, value: String)],
        target: String
    ) -> String {
        let own = headers.map { ($0.name.lowercased(), $0.value) }
            .filter { $0.0.hasPrefix("x-gcs-") }.sorted { $0.0 < $1.0 }
        let lines = [method, contentType ?? "", date] + own.map { "\($0):\($1)" } + [target]
        return lines.map { "\($0)\n" }.joined()
    }

    /// The HMAC-SHA256 of a text, 32 bytes.
    package static func signature(
        of text: String,
        _ secret: SensitiveBytes
    ) throws(PaymentTokenError) -> SensitiveBytes {
        do {
            let code = try secret.withRevealedBytes { key throws(PrimitivesError) in
                try HMACSHA256.code(of: text.utf8.span, key: key)
            }
            return code.withSpan { SensitiveBytes(copying: $0) }
        } catch {
            throw PaymentTokenError(.gatewayLibraryFailure, member: "Authorization")
        }
    }
}
