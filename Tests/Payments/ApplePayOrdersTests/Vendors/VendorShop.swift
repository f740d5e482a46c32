import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayWire
import Foundation
import TestVectors
import Testing

/// The vendors of which a server stands here.
enum VendorName: String, CaseIterable, CustomTestStringConvertible {
    case worldlineDirect = "worldline-direct"
    case worldlineConnect = "worldline-connect"
    case bePaid = "bepaid"
    case dintero = "dintero"
    case rbs = "rbs"
    case checkout = "checkout"
    case adyen = "adyen"
    case payPal = "paypal"
    case cyberSource = "cybersource"

    var testDescription: String { rawValue }

    /// Those that find payments by the merchant's reference, and more than one.
    static let withSearch: [VendorName] = [.worldlineConnect, .bePaid, .dintero, .checkout]
    /// Those whose messages the library reads.
    static let withMessages: [VendorName] = [
        .worldlineDirect, .worldlineConnect, .bePaid, .dintero,
    ]
    /// Those that keep the first answer for a key, as far as the library relies on it.
    static let withKeys: [VendorName] = [
        .worldlineDirect, .worldlineConnect, .bePaid, .adyen, .payPal,
    ]
    /// Those that give payments back for the library.
    static let withRefunds: [VendorName] = [
        .worldlineDirect, .worldlineConnect, .bePaid, .dintero, .rbs,
    ]
    /// Those that can be asked about a payment after its answer.
    static let withQuestions: [VendorName] = [
        .worldlineDirect, .worldlineConnect, .bePaid, .dintero, .rbs, .checkout, .payPal,
    ]
    /// Those that can be asked about a payment whose answer was lost.
    static let withReference: [VendorName] = withSearch + [.rbs]

    var vendor: any Vendor {
        switch self {
        case .worldlineDirect: WorldlineDirectServer()
        case .worldlineConnect: WorldlineConnectServer()
        case .bePaid: BePaidServer()
        case .dintero: DinteroServer()
        case .rbs: RBSServer()
        case .checkout: CheckoutServer()
        case .adyen: AdyenServer()
        case .payPal: PayPalServer()
        case .cyberSource: CyberSourceServer()
        }
    }

    /// Whether a payment is only reserved, because the library's requests let these vendors reserve.
    var reserves: Bool { self == .adyen || self == .cyberSource }

    /// The end of a course in which the order was paid once, and nothing is open.
    var paid: CourseEnd {
        CourseEnd(
            charges: 1, money: 1_099, state: reserves ? .authorized : .paid, isListed: reserves)
    }

    /// The end of a course in which nobody knows whether the order was paid.
    func open(charges: Int) -> CourseEnd {
        CourseEnd(
            charges: charges, money: Int64(charges) * 1_099,
            state: self == .dintero ? .pending : .unknown, reason: "a sentence", isListed: true)
    }
}

/// What the books contain at the end of a course, and what the ledger states.
struct CourseEnd: Equatable {
    /// The payments of this shop that cost the customer money.
    var charges: Int
    /// What the customer has lost by the shop's payments, in minor units.
    var money: Int64
    /// The state of the order; nil without an attempt.
    var state: OrderOutcome.State?
    /// The reason by its name; "a sentence" for one that is for people.
    var reason: String?
    /// Whether the order is among the open payments.
    var isListed: Bool

    /// The end of a course with another payment that holds money, about which nobody has decided.
    static func alarm(charges: Int) -> CourseEnd {
        CourseEnd(
            charges: charges, money: Int64(charges) * 1_099, state: .unknown,
            reason: String(Courses.secondPayment), isListed: true)
    }
}

/// A shop with the real `OrderPayments` and the real gateway of a vendor, whose server stands in this process.
struct VendorShop {
    let name: VendorName
    let clock: TestClock
    let server: VendorServer
    let gateway: any PaymentGateway
    let memory: InMemoryLedger
    let missing: Date?
    /// The first process, which a test can kill.
    let payments: OrderPayments

    /// Creates a shop; `vendor` is another server than the usual one of that name.
    init(
        _ name: VendorName, vendor: (any Vendor)? = nil, gateway: (any PaymentGateway)? = nil
    ) throws {
        let clock = TestClock()
        let vendor = vendor ?? name.vendor
        try self.init(
            name, clock, VendorServer(vendor, clock), gateway ?? vendor.gateway(.first),
            InMemoryLedger(capacity: 5_000, window: 300) { clock.now }, nil)
    }

    private init(
        _ name: VendorName, _ clock: TestClock, _ server: VendorServer,
        _ gateway: any PaymentGateway, _ memory: InMemoryLedger, _ missing: Date?
    ) throws {
        (self.name, self.clock, self.server) = (name, clock, server)
        (self.gateway, self.memory, self.missing) = (gateway, memory, missing)
        payments = try Self.process(server, gateway, memory, missing, ahead: 0)
    }

    private static func process(
        _ server: VendorServer, _ gateway: any PaymentGateway, _ memory: InMemoryLedger,
        _ missing: Date?, ahead: Double
    ) throws -> OrderPayments {
        let process = VendorProcess(server)
        let ledger = TestLedger(memory, missing: missing) { _, now throws(LedgerError) in
            if process.isKilled, now == .before { throw LedgerError(.ledgerUnavailable) }
        }
        var time = server.clock.time
        let now = time.now
        time.now = { now() + ahead }
        let decryptor = try Shop.decryptor.get()
        return try OrderPayments(
            verifier: decryptor.verifier, decryptor: decryptor, ledger: ledger, gateway: gateway,
            transport: process, time: time)
    }

    /// Returns another process of the shop's, whose clock may be ahead, or one of another account.
    func process(ahead: Double = 0, gateway: (any PaymentGateway)? = nil) throws -> OrderPayments {
        try Self.process(server, gateway ?? self.gateway, memory, missing, ahead: ahead)
    }

    /// Returns another process of the shop's with a ledger of its own, such as one that fails, or another shop's.
    func process(with ledger: any AttemptLedger) throws -> OrderPayments {
        let decryptor = try Shop.decryptor.get()
        return try OrderPayments(
            verifier: decryptor.verifier, decryptor: decryptor, ledger: ledger, gateway: gateway,
            transport: VendorProcess(server), time: clock.time)
    }

    /// Returns the shop after its ledger was restored from a backup that has none of the attempts, or was replaced by a new one.
    func restored(isMarked: Bool = true) throws -> VendorShop {
        let clock = clock
        return try VendorShop(
            name, clock, server, gateway,
            InMemoryLedger(capacity: 5_000, window: 300) { clock.now }, isMarked ? clock.now : nil)
    }

    /// Returns an order that all vendors accept.
    func order(_ reference: String = "order-1", amount: Int64 = 1_099) throws -> Order {
        var order = Order(
            reference: ExactText(reference), amount: amount,
            currency: try #require(Currency(alphabetic: "EUR")))
        order.description = "An order"
        order.returnURL = "https://shop.example/thanks"
        return order
    }

    /// Pays an order with the token of a name.
    @discardableResult
    func pay(
        _ token: String = "one", reference: String = "order-1", amount: Int64 = 1_099,
        by process: OrderPayments? = nil
    ) async throws -> OrderOutcome {
        try await (process ?? payments).pay(
            Shop.token(token, amount: Int(amount)), for: order(reference, amount: amount),
            agePolicy: .anyAge)
    }

    /// Taps once more in another process; returns nil if the call fails because nothing may be sent.
    @discardableResult
    func tap(_ token: String, reference: String = "order-1") async throws -> OrderOutcome? {
        do {
            return try await pay(token, reference: reference, by: process())
        } catch let error as PaymentError where error.code == .notSent {
            return nil
        }
    }

    /// Receives the vendor's message about a payment.
    @discardableResult
    func receive(messageAbout id: String) async throws -> MessageReply {
        let message = try #require(try server.message(about: id))
        return await (try process()).receive(message)
    }

    /// Tells the shop of another channel's payment with money, as the vendor does: in a message, or in the answer to a question.
    func learn(
        of payment: VendorPayment, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        guard VendorName.withMessages.contains(name) else {
            _ = try await process().state(of: "order-1")
            return
        }
        let reply = try await receive(messageAbout: payment.id)
        #expect(reply.status == 200, sourceLocation: sourceLocation)
        #expect(reply.outcome?.state == .unknown, sourceLocation: sourceLocation)
        #expect(reply.outcome?.reason == Courses.secondPayment, sourceLocation: sourceLocation)
    }

    /// Lets the customer confirm a payment that the vendor waits for.
    func confirm(_ id: String) {
        server.change { $0.change(id) { ($0.status, $0.capturedAtOnce) = (.captured, 1_099) } }
    }

    /// Lets time pass, and asks about what is open.
    func recover(after seconds: Double = 160) async throws {
        clock.pass(seconds)
        _ = try await process().recover()
    }

    /// Lets the time of the longest pause between two questions pass twice, and asks about what is open.
    func settle() async throws {
        for _ in 0..<2 { try await recover(after: 6 * 3_600 + 60) }
    }

    /// Decides about the last attempt as a person.
    @discardableResult
    func decide(
        _ decision: OrderPayments.Decision, reference: String = "order-1"
    ) async throws -> OrderOutcome {
        let last = try #require(await memory.attempts(of: ExactText(reference)).last)
        return try await process().resolve(
            ExactText(reference), serial: last.serial, as: decision, by: "Ada", because: "books",
            isConfirmed: true)
    }

    /// Returns what the books contain and what the ledger states, after asking the gateway.
    func end(_ reference: String = "order-1") async throws -> CourseEnd {
        let payments = try process()
        let outcome = try await payments.state(of: ExactText(reference))
        let open = try await Courses.open(payments)
        let names = [Courses.secondPayment, OrderOutcome.inProgress]
        return CourseEnd(
            charges: server.charges.count, money: server.own.reduce(0) { $0 + $1.money },
            state: outcome?.state,
            reason: outcome?.reason.map { names.contains($0) ? String($0) : "a sentence" },
            isListed: open.contains { $0.payment?.attempt.orderReference == reference })
    }

    /// Expects what the books contain and what the ledger states at the end of a course.
    func expect(
        _ expected: CourseEnd, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let end = try await end()
        #expect(end == expected, sourceLocation: sourceLocation)
    }

    /// Expects a state of the order, and whether the gateway states it just now.
    func expect(
        _ state: OrderOutcome.State, isAnswered: Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let shown = try await process().state(of: "order-1")
        #expect(shown?.state == state, sourceLocation: sourceLocation)
        #expect(shown.map(Courses.isAnswered) == isAnswered, sourceLocation: sourceLocation)
    }

    /// Returns the order that is listed first among the open payments.
    func firstListed() async throws -> ExactText? {
        try await Courses.open(process()).first?.payment?.attempt.orderReference
    }
}

extension OrderOutcome {
    /// Whether nobody can rely on it: it is not known how the payment ended.
    var isUncertain: Bool { state == .unknown || state == .pending }
}
