import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayHTTPS
import ApplePayOtherGateways
import ApplePayToken
import Foundation
import TestVectors
import Testing

/// Charges at the accounts of the gateways' pages, against the sandbox.
@Suite("The accounts of the gateways' pages", .serialized, .timeLimit(.minutes(5)))
struct SandboxExampleTests {
    private static let secret = "sandbox-secret"

    static let accounts = DeclaredGateway.all.filter { $0.abilities != nil }.map { declared in
        SandboxAccount(name: String(declared.name)) { sandbox in
            // CyberSource's secret is base64.
            let text =
                declared.name == "cybersource"
                ? Data(secret.utf8).base64EncodedString() : secret
            let account = try GatewaySuites.named(String(declared.name))
                .pageAccount(GatewayFixture.secret(text))
            return with(try #require(account)) { $0.move(to: sandbox.origin) }
        }
    }

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
        let token = try await IntergiroExample(secret: GatewayFixture.secret(Self.secret))
            .intergiro(HTTPSClient(), origin: sandbox.origin)
        #expect(token != nil)
    }
}
