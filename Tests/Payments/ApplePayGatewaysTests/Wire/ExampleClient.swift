import ApplePayGateways
import ApplePayToken
import Foundation
import FoundationNetworking

/// A client like the one that a merchant would write.
enum ExampleClient {
    private static let session = URLSession(configuration: .ephemeral)

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - origin: The origin that replaces the gateway's scheme and host.
    /// - Returns: The gateway's answer.
    /// - Throws: An error of URLSession.
    static func send(
        _ request: GatewayRequest,
        to origin: String? = nil
    ) async throws -> GatewayResponse {
        guard let url = URL(string: (origin ?? request.origin) + request.target) else {
            throw URLError(.badURL)
        }
        var message = URLRequest(url: url)
        message.httpMethod = request.method
        for header in request.headers {
            message.setValue(header.revealValue(), forHTTPHeaderField: header.name)
        }
        message.httpBody = request.body.map { Data($0.revealText().utf8) }
        let (body, answer) = try await session.data(for: message)
        guard let answer = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return GatewayResponse(status: answer.statusCode, body: Array(body))
    }
}
