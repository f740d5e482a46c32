import ApplePayHTTPS
import ApplePayTokenTestingPrimitives
import ApplePayTransport
import Synchronization

/// Sends the gateways' messages to the shop's server, each in a task of its own, so that no answer waits for it.
///
/// A message whose answer is not 2xx is sent again, as the gateways do, but only for half a minute.
final class Notifier: Sendable {
    /// The pauses before the attempts to send a message.
    private static let pauses: [Duration] = [.zero, .seconds(1), .seconds(5), .seconds(20)]

    /// The greatest number of messages that are not accepted yet; further ones are lost.
    private static let limit = 256

    private let address: ShopAddress
    private let client: HTTPSClient
    private let count = Mutex(0)

    /// Creates a sender of messages to an address.
    init(_ address: ShopAddress) {
        self.address = address
        var client = HTTPSClient()
        (client.connectionLimit, client.timeLimit) = (.seconds(5), .seconds(10))
        self.client = client
    }

    /// Sends the message of a payment's gateway about a change, if the gateway has messages.
    func report(_ change: PaymentChange) {
        let gateway = SandboxGateway.all.first { $0.name == change.gateway }
        guard let message = gateway?.message else { return }
        let hasPlace = count.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
        guard hasPlace else {
            return log(change.gateway, "a message is lost, because \(Self.limit) wait")
        }
        Task {
            if let message = message(change, address) { await send(message, of: change.gateway) }
            count.withLock { $0 -= 1 }
        }
    }

    private func send(_ message: GatewayRequest, of gateway: String) async {
        for pause in Self.pauses {
            try? await Task.sleep(for: pause)
            do throws(GatewayTransportError) {
                let status = try await client.send(message).status
                guard !(200..<300).contains(status) else { return }
                log(gateway, "the answer to a message has status \(status)")
            } catch {
                log(gateway, "a message is not answered: \(error.code.rawValue)")
            }
        }
    }

    private func log(_ gateway: String, _ text: String) {
        StandardStream.error.write("gateway-sandbox: \(gateway): \(text)\n".utf8)
    }
}
