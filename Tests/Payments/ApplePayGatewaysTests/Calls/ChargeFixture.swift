import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayLedger
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

/// A shop that accepts tokens of 30.00 euros.
enum ChargeFixture {
    private static let pki = TestPKI(testSeed: "charges")

    /// Returns a payment of an order with another token, claimed in a ledger.
    static func accepted(
        in ledger: some ReplayLedger, reference: String = "order-1001", slot: Int = 1
    ) async throws -> AcceptedPayment {
        let merchant = try pki.testMerchant("shop")
        var options = TestTokenOptions()
        options.amount = 3000
        let token = try pki.testToken(for: merchant, options)
        let acceptor = try PaymentAcceptor(
            decryptor: pki.decryptor(for: merchant), ledger: ledger)
        return try await acceptor.accept(
            token, order: order(reference: reference), slot: slot)
    }

    /// Returns an order with the members that some gateways require.
    static func order(reference: String = "order-1001") throws -> Order {
        try with(GatewayFixture.order(reference: reference)) {
            $0.description = "Order"
            $0.returnURL = "https://shop.example/return"
        }
    }

    /// Returns the state of a payment's claim; nil if the ledger does not know it.
    static func state(of payment: AcceptedPayment, in ledger: some ReplayLedger) async throws
        -> ClaimState?
    {
        let claim = try #require(payment.claim)
        return try await ledger.record(of: claim.transaction)?.state
    }
}

/// A ledger that can claim, and fails afterwards.
struct FailingLedger: ReplayLedger {
    let ledger: any ReplayLedger = InMemoryLedger()

    var window: Int { ledger.window }

    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        await ledger.claim(requests)
    }

    func confirm(_ claim: Claim) async throws(LedgerError) { throw LedgerError(.ledgerUnavailable) }

    func release(_ claim: Claim) async throws(LedgerError) { throw LedgerError(.ledgerUnavailable) }

    func record(of transaction: TransactionIdentifier) async throws(LedgerError) -> ClaimRecord? {
        try await ledger.record(of: transaction)
    }

    func openClaims(limit: Int) async throws(LedgerError) -> [ClaimRecord] {
        try await ledger.openClaims(limit: limit)
    }

    func prune() async throws(LedgerError) -> Int { try await ledger.prune() }
}
