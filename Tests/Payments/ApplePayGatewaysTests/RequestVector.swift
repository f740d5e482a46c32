import ApplePayGateways
import TestVectors
import Testing

/// A request that is equal to a vector of TestVectors/gateways.
struct RequestVector: Sendable, CustomTestStringConvertible {
    /// The vector's name.
    let name: String

    /// Creates the request.
    let request: @Sendable () throws -> GatewayRequest

    var testDescription: String { name }

    init(_ name: String, _ request: @escaping @Sendable () throws -> GatewayRequest) {
        self.name = name
        self.request = request
    }
}

@Suite("The requests of the vectors")
struct RequestVectorTests {
    private static let vectors = GatewaySuites.all.flatMap { $0.vectors }

    @Test("are written byte for byte, and received as they were written", arguments: vectors)
    func bytes(_ vector: RequestVector) async throws {
        try await GatewayFixture.expect(vector.request(), is: vector.name)
    }

    @Test("show no part of their secret headers and bodies in descriptions", arguments: vectors)
    func masked(_ vector: RequestVector) throws {
        let request = try vector.request()
        let plain = request.headers.filter { !$0.isSecret }.map { $0.revealValue() } + [request.url]
        let secrets = request.headers.filter(\.isSecret).map { $0.revealValue() }
        let parts = (secrets + [GatewayFixture.body(request)]).flatMap { text in
            text.split { !$0.isLetter && !$0.isNumber && !"+/=-_.".contains($0) }
        }
        let text = "\(request) \(String(reflecting: request))"
        for part in parts where part.count > 7 && !plain.contains(where: { $0.contains(part) }) {
            #expect(!text.contains(part))
        }
        #expect(Mirror(reflecting: request).children.isEmpty)
    }

    @Test("are those of all files")
    func names() throws {
        #expect(try Self.vectors.map(\.name).sorted() == GatewayVector.names())
    }
}
