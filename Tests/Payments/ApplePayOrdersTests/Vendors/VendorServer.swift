import ApplePayGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// A vendor's side of the exchange, as its documents describe it.
///
/// Nothing here was tried against a vendor, and what a document leaves open is a setting or the choice that is worse for the
/// merchant. The reference is opaque: the vendor returns it, and looks for equal ones.
protocol Vendor: Sendable {
    /// What a request is for.
    typealias Purpose = VendorPurpose

    /// Returns what a request is for.
    func purpose(of request: VendorRequest) -> Purpose

    /// Carries out a request.
    func reply(to request: VendorRequest, in books: inout VendorBooks) -> GatewayResponse

    /// Makes a payment of another channel.
    func addForeign(reference: String, amount: Int64, to books: inout VendorBooks) -> VendorPayment

    /// Returns the vendor's message about a payment, with its signature; nil if the library reads none.
    func message(about payment: VendorPayment, in books: VendorBooks) throws -> GatewayMessage?

    /// Returns the merchant's account.
    func gateway(_ account: VendorAccount) throws -> any PaymentGateway
}

/// What a request is for.
enum VendorPurpose {
    /// It requests a payment.
    case payment
    /// It requests a capture, a cancellation or a refund.
    case operation
    /// It only asks, or prepares a payment, such as a login.
    case other
}

/// The accounts of a merchant at a vendor.
enum VendorAccount: String, CaseIterable {
    case first
    case second
    /// The first account, for tests.
    case test
}

/// A vendor's server in the test process, and the network in front of it.
///
/// A request can be held in a queue and arrive after any time, although its sender got an answer of a proxy, or none.
final class VendorServer: Sendable {
    /// What happens to a request and its answer.
    enum Way: Equatable {
        /// It arrives and is answered.
        case answered
        /// It never arrives, and the sender hears nothing.
        case lost
        /// It arrives, and the sender hears nothing.
        case answerLost
        /// It arrives, and a proxy replaces the answer with a page.
        case replaced(Int)
        /// It arrives, and a proxy replaces the answer with a JSON object of its own.
        case replacedByJSON(Int)
        /// A proxy answers with a page, and the request never arrives.
        case blocked(Int)
        /// It waits in a queue, and the sender gets a proxy's page, or nothing.
        case held(Int?)
        /// It arrives, and the sender's process is killed.
        case killed
        /// It waits in a queue, and the sender's process is killed.
        case killedAndHeld
        /// The connection fails before the first byte.
        case notSent
        /// The answer to a question is this status with an empty body.
        case empty(Int)
        /// The answer is not JSON.
        case garbled
    }

    private struct State {
        var books: VendorBooks
        var ways: [VendorPurpose: [Way]] = [:]
        var decisions: [VendorDecision] = []
        var usual = VendorDecision.accept
        var always: [VendorPurpose: Way] = [:]
        var held: [(VendorRequest, VendorDecision)] = []
        var payments = 0
        var operations = 0
        var delay = 0.0
    }

    let vendor: any Vendor
    let clock: TestClock
    private let state: Lock<State>
    private let hook = Lock<(@Sendable (VendorPurpose) async -> Void)?>(nil)

    init(_ vendor: any Vendor, _ clock: TestClock) {
        self.vendor = vendor
        self.clock = clock
        state = Lock(State(books: VendorBooks(now: clock.now)))
    }

    // MARK: What a test sets

    /// Sets what happens to the next payment; others are accepted and answered.
    func next(_ decision: VendorDecision = .accept, _ way: Way = .answered) {
        state.withLock { state in
            state.decisions.append(decision)
            state.ways[.payment, default: []].append(way)
        }
    }

    /// Sets what happens to the next request for a purpose; others are answered.
    func next(_ purpose: VendorPurpose, _ way: Way) {
        state.withLock { $0.ways[purpose, default: []].append(way) }
    }

    /// Sets what happens to every request for a purpose that has no way of its own; nil for answers.
    func all(_ purpose: VendorPurpose, _ way: Way?) {
        state.withLock { $0.always[purpose] = way }
    }

    /// Sets the decision about every payment that has none of its own.
    func all(_ decision: VendorDecision) { state.withLock { $0.usual = decision } }

    /// Sets how long each request takes, in seconds.
    func delayRequests(by seconds: Double) { state.withLock { $0.delay = seconds } }

    /// Sets what runs before each request leaves.
    func onSend(_ body: (@Sendable (VendorPurpose) async -> Void)?) { hook.withLock { $0 = body } }

    /// Changes the books or the settings of the vendor.
    @discardableResult
    func change<Value>(_ body: (inout VendorBooks) -> Value) -> Value {
        state.withLock { state in
            state.books.now = clock.now
            return body(&state.books)
        }
    }

    /// Lets everything in the queue arrive; the answers reach nobody.
    func deliver() {
        state.withLock { state in
            state.books.now = clock.now
            for (request, decision) in state.held {
                state.books.decision = decision
                _ = vendor.reply(to: request, in: &state.books)
            }
            state.held = []
        }
    }

    /// Makes a payment of another channel with the order's own reference.
    @discardableResult
    func addForeign(
        _ decision: VendorDecision, reference: String = "order-1", amount: Int64 = 1099
    ) -> VendorPayment {
        change { books in
            books.decision = decision
            return vendor.addForeign(reference: reference, amount: amount, to: &books)
        }
    }

    /// Gives a payment back in the vendor's portal.
    func giveBack(_ id: String) {
        change { books in
            let amount = books[id: id]?.money ?? 0
            _ = books.refund(id, amount, operation: "portal-\(books.next())")
        }
    }

    // MARK: What a test reads

    /// The payments in the books.
    var payments: [VendorPayment] { state.withLock { $0.books.payments } }
    /// The payments that this shop requested.
    var own: [VendorPayment] { payments.filter { !$0.isForeign } }
    /// The payments of this shop that cost the customer money.
    var charges: [VendorPayment] { own.filter { $0.money > 0 } }
    /// How many requests for a payment left the shop.
    var paymentRequests: Int { state.withLock { $0.payments } }
    /// How many requests for an operation left the shop.
    var operationRequests: Int { state.withLock { $0.operations } }

    /// Returns the vendor's message about a payment, as its state is now.
    func message(about id: String) throws -> GatewayMessage? {
        try change { books in
            Result { try books[id: id].flatMap { try vendor.message(about: $0, in: books) } }
        }.get()
    }

    // MARK: The exchange

    /// Carries out a request of a process.
    func send(
        _ request: GatewayRequest, from process: VendorProcess
    ) async throws(GatewayTransportError) -> GatewayResponse {
        guard !process.isKilled else {
            throw GatewayTransportError(.canceled, requestMayHaveReachedGateway: false)
        }
        let read = VendorRequest(request)
        let purpose = vendor.purpose(of: read)
        if let body = hook.withLock({ $0 }) { await body(purpose) }
        if let latest = request.latestStart, clock.instant > latest {
            throw GatewayTransportError(.timedOut, requestMayHaveReachedGateway: false)
        }
        clock.pass(state.withLock { $0.delay })
        let (way, answer) = state.withLock { state in
            let way = Self.way(of: purpose, &state)
            return (way, carryOut(read, purpose, way, &state))
        }
        switch way {
        case .answered, .replaced, .replacedByJSON, .blocked, .empty, .garbled: break
        case .held(let page?): return .page(page)
        case .notSent:
            throw GatewayTransportError(.notConnected, requestMayHaveReachedGateway: false)
        case .killed, .killedAndHeld: process.kill()
        case .lost, .answerLost, .held: break
        }
        guard let answer, !process.isKilled else {
            throw GatewayTransportError(.timedOut, requestMayHaveReachedGateway: true)
        }
        return answer
    }

    private static func way(of purpose: VendorPurpose, _ state: inout State) -> Way {
        guard state.ways[purpose]?.isEmpty == false else {
            return state.always[purpose] ?? .answered
        }
        return state.ways[purpose]?.removeFirst() ?? .answered
    }

    /// Carries out what arrives; returns what the sender hears.
    private func carryOut(
        _ request: VendorRequest, _ purpose: VendorPurpose, _ way: Way, _ state: inout State
    ) -> GatewayResponse? {
        state.books.now = clock.now
        var decision = state.usual
        if purpose == .payment {
            if way != .notSent { state.payments += 1 }
            if !state.decisions.isEmpty { decision = state.decisions.removeFirst() }
        } else if purpose == .operation, way != .notSent {
            state.operations += 1
        }
        func answer() -> GatewayResponse {
            state.books.decision = decision
            return vendor.reply(to: request, in: &state.books)
        }
        switch way {
        case .answered: return answer()
        case .answerLost, .killed:
            _ = answer()
            return nil
        case .replaced(let status):
            _ = answer()
            return .page(status)
        case .replacedByJSON(let status):
            _ = answer()
            return .json(status, ["statusCode": status, "message": "Forbidden"])
        case .blocked(let status): return .page(status)
        case .held, .killedAndHeld:
            state.held.append((request, decision))
            return nil
        case .empty(let status): return GatewayResponse(status: status, body: [])
        case .garbled: return GatewayResponse(status: 200, body: Array("{\"stat".utf8))
        case .lost, .notSent: return nil
        }
    }
}

/// A process of the shop's, which a test can kill: it then sends and records nothing more.
final class VendorProcess: GatewayTransport {
    let server: VendorServer
    private let killed = Lock(false)

    init(_ server: VendorServer) { self.server = server }

    var isKilled: Bool { killed.withLock { $0 } }

    func kill() { killed.withLock { $0 = true } }

    func send(_ request: GatewayRequest) async throws(GatewayTransportError) -> GatewayResponse {
        try await server.send(request, from: self)
    }
}

/// A flag that is raised once.
final class TestFlag: Sendable {
    private let isRaised = Lock(false)

    /// Raises the flag; returns whether it was down.
    func raise() -> Bool {
        isRaised.withLock { raised in
            defer { raised = true }
            return !raised
        }
    }
}
