import ApplePayGateways
import ApplePayToken
import TestVectors
import Testing

/// A request that is sent to the test server over HTTP.
struct Exchange {
    /// The headers that a client adds.
    private static let clientHeaders: Set = [
        "host", "user-agent", "accept", "accept-encoding", "accept-language", "connection",
        "content-length",
    ]

    private let request: GatewayRequest
    private let location: SourceLocation

    init(_ request: GatewayRequest, _ location: SourceLocation) {
        self.request = request
        self.location = location
    }

    /// Expects that the server receives the request unchanged.
    func run() async throws {
        let server = try GatewayServer()
        let response = try await ExampleClient.send(request, to: server.origin)
        #expect(response.status == 200, sourceLocation: location)
        compare(try #require(await server.arrival(), sourceLocation: location))
    }

    private func compare(_ arrival: Arrival) {
        #expect(arrival.method == request.method, sourceLocation: location)
        #expect(arrival.target == request.target, sourceLocation: location)
        for header in request.headers {
            #expect(
                arrival.values(header.name) == [header.revealValue()], "\(header.name)",
                sourceLocation: location)
        }
        let own = Set(request.headers.map { $0.name.lowercased() })
        let added = Set(arrival.headers.map { $0.name.lowercased() }).subtracting(own)
            .subtracting(Self.clientHeaders)
        #expect(added == [], "headers that nobody asked for", sourceLocation: location)
        let body = request.body?.withRevealedBytes { bytes in bytes.indices.map { bytes[$0] } }
        #expect(arrival.body == body ?? [], sourceLocation: location)
    }
}
