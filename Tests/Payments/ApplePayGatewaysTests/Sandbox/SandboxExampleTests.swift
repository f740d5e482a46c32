import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayHTTPS
import ApplePayToken
import Foundation
import Testing

/// Charges at the accounts of the gateways' pages, against the sandbox.
@Suite("The accounts of the gateways' pages", .serialized, .timeLimit(.minutes(5)))
struct SandboxExampleTests {
    private static let example = GatewayExamples(secret: GatewayFixture.secret("sandbox-secret"))

    static let accounts = [
        SandboxAccount(name: "worldline-direct") { sandbox in
            with(try example.worldlineDirect()) { $0.origin = sandbox.origin }
        },
        SandboxAccount(name: "worldline-connect") { sandbox in
            with(try example.worldlineConnect()) { $0.origin = sandbox.origin }
        },
        SandboxAccount(name: "bepaid") { sandbox in
            with(try example.bePaid()) { $0.origin = sandbox.origin }
        },
        SandboxAccount(name: "dintero") { sandbox in
            with(try example.dintero()) {
                $0.origin = sandbox.origin
                $0.loginOrigin = sandbox.origin
            }
        },
        SandboxAccount(name: "rbs") { sandbox in
            with(try example.rbs()) { $0.host.origin = sandbox.origin }
        },
        SandboxAccount(name: "cybersource") { sandbox in
            let secret = Data("sandbox-secret".utf8).base64EncodedString()
            return with(
                try GatewayExamples(secret: GatewayFixture.secret(secret)).cyberSource()
            ) { $0.origin = sandbox.origin }
        },
        SandboxAccount(name: "checkout") { sandbox in
            with(try example.checkout()) { $0.origin = sandbox.origin }
        },
        SandboxAccount(name: "adyen") { sandbox in
            with(try example.adyen()) { $0.origin = sandbox.origin }
        },
        SandboxAccount(name: "paypal") { sandbox in
            with(try example.payPal()) { $0.origin = sandbox.origin }
        },
    ]

    @Test("charge an order once, and report a decline", arguments: accounts)
    func charge(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (_, outcome) = try await shop.pay(3000)
        #expect([.paid, .authorized].contains(outcome.state), "\(outcome)")
        let (_, declined) = try await shop.pay(SandboxAmount.decline, "order-2")
        #expect(declined.state == .refused, "\(declined)")
        #expect(try await shop.sandbox.books().count == 1)
    }

    @Test("give the cardholder of Intergiro a token for the app")
    func intergiro() async throws {
        let sandbox = try SandboxProcess()
        let token = try await Self.example.intergiro(
            HTTPSClient(), origin: sandbox.origin)
        #expect(token != nil)
    }
}
