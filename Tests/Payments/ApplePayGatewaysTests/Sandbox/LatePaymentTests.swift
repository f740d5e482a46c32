import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

/// Separate, so that the gateways are waited for at the same time.
@Suite("The documented handler, with a payment that is made later", .timeLimit(.minutes(5)))
struct LatePaymentTests {
    @Test(
        "does not charge again for a payment that is made after its answer was lost",
        arguments: SandboxAccount.all.enumerated()
            .filter { SandboxAmount.isTried(SandboxAmount.late, at: $0.offset) }.map(\.element))
    func latePayment(_ account: SandboxAccount) async throws {
        // Longer than the handler asks by itself, also on a machine that is busy with other tests.
        let (sandbox, pki) = (try SandboxProcess(delay: 60), TestPKI())
        let ledger = InMemoryLedger()
        let handler = try PaymentHandlerTests.handler(account, sandbox, ledger, pki)
        let order = try SandboxShop.order(SandboxAmount.late)
        for _ in 0..<2 {
            let answer = await handler.pay(try PaymentHandlerTests.token(order, pki), order: order)
            #expect(answer.status == 202, "\(answer)")
        }
        #expect(try await sandbox.books().isEmpty)

        try await Task.sleep(for: .seconds(60))
        let answer = await handler.pay(try PaymentHandlerTests.token(order, pki), order: order)
        #expect(try await sandbox.books().count == 1)
        // Without its identifier, these gateways cannot be asked for a payment: a message or a person has to tell. Worldline
        // Direct gives its first answer for the key, also to another token.
        let isKnown = !["cybersource", "adyen", "paypal"].contains(account.name)
        #expect(answer.status == (isKnown ? 200 : 202), "\(answer)")
        let open = try await handler.payments.openPayments()
        #expect(open.map(\.payment?.attempt.orderReference).allSatisfy { $0 == order.reference })
        #expect(isKnown || open.count == 1)
    }
}
