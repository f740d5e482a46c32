import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import TestVectors
import Testing

/// Compares the library's outcomes with the second table, and keeps the first disagreements.
struct OutcomeComparison {
    private(set) var count = 0
    /// The number of combinations that each row of the table decided.
    private(set) var reached = [Int](repeating: 0, count: OutcomeTable.rows.count)
    /// Up to two disagreements of each row, in words.
    private(set) var disagreements: [String] = []
    private(set) var disagreementCount = 0
    private var disagreementsOfRow = [Int](repeating: 0, count: OutcomeTable.rows.count)

    /// The payments: for each amount of an order, without and with the identifier `P1`.
    private let attempts: [Int64: (PaymentAttempt, PaymentAttempt)]

    /// Creates a comparison for orders with these amounts.
    init(orders: [Int64]) throws {
        let currency = try #require(Currency(alphabetic: "EUR"))
        var attempts: [Int64: (PaymentAttempt, PaymentAttempt)] = [:]
        for amount in orders {
            let order = Order(reference: "order-1", amount: amount, currency: currency)
            let attempt = try PaymentAttempt(order, key: "key-1")
            var known = attempt
            known.paymentID = "P1"
            attempts[amount] = (attempt, known)
        }
        self.attempts = attempts
    }

    /// Returns the payment that a situation is about.
    func attempt(_ situation: OutcomeSituation) throws -> PaymentAttempt {
        let attempts = try #require(attempts[situation.order])
        return situation.knowsIdentifier ? attempts.1 : attempts.0
    }

    /// Compares the outcome of one situation.
    mutating func compare(_ situation: OutcomeSituation) throws {
        let attempt = try attempt(situation)
        let facts = OutcomeFacts(situation.report, attempt, isTest: situation.isTest)
        let position = OutcomeTable.position(facts)
        let row = OutcomeTable.rows[position]
        let outcome = OrderOutcome(
            report: situation.report, attempt: attempt, isTest: situation.isTest)
        count += 1
        reached[position] += 1
        let hasReason = row.state == .unknown || row.state == .pending
        if outcome.state == row.state, outcome.isSettled == row.isSettled,
            (outcome.reason != nil) == hasReason
        {
            return
        }
        disagreementCount += 1
        disagreementsOfRow[position] += 1
        guard disagreementsOfRow[position] <= 2, disagreements.count < 10 else { return }
        disagreements.append(
            "row \(row.number) (\(row.rule)): \(row.state), settled \(row.isSettled); the library: "
                + "\(outcome.state), settled \(outcome.isSettled), reason "
                + "\(outcome.reason ?? "-"); \(situation)")
    }

    /// Records an issue with the first disagreements, if there are any.
    func expectAgreement(_ location: SourceLocation = #_sourceLocation) {
        if disagreementCount == 0 { return }
        Issue.record(
            "\(disagreementCount) of \(count) differ:\n\(disagreements.joined(separator: "\n"))",
            sourceLocation: location)
    }
}
