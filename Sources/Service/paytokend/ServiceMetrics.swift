internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayOrders
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire
internal import FoundationEssentials

/// What was done when a payment or an operation got an outcome: the word of the metrics and of the audit log.
enum OutcomeKind: String, CaseIterable {
    case pay, page, resolve, adopt, capture, cancellation, refund

    init(_ kind: PaymentOperation.Kind) {
        self =
            switch kind {
            case .capture: .capture
            case .cancellation: .cancellation
            case .refund: .refund
            }
    }

    /// The outcomes that it can have; a decision of a person is about a payment or an operation.
    fileprivate var outcomes: Set<String> {
        let orders = OrderOutcome.State.allCases.map(\.rawValue)
        let operations = OperationOutcome.State.allCases.map(\.rawValue)
        return switch self {
        case .pay, .page, .adopt: Set(orders)
        case .resolve: Set(orders + operations)
        case .capture, .cancellation, .refund: Set(operations)
        }
    }
}

/// Why an account may be unable to pay at its gateway, for as long as no later exchange shows the opposite.
struct GatewayFault: Sendable {
    enum Kind: String, CaseIterable {
        /// The last request had no answer.
        case unreachable
        /// The last payment or operation was refused because of the account, its secrets or its settings.
        case accountRefused = "account-refused"
    }

    let kind: Kind
    /// The host and the cause, or the gateway's code.
    let reason: ExactText?
    /// When an exchange showed it first.
    let since: Date
}

/// What the service has counted and measured since it started, in Prometheus' text form.
///
/// Source: Prometheus, *Exposition formats*, "Text-based format".
final class ServiceMetrics: Sendable, PaymentTokenObserver {
    /// What is measured as a histogram.
    enum Measured: String, CaseIterable {
        case verification, claim, exchange
    }

    /// The upper bounds of the histograms' buckets, in seconds.
    private static let bounds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    private struct Histogram {
        /// The number of values for each bound, and of those above all.
        var counts = [UInt64](repeating: 0, count: ServiceMetrics.bounds.count + 1)
        var sum = 0.0
    }

    private struct State {
        var requests: [[String]: UInt64] = [:]
        var refusals: [[String]: UInt64] = [:]
        var outcomes: [[String]: UInt64] = [:]
        var chains: [[String]: UInt64] = [:]
        var exchanges: [[String]: UInt64] = [:]
        var histograms: [Measured: Histogram] = [:]
        /// By the names of accounts.
        var faults: [ExactText: GatewayFault] = [:]

        mutating func begin(_ kind: GatewayFault.Kind, _ reason: ExactText?, at account: ExactText)
        {
            let earlier = faults[account].flatMap { $0.kind == kind ? $0.since : nil }
            faults[account] = GatewayFault(kind: kind, reason: reason, since: earlier ?? Date())
        }

        mutating func end(_ kind: GatewayFault.Kind, at account: ExactText) {
            if faults[account]?.kind == kind { faults[account] = nil }
        }
    }

    private let state = Lock(State())

    /// Begins every series at 0, because an alarm about an increase misses a series that begins at 1.
    init() {
        state.withLock { state in
            for endpoint in ServiceEndpoint.all {
                for status in endpoint.countedStatuses {
                    state.requests[[endpoint.path, "\(status)"]] = 0
                }
            }
            state.requests[Self.busy] = 0
            let codes =
                PaymentTokenError.Code.allCases.map { ($0.rawValue, $0.disposition) }
                + PaymentError.Code.allCases.map { ($0.rawValue, $0.disposition) }
            for (code, disposition) in codes {
                state.refusals[[code, disposition.rawValue]] = 0
            }
            for result in [true, false] {
                state.chains[[Self.chain(isRemembered: result)]] = 0
                state.exchanges[[Self.exchange(isAnswered: result)]] = 0
            }
        }
    }

    /// Begins the series of accounts at 0; those that were counted go on.
    ///
    /// - Parameter gateways: The names of the accounts.
    func begin(_ gateways: [ExactText]) {
        let origins = PaymentReport.Refusal.Origin.allCases.map(\.rawValue) + [""]
        state.withLock { state in
            for (gateway, kind) in gateways.flatMap({ name in
                OutcomeKind.allCases.map { (String(name), $0) }
            }) {
                for outcome in kind.outcomes {
                    for origin in outcome == Self.refused ? origins : [""] {
                        state.outcomes[[gateway, kind.rawValue, outcome, origin], default: 0] += 0
                    }
                }
            }
        }
    }

    /// Counts an answer.
    ///
    /// - Parameters:
    ///   - endpoint: The path of the endpoint, with `{reference}` for what varies; never one that a client made up.
    ///   - status: The HTTP status.
    func countRequest(_ endpoint: String, _ status: Int) {
        state.withLock { $0.requests[[endpoint, "\(status)"], default: 0] += 1 }
    }

    /// Counts an answer that the service is busy: the path is not looked at.
    func countBusy() { state.withLock { $0.requests[Self.busy, default: 0] += 1 } }

    private static let busy = ["busy", "\(ServiceReply.busy.status)"]

    /// Counts a refused token, payment or operation.
    func countRefusal(_ error: PaymentError) {
        state.withLock { $0.refusals[[error.name, error.disposition.rawValue], default: 0] += 1 }
    }

    /// Counts the outcome of a payment or an operation, and who can do something about a refusal.
    func countOutcome(
        _ kind: OutcomeKind, _ gateway: ExactText, _ outcome: String,
        _ refusal: PaymentReport.Refusal?
    ) {
        // Another outcome can have a code of the gateway with an origin, too, and has one series.
        let origin = outcome == Self.refused ? refusal?.origin : nil
        let labels = [String(gateway), kind.rawValue, outcome, origin?.rawValue ?? ""]
        state.withLock { state in
            state.outcomes[labels, default: 0] += 1
            if origin == .operator {
                state.begin(.accountRefused, refusal?.code?.withoutCardNumbers, at: gateway)
            } else if outcome != Self.unknown {
                state.end(.accountRefused, at: gateway)
            }
        }
    }

    private static let refused = OrderOutcome.State.refused.rawValue

    private static let unknown = OrderOutcome.State.unknown.rawValue

    /// Measures an exchange with a gateway.
    ///
    /// - Parameters:
    ///   - account: The account; nil if it was not about one.
    ///   - duration: How long it took.
    ///   - error: Why there was no answer; nil if there was one.
    func measureExchange(
        _ account: ExactText?, _ duration: Duration, _ error: GatewayTransportError?
    ) {
        measure(.exchange, duration)
        state.withLock { state in
            state.exchanges[[Self.exchange(isAnswered: error == nil)], default: 0] += 1
            guard let account else { return }
            switch error?.code {
            case nil: state.end(.unreachable, at: account)
            // This service failed, and not the gateway.
            case .busy, .canceled, .unsupportedRequest: break
            case .notConnected where error?.detail == ServiceFault.sender: break
            default: state.begin(.unreachable, (error?.reason).map { ExactText($0) }, at: account)
            }
        }
    }

    /// Returns why an account may be unable to pay; nil if nothing shows that.
    func fault(at account: ExactText) -> GatewayFault? { state.withLock { $0.faults[account] } }

    private static func exchange(isAnswered: Bool) -> String { isAnswered ? "answer" : "no-answer" }

    private static func chain(isRemembered: Bool) -> String { isRemembered ? "hit" : "miss" }

    /// Adds a value to a histogram.
    func measure(_ measured: Measured, _ duration: Duration) {
        let seconds = duration / .seconds(1)
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.histograms[measured, default: Histogram()].counts[bucket] += 1
            state.histograms[measured, default: Histogram()].sum += seconds
        }
    }

    func record(_ report: PaymentTokenReport) {
        measure(.verification, report.duration)
        guard let isRemembered = report.isChainRemembered else { return }
        state.withLock { $0.chains[[Self.chain(isRemembered: isRemembered)], default: 0] += 1 }
    }

    /// Returns the text.
    ///
    /// - Parameter gauges: The values that are read now.
    /// - Returns: The text, each metric with its help and type.
    func text(_ gauges: [Gauge]) -> String {
        let state = state.withLock { $0 }
        var text = ""
        Self.counters(
            "requests", "Answers to clients.", ["path", "status"], state.requests, &text)
        Self.counters(
            "refusals", "Refused tokens, payments and operations.", ["code", "disposition"],
            state.refusals, &text)
        Self.counters(
            "outcomes", "Outcomes of payments and operations.",
            ["gateway", "kind", "outcome", "origin"], state.outcomes, &text)
        Self.counters(
            "chain_cache", "Certificate chains that were remembered, or verified anew.", ["result"],
            state.chains, &text)
        Self.counters(
            "exchanges", "Requests to gateways, by whether an answer came.", ["result"],
            state.exchanges, &text)
        for measured in Measured.allCases {
            Self.histogram(measured, state.histograms[measured] ?? Histogram(), &text)
        }
        for gauge in gauges { gauge.write(&text) }
        return text
    }

    /// A value that is read when it is asked for, once or for several labels.
    struct Gauge {
        let name: String
        let help: String
        var type = "gauge"
        let values: [(labels: [(String, String)], value: Int64)]

        fileprivate func write(_ text: inout String) {
            ServiceMetrics.head(name, help, type, &text)
            for (labels, value) in values {
                text += "paytoken_\(name)\(ServiceMetrics.text(labels)) \(value)\n"
            }
        }
    }

    private static func head(
        _ name: String, _ help: String, _ type: String, _ text: inout String
    ) {
        text += "# HELP paytoken_\(name) \(help)\n# TYPE paytoken_\(name) \(type)\n"
    }

    private static func counters(
        _ name: String, _ help: String, _ labels: [String], _ counts: [[String]: UInt64],
        _ text: inout String
    ) {
        head("\(name)_total", help, "counter", &text)
        for (values, count) in counts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let labels = Self.text(Array(zip(labels, values)))
            text += "paytoken_\(name)_total\(labels) \(count)\n"
        }
    }

    private static func histogram(
        _ measured: Measured, _ histogram: Histogram, _ text: inout String
    ) {
        let name = "\(measured.rawValue)_seconds"
        head(name, "Time of each \(measured.rawValue).", "histogram", &text)
        var total: UInt64 = 0
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
            total += count
            text += "paytoken_\(name)_bucket{le=\"\(bound)\"} \(total)\n"
        }
        text += "paytoken_\(name)_sum \(histogram.sum)\npaytoken_\(name)_count \(total)\n"
    }

    private static func text(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.map { name, value in
            let escaped = value.unicodeScalars.map { scalar in
                switch scalar {
                case "\\", "\"": "\\\(scalar)"
                case "\n": "\\n"
                default: "\(scalar)"
                }
            }.joined()
            return "\(name)=\"\(escaped)\""
        }
        return "{\(pairs.joined(separator: ","))}"
    }
}
