import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayHTTPS
import ApplePayLedger
import ApplePayOrders
import ApplePayTokenTesting
import ApplePayWire
import Foundation
import Synchronization
import TestVectors
import Testing

/// The handler that Sources/Core/ApplePayToken/Docs.docc/Server.md prints, as an integrator would use it.
@Suite("The documented handler", .serialized, .timeLimit(.minutes(10)))
struct PaymentHandlerTests {
    /// The status that the customer and the sandbox's books must show for an amount.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let amount: Int64
        let status: Int
        let charges: Int
        /// Other statuses at some gateways.
        var exceptions: [String: Int] = [:]

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "success", amount: 3000, status: 200, charges: 1),
        Case(name: "decline", amount: SandboxAmount.decline, status: 402, charges: 0),
        Case(
            name: "time-out", amount: SandboxAmount.timeOut, status: 200, charges: 1,
            exceptions: ["cybersource": 202]),
        Case(
            name: "lost request", amount: SandboxAmount.lostRequest, status: 202, charges: 0),
        Case(
            name: "502", amount: SandboxAmount.errorPage, status: 200, charges: 1,
            exceptions: ["cybersource": 202]),
        Case(
            name: "3-D Secure", amount: SandboxAmount.customer, status: 303, charges: 0,
            exceptions: ["cybersource": 202]),
        Case(
            name: "pending", amount: SandboxAmount.pending, status: 200, charges: 1,
            exceptions: ["cybersource": 202, "adyen": 202]),
    ]

    /// The accounts with the cases with which they are tried.
    static let combinations = SandboxAccount.all.enumerated().flatMap { index, account in
        cases.filter { SandboxAmount.isTried($0.amount, at: index) }.map { (account, $0) }
    }

    static func handler(
        _ account: SandboxAccount, _ sandbox: SandboxProcess, _ ledger: any AttemptLedger,
        _ pki: TestPKI, _ log: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> PaymentHandler {
        var transport = HTTPSClient()
        transport.timeLimit = .seconds(2)
        let decryptor = try pki.decryptor(for: pki.testMerchant("shop"))
        return PaymentHandler(
            payments: try OrderPayments(
                verifier: decryptor.verifier, decryptor: decryptor, ledger: ledger,
                gateway: try account.gateway(sandbox), transport: transport, time: .fast), log: log)
    }

    static func token(_ order: Order, _ pki: TestPKI) throws -> [UInt8] {
        let options = TestTokenOptions(amount: Int(order.amount), currency: order.currency)
        return Array(try pki.testToken(for: pki.testMerchant("shop"), options))
    }

    @Test(
        "answers every case correctly, and charges at most once", arguments: combinations)
    func answers(_ account: SandboxAccount, _ one: Case) async throws {
        let (sandbox, pki) = (try SandboxProcess(), TestPKI())
        let handler = try Self.handler(account, sandbox, InMemoryLedger(), pki)
        let order = try SandboxShop.order(one.amount)
        let body = try Self.token(order, pki)
        let answer = await handler.pay(body, order: order)
        #expect(answer.status == one.exceptions[account.name] ?? one.status, "\(answer)")
        if let url = answer.url { #expect(url.absoluteString.hasPrefix(sandbox.origin)) }
        let books = try await sandbox.books()
        // A payment that waits for a review is not in the books.
        let counts = one.name == "pending" ? 0...one.charges : one.charges...one.charges
        #expect(counts.contains(books.count), "\(books)")

        // The client sends the same token again.
        let again = await handler.pay(body, order: order)
        #expect([answer.status, 202].contains(again.status), "\(again)")
        let later = try await sandbox.books()
        // The question can end the review.
        #expect(one.name == "pending" ? counts.contains(later.count) : later == books)
    }

    @Test("does not charge a second tap", arguments: SandboxAccount.all)
    func secondTap(_ account: SandboxAccount) async throws {
        let (sandbox, pki) = (try SandboxProcess(), TestPKI())
        let handler = try Self.handler(account, sandbox, InMemoryLedger(), pki)
        let order = try SandboxShop.order(3000)
        for _ in 0..<2 {
            let answer = await handler.pay(try Self.token(order, pki), order: order)
            #expect(answer.status == 200, "\(answer)")
        }
        #expect(try await sandbox.books().count == 1)
    }

    @Test(
        "informs the customer of a payment that the ledger cannot record",
        arguments: SandboxAccount.all)
    func failingConfirm(_ account: SandboxAccount) async throws {
        let (sandbox, pki) = (try SandboxProcess(), TestPKI())
        let lines = Lines()
        let handler = try Self.handler(account, sandbox, FailingRecords(), pki) { lines.append($0) }
        let order = try SandboxShop.order(3000)
        let answer = await handler.pay(try Self.token(order, pki), order: order)
        #expect(answer.status == 200, "\(answer)")
        #expect(lines.all.contains("order-1 is not recorded"), "\(lines.all)")
        #expect(try await sandbox.books().count == 1)
    }

    @Test("is printed exactly as it is run")
    func printed() throws {
        let root = TestVectors.directory.deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Sources/Core/ApplePayToken/Docs.docc/Server.md"),
            encoding: .utf8)
        let code = try String(
            contentsOf: root.appending(
                path: "Tests/Payments/ApplePayGatewaysTests/Sandbox/PaymentHandler.swift"),
            encoding: .utf8)
        #expect(page.contains("```swift\n\(code)```\n"))
    }
}

extension Answer {
    /// The answer in the words of HTTP: paid, in doubt, at the bank, or refused.
    var status: Int { url != nil ? 303 : payable ? 402 : text == "Thank you." ? 200 : 202 }
}

/// A ledger that fails once something was sent.
private struct FailingRecords: AttemptLedger {
    private let ledger = InMemoryLedger()

    var window: Int { ledger.window }

    var history: LedgerHistory { ledger.history }

    var latestTime: Date? { get async { await ledger.latestTime } }

    func replace(
        _ record: AttemptRecord, with next: AttemptRecord, claiming request: ClaimRequest?,
        freeing transactions: [TransactionIdentifier]
    ) async throws(LedgerError) -> Bool {
        guard next.state == .sending else { throw LedgerError(.ledgerUnavailable) }
        return try await ledger.replace(
            record, with: next, claiming: request, freeing: transactions)
    }

    func begin(
        _ attempt: AttemptRecord, claiming request: ClaimRequest?, after last: AttemptRecord?
    ) async throws(LedgerError) -> Bool {
        try await ledger.begin(attempt, claiming: request, after: last)
    }

    func attempts(of reference: ExactText) async -> [AttemptRecord] {
        await ledger.attempts(of: reference)
    }

    func attempts(at gateway: ExactText, identifiedBy identifier: ExactText) async
        -> [AttemptRecord]
    {
        await ledger.attempts(at: gateway, identifiedBy: identifier)
    }

    func attempts(
        at account: AttemptAccount, dueAt time: Date, limit: Int
    ) async -> [AttemptRecord] {
        await ledger.attempts(at: account, dueAt: time, limit: limit)
    }

    func openAttempts(after position: AttemptPosition?, limit: Int) async -> [AttemptRecord] {
        await ledger.openAttempts(after: position, limit: limit)
    }

    func changes(after cursor: ChangeCursor?, limit: Int) async -> AttemptChanges? {
        await ledger.changes(after: cursor, limit: limit)
    }

    func removeAttempts(changedBefore time: Date) async -> Int {
        await ledger.removeAttempts(changedBefore: time)
    }

    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        await ledger.claim(requests)
    }

    func prune() async -> Int { await ledger.prune() }

    func record(of transaction: TransactionIdentifier) async -> Claim? {
        await ledger.record(of: transaction)
    }
}

/// Lines of a log.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) { lines.withLock { $0.append(line) } }
}
