import ApplePayGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// The books of a gateway in memory: what it has reserved, captured and given back, and the keys that it remembers.
///
/// Tests judge by them alone, not by what the library reports.
final class Books: Sendable {
    /// The gateway's decision about a request for a payment.
    enum Decision: CaseIterable {
        /// The whole amount is captured.
        case capture
        /// The whole amount is reserved.
        case reserve
        /// The card's issuer declines.
        case decline
        /// The request is not accepted, and no payment is made.
        case refuse
        /// The gateway has not decided.
        case wait
        /// The customer must open a page.
        case challenge
    }

    /// A payment.
    struct Payment {
        let id: String
        var reference: String
        let amount: Int64
        var status: String
        var authorized: Int64 = 0
        var captured: Int64 = 0
        var refunded: Int64 = 0
        var hasChargeback = false
        /// The mark that the request contained; nil for another channel's payment.
        var mark: String?
        /// The page or session in which it was made; nil without one.
        var session: String?
        /// Whether queries find the payment.
        var isListed = true
        /// Whether answers and messages contain the identifier.
        var hasIdentifier = true

        /// The money that is captured and not given back.
        var kept: Int64 { captured - refunded }

        /// The payment as the gateway's answers and messages describe it.
        var json: String {
            """
            {\(hasIdentifier ? #""id":"\#(id)","# : "")\(session.map { #""session":"\#($0)","# } ?? "")\
            \(mark.map { #""mark":"\#($0)","# } ?? "")\
            "reference":"\(reference)",\
            "currency":"EUR","amount":\(amount),\
            "authorized":\(authorized),"captured":\(captured),"refunded":\(refunded),\
            "chargeback":\(hasChargeback),"status":"\(status)","card":"card-\(id)",\
            "text":"card 4111-secret-text"}
            """
        }

        /// Sets the status and the amounts after a decision.
        mutating func decide(_ decision: Decision) {
            switch decision {
            case .capture: (status, captured) = ("captured", amount)
            case .reserve: (status, authorized) = ("authorized", amount)
            case .decline: status = "declined"
            case .wait: status = "pending"
            case .challenge: status = "challenge"
            case .refuse: break
            }
        }
    }

    /// A page of the gateway, or a session that the shop created: an object in which an order is paid once.
    struct Session {
        let id: String
        let reference: String
        let amount: Int64
        /// The code that the customer's return from the page contains; nil for a session.
        var code: String?
        /// The last payment in it; nil as long as there is none.
        var payment: String?
        /// Whether it can no longer be paid.
        var isClosed = false
        /// Whether it can be paid again after a declined payment, as at Worldline.
        var permitsTries = false
    }

    private struct State {
        var payments: [Payment] = []
        var sessions: [Session] = []
        var answers: [String: (text: String, time: Date)] = [:]
        var operationCount = 0
        var beginning: @Sendable (inout Payment) -> Void = { _ in }
    }

    /// The hours for which a key and its first answer are remembered; 0 for a gateway without keys.
    let keyHours: Int
    private let state = Lock(State())

    init(keyHours: Int) { self.keyHours = keyHours }

    /// All payments, also those that were declined.
    var payments: [Payment] { state.withLock { $0.payments } }

    /// The money of all payments that is captured and not given back.
    var kept: Int64 { payments.reduce(0) { $0 + $1.kept } }

    /// The number of payments that were ever captured or reserved.
    var chargeCount: Int { payments.count { $0.captured + $0.authorized > 0 } }

    /// Sets what changes each payment that begins.
    func onBeginning(_ body: @escaping @Sendable (inout Payment) -> Void) {
        state.withLock { $0.beginning = body }
    }

    /// Gives payments no identifiers from now on.
    func omitIdentifiers() { onBeginning { $0.hasIdentifier = false } }

    /// Changes the payment with an identifier.
    func change(_ id: String, _ body: (inout Payment) -> Void) {
        state.withLock { state in
            for index in state.payments.indices where state.payments[index].id == id {
                body(&state.payments[index])
            }
        }
    }

    /// Adds a payment that another channel of the shop made, such as a card form.
    func addOther(_ decision: Decision, reference: String = "order-1", amount: Int64 = 1099) {
        state.withLock { state in
            var payment = Payment(id: "other", reference: reference, amount: amount, status: "")
            payment.decide(decision)
            state.payments.append(payment)
        }
    }

    // MARK: Pages and sessions

    /// All pages and sessions.
    var sessions: [Session] { state.withLock { $0.sessions } }

    /// Adds a session that the shop created.
    func addSession(_ id: String, reference: String = "order-1", amount: Int64 = 1099) {
        state.withLock {
            $0.sessions.append(Session(id: id, reference: reference, amount: amount))
        }
    }

    /// Changes the page or session with an identifier.
    func changeSession(_ id: String, _ body: (inout Session) -> Void) {
        state.withLock { state in
            for index in state.sessions.indices where state.sessions[index].id == id {
                body(&state.sessions[index])
            }
        }
    }

    /// Forgets all pages and sessions, as some vendors do after some hours.
    func forgetSessions() { state.withLock { $0.sessions = [] } }

    /// Lets the customer pay on a page or in a session; returns whether the gateway accepts the payment.
    @discardableResult
    func customerPays(_ id: String, _ decision: Decision = .capture) -> Bool {
        state.withLock { Self.pay(in: id, decision, isListed: true, &$0) != nil }
    }

    /// Pays in a page or a session; returns nil if it cannot be paid.
    private static func pay(
        in id: String, _ decision: Decision, isListed: Bool, _ state: inout State
    ) -> Payment? {
        guard decision != .refuse, let index = state.sessions.firstIndex(where: { $0.id == id })
        else { return nil }
        let session = state.sessions[index]
        let earlier = state.payments.first { $0.id == session.payment }
        guard !session.isClosed,
            earlier == nil || (session.permitsTries && earlier?.status == "declined")
        else { return nil }
        var payment = Payment(
            id: "p\(state.payments.count + 1)", reference: session.reference,
            amount: session.amount, status: "", session: id, isListed: isListed)
        payment.decide(decision)
        state.beginning(&payment)
        state.payments.append(payment)
        state.sessions[index].payment = payment.id
        return payment
    }

    /// Returns a page or a session as the gateway's answers describe it: with its payment once there is one.
    private static func json(_ session: Session, _ state: State) -> String {
        let payment = state.payments.first { $0.id == session.payment && $0.isListed }
        let canBePaid = !session.isClosed && session.permitsTries
        if var payment {
            // The payment is not refused as long as the customer can try again.
            if payment.status == "declined", canBePaid { payment.status = "retry" }
            return payment.json
        }
        return """
            {"session":"\(session.id)","reference":"\(session.reference)","currency":"EUR",\
            "amount":\(session.amount),"status":"\(session.isClosed ? "closed" : "open")"}
            """
    }

    /// Returns a customer's return from a page.
    func customerReturn(from id: String, code: String) -> GatewayMessage {
        GatewayMessage(method: "GET", target: "/return?\(id)=\(code)", headers: [], body: [])
    }

    // MARK: Requests

    /// Carries out a request that arrives, or repeats the first answer to its key.
    func receive(
        _ request: GatewayRequest, _ decision: Decision, at time: Date, isListed: Bool = true
    ) -> GatewayResponse {
        state.withLock { state in
            let key = request.value("key")
            if keyHours > 0, let key, let first = state.answers[key],
                time.timeIntervalSince(first.time) < Double(keyHours) * 3_600
            {
                return GatewayResponse(
                    status: 200, headers: [("Repeated", "yes")], body: Array(first.text.utf8))
            }
            guard let text = Self.carryOut(request, decision, isListed, &state) else {
                return GatewayResponse(
                    status: 400, body: Array(#"{"error":"4111-secret-text"}"#.utf8))
            }
            if let key { state.answers[key] = (text, time) }
            return GatewayResponse(status: 200, body: Array(text.utf8))
        }
    }

    private static func carryOut(
        _ request: GatewayRequest, _ decision: Decision, _ isListed: Bool, _ state: inout State
    ) -> String? {
        guard let amount = request.value("amount").flatMap(Int64.init) else { return nil }
        let words = request.path.split(separator: "/")
        if words == ["sessions"] { return #"{"id":"s1"}"# }
        if words.first == "sessions" {
            return pay(in: String(words[1]), decision, isListed: isListed, &state)?.json
        }
        if words == ["pages"] {
            guard decision != .refuse, let reference = request.value("reference") else {
                return nil
            }
            let number = state.sessions.count + 1
            state.sessions.append(
                Session(
                    id: "page\(number)", reference: reference, amount: amount,
                    code: "code\(number)"))
            return """
                {"session":"page\(number)","code":"code\(number)","reference":"\(reference)",\
                "currency":"EUR","amount":\(amount),"status":"page"}
                """
        }
        if words.count == 1 {
            guard decision != .refuse, let reference = request.value("reference") else {
                return nil
            }
            var payment = Payment(
                id: "p\(state.payments.count + 1)", reference: reference, amount: amount,
                status: "", isListed: isListed)
            payment.mark = request.value("mark")
            payment.decide(decision)
            state.beginning(&payment)
            state.payments.append(payment)
            return payment.json
        }
        guard let index = state.payments.firstIndex(where: { $0.id == words[1] }),
            decision != .refuse, decision != .decline
        else { return nil }
        var payment = state.payments[index]
        state.operationCount += 1
        func answer(_ word: String) -> String {
            """
            {"id":"\(payment.id)","operation":"\(word)","operationId":"o\(state.operationCount)",\
            "amount":\(amount)}
            """
        }
        guard decision != .wait else { return answer("pending") }
        switch words[2] {
        case "capture" where amount <= payment.authorized:
            payment.authorized -= amount
            payment.captured += amount
            payment.status = "captured"
        case "cancellation" where amount <= payment.authorized:
            payment.authorized -= amount
            payment.status = payment.captured > 0 ? "captured" : "cancelled"
        case "refund" where amount <= payment.kept: payment.refunded += amount
        default: return nil
        }
        state.payments[index] = payment
        return answer("done")
    }

    /// Answers a query, by identifier or by reference.
    func answer(_ request: GatewayRequest) -> GatewayResponse {
        let listed = payments.filter(\.isListed)
        if let reference = request.value("reference") {
            let found = listed.filter { $0.reference == reference }.map(\.json)
            let text = #"{"data":[\#(found.joined(separator: ","))]}"#
            return GatewayResponse(status: 200, body: Array(text.utf8))
        }
        let id = request.path.split(separator: "/").last.map(String.init)
        if request.path.hasPrefix("/sessions/") {
            let text = state.withLock { state in
                state.sessions.first { $0.id == id }.map { Self.json($0, state) }
            }
            return GatewayResponse(
                status: text == nil ? 404 : 200, body: Array((text ?? "{}").utf8))
        }
        guard let payment = listed.first(where: { $0.id == id }) else {
            return GatewayResponse(status: 404, body: Array("{}".utf8))
        }
        return GatewayResponse(status: 200, body: Array(payment.json.utf8))
    }

    /// Returns a message about a refund that has its own reference.
    func refundMessage(of id: String) -> GatewayMessage {
        let text = """
            {"about":"refund","parent":"\(id)","reference":"refund-1","currency":"EUR","status":"captured"}
            """
        return GatewayMessage(
            method: "POST", target: "/messages", headers: [("Signature", "right")],
            body: Array(text.utf8))
    }

    /// Returns a message about a payment as it is now, or about an operation on it; a forged one lacks the gateway's
    /// signature.
    func message(
        _ id: String, operation: String? = nil, isForged: Bool = false, hasReference: Bool = true,
        hasMark: Bool = true
    ) -> GatewayMessage {
        var text = payments.first { $0.id == id }?.json ?? "{}"
        if let operation { text = #"{"about":"\#(operation)",\#(text.dropFirst())"# }
        if !hasReference { text.replace(/"reference":"[^"]*",/, with: "") }
        if !hasMark { text.replace(/"mark":"[^"]*",/, with: "") }
        let signature = isForged ? "wrong" : "right"
        return GatewayMessage(
            method: "POST", target: "/messages", headers: [("Signature", signature)],
            body: Array(text.utf8))
    }
}

extension GatewayRequest {
    /// Returns the value of a member of the query.
    func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Whether the request changes something at the gateway.
    var isChange: Bool { method == "POST" }

    /// Whether the request can move money.
    var movesMoney: Bool { isChange && path != "/pages" }
}
