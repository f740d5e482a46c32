import ApplePayGateways
import ApplePayToken
import Foundation
import Testing

@Suite("Reports and attempts")
struct PaymentReportTests {
    private func copy<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test("are equal after encoding to JSON and decoding, with the outcomes that contain them")
    func coding() throws {
        let walk = OutcomeWalk(amounts: [nil, .min, 0, 1000, .max])
        let attempts = try OutcomeComparison(orders: walk.orders)
        // 2,000 combinations; the distance is prime, so every value of a dimension occurs.
        try walk.visit(OutcomeDimension.allCases, step: 6_998_401) { situation in
            let report = situation.report
            let attempt = try attempts.attempt(situation)
            #expect(try copy(report) == report)
            let order = OrderOutcome(report, of: attempt, isTest: situation.isTest)
            #expect(order.report == report)
            #expect(try copy(order) == order)
            let operation = OperationOutcome(report, of: .refund, amount: 400, on: attempt)
            #expect(operation.report == report)
            #expect(try copy(operation) == operation)
        }
        var report = PaymentReport(gateway: "test", about: .capture)
        report.status = "CAPTURED \u{2028}\u{0}\u{10FFFF}"
        report.sessionID = "S1"
        report.operationID = "O1"
        report.operationAmount = .max
        report.hasChargeback = true
        report.refusal = PaymentReport.Refusal(code: "", text: "\"", origin: .operator)
        #expect(try copy(report) == report)
        var outcome = OrderOutcome(unknown: "No answer arrived.")
        outcome.isRecorded = false
        #expect(try copy(outcome) == outcome)
    }

    @Test("keep the reference of their slot after encoding to JSON and decoding")
    func attempts() throws {
        for (code, amount, slot) in [("EUR", 0, 1), ("JPY", .max, 2), ("KWD", 1, 1_000)] {
            let currency = try #require(Currency(alphabetic: code))
            let order = Order(reference: "b\u{E9}\"/1", amount: Int64(amount), currency: currency)
            var attempt = try PaymentAttempt(order, slot: slot)
            #expect(try copy(attempt) == attempt)
            attempt.paymentID = "P/1"
            attempt.sessionID = "S1"
            let read = try copy(attempt)
            #expect(read == attempt && read.reference == attempt.reference)
        }
    }

    @Test("can follow a report if the captured and the refunded total are not smaller")
    func totals() {
        let totals: [Int64?] = [nil, 0, 400, 1000]
        for (captured, refunded) in pairs(totals) {
            for (earlierCaptured, earlierRefunded) in pairs(totals) {
                var report = OutcomeSituation(captured: captured).report
                report.refunded = refunded
                var earlier = OutcomeSituation(captured: earlierCaptured).report
                earlier.refunded = earlierRefunded
                let isLater =
                    captured ?? 0 >= earlierCaptured ?? 0 && refunded ?? 0 >= earlierRefunded ?? 0
                #expect(
                    report.canFollow(earlier) == isLater,
                    """
                    C \(String(describing: captured)) G \(String(describing: refunded)) after \
                    C \(String(describing: earlierCaptured)) G \(String(describing: earlierRefunded))
                    """)
            }
        }
    }

    @Test("can follow a report in which more was reserved, requested or disputed")
    func temporaryAmounts() {
        var earlier = OutcomeSituation(captured: 400).report
        earlier.authorized = 600
        earlier.captureRequested = 600
        earlier.refundRequested = 400
        var report = OutcomeSituation(captured: 1000).report
        report.refunded = 400
        #expect(report.canFollow(earlier))
        #expect(!earlier.canFollow(report))
    }

    @Test("cannot follow a report in which more was given back, or that had a chargeback")
    func returns() {
        var earlier = OutcomeSituation(captured: 1000).report
        earlier.refunded = 1
        var report = OutcomeSituation(captured: 1000).report
        report.refundRequested = 1
        #expect(!report.canFollow(earlier))
        report.refunded = 1
        #expect(report.canFollow(earlier))
        earlier.hasChargeback = true
        #expect(!report.canFollow(earlier))
        report.hasChargeback = true
        #expect(report.canFollow(earlier))
        earlier.refundRequested = 2
        #expect(!report.canFollow(earlier))
    }

    @Test("about the smallest captured amount needs a reference, too, after a cancellation")
    func smallestAmount() throws {
        var report = OutcomeSituation(captured: 1).report
        report.meaning = .cancelled
        let attempt = try PaymentAttempt(
            Order(
                reference: report.reference ?? "", amount: 1000,
                currency: try #require(Currency(alphabetic: "EUR"))))
        report.currency = "EUR"
        report.ordered = nil
        #expect(OrderOutcome(report, of: attempt).state == .partlyPaid)
        report.reference = nil
        #expect(OrderOutcome(report, of: attempt).state == .unknown)
    }

    @Test("cannot follow a report about another payment")
    func identifiers() {
        var report = OutcomeSituation(captured: 1000).report
        report.paymentID = "P1"
        var earlier = report
        #expect(report.canFollow(earlier))
        earlier.paymentID = "P2"
        #expect(!report.canFollow(earlier))
    }

    private func pairs(_ values: [Int64?]) -> [(Int64?, Int64?)] {
        values.flatMap { one in values.map { (one, $0) } }
    }
}
