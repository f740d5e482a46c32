import ApplePayGateways
import ApplePayHTTPS
import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayTokenTesting
import Testing

@testable import paytoken
@testable import paytokend

@Suite("The process that sends")
struct SenderTests {
    @Test("answers that nothing was sent while it handles as many requests as it may")
    func busy() throws {
        let sender = Sender(HTTPSClient(), nil)
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

    @Test("answers that it has no merchant identity, if it has none")
    func noIdentity() throws {
        let sender = Sender(HTTPSClient(), nil)
        let (socket, client) = try UnixSocket.pair()
        sender.handle(socket)
        let soon = ContinuousClock.now + .seconds(20)
        try GatewayFrame.send(
            GatewayFrame.contents(of: SessionRequest(domain: "a.example", displayName: "Shop")),
            to: client, by: soon)
        let contents = try #require(try GatewayFrame.receive(from: client, by: soon))
        let response = try GatewayFrame.result(contents).get()
        #expect(response.status == 503 && response.header("code") == "no-identity")
        #expect(
            String(decoding: response.bytes, as: UTF8.self)
                == "The service has no merchant identity; --identity is missing.")
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
