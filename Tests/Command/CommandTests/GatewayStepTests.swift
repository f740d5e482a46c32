import ApplePayGatewayFiles
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import ApplePayTokenTesting
import Testing

@testable import paytoken

@Suite("The declarations of gateways")
struct GatewayStepTests {
    @Test("are those of the gateways that the tests have examples of")
    func gateways() {
        #expect(DeclaredGateway.all.map(\.name) == ExampleGateway.all.map(\.name))
        for gateway in DeclaredGateway.all {
            #expect(DeclaredGateway.named(gateway.name)?.title == gateway.title)
            #expect(!gateway.title.isEmpty)
        }
        #expect(DeclaredGateway.named("acme") == nil)
    }

    @Test("have steps that are named once, with each part of the input once", arguments: names)
    func steps(_ name: String) throws {
        let gateway = try #require(DeclaredGateway.named(name))
        #expect(Set(gateway.steps.map(\.name)).count == gateway.steps.count)
        for step in gateway.steps {
            let parts = step.needs + step.takes
            #expect(Set(parts).count == parts.count, "\(step.name)")
            #expect(step.name.allSatisfy { $0.isLowercase || $0 == "-" })
            #expect(step.name != AnswerCommand.message)
            #expect(
                step.help.hasSuffix(".") && step.help.first?.isUppercase == true, "\(step.help)")
        }
    }

    @Test("have a step for each ability", arguments: names)
    func abilities(_ name: String) throws {
        let gateway = try #require(DeclaredGateway.named(name))
        let steps = Set(gateway.steps.map(\.name))
        guard let abilities = gateway.abilities else {
            #expect(!steps.contains("payment"))
            return
        }
        #expect(steps.contains("payment"))
        for (kind, step) in [
            (PaymentOperation.Kind.capture, "capture"), (.cancellation, "cancel"),
            (.refund, "refund"),
        ] {
            #expect((abilities[kind] != .none) == steps.contains(step), "\(step)")
        }
        let asks = !abilities.status.isEmpty
        #expect(asks == !steps.isDisjoint(with: ["status", "search", "page-status"]))
    }

    @Test("have members in groups, each with a help text and named once", arguments: names)
    func members(_ name: String) throws {
        let gateway = try #require(DeclaredGateway.named(name))
        func check(_ members: [MemberDescription]) {
            #expect(Set(members.map(\.name)).count == members.count)
            for member in members {
                #expect(!member.help.isEmpty && !member.help.hasSuffix("."), "\(member.name)")
                #expect(
                    member.help.first?.isUppercase == false || member.help.hasPrefix("Worldline"))
                switch member.kind {
                case .object(let members), .objects(let members): check(members)
                default: break
                }
            }
        }
        check(gateway.members)
        let head = ["gateway", "environment", "origin", "token"]
        let groups = ["account", "credentials", "webhooks", "payment", "page"]
        let known = gateway.members.map(\.name)
        #expect(known == (head + groups).filter(known.contains))
        let forms = gateway.abilities?.forms ?? []
        #expect(known.contains("token") == (forms.count > 1))
        #expect(known.contains("webhooks") == (gateway.abilities?.messages == true))
    }

    private static let names = DeclaredGateway.all.map(\.name)

    @Test("make requests with the identifiers of the command line")
    func identifiers() throws {
        try RequestFolder.with { folder in
            let accounts = try ExampleAccounts(folder)
            let commands = ExampleGateway.all.flatMap(\.commands)
            for (gateway, step, option, value, line) in [
                (
                    "intergiro", "consent", CommandOption.subject, "c/2",
                    "POST https://3d.intergiro.com/v3/consents/c%2F2"
                ),
                (
                    "intergiro", "tokenize", .subject, "k2",
                    "POST https://3d.intergiro.com/v3/cards/k2/apple_pay/tokenize"
                ),
                (
                    "paypal", "status", .paymentID, "o2",
                    "GET https://api-m.paypal.com/v2/checkout/orders/o2"
                ),
                (
                    "bepaid", "status", .paymentID, "u/2",
                    "GET https://gateway.bepaid.by/transactions/u%2F2"
                ),
                (
                    "dintero", "session-status", .sessionID, "P2",
                    "GET https://checkout.dintero.com/v1/sessions/P2"
                ),
            ] {
                let example = try #require(
                    commands.first { $0.gateway == gateway && $0.step == step })
                let text = accounts.text(example, replacing: option, with: value)
                #expect(text.hasPrefix("\(line)\n"), "\(text)")
            }
        }
    }
}
