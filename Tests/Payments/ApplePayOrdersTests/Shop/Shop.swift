import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

/// A shop with one gateway, whose books, clock, ledger and connection a test controls.
struct Shop {
    private static let pki = TestPKI(seed: "orders")

    /// The decryptor of the test tokens; making it once saves most of the time.
    static let decryptor = Result { try pki.decryptor(for: pki.testMerchant()) }
    private static let made = Lock([String: Data]())

    /// Returns the token with a name, for an amount.
    static func token(_ name: String, amount: Int = 1099) throws -> Data {
        let id = "\(name) \(amount)"
        if let token = made.withLock({ $0[id] }) { return token }
        let token = try pki.testToken(
            for: pki.testMerchant(),
            TestTokenOptions(amount: amount, currency: Currency(alphabetic: "EUR")))
        return made.withLock { made in
            if let earlier = made[id] { return earlier }
            made[id] = token
            return token
        }
    }

    let clock = TestClock()
    let books: Books
    let gateway: BooksGateway
    let transport: TestTransport
    let memory: InMemoryLedger
    let ledger: TestLedger
    let payments: OrderPayments

    /// Creates a shop; `hook` runs at each call of the ledger, which may lack attempts from before `missing`.
    init(
        _ kind: BooksGateway.Class = .keys, missing: Date? = nil, isEncrypted: Bool = false,
        account: BooksGateway? = nil, hook: @escaping TestLedger.Hook = { _, _ in }
    ) throws {
        let clock = clock
        gateway = account ?? BooksGateway(kind: kind)
        books = Books(keyHours: gateway.kind.keepsKeys ? 24 : 0)
        transport = TestTransport(books, clock)
        memory = InMemoryLedger(capacity: 1_000, window: 300) { clock.now }
        ledger = TestLedger(memory, missing: missing, hook: hook)
        let decryptor = try Self.decryptor.get()
        let acceptor =
            isEncrypted
            ? try PaymentAcceptor(verifier: decryptor.verifier, ledger: ledger)
            : try PaymentAcceptor(decryptor: decryptor, ledger: ledger)
        payments = OrderPayments(acceptor, ledger, gateway, transport, time: clock.time)
    }

    /// Returns the same shop's payments at another gateway, or at another account there.
    func payments(at name: String = "books", account: String? = nil) throws -> OrderPayments {
        var other = gateway
        other.name = name
        other.account = account
        return OrderPayments(
            try PaymentAcceptor(decryptor: Self.decryptor.get(), ledger: ledger), ledger, other,
            transport, time: clock.time)
    }

    /// Returns an order.
    func order(
        _ reference: String = "order-1", amount: Int64 = 1099, currency: String = "EUR"
    ) throws -> Order {
        Order(
            reference: reference, amount: amount,
            currency: try #require(Currency(alphabetic: currency)))
    }

    /// Pays the order with the token of a name.
    @discardableResult
    func pay(
        _ token: String = "one", reference: String = "order-1", again: String? = nil
    ) async throws -> OrderOutcome {
        try await payments.pay(
            Self.token(token), for: order(reference), agePolicy: .anyAge, again: again)
    }

    /// The states of the order's attempts, in order.
    func states(_ reference: String = "order-1") async -> [AttemptRecord.State] {
        await memory.attempts(of: reference).map(\.state)
    }

    /// The order's last attempt.
    func last(_ reference: String = "order-1") async throws -> AttemptRecord {
        try #require(await memory.attempts(of: reference).last)
    }

    /// Returns the code with which `body` fails; nil if it succeeds.
    static func refusal(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as PaymentTokenError {
            return error.code.rawValue
        } catch {
            return "\(error)"
        }
    }
}
