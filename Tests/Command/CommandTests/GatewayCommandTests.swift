import ApplePayAcceptance
import ApplePayGateways
import ApplePayOrderPrograms
import ApplePayOtherGateways
import ApplePayPrograms
import ApplePayToken
import ApplePayTokenTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import paytoken

@Suite("paytoken gateway")
struct GatewayCommandTests {
    private static let names = DeclaredGateway.all.map(\.name.description)

    @Test("list has two lines for each gateway: its names, and what it can do")
    func list() throws {
        let list = try Command(["gateway", "list"])
        #expect(list.status == 0 && list.error.isEmpty)
        let lines = list.output.split(separator: "\n")
        #expect(lines.count == 2 * Self.names.count)
        for (index, gateway) in DeclaredGateway.all.enumerated() {
            #expect(lines[2 * index] == "\(gateway.name): \(gateway.title)")
        }
        #expect(
            list.output.contains(
                "\n    decrypted and encrypted tokens, pages, stored cards, capture in parts, "))
        #expect(
            list.output.contains(
                "\n    encrypted tokens, sessions, stored cards, capture in parts, "))
        for other in ["Checkout.com", "Adyen Checkout", "PayPal Orders v2"] {
            #expect(list.output.contains("\(other)\n    decrypted tokens, the payment only\n"))
        }
        #expect(
            list.output.contains(
                "CyberSource\n    decrypted tokens, the payment and cancellation only\n"))
        #expect(list.output.contains("Intergiro\n    adds cards to Apple Wallet\n"))
    }

    /// Returns a file's example and its schema.
    private func exampleAndSchema(_ name: String) throws -> (example: String, schema: JSONSchema) {
        let example = try Command(["gateway", "example", name])
        let schema = try Command(["gateway", "schema", name])
        #expect(example.status == 0 && example.error.isEmpty)
        #expect(schema.status == 0 && schema.error.isEmpty)
        #expect(
            schema.output.contains(#""$schema": "https://json-schema.org/draft/2020-12/schema""#))
        return (example.output, try JSONSchema(text: schema.output))
    }

    @Test("example is valid by its schema, and a file for request", arguments: names + ["order"])
    func example(_ name: String) throws {
        let (example, schema) = try exampleAndSchema(name)
        #expect(try schema.faults(example) == [])
        try KeyFolder.with(["file.json": example]) { folder in
            let path = "\(folder)/file.json"
            guard name != "order" else {
                let order = try OrderFile.order(path, needsReference: true)
                return #expect(order.amount == 1099)
            }
            let account = try ExampleAccounts.account(example)
            #expect(account.name == name)
        }
    }

    @Test("schema refuses what the command refuses", arguments: names + ["order"])
    func schema(_ name: String) throws {
        let (text, schema) = try exampleAndSchema(name)
        let example = try JSONDecoder().decode(JSONTree.self, from: Data(text.utf8))
        let members = DeclaredMember.all(
            DeclaredGateway.named(ExactText(name))?.members ?? OrderFile.members)
        func isRefused(_ tree: JSONTree) -> Bool {
            do {
                if name == "order" {
                    _ = try OrderFile.order(AnswerValue(Array(tree.text.utf8)))
                } else {
                    _ = try ExampleAccounts.account(tree.text)
                }
                return false
            } catch { return true }
        }
        func expectRefusal(_ tree: JSONTree, _ member: String) throws {
            #expect(
                try !schema.faults(tree.text).isEmpty, "\(member): the schema accepts \(tree.text)")
            #expect(isRefused(tree), "\(member): the command accepts \(tree.text)")
        }
        try expectRefusal(example.with(.number(1), at: ["nonsense"]), "nonsense")
        for member in members {
            var tree = example
            for count in 1..<max(member.path.count, 1) {
                let outer = Array(member.path.prefix(count))
                if tree.member(at: outer) == nil,
                    let object = members.first(where: { $0.path == outer })
                {
                    tree = tree.with(object.value(), at: outer)
                }
            }
            let good = tree.with(member.value(), at: member.path)
            #expect(try schema.faults(good.text) == [], "\(member.name)")
            try expectRefusal(tree.with(.number(-1.5), at: member.path), member.name)
            if member.description.isMandatory {
                try expectRefusal(tree.with(nil, at: member.path), member.name)
            }
            switch member.description.kind {
            case .object:
                try expectRefusal(
                    tree.with(.number(1), at: member.path + ["nonsense"]), member.name)
            case .text(let counts):
                if counts.lowerBound > 0 {
                    try expectRefusal(tree.with(.string(""), at: member.path), member.name)
                }
                let long = String(repeating: "a", count: counts.upperBound + 1)
                try expectRefusal(tree.with(.string(long), at: member.path), member.name)
            case .integer(let numbers):
                let least = Decimal(numbers.lowerBound)
                try expectRefusal(tree.with(.number(least - 1), at: member.path), member.name)
                if numbers.upperBound < Int64.max {
                    let most = Decimal(numbers.upperBound)
                    try expectRefusal(tree.with(.number(most + 1), at: member.path), member.name)
                }
            case .choice: try expectRefusal(tree.with(.string("x"), at: member.path), member.name)
            case .secret:
                for value in [
                    .string("secret"), .object([:]),
                    .object(["env": .string("A"), "file": .string("/b")]),
                    .object(["other": .string("A")]),
                ] as [JSONTree] {
                    try expectRefusal(tree.with(value, at: member.path), member.name)
                }
            case .texts:
                try expectRefusal(tree.with(.array([.number(1)]), at: member.path), member.name)
            case .map:
                try expectRefusal(
                    tree.with(.object(["a": .number(1)]), at: member.path), member.name)
            default: break
            }
        }
    }

    @Test(
        "reports a wrong command line, with exit 2",
        arguments: [
            ("gateway list paypal", "gateway list takes no operand; leave out paypal."),
            ("gateway example paypal rbs", "gateway example needs one name: "),
            (
                "gateway example",
                "gateway example needs one name: "
                    + "\((DeclaredGateway.all.map(\.name.description) + ["order"]).alternatives)."
            ),
            (
                "gateway example dinetro",
                "there is no gateway dinetro; did you mean dintero? choose one of worldline-direct, "
            ),
            ("gateway schema acme", "there is no gateway acme; choose one of worldline-direct, "),
            ("gateway", "gateway"),
        ])
    func usage(_ words: String, _ sentence: String) throws {
        let refused = try Command(words.split(separator: " ").map(String.init))
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.error.contains(sentence), "\(refused.error)")
    }
}
