import ApplePayAcceptance
import ApplePayGateways
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import ApplePayOrders

@Suite("Reports and attempts")
struct PaymentReportTests {
    /// Returns a report as it is read after it was stored, in the record of an attempt.
    private func copy(_ report: PaymentReport, of attempt: PaymentAttempt) throws -> PaymentReport {
        var record = OrderRecord(
            attempt, nil, nil, at: GatewayNamed(name: report.gateway),
            slotBeginning: nil,
            at: Date())
        record.contents.report = report
        let read = try OrderRecord(record.encoded()).contents
        #expect(read.attempt == attempt)
        return try #require(read.report)
    }

    /// A gateway of which only the name is used.
    private struct GatewayNamed: PaymentGateway {
        let name: ExactText
        let account: ExactText = "shop"
        let isTest = true
        let abilities = GatewayAbilities([.decrypted])
        func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {}
        func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall {
            throw .gateway(.unsupportedOperation, "payment")
        }
    }

    @Test("are equal after they were stored and read, without the gateway's texts")
    func storing() throws {
        let walk = OutcomeWalk(amounts: [nil, .min, 0, 1000, .max])
        let attempts = try OutcomeComparison(orders: walk.orders)
        // 2,000 combinations; the distance is prime, so every value of a dimension occurs.
        try walk.visit(OutcomeDimension.allCases, step: 6_998_401) { situation in
            var report = situation.report
            let attempt = try attempts.attempt(situation)
            #expect(
                OrderOutcome(report: report, attempt: attempt, isTest: situation.isTest).report
                    == report)
            let operation = OperationOutcome(report, of: .refund, amount: 400, on: attempt)
            #expect(operation.report == report)
            report.refusal?.text = nil
            // An identifier that the attempt has is stored once.
            report.paymentID = report.paymentID ?? attempt.paymentID
            report.sessionID = report.sessionID ?? attempt.sessionID
            #expect(try copy(report, of: attempt) == report)
        }
        var report = PaymentReport(gateway: "test", about: .capture)
        report.status = "CAPTURED \u{2028}\u{0}\u{10FFFF}"
        report.paymentID = "P1"
        report.sessionID = "S1"
        report.operationID = "O1"
        report.operationAmount = .max
        report.hasChargeback = true
        report.refusal = PaymentReport.Refusal(code: "", text: nil, origin: .operator)
        let order = Order(
            reference: "b\u{E9}\"/1", amount: 1, currency: try #require(Currency(alphabetic: "KWD"))
        )
        var attempt = try PaymentAttempt(order, slot: 1_000)
        #expect(try copy(report, of: attempt) == report)
        attempt.paymentID = "P/1"
        attempt.sessionID = "S1"
        #expect(try copy(report, of: attempt) == report)
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
        #expect(OrderOutcome(report: report, attempt: attempt).state == .partlyPaid)
        report.reference = nil
        #expect(OrderOutcome(report: report, attempt: attempt).state == .unknown)
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
