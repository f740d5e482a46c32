import ApplePayGateways
import ApplePayToken
import Testing

/// A request that is sent to the test server over HTTP, and its two documented answers: success and failure.
struct Exchange {
    /// The headers that a client adds.
    private static let clientHeaders: Set = [
        "host", "user-agent", "accept", "accept-encoding", "accept-language", "connection",
        "content-length",
    ]

    private let request: GatewayRequest
    private let name: String
    private let location: SourceLocation

    init(_ request: GatewayRequest, _ name: String, _ location: SourceLocation) {
        self.request = request
        self.name = name
        self.location = location
    }

    /// Expects that the server receives the request unchanged, and that both answers are read correctly.
    func run() async throws {
        let step = try #require(
            GatewayAnswers.entry(ofVector: name), "no vector with answers", sourceLocation: location
        ).step
        for outcome in GatewayServer.Outcome.allCases {
            let server = try GatewayServer(outcome)
            let response = try await ExampleClient.send(request, to: server.origin)
            compare(try #require(await server.arrival(), sourceLocation: location))
            #expect(
                try AnswerReader.isSuccess(response, of: step) == (outcome == .success),
                "\(name) \(outcome) \(response.status)", sourceLocation: location)
        }
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
