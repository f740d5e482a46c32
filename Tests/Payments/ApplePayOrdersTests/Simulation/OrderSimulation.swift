import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

/// One order, three payers with three tokens or a stored card, two recoverers, the gateway's messages, a person, and random faults.
///
/// Processes stop for seconds or for more than a day at each call of the ledger and at each request, or end there.
/// Requests and answers are lost; a request arrives up to 20 hours after it was sent, and shows in the gateway's lists
/// up to an hour later. With pages, the payers also pay on pages of the gateway and in sessions of the shop; their
/// customers pay and cancel there up to three days later, and the person closes what can still be paid before deciding.
final class OrderSimulation: Sendable {
    private static let hour = 3_600.0
    private static let amount: Int64 = 1099

    private let kind: BooksGateway.Class
    private let hasPages: Bool
    private let random: SeededNumbers
    private let clock = TestClock()
    private let scheduler: Scheduler
    private let books: Books
    private let memory: InMemoryLedger
    private let hasFaults = Lock(true)
    private let faults = Lock([String]())
    private let lines: Lock<[String]>?
    private let order: Order

    /// Creates a round; ``trace`` is kept if it is to be traced.
    init(
        _ kind: BooksGateway.Class, hasPages: Bool = false, seed: UInt64, isTraced: Bool = false
    ) throws {
        self.kind = kind
        self.hasPages = hasPages
        random = SeededNumbers(seed)
        scheduler = Scheduler(random, clock)
        books = Books(keyHours: kind.keepsKeys ? 24 : 0)
        let clock = clock
        memory = InMemoryLedger(capacity: 1_000, window: 300) { clock.now }
        lines = isTraced ? Lock([]) : nil
        var order = Order(
            reference: "order-1", amount: Self.amount,
            currency: try #require(Currency(alphabetic: "EUR")))
        order.returnURL = "https://shop.example/thanks"
        self.order = order
    }

    /// What happened, in order.
    var trace: [String] { lines?.withLock { $0 } ?? [] }

    private func note(_ text: @autoclosure () -> String) {
        guard let lines else { return }
        let line = "\(Int(clock.seconds)) s: \(text())"
        lines.withLock { $0.append(line) }
    }

    private func payments() throws -> OrderPayments {
        let ledger = TestLedger(memory) { call, moment throws(LedgerError) in
            try await self.ledgerCall(call, moment)
        }
        var time = clock.time
        time.sleep = { _ = await self.scheduler.point(Double($0.components.seconds)) }
        let decryptor = try Shop.decryptor.get()
        return try OrderPayments(
            verifier: decryptor.verifier, decryptor: decryptor, ledger: ledger,
            gateway: BooksGateway(
                kind: kind, hasPages: hasPages, takesSessions: hasPages, storesCards: true),
            transport: SimulatedTransport(simulation: self), time: time)
    }

    // MARK: Faults

    private func happens(_ probability: Double) -> Bool {
        hasFaults.withLock { $0 } && random.happens(probability)
    }

    /// Stops the current process: shortly, longer than every limit, or for ever; returns whether it goes on.
    private func pause(_ probability: Double = 0.03) async -> Bool {
        var wait = random.fraction() * 0.05
        if happens(probability) {
            wait = random.element(of: [20.0, 200, 2_000, 10 * Self.hour, 30 * Self.hour]) ?? 0
            note("a process stops for \(Int(wait)) s")
        }
        if happens(probability / 3) {
            note("a process ends")
            scheduler.crash()
            return false
        }
        return await scheduler.point(wait)
    }

    private func ledgerCall(
        _ call: TestLedger.Call, _ moment: TestLedger.Moment
    ) async throws(LedgerError) {
        // After `sending` became durable and before the first byte.
        let isDangerous = call.isSending
        let goesOn = await pause(isDangerous ? 0.15 : 0.03)
        guard goesOn, !happens(0.02) else { throw LedgerError(.ledgerUnavailable) }
        if moment == .after, case .replace(let old, let new) = call {
            note(
                "#\(old.serial.prefix(4)) \(old.state.rawValue) → \(new.state.rawValue)\(new.listing == .first ? ", late charge" : "") (or not)"
            )
        }
    }

    /// Carries a request to the books, and its answer back.
    fileprivate func send(
        _ request: GatewayRequest
    ) async throws(GatewayTransportError) -> GatewayResponse {
        let unknown = GatewayTransportError(.timedOut, requestMayHaveReachedGateway: true)
        guard await pause() else { throw unknown }
        if let latest = request.latestStart, clock.instant > latest {
            note("a request is too late")
            throw GatewayTransportError(.timedOut, requestMayHaveReachedGateway: false)
        }
        if happens(0.05) {
            throw GatewayTransportError(.notConnected, requestMayHaveReachedGateway: false)
        }
        guard request.isChange else {
            guard !happens(0.15) else { throw unknown }
            let answer = books.answer(request)
            guard await pause() else { throw unknown }
            return answer
        }
        let decision: Books.Decision =
            hasFaults.withLock { $0 }
            ? random.element(of: Self.decisions) ?? .capture : .capture
        note("\(request.path) \(request.value("reference") ?? "") is sent")
        if happens(0.1) {
            scheduler.event(after: random.fraction() * 20 * Self.hour) {
                _ = self.arrive(request, decision)
            }
            guard await pause() else { throw unknown }
            return GatewayResponse(status: 504, body: [])
        }
        if happens(0.05) { throw unknown }
        let answer = arrive(request, decision)
        guard await pause(0.06), !happens(0.1) else { throw unknown }
        return answer
    }

    private static let decisions: [Books.Decision] = [
        .capture, .capture, .capture, .capture, .capture, .decline, .decline, .refuse, .wait,
        .reserve,
    ]

    // MARK: The gateway

    private func arrive(_ request: GatewayRequest, _ decision: Books.Decision) -> GatewayResponse {
        let count = books.payments.count
        let isListed = !happens(0.15)
        let answer = books.receive(request, decision, at: clock.now, isListed: isListed)
        note(
            "it arrives: \(decision), HTTP \(answer.status), books \(books.payments.map { "\($0.id) \($0.reference) \($0.status) \($0.kept)" })"
        )
        if let payment = books.payments.last, books.payments.count > count {
            if !isListed {
                scheduler.event(after: random.fraction() * Self.hour) {
                    self.books.change(payment.id) { $0.isListed = true }
                }
            }
            if decision == .wait {
                scheduler.event(after: random.fraction() * 5 * Self.hour) {
                    let later: Books.Decision = self.random.happens(0.5) ? .capture : .decline
                    self.note("\(payment.id): \(later)")
                    self.books.change(payment.id) { $0.decide(later) }
                    self.judgeBooks()
                    self.tell(payment.id)
                }
            }
        }
        judgeBooks()
        for payment in books.payments where request.movesMoney { tell(payment.id) }
        return answer
    }

    /// Sends a message about a payment as it is now, late or repeated, until it is accepted.
    private func tell(_ id: String) {
        let message = books.message(id)
        for _ in 0..<(random.happens(0.2) ? 2 : 1) {
            guard !happens(0.1) else { continue }
            deliver(message, after: random.fraction() * (random.happens(0.3) ? 5 * Self.hour : 10))
        }
    }

    /// Lets the customer open a page, who pays there, cancels, or does nothing, and may return.
    private func open(_ page: String, _ code: String) {
        for _ in 0..<(random.happens(0.3) ? 2 : 1) {
            let late = random.happens(0.6) ? 80 * Self.hour : 600
            scheduler.event(after: random.fraction() * late) {
                if self.random.happens(0.15) {
                    self.note("the customer cancels \(page)")
                    self.books.changeSession(page) {
                        $0.isClosed = $0.isClosed || $0.payment == nil
                    }
                    return
                }
                let decision = self.random.element(of: Self.decisions) ?? .capture
                let isPaid = self.books.customerPays(page, decision)
                self.note("the customer pays on \(page): \(isPaid ? "\(decision)" : "closed")")
                self.judgeBooks()
                if let id = self.books.payments.last?.id, isPaid { self.tell(id) }
                guard self.random.happens(0.6) else { return }
                self.deliver(
                    self.books.customerReturn(from: page, code: code),
                    after: self.random.fraction() * 60)
            }
        }
    }

    private func deliver(_ message: GatewayMessage, after wait: Double) {
        scheduler.event(after: wait) {
            await self.scheduler.begin(after: 0) {
                let status = await (try? self.payments())?.receive(message).status
                let isAlive = await self.scheduler.point()
                self.note("a message is answered: \(isAlive ? status ?? 0 : 0)")
                if status != 200 || !isAlive { self.deliver(message, after: Self.hour) }
            }
        }
    }

    /// The money that is reserved, or captured and not given back, never exceeds the order's amount.
    private func judgeBooks() {
        let held = books.payments.reduce(0) { $0 + $1.kept + $1.authorized }
        if held > Self.amount { fail("the books hold \(held) of an order of \(Self.amount)") }
    }

    private func fail(_ text: String) {
        note(text)
        faults.withLock { $0.append(text) }
    }

    // MARK: The processes

    private func pay(_ token: String) async {
        let again = random.happens(0.3) ? await memory.attempts(of: "order-1").last?.serial : nil
        let outcome: OrderOutcome?
        if hasPages, random.happens(0.6) {
            outcome = try? await payments().page(for: order, again: again)
        } else if random.happens(0.3), let card = Shop.card {
            outcome = try? await payments().pay(
                card, for: order, initiator: .recurring, again: again)
        } else {
            let session = hasPages && random.happens(0.4) ? "session-\(token)" : nil
            if let session { books.addSession(session) }
            outcome = try? await payments().pay(
                Shop.token(token), for: order, agePolicy: .anyAge,
                session: session.map { ExactText($0) }, again: again)
        }
        guard await scheduler.point() else { return }
        if outcome?.state == .actionRequired, let id = outcome?.payment?.attempt.sessionID,
            let page = books.sessions.first(where: { $0.id == id }), let code = page.code
        {
            open(page.id, code)
        }
        note("\(token) gets \(outcome?.state.rawValue ?? "an error")")
        if outcome?.state == .paid, books.chargeCount == 0 { fail("`paid` without a charge") }
    }

    /// Looks into the gateway's books, and decides about what is open.
    ///
    /// Where keys protect the order, the person may be wrong. What can still be paid is closed first.
    private func decide() async {
        guard let payments = try? payments(),
            let open = try? await payments.openPayments()
        else { return }
        for outcome in open {
            guard let attempt = outcome.payment, outcome.reason != OrderOutcome.secondPayment else {
                continue
            }
            if let session = attempt.attempt.sessionID {
                books.changeSession(String(session)) { $0.isClosed = true }
            }
            let found = books.payments.filter {
                $0.isListed && $0.reference == attempt.attempt.reference && $0.status != "declined"
            }
            var decision: OrderPayments.Decision?
            // Keys do not protect pages and sessions: all requests must have arrived.
            let isOver =
                !hasPages || clock.now.timeIntervalSince(attempt.beginning) > 25 * Self.hour
            if isOver, found.isEmpty || (kind.keepsKeys && !hasPages && random.happens(0.2)) {
                decision = .refused()
            } else if let one = found.first, found.count == 1, one.captured == Self.amount {
                decision = one.refunded == 0 ? .paid(paymentID: ExactText(one.id)) : .returned()
            }
            guard let decision else { continue }
            let decided = try? await payments.resolve(
                "order-1", serial: attempt.serial, as: decision, by: "Ada", because: "books",
                isConfirmed: true)
            note("a person decides \(decision): \(decided?.state.rawValue ?? "refused")")
        }
    }

    /// Runs the round; returns what was wrong.
    func run() async throws -> [String] {
        let days = (hasPages ? 80 : 40) * Self.hour
        for name in ["one", "two", "three"] {
            for _ in 0..<(random.happens(0.5) ? 2 : 1) {
                let late: Double = random.happens(hasPages ? 0.6 : 0.3) ? days : 300
                await scheduler.begin(after: random.fraction() * late) { await self.pay(name) }
            }
        }
        for _ in 0..<2 {
            await scheduler.begin(after: random.fraction() * 600) {
                for _ in 0..<8 {
                    // One at a time, so that the order of the steps depends on the seed alone.
                    _ = try? await self.payments().recover(limit: 1)
                    let wait = self.random.element(of: [60.0, 200.0, 3_600.0, 30_000.0]) ?? 0.0
                    guard await self.scheduler.point(wait * self.random.fraction()) else { return }
                }
            }
        }
        for _ in 0..<3 {
            await scheduler.begin(after: random.fraction() * days) { await self.decide() }
        }
        if random.happens(0.3) {
            await scheduler.begin(after: random.fraction() * 30 * Self.hour) {
                for _ in 0..<2 {
                    let outcome = try? await self.payments().refund("order-1", operation: "r")
                    self.note("refund: \(outcome?.state.rawValue ?? "an error")")
                }
            }
        }
        guard await scheduler.run() else { return ["the processes do not end"] }
        hasFaults.withLock { $0 = false }
        for payment in books.payments { tell(payment.id) }
        guard await scheduler.run() else { return ["the processes do not end"] }
        for _ in 0..<12 {
            clock.pass(6.1 * Self.hour)
            _ = try await payments().recover()
        }
        try await judgeRecords()
        return faults.withLock { $0 }
    }

    /// Compares the records at rest with the books.
    private func judgeRecords() async throws {
        let open = try await payments().openPayments()
        let records = await memory.attempts(of: "order-1")
        note("at rest: \(records.map(\.state.rawValue)), open: \(open.map(\.state.rawValue))")
        guard open.isEmpty else { return }
        let held = books.payments.reduce(0) { $0 + $1.kept + $1.authorized }
        let isPaid = records.contains { $0.state == .paid }
        switch held {
        case 0 where isPaid: fail("recorded `paid`, and the books hold nothing")
        case 0: break
        case Self.amount where isPaid: break
        default:
            fail("the books hold \(held), and the records are \(records.map(\.state.rawValue))")
        }
    }
}

/// Leads requests to the books of a simulation.
private struct SimulatedTransport: GatewayTransport {
    let simulation: OrderSimulation

    func send(_ request: GatewayRequest) async throws(GatewayTransportError) -> GatewayResponse {
        try await simulation.send(request)
    }
}
