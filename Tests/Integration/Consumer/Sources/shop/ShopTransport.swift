import ApplePayGateways
import Foundation
import FoundationNetworking

/// The shop's own HTTP client, as a transport: it sends a request once, and follows no redirect.
final class ShopTransport: NSObject, GatewayTransport, URLSessionTaskDelegate {
    func send(_ request: GatewayRequest) async throws(GatewayTransportError) -> GatewayResponse {
        guard let url = URL(string: request.url) else {
            throw GatewayTransportError(.unsupportedRequest, requestMayHaveReachedGateway: false)
        }
        var message = URLRequest(url: url, timeoutInterval: 30)
        message.httpMethod = request.method
        for header in request.headers {
            message.setValue(header.revealValue(), forHTTPHeaderField: header.name)
        }
        message.httpBody = request.body.map { Data($0.revealText().utf8) }
        // Another process may have taken the order over meanwhile.
        if let latest = request.latestStart, ContinuousClock.now > latest {
            throw GatewayTransportError(.timedOut, requestMayHaveReachedGateway: false)
        }
        do {
            let (body, answer) = try await URLSession.shared.data(for: message, delegate: self)
            guard let answer = answer as? HTTPURLResponse else {
                throw URLError(.badServerResponse)
            }
            let headers = answer.allHeaderFields.compactMap { name, value in
                (name as? String).map { (name: $0, value: "\(value)") }
            }
            return GatewayResponse(
                status: answer.statusCode, headers: headers, body: Array(body))
        } catch let error as URLError where error.code == .cannotConnectToHost {
            throw GatewayTransportError(.notConnected, requestMayHaveReachedGateway: false)
        } catch {
            // In doubt, the request arrived.
            throw GatewayTransportError(.connectionFailed, requestMayHaveReachedGateway: true)
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) async -> URLRequest? { nil }
}
