import ApplePayAcceptance
import ApplePayOrderPrograms
import ApplePayPrograms
import Testing

@testable import paytoken
@testable import paytokend

@Suite("The metrics of the service")
struct ServiceMetricsTests {
    private let metrics = ServiceMetrics()

    /// The lines of the text that begin with a name.
    private func lines(_ name: String, _ gauges: [ServiceMetrics.Gauge] = []) -> [String] {
        metrics.text(gauges).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("paytoken_\(name)") }
    }

    @Test("have help and type before the values, and a line feed at the end")
    func form() {
        metrics.countRequest("/v1/pay", 200)
        let text = metrics.text([])
        let head = """
            # HELP paytoken_requests_total Answers to clients.
            # TYPE paytoken_requests_total counter
            paytoken_requests_total{path="/v1/pay",status="200"} 1
            # HELP paytoken_refusals_total Refused tokens, payments and operations.
            # TYPE paytoken_refusals_total counter

            """
        #expect(text.hasPrefix(head))
        #expect(text.hasSuffix("\n") && !text.contains("\n\n"))
    }

    @Test("are all there before anything was counted")
    func names() {
        let heads = metrics.text([]).split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
            .map { $0.dropFirst("# TYPE paytoken_".count) }
        #expect(
            heads == [
                "requests_total counter", "refusals_total counter", "outcomes_total counter",
                "chain_cache_total counter", "exchanges_total counter",
                "verification_seconds histogram", "claim_seconds histogram",
                "exchange_seconds histogram",
            ])
    }

    @Test("count each combination of labels, in a fixed order")
    func counters() {
        for (path, status) in [("/b", 200), ("/a", 503), ("/a", 200), ("/b", 200)] {
            metrics.countRequest(path, status)
        }
        #expect(
            lines("requests_total") == [
                #"paytoken_requests_total{path="/a",status="200"} 1"#,
                #"paytoken_requests_total{path="/a",status="503"} 1"#,
                #"paytoken_requests_total{path="/b",status="200"} 2"#,
            ])
        metrics.countRefusal(.token(PaymentTokenError(.tooOld)))
        metrics.countRefusal(PaymentError(.ledgerUnavailable))
        #expect(
            lines("refusals_total") == [
                #"paytoken_refusals_total{code="replay/ledger-unavailable",disposition="operator"} 1"#,
                #"paytoken_refusals_total{code="signing-time/too-old",disposition="customer"} 1"#,
            ])
        metrics.countOutcome("refund", "bepaid", "done")
        #expect(
            lines("outcomes_total") == [
                #"paytoken_outcomes_total{gateway="bepaid",kind="refund",outcome="done"} 1"#
            ])
    }

    @Test("count exchanges by whether an answer came, and measure them")
    func exchanges() {
        metrics.measureExchange(.milliseconds(3), isAnswered: true)
        metrics.measureExchange(.milliseconds(3), isAnswered: false)
        metrics.measureExchange(.milliseconds(3), isAnswered: false)
        #expect(
            lines("exchanges_total") == [
                #"paytoken_exchanges_total{result="answer"} 1"#,
                #"paytoken_exchanges_total{result="no-answer"} 2"#,
            ])
        #expect(lines("exchange_seconds_count") == ["paytoken_exchange_seconds_count 3"])
    }

    @Test("have buckets that include their bounds, each with all smaller values")
    func buckets() {
        for duration: Duration in [
            .zero, .microseconds(500), .microseconds(501), .seconds(60), .seconds(61),
        ] {
            metrics.measure(.claim, duration)
        }
        #expect(
            lines("claim_seconds") == [
                #"paytoken_claim_seconds_bucket{le="0.0005"} 2"#,
                #"paytoken_claim_seconds_bucket{le="0.001"} 3"#,
                #"paytoken_claim_seconds_bucket{le="0.0025"} 3"#,
                #"paytoken_claim_seconds_bucket{le="0.005"} 3"#,
                #"paytoken_claim_seconds_bucket{le="0.01"} 3"#,
                #"paytoken_claim_seconds_bucket{le="0.025"} 3"#,
                #"paytoken_claim_seconds_bucket{le="0.05"} 3"#,
                #"paytoken_claim_seconds_bucket{le="0.1"} 3"#,
                #"paytoken_claim_seconds_bucket{le="0.25"} 3"#,
                #"paytoken_claim_seconds_bucket{le="0.5"} 3"#,
                #"paytoken_claim_seconds_bucket{le="1.0"} 3"#,
                #"paytoken_claim_seconds_bucket{le="2.5"} 3"#,
                #"paytoken_claim_seconds_bucket{le="5.0"} 3"#,
                #"paytoken_claim_seconds_bucket{le="10.0"} 3"#,
                #"paytoken_claim_seconds_bucket{le="30.0"} 3"#,
                #"paytoken_claim_seconds_bucket{le="60.0"} 4"#,
                #"paytoken_claim_seconds_bucket{le="+Inf"} 5"#,
                "paytoken_claim_seconds_sum 121.001001", "paytoken_claim_seconds_count 5",
            ])
        #expect(lines("verification_seconds_count") == ["paytoken_verification_seconds_count 0"])
    }

    @Test("escape a backslash, a quotation mark and a line feed in labels")
    func escapes() {
        metrics.countOutcome("pay", #"a"b\c"# + "\nd", "paid")
        #expect(
            lines("outcomes_total") == [
                #"paytoken_outcomes_total{gateway="a\"b\\c\nd",kind="pay",outcome="paid"} 1"#
            ])
    }

    @Test("show values that are read now, with and without labels, and none")
    func gauges() {
        let gauges: [ServiceMetrics.Gauge] = [
            .init(name: "one", help: "One.", values: [([], -7)]),
            .init(
                name: "two", help: "Two.", type: "counter",
                values: [([("key", "a")], 1), ([("key", "b")], 2)]),
            .init(name: "three", help: "Three.", values: []),
        ]
        let end = """
            # HELP paytoken_one One.
            # TYPE paytoken_one gauge
            paytoken_one -7
            # HELP paytoken_two Two.
            # TYPE paytoken_two counter
            paytoken_two{key="a"} 1
            paytoken_two{key="b"} 2
            # HELP paytoken_three Three.
            # TYPE paytoken_three gauge

            """
        #expect(metrics.text(gauges).hasSuffix(end))
    }
}
