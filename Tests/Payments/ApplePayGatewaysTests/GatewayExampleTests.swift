import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("The gateways' pages")
struct GatewayExampleTests {
    private static let folder = TestVectors.directory.deletingLastPathComponent()
        .appending(path: "Sources/Payments/ApplePayGateways/Docs.docc")

    @Test("print the accounts exactly as the tests create them")
    func printed() throws {
        let folder = TestVectors.directory.deletingLastPathComponent()
            .appending(path: "Tests/Payments/ApplePayGatewaysTests")
        let lines = try GatewaySuites.all
            .map { try String(contentsOf: folder.appending(path: "\($0).swift"), encoding: .utf8) }
            .joined(separator: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("        ") ? String($0.dropFirst(8)) : "\n" }
            .joined(separator: "\n")
        // These pages show how an account is used.
        let others = ["ApplePayGateways.md", "Gateways.md", "Outcomes.md", "StoredCards.md"]
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
            .filter { $0.hasSuffix(".md") && !others.contains($0) }
        #expect(names.count == ExampleGateway.all.count)
        var count = 0
        for name in names {
            let page = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            let examples = page.components(separatedBy: "```swift\n").dropFirst()
                .compactMap { $0.components(separatedBy: "\n```").first }
            #expect(examples.count <= 1, "\(name)")
            count += examples.count
            for example in examples { #expect(lines.contains("\n\(example)\n"), "\(example)") }
        }
        // Those of ApplePayOtherGateways have no public type.
        #expect(count == DeclaredGateway.documented.count)
    }

    @Test("print the abilities of each gateway as its value states them")
    func abilities() throws {
        let page = try String(
            contentsOf: Self.folder.appending(path: "Gateways.md"), encoding: .utf8)
        let secret = GatewayFixture.secret("secret")
        let gateways = try GatewaySuites.all.compactMap { try $0.pageAccount(secret) }
        for gateway in gateways {
            let encrypted = (gateway as? RBS).map { rbs in
                with(rbs) { $0.options.kind = .encrypted }
            }
            let row = Self.row(gateway, or: encrypted)
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
        let initiators = PaymentInitiator.allCases.filter(abilities.initiators.contains)
        let cells = [
            "`\(gateway.name)`", names(forms.map(\.rawValue), other == nil ? ", " : " or "),
            names(questions.map(\.rawValue), ", "), abilities.repetition ? "yes" : "no",
            extent(.capture), extent(.cancellation), extent(.refund),
            abilities.messages ? "yes" : "no", names(initiators.map(\.rawValue), ", "),
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }
}
