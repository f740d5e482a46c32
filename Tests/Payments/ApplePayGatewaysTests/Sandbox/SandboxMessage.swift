import ApplePayGateways
import ApplePayOtherGateways
import ApplePayPrimitives
import ApplePayToken
import Foundation
import FoundationNetworking
import TestVectors

/// A request for the sandbox that a test can change before it is sent.
struct SandboxMessage {
    var method: String
    var target: String
    var headers: [(name: String, value: String)]
    var body: String?

    /// Reads the answer; nil for a message that is not a payment.
    var read: (@Sendable (GatewayResponse) -> PaymentCall.Reading)?

    /// Creates a message from one of the library's requests.
    init(_ request: GatewayRequest) {
        method = request.method
        target = request.target
        headers = request.headers.map { ($0.name, $0.revealValue()) }
        body = request.body?.revealText()
    }

    /// Creates a request with a JSON body, or without a body.
    init(_ method: String, _ target: String, _ body: String? = nil) {
        self.method = method
        self.target = target
        self.body = body
        headers = body == nil ? [] : [("Content-Type", "application/json")]
    }

    /// Returns the same request with a header set to another value or added.
    func with(_ name: String, _ value: String) -> SandboxMessage {
        var message = self
        message.headers.removeAll { $0.name.lowercased() == name.lowercased() }
        message.headers.append((name, value))
        return message
    }

    /// Returns the same request with a text in the body replaced.
    func replacing(_ text: String, with other: String) -> SandboxMessage {
        var message = self
        message.body = body?.replacing(text, with: other)
        return message
    }

    /// Returns the same request, signed for Worldline at the current time.
    func signedForWorldline(_ secret: String = "sandbox-secret") throws -> SandboxMessage {
        let date = "Sun, 22 Nov 2026 08:30:00 GMT"
        let unsigned = headers.filter { !["Date", "Authorization"].contains($0.name) }
        let text = Worldline.textToSign(
            method: method, contentType: unsigned.first { $0.name == "Content-Type" }?.value,
            date: date, headers: unsigned, target: target)
        let signature = try Worldline.signature(of: text, GatewayFixture.secret(secret))
        let base64 = signature.withRevealedBytes { bytes in
            Data(bytes.indices.map { bytes[$0] }).base64EncodedString()
        }
        return with("Date", date).with("Authorization", "GCS v1HMAC:key-1:\(base64)")
    }

    /// Returns the same request with CyberSource's HTTP signature.
    func signedForCyberSource(
        at host: String,
        _ secret: String = "sandbox-secret"
    ) throws -> SandboxMessage {
        let digest = try SHA256.hash(Array((body ?? "").utf8).span)
        let values = [
            ("host", host), ("date", "Sun, 22 Nov 2026 08:30:00 GMT"),
            ("request-target", "\(method.lowercased()) \(target)"),
            ("digest", "SHA-256=\(Data(digest.bytes).base64EncodedString())"),
            ("v-c-merchant-id", "merchant-1"),
        ]
        let text = values.map { "\($0.0): \($0.1)" }.joined(separator: "\n")
        let code = try HMACSHA256.code(of: text.utf8.span, key: Array(secret.utf8).span)
        let names = values.map(\.0).joined(separator: " ")
        return with("Date", values[1].1).with("Digest", values[3].1)
            .with("v-c-merchant-id", values[4].1)
            .with(
                "Signature",
                #"keyid="key-1", algorithm="HmacSHA256", headers="\#(names)", signature=""#
                    + Data(code.bytes).base64EncodedString() + "\"")
    }

    /// Returns the same request with HTTP Basic credentials.
    func withBasic(_ secret: String = "sandbox-secret") -> SandboxMessage {
        with("Authorization", "Basic " + Data("361:\(secret)".utf8).base64EncodedString())
    }

    /// Returns the same request with a bearer token.
    func withBearer(_ token: String = "sandbox-secret") -> SandboxMessage {
        with("Authorization", "Bearer \(token)")
    }

    /// Sends the request.
    ///
    /// - Parameters:
    ///   - sandbox: The sandbox.
    ///   - patience: How long to wait for the answer, in seconds.
    /// - Returns: The answer.
    /// - Throws: `URLError`, such as `timedOut`.
    func send(to sandbox: SandboxProcess, patience: Double = 30) async throws -> SandboxResponse {
        guard let url = URL(string: sandbox.origin + target) else { throw URLError(.badURL) }
        var message = URLRequest(url: url)
        message.httpMethod = method
        for header in headers { message.setValue(header.value, forHTTPHeaderField: header.name) }
        message.httpBody = body.map { Data($0.utf8) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = patience
        let session = URLSession(configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        let (data, answer) = try await session.data(for: message)
        guard let answer = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return SandboxResponse(answer, Array(data))
    }
}

/// An answer of the sandbox.
struct SandboxResponse: Sendable {
    let status: Int
    private let http: HTTPURLResponse
    let body: [UInt8]

    /// The answer as the library's type.
    var gateway: GatewayResponse { GatewayResponse(status: status, body: body) }

    var text: String { String(decoding: body, as: UTF8.self) }

    init(_ http: HTTPURLResponse, _ body: [UInt8]) {
        status = http.statusCode
        self.http = http
        self.body = body
    }

    /// Returns the value of a header; nil if the answer does not have it.
    func header(_ name: String) -> String? { http.value(forHTTPHeaderField: name) }

    /// The text of the member at a path such as `payment.status`; a number is returned as digits.
    subscript(_ path: String) -> String? {
        guard var value = try? JSONDecoder().decode(JSONTree.self, from: Data(body)) else {
            return nil
        }
        for part in path.split(separator: ".") {
            switch value {
            case .object(let members): value = members[String(part)] ?? .null
            case .array(let elements):
                guard let index = Int(part), index < elements.count else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return switch value {
        case .string(let text): text
        case .number(let number): "\(number)"
        case .boolean(let value): "\(value)"
        case .null, .array, .object: nil
        }
    }

    /// Returns the address that the customer must open; nil if the answer does not contain one.
    func customerURL(of sandbox: SandboxProcess) -> String? {
        guard let start = text.firstRange(of: "\(sandbox.origin)/customer/") else { return nil }
        return String(text[start.lowerBound...].prefix { $0 != "\"" })
    }
}
