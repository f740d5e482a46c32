import FoundationEssentials

/// The state of the sandbox: payments, answers by idempotency key, and issued access tokens.
struct PaymentBook: Sendable {
    /// The maximum number of entries of each kind; beyond it, the older half is removed.
    private static let capacity = 20_000

    /// An answer that was given to a request with an idempotency key.
    struct KeptAnswer: Sendable {
        /// Method, path and body of the first request.
        let request: [UInt8]

        /// The answer to it, even if it was never sent.
        let answer: SandboxAnswer

        /// The time of the first request, in milliseconds since 1970.
        let time: Int64
    }

    /// The payments by gateway and identifier.
    private var payments = Kept<SandboxPayment>(capacity: capacity)

    /// The answers by gateway and idempotency key.
    private var answers = Kept<KeptAnswer>(capacity: capacity)

    /// The values by gateway and name: access tokens, sessions, consents.
    private var values = Kept<JSON>(capacity: capacity)

    private var count: Int64 = 0

    /// The changes of payments since they were taken last.
    private var changes: [PaymentChange] = []

    /// The requests for payments that are processed later, in the order of their times, with the references of the payments.
    private var delayed: [(due: ContinuousClock.Instant, request: SandboxRequest, String?)] = []

    /// The delays of the next requests for payments, by the orders' references.
    private var delays: [String: Duration] = [:]

    /// The references of the requests that are processed later.
    var delayedReferences: [String] { delayed.compactMap(\.2) }

    /// Lets the next request for a payment of an order be processed later.
    mutating func delay(_ reference: String, by delay: Duration) { delays[reference] = delay }

    /// Returns whether the next request for a payment with a reference is to be processed later.
    func isDelayed(_ reference: String?) -> Bool { order(of: reference) != nil }

    /// Removes and returns the delay of the next request for a payment with a reference; nil if there is none.
    mutating func takeDelay(of reference: String?) -> Duration? {
        order(of: reference).flatMap { delays.removeValue(forKey: $0) }
    }

    /// Returns the order of a payment whose next request is to be processed later; a payment's reference may have a suffix.
    private func order(of reference: String?) -> String? {
        guard let reference else { return nil }
        return delays.keys.first { reference == $0 || reference.hasPrefix("\($0).") }
    }

    /// Adds a request that is processed later.
    mutating func delay(_ request: SandboxRequest, _ reference: String?, by delay: Duration) {
        delayed.append((.now + delay, request, reference))
        delayed.sort { $0.due < $1.due }
    }

    /// Removes and returns the requests that are due.
    mutating func takeDueRequests() -> [SandboxRequest] {
        let due = delayed.prefix { $0.due <= .now }.map(\.request)
        delayed.removeFirst(due.count)
        return due
    }

    /// Removes and returns the changes of payments.
    mutating func takeChanges() -> [PaymentChange] {
        defer { changes = [] }
        return changes
    }

    /// Returns a new number, beginning with 1.
    mutating func nextNumber() -> Int64 {
        count += 1
        return count
    }

    /// Returns a new identifier in the form of a version 4 UUID (RFC 9562), lower case.
    mutating func nextUUID() -> String { UUID().uuidString.lowercased() }

    /// The payment with an identifier.
    subscript(payment id: String, of gateway: String) -> SandboxPayment? {
        get { payments["\(gateway) \(id)"] }
        set {
            let name = "\(gateway) \(id)"
            if let newValue {
                changes += PaymentChange.all(at: gateway, from: payments[name], to: newValue)
            }
            payments[name] = newValue
        }
    }

    /// Returns the payments of a gateway that satisfy a predicate, oldest first.
    func payments(of gateway: String, where isWanted: (SandboxPayment) -> Bool) -> [SandboxPayment]
    {
        payments.all(withPrefix: "\(gateway) ").filter(isWanted)
    }

    /// The answer that was given under an idempotency key.
    subscript(answerTo key: String, of gateway: String) -> KeptAnswer? {
        get { answers["\(gateway) \(key)"] }
        set { answers["\(gateway) \(key)"] = newValue }
    }

    /// A value that a gateway issued or received, such as a session.
    subscript(value name: String, of gateway: String) -> JSON? {
        get { values["\(gateway) \(name)"] }
        set { values["\(gateway) \(name)"] = newValue }
    }
}

/// A dictionary of limited size that removes its older half when it is full.
private struct Kept<Value: Sendable>: Sendable {
    private let capacity: Int
    private var values: [String: Value] = [:]
    private var names: [String] = []

    init(capacity: Int) { self.capacity = capacity }

    subscript(_ name: String) -> Value? {
        get { values[name] }
        set {
            if values[name] == nil, newValue != nil { names.append(name) }
            values[name] = newValue
            guard names.count > capacity else { return }
            for old in names.prefix(capacity / 2) { values[old] = nil }
            names.removeFirst(capacity / 2)
        }
    }

    func all(withPrefix prefix: String) -> [Value] {
        names.filter { $0.hasPrefix(prefix) }.compactMap { values[$0] }
    }
}
