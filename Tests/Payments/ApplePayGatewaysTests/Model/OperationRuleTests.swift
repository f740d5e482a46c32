import ApplePayAcceptance
import ApplePayGateways
import TestVectors
import Testing

@Suite("The outcome of an operation")
struct OperationRuleTests {
    /// The requested amounts; the stated ones are missing, equal or another.
    private static let amounts: [Int64?] = [nil, 400, 1000]

    private static let subjects: [PaymentReport.Subject] = [
        .payment, .capture, .cancellation, .refund, .chargeback, .init(rawValue: "payout"),
    ]

    /// Returns the state according to a second table: the first line that applies.
    private static func expected(
        _ report: PaymentReport, _ kind: PaymentOperation.Kind, _ amount: Int64?,
        _ attempt: PaymentAttempt
    ) -> OperationOutcome.State {
        let isOther =
            report.about.rawValue != kind.rawValue
            || OutcomeTable.differ(report.reference, attempt.reference)
            || OutcomeTable.differ(report.paymentID, attempt.paymentID)
            || OutcomeTable.differ(report.currency, attempt.currency.alphabetic)
            || OutcomeTable.differ(report.operationAmount, amount)
        if isOther || report.fault != nil { return .unknown }
        switch report.meaning {
        case .booked: return .done
        case .cancelled: return kind == .cancellation ? .done : .unknown
        case .undecided: return .pending
        case .refused: return .refused
        case .undocumented, .absent, .verified, .awaitingCustomer, .expired: return .unknown
        }
    }

    @Test(
        "agrees with a second table for every meaning, subject, amount and identifier",
        arguments: PaymentOperation.Kind.allCases)
    func rule(_ kind: PaymentOperation.Kind) throws {
        let walk = OutcomeWalk()
        let attempts = try OutcomeComparison(orders: walk.orders)
        var count = 0
        var disagreements: [String] = []
        try walk.visit([.meaning, .reference, .currency, .identifier, .fault]) { situation in
            let attempt = try attempts.attempt(situation)
            var report = situation.report
            for subject in Self.subjects {
                report.about = subject
                for stated in Self.amounts {
                    report.operationAmount = stated
                    for amount in Self.amounts {
                        let outcome = OperationOutcome(
                            report, of: kind, amount: amount, on: attempt)
                        let state = Self.expected(report, kind, amount, attempt)
                        count += 1
                        if outcome.state == state,
                            (outcome.reason != nil) == (state == .unknown)
                        {
                            continue
                        }
                        var shown = situation
                        shown.report = report
                        disagreements.append(
                            "\(state), but \(outcome.state), reason \(outcome.reason ?? "-"), "
                                + "for a \(kind) of \(amount.map { "\($0)" } ?? "-"): \(shown)")
                    }
                }
            }
        }
        #expect(count == 52_488)
        #expect(
            disagreements.isEmpty,
            "\(disagreements.count) differ:\n\(disagreements.prefix(5).joined(separator: "\n"))")
    }

    @Test("does not depend on the amounts of the payment, which may have any size")
    func totals() throws {
        let walk = OutcomeWalk(amounts: [nil, .min, 0, .max], orders: [1000])
        let attempts = try OutcomeComparison(orders: walk.orders)
        try walk.visit(OutcomeDimension.amounts) { situation in
            var report = situation.report
            report.about = .refund
            report.operationAmount = 400
            let outcome = OperationOutcome(
                report, of: .refund, amount: 400, on: try attempts.attempt(situation))
            #expect(outcome.state == .done && outcome.report == report)
        }
    }

    @Test(
        "says what to correct if the gateway refused the merchant's account, and nothing after any other refusal"
    )
    func refusedAccount() {
        let cases: [(PaymentReport.Refusal.Origin, String?)] = [
            (
                .operator,
                "Correct the account, its secrets or the request, as code and text say, then repeat the operation under another "
                    + "name, because this one keeps its outcome."
            ),
            (.issuer, nil),
        ]
        for (origin, advice) in cases {
            var report = PaymentReport(gateway: "bepaid")
            report.refusal = PaymentReport.Refusal(origin: origin)
            #expect(OperationOutcome(.refused, report).advice == advice)
        }
    }

    @Test("is unknown, with a reason, if there is no report")
    func missing() {
        let outcome = OperationOutcome(unknown: "No answer arrived.")
        #expect(outcome.state == .unknown && outcome.report == nil)
        #expect(outcome.reason == "No answer arrived.")
    }
}
