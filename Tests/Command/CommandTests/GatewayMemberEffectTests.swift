import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrderPrograms
import ApplePayOtherGateways
import ApplePayPrograms
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@testable import paytoken

@Suite("The members of gateway files in requests")
struct GatewayMemberEffectTests {
    /// Members that change no request, with the reason.
    private static let idle = [
        "gateway": "it has one value", "name": "it names the account in a service",
        "account.identifier": "it names the account in the ledger",
        "webhooks.keys": "it verifies messages", "webhooks.publicKey": "it verifies messages",
        "webhooks.callbackSecret": "it verifies messages",
    ]

    /// Members of one gateway that change no request, with the reason.
    private static let idleOfGateway = [
        "rbs environment": "the file names the server",
        "rbs payment.verifiesOnly": "true is refused unless the order is for 0",
        "rbs payment.sendsFormerCurrencyCodes": "only RUB and BYN have former codes",
    ]

    /// Two values of members that do not take any text.
    private static let values: [String: [JSONTree]] = [
        "origin": [.string("https://a.example"), .string("https://b.example")],
        "account.accountId": [.string("P00000001"), .string("P00000002")],
        "payment.contract": [.array([.string("recurring")]), .array([.string("oneclick")])],
        "payment.autocompletionDate": dates, "payment.autoReverseDate": dates,
        "account.prefix": [.string("/a"), .string("/b")],
        "payment.dynamicCallbackUrl": addresses, "payment.expiresAt": times,
    ]

    private static let dates = ["2026-12-31T12:00:00", "2026-12-31T12:00:01"].map(JSONTree.string)
    private static let times = ["2026-12-31T12:00:00Z", "2026-12-31T12:00:01Z"].map(JSONTree.string)
    private static let addresses = ["https://a.example/1", "https://a.example/2"].map(
        JSONTree.string)

    /// Other members that a member needs, or that it excludes (nil).
    private static let company: [String: [(path: String, value: JSONTree?)]] = [
        "payment.profileId": [("payment.generatesPaymentToken", nil)],
        "account.livePrefix": [("environment", .string("live"))],
        "rbs token": [
            ("account.merchant", .string("shop")), ("credentials.userName", .string("shop")),
            ("credentials.password", .object(["env": .string("SECRET")])),
        ],
        "payment.applePay.isFirstRecurring": [("payment.applePay.isRecurring", .boolean(true))],
        "page.applePay.isFirstRecurring": [("page.applePay.isRecurring", .boolean(true))],
    ]

    /// The order of all examples in this test: with every member that a request can contain.
    private static func order(_ example: ExampleRequest) -> String? {
        guard var order = try? JSONDecoder().decode(JSONTree.self, from: Data(example.order.utf8))
        else { return nil }
        let address = JSONTree.object(["givenName": .string("Jane"), "countryCode": .string("FR")])
        // Longer than Russian banks permit.
        let reference = JSONTree.string(String(repeating: "1", count: 33))
        for (name, value) in [
            ("description", .string("d")), ("returnURL", .string("https://shop.example/r")),
            ("customer", address), ("shipping", address), ("reference", reference),
            ("customerReference", .string("customer-1")),
        ] where order.members[name] == nil || example.gateway == "rbs" {
            order = order.with(value, at: [name])
        }
        return order.text
    }

    /// Returns the values with which a member is tried.
    private static func values(_ member: DeclaredMember) -> [JSONTree] {
        if let values = values[member.name] { return values }
        return switch member.description.kind {
        case .text: [.string("A-1"), .string("A-2")]
        case .secret: ["SECRET_1", "SECRET_2"].map { .object(["env": .string($0)]) }
        case .boolean: [.boolean(true), .boolean(false)]
        case .integer: [.number(7), .number(8)]
        case .choice(let names): names.map(JSONTree.string)
        case .texts: [.array([.string("a")]), .array([.string("b")])]
        case .map: [.object(["a": .string("1")]), .object(["b": .string("1")])]
        default: []
        }
    }

    @Test(
        "each change a request, and each value differently",
        arguments: DeclaredGateway.all.map(\.name.description))
    func effects(_ name: String) throws {
        let gateway = try #require(DeclaredGateway.named(ExactText(name)))
        let members = DeclaredMember.all(gateway.members)
        let examples = ExampleGateway.all.flatMap(\.requests).filter { $0.gateway == name }
        try RequestFolder.with { folder in
            let accounts = try ExampleAccounts(folder)
            for (index, member) in members.enumerated() where LongTest.includes(index) {
                let values = Self.values(member)
                guard !values.isEmpty else { continue }
                var best = 0
                var seen: [String] = []
                for example in examples {
                    let base = try JSONDecoder().decode(
                        JSONTree.self, from: Data(example.account.utf8))
                    let results = values.map { value in
                        let tree = Self.tree(base, member, value, members)
                        return accounts.text(
                            example, account: tree.text, order: Self.order(example))
                    }
                    let made = results.filter { !$0.hasPrefix("refused") }
                    if Set(made).count > best { (best, seen) = (Set(made).count, results) }
                    if seen.isEmpty { seen = results }
                }
                let hasOneServer = ExampleGateway.all.contains {
                    $0.name == name && $0.hasOneServer
                }
                let isIdle =
                    (Self.idle[member.name] ?? Self.idleOfGateway["\(name) \(member.name)"]) != nil
                    || member.name == "environment" && hasOneServer
                if !isIdle {
                    // The indicator of a payment is the network's or that of the internet.
                    let equal = member.name == "payment.commerceIndicator" ? 1 : 0
                    #expect(best == values.count - equal, "\(member.name) \(best) \(seen)")
                } else {
                    #expect(best < 2, "\(member.name) has an effect")
                }
            }
        }
    }

    /// Returns a file with a value of a member, and with what the objects on its way need.
    private static func tree(
        _ base: JSONTree, _ member: DeclaredMember, _ value: JSONTree, _ members: [DeclaredMember]
    ) -> JSONTree {
        var tree = base
        for count in 1..<max(member.path.count, 1) {
            let outer = Array(member.path.prefix(count))
            guard let object = members.first(where: { $0.path == outer }),
                tree.member(at: outer) == nil
            else { continue }
            tree = tree.with(object.value(), at: outer)
        }
        let gateway = base.members["gateway"]?.string ?? ""
        for (path, value) in company[member.name] ?? company["\(gateway) \(member.name)"] ?? [] {
            tree = tree.with(value, at: path.split(separator: ".").map(String.init))
        }
        return tree.with(value, at: member.path)
    }
}
