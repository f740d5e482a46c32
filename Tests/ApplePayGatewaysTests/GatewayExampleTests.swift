import ApplePayGateways
import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("The examples of the gateways' page")
struct GatewayExampleTests {
    private static let root = TestVectors.directory.deletingLastPathComponent()

    @Test("work against the test server")
    func run() async throws {
        let examples = GatewayExamples(
            payment: try GatewayFixture.payment(), order: try GatewayFixture.order(),
            secret: GatewayFixture.secret("not-a-real-secret"),
            send: { request in
                try await ExampleClient.send(request, to: GatewayServer(.success).origin)
            })
        #expect(try await examples.worldlineDirect(Array(#"{"givenName":"Jane"}"#.utf8)))
        #expect(try await examples.worldlineConnect())
        #expect(try await examples.bePaid())
        #expect(try await examples.dintero())
        #expect(try await examples.rbs())
        #expect(try await examples.intergiro()?.revealText() == "t1")
        #expect(try await examples.cyberSource { $0 })
        #expect(try await examples.checkout())
        #expect(try await examples.adyen())
        #expect(try await examples.payPal())
    }

    @Test("are printed there as they are run")
    func printed() throws {
        let page = try String(
            contentsOf: Self.root.appending(
                path: "Sources/ApplePayGateways/Docs.docc/Gateways.md"), encoding: .utf8)
        let code = try String(
            contentsOf: Self.root.appending(
                path: "Tests/ApplePayGatewaysTests/GatewayExamples.swift"), encoding: .utf8)
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("        ") ? String($0.dropFirst(8)) : "\n" }
            .joined(separator: "\n")
        let examples = page.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        #expect(examples.count == 10)
        for example in examples { #expect(lines.contains("\n\(example)\n"), "\(example)") }
    }
}
