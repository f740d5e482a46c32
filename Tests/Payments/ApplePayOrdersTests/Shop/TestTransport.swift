import ApplePayGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// Leads requests to ``Books``, and loses, delays or does not send those that a test chooses.
final class TestTransport: GatewayTransport {
    /// What happens to a request.
    enum Way {
        case answered
        /// It may have been sent, and does not arrive.
        case lost
        /// It arrives, and its answer does not.
        case answerLost
        /// A proxy answers 504, and the request arrives when the test calls ``deliver()``.
        case late
        /// The gateway answers 500 and does nothing.
        case broken
        case notSent
    }

    private struct State {
        var payments: [(decision: Books.Decision, way: Way)] = []
        var questions: [Way] = []
        var always: (payment: Way?, question: Way?) = (nil, nil)
        var late: [(GatewayRequest, Books.Decision)] = []
        var sent: [String] = []
    }

    let books: Books
    let clock: TestClock
    private let state = Lock(State())
    private let hook = Lock<(@Sendable (GatewayRequest) async -> Void)?>(nil)

    private let ending = Lock<(@Sendable (GatewayRequest) -> Void)?>(nil)

    init(_ books: Books, _ clock: TestClock) {
        self.books = books
        self.clock = clock
    }

    /// Sets what happens to the next request that changes something; others are captured and answered.
    func next(_ decision: Books.Decision = .capture, _ way: Way = .answered) {
        state.withLock { $0.payments.append((decision, way)) }
    }

    /// Sets what happens to the next query; others are answered.
    func nextQuestion(_ way: Way) { state.withLock { $0.questions.append(way) } }

    /// Sets what happens to every request, after those that were set one by one; nil for answers.
    func all(_ payment: Way?, questions: Way? = nil) {
        state.withLock { $0.always = (payment, questions) }
    }

    /// Sets what runs before each request arrives.
    func onSend(_ body: (@Sendable (GatewayRequest) async -> Void)?) { hook.withLock { $0 = body } }

    /// Sets what runs after each request was answered.
    func afterAnswer(_ body: @escaping @Sendable (GatewayRequest) -> Void) {
        ending.withLock { $0 = body }
    }

    /// The requests that change something and that were sent, such as `POST /payments order-1`, each with its key.
    var sent: [String] { state.withLock { $0.sent.filter { $0.hasPrefix("POST") } } }

    /// The number of queries that were sent.
    var questionCount: Int { questions.count }

    /// The queries that were sent, such as `GET /payments order-1`.
    var questions: [String] { state.withLock { $0.sent.filter { $0.hasPrefix("GET") } } }

    /// The keys of the requests that were sent.
    var keys: [String] { sent.map { String($0.split(separator: " ").last ?? "") } }

    /// Lets the late requests arrive.
    func deliver() {
        let late = state.withLock { state in
            defer { state.late = [] }
            return state.late
        }
        for (request, decision) in late { _ = books.receive(request, decision, at: clock.now) }
    }

    func send(_ request: GatewayRequest) async throws(GatewayTransportError) -> GatewayResponse {
        if let body = hook.withLock({ $0 }) { await body(request) }
        if let latest = request.latestStart, clock.instant > latest {
            throw GatewayTransportError(.timedOut, requestMayHaveReachedGateway: false)
        }
        let (decision, way): (Books.Decision, Way) = state.withLock { state in
            if request.isChange {
                guard state.payments.isEmpty else { return state.payments.removeFirst() }
                return (.capture, state.always.payment ?? .answered)
            }
            guard state.questions.isEmpty else { return (.capture, state.questions.removeFirst()) }
            return (.capture, state.always.question ?? .answered)
        }
        guard way != .notSent else {
            throw GatewayTransportError(.notConnected, requestMayHaveReachedGateway: false)
        }
        let line = [
            request.method, request.path, request.value("reference") ?? "",
            request.value("key") ?? "",
        ]
        state.withLock { $0.sent.append(line.filter { !$0.isEmpty }.joined(separator: " ")) }
        switch way {
        case .lost: throw GatewayTransportError(.timedOut, requestMayHaveReachedGateway: true)
        case .late:
            state.withLock { $0.late.append((request, decision)) }
            return GatewayResponse(status: 504, body: [])
        case .broken: return GatewayResponse(status: 500, body: [])
        case .answered, .answerLost, .notSent: break
        }
        let answer =
            request.isChange
            ? books.receive(request, decision, at: clock.now) : books.answer(request)
        ending.withLock { $0 }?(request)
        guard way != .answerLost else {
            throw GatewayTransportError(.timedOut, requestMayHaveReachedGateway: true)
        }
        return answer
    }
}
