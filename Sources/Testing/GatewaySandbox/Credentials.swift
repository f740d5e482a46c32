import ApplePayPrimitives
import FoundationEssentials

/// The form of a merchant's credentials; every name is accepted with the secret `sandbox-secret`.
enum Credentials: Sendable {
    /// No credentials are required.
    case open

    /// `Authorization: Basic` with any name and the secret (RFC 7617).
    case basic

    /// `Authorization: Bearer` with the secret, or with an access token that the sandbox issued.
    case bearer

    /// `Authorization` with the secret, with or without `Bearer`.
    case key

    /// A header that contains the secret.
    case header(String)

    /// `Authorization` with the token of the session in the path.
    case sessionToken

    /// Members of the body: `userName` with the password `sandbox-secret`, or `token` with the secret.
    case members

    /// `Authorization: GCS v1HMAC:KEY:SIGNATURE`, signed with the secret.
    case worldline

    /// `Signature` over host, date, request line, digest and merchant, created with the secret.
    case cyberSource

    /// Whether the body contains the credentials.
    var isInBody: Bool { if case .members = self { true } else { false } }

    /// Returns the name under which an access token is stored.
    static func tokenName(_ token: String) -> String { "access token \(token)" }

    /// Returns whether the credentials of a request are valid.
    func accept(_ call: Call, _ book: PaymentBook) -> Bool {
        let authorization = call.request.header("Authorization")
        switch self {
        case .open: return true
        case .basic:
            guard let pair = authorization.flatMap({ Self.rest(of: $0, after: "Basic ") }),
                let bytes = Data(base64Encoded: pair),
                let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
            else { return false }
            return Array(bytes[(colon + 1)...]) == Array(Sandbox.secret.utf8)
                && colon > bytes.startIndex
        case .bearer:
            guard let token = authorization.flatMap({ Self.rest(of: $0, after: "Bearer ") }) else {
                return false
            }
            return token == Sandbox.secret
                || book[value: Self.tokenName(token), of: call.gateway.name] != nil
        case .key:
            return authorization == Sandbox.secret || authorization == "Bearer \(Sandbox.secret)"
        case .header(let name): return call.request.header(name) == Sandbox.secret
        case .sessionToken:
            guard let session = call.segments.first, let authorization else { return false }
            return book[value: "submit token \(session)", of: call.gateway.name]
                == .string(authorization)
        case .members:
            if let token = call.body["token"]?.string { return token == Sandbox.secret }
            return call.body["userName"]?.string?.isEmpty == false
                && call.body["password"]?.string == Sandbox.secret
        case .worldline: return WorldlineSignature.isValid(call.request)
        case .cyberSource: return CyberSourceSignature.isValid(call.request)
        }
    }

    /// Returns the text that follows a prefix; nil if the text does not have the prefix.
    static func rest(of text: String, after prefix: String) -> String? {
        text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }

    /// Returns the HMAC-SHA256 of a text in base64; nil if libcrypto fails.
    static func signature(_ text: String, key: [UInt8] = Array(Sandbox.secret.utf8)) -> String? {
        guard let code = try? HMACSHA256.code(of: text.utf8.span, key: key.span) else { return nil }
        return Data(code.bytes).base64EncodedString()
    }
}

/// The signature of Worldline Direct and Connect.
///
/// It is implemented from Worldline's description and does not use the library's function, so that it finds errors in
/// that function. Source: the server SDKs, `V1HmacAuthenticator`.
enum WorldlineSignature {
    /// Returns whether a request is signed with the secret, under any API key.
    static func isValid(_ request: SandboxRequest) -> Bool {
        guard let date = request.header("Date"),
            let authorization = request.header("Authorization"),
            let rest = Credentials.rest(of: authorization, after: "GCS v1HMAC:")
        else { return false }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return false }
        var text = "\(request.method)\n\(request.header("Content-Type") ?? "")\n\(date)\n"
        let signed = request.headers.map { ($0.name.lowercased(), $0.value) }
            .filter { $0.0.hasPrefix("x-gcs-") }.sorted { $0.0 < $1.0 }
        for (name, value) in signed { text += "\(name):\(value)\n" }
        text += "\(request.target)\n"
        return Credentials.signature(text) == String(parts[1])
    }
}

/// CyberSource's HTTP signature.
///
/// CyberSource's shared secrets are base64; the sandbox's secret is the base64 of `sandbox-secret`. Source:
/// CyberSource, *REST API: HTTP signature authentication*.
enum CyberSourceSignature {
    /// The headers that must be signed.
    private static let signed: Set = ["host", "request-target", "digest", "v-c-merchant-id"]

    /// Returns whether a request is signed with the secret, for any merchant and key.
    static func isValid(_ request: SandboxRequest) -> Bool {
        guard let header = request.header("Signature"), let digest = request.header("Digest"),
            let hash = try? SHA256.hash(request.body.span),
            digest == "SHA-256=\(Data(hash.bytes).base64EncodedString())"
        else { return false }
        var fields: [String: String] = [:]
        for field in header.split(separator: ",") {
            let sides = field.split(separator: "=", maxSplits: 1)
            guard sides.count == 2 else { return false }
            fields[sides[0].trimming(" ")] = sides[1].trimming("\" ")
        }
        guard fields["algorithm"] == "HmacSHA256", fields["keyid"]?.isEmpty == false,
            let names = fields["headers"]?.split(separator: " ").map(String.init),
            signed.isSubset(of: names), names.contains("date") || names.contains("v-c-date")
        else { return false }
        var lines: [String] = []
        for name in names {
            let value =
                name == "request-target"
                ? "\(request.method.lowercased()) \(request.target)" : request.header(name)
            guard let value, !value.isEmpty else { return false }
            lines.append("\(name): \(value)")
        }
        return Credentials.signature(lines.joined(separator: "\n")) == fields["signature"]
    }
}
