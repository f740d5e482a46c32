import ApplePayGateways
import ApplePayHTTPS
import ApplePayTokenTesting
import Testing

@testable import paytoken

@Suite("The process that sends")
struct SenderTests {
    @Test("answers that nothing was sent while it handles as many requests as it may")
    func busy() throws {
        let sender = Sender(HTTPSClient())
        let clients = try (0..<Sender.limit).map { _ in
            let (socket, client) = try UnixSocket.pair()
            sender.handle(socket)
            return client
        }
        let (socket, client) = try UnixSocket.pair()
        sender.handle(socket)
        let contents = try #require(
            try GatewayFrame.receive(from: client, by: .now + .seconds(20)))
        let result = try GatewayFrame.result(contents)
        #expect(throws: GatewayTransportError(.busy, requestMayHaveReachedGateway: false)) {
            try result.get()
        }
        withExtendedLifetime(clients) {}
    }

    @Test("gets the connections that wait at its end, and no others")
    func listenerEnd() throws {
        try KeyFolder.with([:]) { folder in
            let path = "\(folder)/socket"
            let listener = try UnixListener(at: path, mode: 0o600)
            let client = UnixSocket(connectingTo: path, by: .now)
            #expect(client != nil)
            #expect(listener.end().count == 1)
            #expect(UnixSocket(connectingTo: path, by: .now) == nil)
            #expect(listener.end().isEmpty)
        }
    }
}
