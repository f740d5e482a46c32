import FoundationEssentials
import Synchronization

/// The logic of the sandbox, which answers requests as the gateways would.
final class Sandbox: Sendable {
    /// The secret of every merchant, shop, key and user.
    static let secret = "sandbox-secret"

    /// The same secret in base64.
    static let secretInBase64 = Data(secret.utf8).base64EncodedString()

    /// How long the connection of a request that times out stays open, in seconds.
    let silence: Int

    private let origin: String
    private let delay: Duration
    private let notifier: Notifier?
    private let book = Mutex(PaymentBook())

    /// Creates a sandbox that clients reach at an origin; `delay` is that of late payments, in seconds.
    init(origin: String, silence: Int, delay: Int, notifier: Notifier? = nil) {
        self.origin = origin
        self.silence = silence
        self.delay = .seconds(delay)
        self.notifier = notifier
    }

    /// Returns the answer to a request; nil if the sandbox stays silent.
    ///
    /// The checks run in this order: path, method, credentials, form of the body, required members, idempotency key.
    func answer(to request: SandboxRequest) -> SandboxAnswer? {
        change { book in answer(to: request, isLate: false, &book) }
    }

    /// Makes the late payments that are due, as each request does before it is answered.
    func makeLatePayments() { change { _ in } }

    /// Makes the late payments that are due, then changes the book; the gateways send messages about all that changed.
    private func change<Result: Sendable>(_ body: (inout PaymentBook) -> Result) -> Result {
        let (result, changes) = book.withLock { book in
            for late in book.takeDueRequests() { _ = answer(to: late, isLate: true, &book) }
            return (body(&book), book.takeChanges())
        }
        for change in changes { notifier?.report(change) }
        return result
    }

    private func answer(
        to request: SandboxRequest, isLate: Bool, _ book: inout PaymentBook
    ) -> SandboxAnswer? {
        var isKnownPath = false
        for gateway in SandboxGateway.all {
            for route in gateway.routes {
                guard let segments = route.wildcards(in: request.path) else { continue }
                isKnownPath = true
                guard route.method == request.method else { continue }
                return answer(to: request, isLate, gateway, route, segments, &book)
            }
        }
        let message = isKnownPath ? "no such method" : "no gateway has such a path"
        return SandboxAnswer(isKnownPath ? 405 : 404, ["message": .string(message)])
    }

    private func answer(
        to request: SandboxRequest,
        _ isLate: Bool,
        _ gateway: SandboxGateway,
        _ route: Route,
        _ segments: [String],
        _ book: inout PaymentBook
    ) -> SandboxAnswer? {
        let body = route.body.read(request)
        let call = Call(
            gateway: gateway, request: request, segments: segments, body: body ?? [:],
            origin: origin, isLate: isLate, delay: delay)
        let credentials = route.credentials ?? gateway.credentials
        if body == nil, credentials.isInBody { return call.fault(.malformed) }
        guard credentials.accept(call, book) else { return call.fault(.unauthorized) }
        guard body != nil else { return call.fault(.malformed) }
        for member in route.members where !member.isMet(by: call.body) {
            return call.fault(.missing(member.paths[0]))
        }
        guard route.method != "GET", let idempotency = gateway.idempotency,
            let key = request.header(idempotency.header)
        else { return route.action(call, &book).shown }
        guard (1...idempotency.length).contains(key.count) else {
            return call.fault(.missing(idempotency.header))
        }

        let name = idempotency.isPerPath ? "\(key) \(request.path)" : key
        let identity = Array("\(request.method) \(request.target)\n".utf8) + request.body
        if let first = book[answerTo: name, of: gateway.name] {
            guard first.request == identity || !idempotency.refusesOtherRequests else {
                return call.fault(.reusedKey)
            }
            return idempotency.replay(first, call, &book)
        }
        let reply = route.action(call, &book)
        if let kept = reply.kept, idempotency.keepsFailures || (200..<300).contains(kept.status) {
            book[answerTo: name, of: gateway.name] = PaymentBook.KeptAnswer(
                request: identity, answer: kept, time: Int64(Date().timeIntervalSince1970 * 1000))
        }
        return reply.shown
    }
}

extension Route.BodyForm {
    /// Returns the body of a request as an object; nil if it does not have this form.
    func read(_ request: SandboxRequest) -> JSON? {
        let type = request.header("Content-Type")?.lowercased() ?? ""
        switch self {
        case .none: return [:]
        case .optionalJSON where request.body.isEmpty: return [:]
        case .json, .optionalJSON:
            guard type.hasPrefix("application/json"), let body = JSON(parsing: request.body),
                case .object = body
            else { return nil }
            return body
        case .form:
            guard type.hasPrefix("application/x-www-form-urlencoded"),
                let text = String(validating: request.body, as: UTF8.self),
                let fields = FormFields.parse(text)
            else { return nil }
            return .object(fields.map { JSON.Member(name: $0.key, value: .string($0.value)) })
        }
    }
}
