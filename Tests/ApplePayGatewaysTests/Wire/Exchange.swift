import ApplePayGateways
import ApplePayToken
import Testing

/// One request, sent to the test server over HTTP, and both answers to it.
struct Exchange {
    /// What a client adds of its own accord.
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

    /// Expects that everything arrives as it was said, and that the answers are understood.
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
