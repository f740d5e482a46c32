import ApplePayAcceptance
import ApplePayGateways
import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayWire
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

    /// The lines of counters that have counted something.
    private func counted(_ name: String) -> [String] {
        lines("\(name)_total").filter { !$0.hasSuffix(" 0") }
    }

    @Test("have help and type before the values, and a line feed at the end")
    func form() {
        let text = metrics.text([])
        let head = """
            # HELP paytoken_requests_total Answers to clients.
            # TYPE paytoken_requests_total counter
            paytoken_requests_total{path="/healthz",status="200"} 0

            """
        #expect(text.hasPrefix(head))
        #expect(text.hasSuffix("\n") && !text.contains("\n\n"))
    }

    @Test("begin at 0, each with all of its labels, and again for an account that is added")
    func zeros() {
        let begun = [
            #"requests_total{path="/v1/pay",status="503"}"#,
            #"requests_total{path="/readyz",status="503"}"#,
            #"requests_total{path="busy",status="503"}"#,
            #"refusals_total{code="replay/ledger-unavailable",disposition="operator"}"#,
            #"refusals_total{code="key-selection/no-key-with-hash",disposition="rejected"}"#,
            #"exchanges_total{result="no-answer"}"#, #"chain_cache_total{result="hit"}"#,
        ]
        for series in begun { #expect(lines(series) == ["paytoken_\(series) 0"]) }
        #expect(
            lines("refusals_total").count == PaymentTokenError.Code.allCases.count
                + PaymentError.Code.allCases.count)
        #expect(lines("outcomes_total").isEmpty)
        let refused = #"outcomes_total{gateway="a",kind="pay",outcome="refused",origin="operator"}"#
        metrics.begin(["a"])
        #expect(lines(refused) == ["paytoken_\(refused) 0"])
        let count = lines("outcomes_total").count
        metrics.countOutcome(.pay, "a", "refused", .init(origin: .operator))
        metrics.begin(["a", "b"])
        #expect(lines(refused) == ["paytoken_\(refused) 1"])
        #expect(lines("outcomes_total").count == 2 * count)
        // What is counted has begun, for each outcome of each kind.
        for kind in OutcomeKind.allCases {
            for outcome in OperationOutcome.State.allCases.map(\.rawValue)
            where kind != .pay && kind != .page && kind != .adopt {
                metrics.countOutcome(kind, "a", outcome, nil)
            }
        }
        for outcome in OrderOutcome.State.allCases.map(\.rawValue) {
            metrics.countOutcome(.page, "a", outcome, .init(origin: .operator))
        }
        #expect(lines("outcomes_total").count == 2 * count)
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
            counted("requests") == [
                #"paytoken_requests_total{path="/a",status="200"} 1"#,
                #"paytoken_requests_total{path="/a",status="503"} 1"#,
                #"paytoken_requests_total{path="/b",status="200"} 2"#,
            ])
        metrics.countRefusal(.token(PaymentTokenError(.tooOld)))
        metrics.countRefusal(PaymentError(.ledgerUnavailable))
        #expect(
            counted("refusals") == [
                #"paytoken_refusals_total{code="replay/ledger-unavailable",disposition="operator"} 1"#,
                #"paytoken_refusals_total{code="signing-time/too-old",disposition="customer"} 1"#,
            ])
        metrics.countOutcome(.refund, "bepaid", "done", nil)
        metrics.countOutcome(.pay, "bepaid", "refused", .init())
        #expect(
            counted("outcomes") == [
                #"paytoken_outcomes_total{gateway="bepaid",kind="pay",outcome="refused",origin="issuer"} 1"#,
                #"paytoken_outcomes_total{gateway="bepaid",kind="refund",outcome="done",origin=""} 1"#,
            ])
    }

    @Test("count exchanges by whether an answer came, and measure them")
    func exchanges() {
        metrics.measureExchange(nil, .milliseconds(3), nil)
        metrics.measureExchange(
            nil, .milliseconds(3), .init(.timedOut, requestMayHaveReachedGateway: true))
        metrics.measureExchange(
            nil, .milliseconds(3), .init(.timedOut, requestMayHaveReachedGateway: true))
        #expect(
            lines("exchanges_total") == [
                #"paytoken_exchanges_total{result="answer"} 1"#,
                #"paytoken_exchanges_total{result="no-answer"} 2"#,
            ])
        #expect(lines("exchange_seconds_count") == ["paytoken_exchange_seconds_count 3"])
    }

    @Test("know why an account cannot pay until a later exchange shows the opposite")
    func faults() {
        func fault() -> String? {
            metrics.fault(at: "a").map { "\($0.kind.rawValue) \($0.reason ?? "")" }
        }
        func exchange(_ code: GatewayTransportError.Code?, _ detail: String = "a:443: refused") {
            metrics.measureExchange(
                "a", .zero,
                code.map { .init($0, requestMayHaveReachedGateway: false, detail: detail) })
        }
        #expect(fault() == nil)
        exchange(.notConnected)
        let unreachable = "unreachable No connection to the gateway could be made: a:443: refused"
        #expect(fault() == unreachable)
        let since = metrics.fault(at: "a")?.since
        exchange(.notConnected)
        #expect(metrics.fault(at: "a")?.since == since && metrics.fault(at: "b") == nil)
        exchange(nil)
        #expect(fault() == nil)
        // This service failed, and not the gateway.
        exchange(.busy)
        exchange(.notConnected, ServiceFault.sender)
        #expect(fault() == nil)
        let refusal = PaymentReport.Refusal(code: "wrong 4111111111111111", origin: .operator)
        metrics.countOutcome(.pay, "a", "refused", refusal)
        exchange(nil)
        metrics.countOutcome(.pay, "a", "unknown", nil)
        #expect(fault() == "account-refused wrong …")
        metrics.countOutcome(.pay, "a", "refused", .init())
        #expect(fault() == nil)
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

    @Test("escape a backslash, a quotation mark and a line feed in labels, also under an accent")
    func escapes() {
        metrics.countOutcome(.pay, ExactText(#"a"b\c"# + "\nd\"\u{301}"), "paid", nil)
        #expect(
            counted("outcomes") == [
                #"paytoken_outcomes_total{gateway="a\"b\\c\nd\""# + "\u{301}"
                    + #"",kind="pay",outcome="paid",origin=""} 1"#
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
