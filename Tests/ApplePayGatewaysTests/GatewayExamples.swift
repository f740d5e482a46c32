import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import TestVectors
import Testing

/// The examples on the gateways' pages in Sources/ApplePayGateways/Docs.docc; each is also in its gateway's test file.
struct GatewayExamples {
    let payment: Payment
    let order: Order
    let secret: SensitiveBytes
    let send: @Sendable (GatewayRequest) async throws -> GatewayResponse

    /// Creates examples whose requests a test server answers as the gateways document it.
    static func withTestServer() throws -> GatewayExamples {
        GatewayExamples(
            payment: try GatewayFixture.payment(), order: try GatewayFixture.order(),
            secret: GatewayFixture.secret("not-a-real-secret"),
            send: { request in
                try await ExampleClient.send(request, to: GatewayServer(.success).origin)
            })
    }
}

@Suite("The examples of the gateways' pages")
struct GatewayExampleTests {
    @Test("are printed exactly as they are run")
    func printed() throws {
        let root = TestVectors.directory.deletingLastPathComponent()
        let folder = root.appending(path: "Sources/ApplePayGateways/Docs.docc")
        // These pages show a client and how to read answers, not a gateway.
        let others = ["Gateways.md", "Outcomes.md"]
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path())
            .filter { $0.hasSuffix(".md") && !others.contains($0) }
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
        let tests = root.appending(path: "Tests/ApplePayGatewaysTests")
        let code = try FileManager.default.contentsOfDirectory(atPath: tests.path())
            .filter { $0.hasSuffix("Tests.swift") }
            .map { try String(contentsOf: tests.appending(path: $0), encoding: .utf8) }
            .compactMap {
                $0.components(separatedBy: "extension GatewayExamples {").dropFirst().first
            }
            .joined(separator: "\n")
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("        ") ? String($0.dropFirst(8)) : "\n" }
            .joined(separator: "\n")
        let examples = pages.flatMap { page in
            page.components(separatedBy: "```swift\n").dropFirst()
                .compactMap { $0.components(separatedBy: "\n```").first }
        }
        #expect(examples.count == ExampleGateway.all.count)
        for example in examples { #expect(lines.contains("\n\(example)\n"), "\(example)") }
    }
}
