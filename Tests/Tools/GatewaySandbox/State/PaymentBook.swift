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

    /// The requests that are processed later, in the order of their times.
    private var delayed: [(due: ContinuousClock.Instant, request: SandboxRequest)] = []

    /// Delays a request until a time, which is not before those of the others.
    mutating func delay(_ request: SandboxRequest, until due: ContinuousClock.Instant) {
        delayed.append((due, request))
    }

    /// Removes and returns the requests that are due.
    mutating func takeDueRequests() -> [SandboxRequest] {
        let due = delayed.prefix { $0.due <= .now }.map(\.request)
        delayed.removeFirst(due.count)
        return due
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
        set { payments["\(gateway) \(id)"] = newValue }
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
