import ApplePayGateways
import ApplePayGatewaysHTTP
import Foundation
import FoundationNetworking
import Testing

/// Sends requests to the sandbox instead of the gateway.
struct SandboxClient: GatewayTransport {
    /// The sandbox.
    let sandbox: SandboxProcess

    /// The time for a whole exchange; long, because a loaded machine can be slow.
    var timeLimit: Duration = .seconds(60)

    /// Sends a request with URLSession.
    func send(
        _ request: GatewayRequest
    ) async throws(GatewayTransportError) -> GatewayResponse {
        var transport = URLSessionTransport()
        transport.timeLimit = timeLimit
        let moved: GatewayRequest
        do {
            moved = try request.replacingOrigin(sandbox.origin)
        } catch {
            throw GatewayTransportError(.unsupportedAddress, requestMayHaveReachedGateway: false)
        }
        return try await transport.send(moved)
    }

    /// Opens the address at which the customer ends a payment.
    func visit(_ outcome: PaymentOutcome) async throws {
        guard case .actionRequired(let url) = outcome else {
            Issue.record("the customer has no address to open")
            return
        }
        let (_, answer) = try await URLSession.shared.data(from: url)
        #expect((answer as? HTTPURLResponse)?.statusCode == 200)
    }
}
