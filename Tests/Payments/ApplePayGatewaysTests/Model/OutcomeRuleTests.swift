import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@Suite("The outcome of an order")
struct OutcomeRuleTests {
    /// All combinations of some dimensions' values; the other dimensions have the base's.
    struct Product: Sendable, CustomTestStringConvertible {
        let dimensions: [OutcomeDimension]
        let base: OutcomeSituation

        var testDescription: String { dimensions.map { "\($0)" }.joined(separator: " × ") }

        init(_ dimensions: [OutcomeDimension], captured: Int64? = nil) {
            self.dimensions = dimensions
            base = OutcomeSituation(captured: captured)
        }
    }

    /// Products of up to 337,500 combinations.
    ///
    /// Each contains dimensions that a row compares with each other; together they contain every pair of dimensions.
    static let products = [
        Product([.meaning, .order, .reference, .canBeAsked] + OutcomeDimension.amounts),
        Product([.meaning, .currency, .chargeback] + OutcomeDimension.amounts),
        Product([.about, .order, .ordered, .chargeback] + OutcomeDimension.amounts),
        Product([.identifier, .refusal, .fault, .chargeback] + OutcomeDimension.amounts),
        Product([.test, .address, .chargeback] + OutcomeDimension.amounts),
        Product([
            .meaning, .order, .reference, .currency, .canBeAsked, .authorized, .captured, .refunded,
            .chargeback,
        ]),
        Product([
            .about, .meaning, .order, .ordered, .refusal, .address, .canBeAsked, .fault,
            .authorized, .captured,
        ]),
        Product(
            [.about, .meaning, .reference, .currency, .identifier, .test, .canBeAsked, .fault],
            captured: 1000),
        Product(
            [
                .meaning, .order, .ordered, .reference, .currency, .identifier, .test, .refusal,
                .address,
            ], captured: 1000),
    ]

    /// The distance of the combinations that are compared in the product of all dimensions.
    ///
    /// The environment can set it: 1 compares all 27,993,600,000, in hours. Otherwise use a prime above 5, so that every
    /// value of a dimension occurs.
    private static let step =
        ProcessInfo.processInfo.environment["APPLEPAYTOKEN_OUTCOME_STEP"].flatMap { Int($0) }
        ?? 200_003

    /// The number of parts of the long comparison, which run at the same time; it divides the number of combinations.
    private static let parts = 32

    @Test("is the state in the first row of the second table that applies", arguments: products)
    func rows(_ product: Product) throws {
        let walk = OutcomeWalk()
        var comparison = try OutcomeComparison(orders: walk.orders)
        try walk.visit(product.dimensions, step: LongTest.step, base: product.base) {
            try comparison.compare($0)
        }
        comparison.expectAgreement()
        let count = walk.count(product.dimensions)
        #expect(comparison.count == (count + LongTest.step - 1) / LongTest.step)
    }

    @Test("agrees with the second table in a sample of all combinations", arguments: 0..<parts)
    func everything(_ part: Int) throws {
        let walk = OutcomeWalk()
        let dimensions = OutcomeDimension.allCases
        let length = walk.count(dimensions) / Self.parts
        let range = part * length..<(part + 1) * length
        var comparison = try OutcomeComparison(orders: walk.orders)
        try walk.visit(dimensions, in: range, step: max(1, Self.step)) {
            try comparison.compare($0)
        }
        comparison.expectAgreement()
    }

    /// Amounts near the limits of 64 bits, and negative ones.
    private static let limits = OutcomeWalk(
        amounts: [nil, .min, -1, 1, .max - 1, .max], orders: [.min, 1, .max])

    @Test("agrees with the second table for amounts near the limits of 64 bits, without overflow")
    func extremes() throws {
        var comparison = try OutcomeComparison(orders: Self.limits.orders)
        try Self.limits.visit([.meaning, .order] + OutcomeDimension.amounts) {
            try comparison.compare($0)
        }
        try Self.limits.visit([.meaning, .order, .ordered, .authorized, .captured]) {
            try comparison.compare($0)
        }
        comparison.expectAgreement()
    }

    @Test("is compared for every pair of dimensions, and every row decides some combinations")
    func completeness() throws {
        for one in OutcomeDimension.allCases {
            for other in OutcomeDimension.allCases {
                let isCovered = Self.products.contains {
                    $0.dimensions.contains(one) && $0.dimensions.contains(other)
                }
                #expect(isCovered, "\(one) × \(other)")
            }
        }
        let walk = OutcomeWalk()
        let comparison = try OutcomeComparison(orders: walk.orders + Self.limits.orders)
        var reached: Set<Int> = []
        func decide(_ situation: OutcomeSituation) throws {
            let attempt = try comparison.attempt(situation)
            let facts = OutcomeFacts(situation.report, attempt, isTest: situation.isTest)
            reached.insert(OutcomeTable.position(facts))
        }
        for product in Self.products {
            try walk.visit(product.dimensions, step: 31, base: product.base, decide)
        }
        try Self.limits.visit(OutcomeDimension.amounts, decide)
        for (position, row) in OutcomeTable.rows.enumerated() {
            #expect(reached.contains(position), "row \(row.number): \(row.rule)")
        }
        #expect(Set(OutcomeTable.rows.map(\.number)) == Set(1...14))
        #expect(Set(OutcomeTable.rows.map(\.state)) == Set(OrderOutcome.State.allCases))
    }

    @Test("has one exit status for each state, except that a refusal by the account's fault is 3")
    func exits() {
        let states: [OrderOutcome.State: Set<Int>] = [
            .paid: [0], .authorized: [6], .partlyAuthorized: [6], .partlyPaid: [6],
            .partlyReturned: [6], .returning: [4], .returned: [1], .actionRequired: [4],
            .pending: [4], .refused: [1, 3], .unknown: [5],
        ]
        for state in OrderOutcome.State.allCases {
            let exits = OutcomeTable.rows.filter { $0.state == state }.map(\.exit)
            #expect(Set(exits) == states[state], "\(state)")
        }
    }

    @Test("is unknown for a report about the payment of another slot")
    func slots() throws {
        let currency = try #require(Currency(alphabetic: "EUR"))
        let order = Order(reference: "order-1", amount: 1000, currency: currency)
        let first = try PaymentAttempt(order, slot: 1, key: "key-1")
        let second = try PaymentAttempt(order, slot: 2, key: "key-2")
        #expect(first.reference == "order-1" && second.reference != first.reference)
        for attempt in [first, second] {
            var report = OutcomeSituation(captured: 1000).report
            report.reference = attempt.reference
            #expect(OrderOutcome(report: report, attempt: attempt).state == .paid)
            let other = attempt == first ? second : first
            #expect(OrderOutcome(report: report, attempt: other).state == .unknown)
        }
    }

    @Test("keeps the report, and contains only a reason if there is none")
    func members() {
        let outcome = OrderOutcome(unknown: "No answer arrived.")
        #expect(outcome.state == .unknown && !outcome.isSettled && outcome.isRecorded)
        #expect(outcome.reason == "No answer arrived." && outcome.report == nil)
    }
}
