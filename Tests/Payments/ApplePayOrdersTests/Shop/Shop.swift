import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import ApplePayTokenTesting
import Foundation
import Testing

/// A shop with one gateway, whose books, clock, ledger and connection a test controls.
struct Shop {
    static let pki = TestPKI(seed: "orders")

    /// The decryptor of the test tokens; making it once saves most of the time.
    static let decryptor = Result { try pki.decryptor(for: pki.testMerchant()) }
    private static let made = Lock([String: Data]())

    /// Returns the token with a name, for an amount; its transaction depends on nothing else.
    static func token(_ name: String, amount: Int = 1099) throws -> Data {
        let id = "\(name) \(amount)"
        if let token = made.withLock({ $0[id] }) { return token }
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let token = Data(
            try pki.token(to: pki.testMerchant(), named: id) { recipe in
                recipe.signingTime = now
                recipe.payload.amount = amount
                recipe.payload.currencyCode = "978"
            }.json)
        return made.withLock { made in
            if let earlier = made[id] { return earlier }
            made[id] = token
            return token
        }
    }

    /// Returns a decryptor of the test tokens with another window, or with an observer.
    static func decryptor(
        maximumAge: Int = 300, observer: (any PaymentTokenObserver)? = nil
    ) throws -> PaymentTokenDecryptor {
        try KeyFolder.with([pki.testMerchant()]) { folder in
            try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: [folder]),
                anchor: TrustAnchor(testRootCertificate: pki.root.certificate.der),
                window: FreshnessWindow(maximumAge: maximumAge), observer: observer)
        }
    }

    /// A card that the books stored with an earlier order.
    static let card = PaymentReport.Card("card-p0").map {
        StoredCard($0, gateway: "books", account: "", isTest: false)
    }

    let clock = TestClock()
    let books: Books
    let gateway: BooksGateway
    let transport: TestTransport
    let memory: InMemoryLedger
    let ledger: TestLedger
    let payments: OrderPayments

    /// Creates a shop; `hook` runs at each call of the ledger, which may lack attempts from before `missing`, and which
    /// has the test's clock unless `memory` is given.
    init(
        _ kind: BooksGateway.Class = .keys, created: Date = .distantPast, missing: Date? = nil,
        canLose: Bool = false, isEncrypted: Bool = false,
        account: BooksGateway? = nil, decryptor: PaymentTokenDecryptor? = nil,
        memory: InMemoryLedger? = nil, hook: @escaping TestLedger.Hook = { _, _ in }
    ) throws {
        let clock = clock
        gateway = account ?? BooksGateway(kind: kind)
        books = Books(keyHours: gateway.kind.keepsKeys ? 24 : 0)
        transport = TestTransport(books, clock)
        self.memory = memory ?? InMemoryLedger(capacity: 1_000, window: 300) { clock.now }
        ledger = TestLedger(
            self.memory, created: created, missing: missing, canLose: canLose, hook: hook)
        let decryptor = try decryptor ?? Self.decryptor.get()
        payments = try OrderPayments(
            verifier: decryptor.verifier, decryptor: isEncrypted ? nil : decryptor, ledger: ledger,
            gateway: gateway, transport: transport, time: clock.time)
    }

    /// Returns a shop at a gateway with pages.
    static func withPages(
        _ kind: BooksGateway.Class = .identifier, hasReturnCode: Bool = true,
        missing: Date? = nil, hook: @escaping TestLedger.Hook = { _, _ in }
    ) throws -> Shop {
        try Shop(
            missing: missing,
            account: BooksGateway(kind: kind, hasPages: true, hasReturnCode: hasReturnCode),
            hook: hook)
    }

    /// Returns the same shop's payments at another gateway, or at another account there.
    func payments(at name: String = "books", account: String = "") throws -> OrderPayments {
        var other = gateway
        other.name = ExactText(name)
        other.account = ExactText(account)
        let decryptor = try Self.decryptor.get()
        return try OrderPayments(
            verifier: decryptor.verifier, decryptor: decryptor, ledger: ledger, gateway: other,
            transport: transport, time: clock.time)
    }

    /// Returns an order.
    func order(
        _ reference: String = "order-1", amount: Int64 = 1099, currency: String = "EUR"
    ) throws -> Order {
        Order(
            reference: ExactText(reference), amount: amount,
            currency: try #require(Currency(alphabetic: ExactText(currency))))
    }

    /// Pays the order with the token of a name.
    @discardableResult
    func pay(
        _ token: String = "one", reference: String = "order-1", agePolicy: AgePolicy = .anyAge,
        session: String? = nil, again: String? = nil
    ) async throws -> OrderOutcome {
        try await payments.pay(
            Self.token(token), for: order(reference), agePolicy: agePolicy,
            session: session.map { ExactText($0) },
            again: again.map { ExactText($0) })
    }

    /// Creates a page for the order, or returns the state of the order.
    @discardableResult
    func page(_ reference: String = "order-1", again: String? = nil) async throws -> OrderOutcome {
        var order = try order(reference)
        order.returnURL = "https://shop.example/thanks"
        return try await payments.page(for: order, again: again.map { ExactText($0) })
    }

    /// Lets the books have a payment of an order as the library would have requested it, without the ledger's knowledge.
    func book(_ decision: Books.Decision, reference: String = "order-1") throws {
        let attempt = try PaymentAttempt(order(reference), at: gateway)
        _ = books.receive(
            GatewayRequest(
                "https://books.example", "/payments",
                query: [
                    ("reference", String(attempt.reference)), ("amount", "1099"),
                    ("mark", String(attempt.mark ?? "")),
                ]), decision, at: clock.now)
    }

    /// Returns the claim of the token with a name; nil if it is not claimed.
    func claim(of token: String) async throws -> Claim? {
        let identifier = try PaymentToken(parsing: Self.token(token)).transactionId
        return await memory.record(
            of: try #require(TransactionIdentifier(hexadecimal: identifier)))
    }

    /// The states of the order's attempts, in order.
    func states(_ reference: String = "order-1") async -> [AttemptRecord.State] {
        await memory.attempts(of: ExactText(reference)).map(\.state)
    }

    /// The order's last attempt.
    func last(_ reference: String = "order-1") async throws -> AttemptRecord {
        try #require(await memory.attempts(of: ExactText(reference)).last)
    }

    /// Decides about the order's last attempt as a person.
    @discardableResult
    func decide(
        _ decision: OrderPayments.Decision, isConfirmed: Bool = true
    ) async throws -> OrderOutcome {
        try await payments.resolve(
            "order-1", serial: last().serial, as: decision, by: "Ada", because: "empty",
            isConfirmed: isConfirmed)
    }

    /// Returns the code with which `body` fails; nil if it succeeds.
    static func refusal(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as PaymentError {
            return error.name
        } catch {
            return "\(error)"
        }
    }
}
