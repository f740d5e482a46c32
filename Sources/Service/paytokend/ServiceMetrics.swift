internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import FoundationEssentials

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
    }

    private let state = Lock(State())

    /// Counts an answer.
    ///
    /// - Parameters:
    ///   - endpoint: The path of the endpoint, with `{reference}` for what varies; never one that a client made up.
    ///   - status: The HTTP status.
    func countRequest(_ endpoint: String, _ status: Int) {
        state.withLock { $0.requests[[endpoint, "\(status)"], default: 0] += 1 }
    }

    /// Counts an answer that the service is busy: the path is not looked at.
    func countBusy() { countRequest("busy", ServiceReply.busy.status) }

    /// Counts a refused token, payment or operation.
    func countRefusal(_ error: PaymentError) {
        state.withLock { $0.refusals[[error.name, error.disposition.rawValue], default: 0] += 1 }
    }

    /// Counts the outcome of a payment or an operation.
    func countOutcome(_ kind: String, _ gateway: String, _ outcome: String) {
        state.withLock { $0.outcomes[[gateway, kind, outcome], default: 0] += 1 }
    }

    /// Measures an exchange with a gateway.
    func measureExchange(_ duration: Duration, isAnswered: Bool) {
        measure(.exchange, duration)
        state.withLock { $0.exchanges[[isAnswered ? "answer" : "no-answer"], default: 0] += 1 }
    }

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
        state.withLock { $0.chains[[isRemembered ? "hit" : "miss"], default: 0] += 1 }
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
            "outcomes", "Outcomes of payments and operations.", ["gateway", "kind", "outcome"],
            state.outcomes, &text)
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
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                .replacing("\n", with: "\\n")
            return "\(name)=\"\(escaped)\""
        }
        return "{\(pairs.joined(separator: ","))}"
    }
}
