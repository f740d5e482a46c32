import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import TestVectors
import Testing

/// The accounts that the gateways' pages in Sources/Payments/ApplePayGateways/Docs.docc create, as they are printed there.
struct GatewayExamples {
    let secret: SensitiveBytes

    func worldlineDirect() throws -> WorldlineDirect {
        var gateway = WorldlineDirect(
            merchantId: "merchant-1", credentials: .init(apiKeyId: "key-1", secretAPIKey: secret),
            environment: .preproduction)
        gateway.options.authorizationMode = .sale
        gateway.webhookKeys = ["webhook-key-1": secret]
        return gateway
    }

    func worldlineConnect() throws -> WorldlineConnect {
        var gateway = WorldlineConnect(
            merchantId: "merchant-1", credentials: .init(apiKeyId: "key-1", secretAPIKey: secret),
            environment: .preproduction)
        gateway.options.authorizationMode = .sale
        return gateway
    }

    func bePaid() throws -> BePaid {
        var gateway = BePaid(shopId: "361", secretKey: secret)
        gateway.sendsTest = true
        return gateway
    }

    func dintero() throws -> Dintero {
        var gateway = Dintero(
            accountID: "T12345678", credentials: .client(id: "client-1", secret: secret))
        gateway.callbackSecret = secret
        return gateway
    }

    func rbs() throws -> RBS {
        var gateway = RBS(host: .init(origin: "https://pay.example", limits: .russianBanks))
        gateway.user = .init(name: "shop-api", password: secret)
        gateway.options.kind = .decrypted
        return gateway
    }

    func cyberSource() throws -> CyberSource {
        var gateway = CyberSource(
            credentials: .init(merchantID: "merchant-1", keyID: "key-1", sharedSecret: secret),
            environment: .test)
        gateway.options.capture = true
        return gateway
    }

    func checkout() throws -> Checkout {
        var gateway = try Checkout(secretKey: secret, environment: .sandbox, subdomain: "1a2b3c4d")
        gateway.options.processingChannelID = "pc_example"
        return gateway
    }

    func adyen() throws -> Adyen {
        var gateway = try Adyen(apiKey: secret, merchantAccount: "Shop", environment: .test)
        gateway.options.brand = .network  // or .applePay
        return gateway
    }

    func payPal() throws -> PayPal {
        var gateway = PayPal(
            credentials: .client(id: "client-1", secret: secret), environment: .sandbox)
        gateway.options.sendsInvoiceID = true
        return gateway
    }

    func intergiro(_ transport: some GatewayTransport, origin: String) async throws
        -> SensitiveBytes?
    {
        let transport = MovingTransport(transport: transport, origin: origin)
        let service = Intergiro(apiKey: secret, environment: .staging)
        let outcome = try await transport.outcome(of: service.addCard("card-1"))
        guard outcome.state == .launch else { return nil }
        return outcome.launchToken  // for Intergiro.launch in the app
    }
}

/// Sends requests to another server than the one that they name.
private struct MovingTransport: GatewayTransport {
    let transport: any GatewayTransport
    let origin: String

    func send(_ request: GatewayRequest) async throws(GatewayTransportError) -> GatewayResponse {
        try await transport.send(
            GatewayRequest(
                method: request.method, origin, request.path, query: request.query,
                headers: request.headers, body: request.body))
    }
}

@Suite("The gateways' pages")
struct GatewayExampleTests {
    private static let folder = TestVectors.directory.deletingLastPathComponent()
        .appending(path: "Sources/Payments/ApplePayGateways/Docs.docc")

    @Test("print the accounts exactly as the tests create them")
    func printed() throws {
        let file = TestVectors.directory.deletingLastPathComponent()
            .appending(path: "Tests/Payments/ApplePayGatewaysTests/GatewayExamples.swift")
        let lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("        ") ? String($0.dropFirst(8)) : "\n" }
            .joined(separator: "\n")
        // These pages show how an account is used.
        let others = ["ApplePayGateways.md", "Gateways.md", "Outcomes.md"]
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
            .filter { $0.hasSuffix(".md") && !others.contains($0) }
        #expect(names.count == ExampleGateway.all.count)
        for name in names {
            let page = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            let examples = page.components(separatedBy: "```swift\n").dropFirst()
                .compactMap { $0.components(separatedBy: "\n```").first }
            #expect(examples.count == 1, "\(name)")
            for example in examples { #expect(lines.contains("\n\(example)\n"), "\(example)") }
        }
    }

    @Test("print the abilities of each gateway as its value states them")
    func abilities() throws {
        let page = try String(
            contentsOf: Self.folder.appending(path: "Gateways.md"), encoding: .utf8)
        let example = GatewayExamples(secret: GatewayFixture.secret("secret"))
        var encrypted = try example.rbs()
        encrypted.options.kind = .encrypted
        let gateways: [any PaymentGateway] = [
            try example.worldlineDirect(), try example.worldlineConnect(), try example.bePaid(),
            try example.dintero(), try example.rbs(), try example.cyberSource(),
            try example.checkout(), try example.adyen(), try example.payPal(),
        ]
        for gateway in gateways {
            let row = Self.row(gateway, or: gateway.name == "rbs" ? encrypted : nil)
            #expect(page.contains("\n\(row) <doc:"), "\(row)")
        }
        #expect(page.components(separatedBy: "\n| `").count - 1 == gateways.count)
    }

    /// Returns a gateway's row of the table; `other` has the form that the gateway takes instead, by its options.
    private static func row(_ gateway: any PaymentGateway, or other: (any PaymentGateway)?)
        -> String
    {
        let abilities = gateway.abilities
        func extent(_ kind: PaymentOperation.Kind) -> String {
            abilities[kind] == .none ? "no" : abilities[kind].rawValue
        }
        func names(_ all: [String], _ separator: String) -> String {
            all.isEmpty ? "no" : all.joined(separator: separator)
        }
        let forms = GatewayAbilities.Form.allCases.filter {
            abilities.forms.contains($0) || other?.abilities.forms.contains($0) == true
        }
        let questions = GatewayAbilities.Question.allCases.filter(abilities.status.contains)
        let cells = [
            "`\(gateway.name)`", names(forms.map(\.rawValue), other == nil ? ", " : " or "),
            names(questions.map(\.rawValue), ", "), abilities.repetition ? "yes" : "no",
            extent(.capture), extent(.cancellation), extent(.refund),
            abilities.messages ? "yes" : "no",
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }
}
