import ApplePayGateways
import ApplePayGatewaysHTTP
import ApplePayGatewaysTesting
import ApplePayLedger
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

/// The examples on the gateways' pages in Sources/ApplePayGateways/Docs.docc; each is also in its gateway's test file.
struct GatewayExamples {
    let payment: Payment
    let order: Order
    let secret: SensitiveBytes
    let send: @Sendable (GatewayRequest) async throws -> GatewayResponse
    let body: [UInt8]
    let acceptor: PaymentAcceptor
    let transport: any GatewayTransport

    /// Creates examples whose requests are answered as the gateways document it.
    static func withTestServer(
        secret: String = "not-a-real-secret"
    ) throws -> GatewayExamples {
        try GatewayExamples(
            secret: secret, transport: URLSessionTransport(),
            ledger: InMemoryLedger()
        ) { request in
            try await ExampleClient.send(request, to: GatewayServer(.success).origin)
        }
    }

    /// Creates examples of an order of an amount in euro, whose requests are sent to the sandbox.
    static func atSandbox(
        _ client: SandboxClient, amount: Int64, ledger: InMemoryLedger
    ) throws -> GatewayExamples {
        try GatewayExamples(
            amount: amount, secret: "sandbox-secret", transport: client, ledger: ledger
        ) { request in try await client.send(request) }
    }

    private init(
        amount: Int64 = 3000,
        secret: String,
        transport: any GatewayTransport,
        ledger: InMemoryLedger,
        send: @escaping @Sendable (GatewayRequest) async throws -> GatewayResponse
    ) throws {
        payment = try GatewayFixture.payment(GatewayFixture.payload(amount: String(amount)))
        order = try GatewayFixture.order(amount)
        self.secret = GatewayFixture.secret(secret)
        self.send = send
        self.transport = transport
        let pki = TestPKI()
        let shop = try pki.testMerchant("shop")
        let options = TestTokenOptions(amount: Int(amount), currency: order.currency)
        body = Array(try pki.testToken(for: shop, options))
        acceptor = try PaymentAcceptor(decryptor: pki.decryptor(for: shop), ledger: ledger)
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
