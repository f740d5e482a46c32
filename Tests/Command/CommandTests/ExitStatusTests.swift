import ApplePayAcceptance
import ApplePayGateways
import ApplePayOrderPrograms
import ApplePayPrograms
import Testing

@testable import paytoken

/// One row of design's table of outcomes: a report about an order, the order's state, and the exit status.
struct OutcomeRow: CustomTestStringConvertible, Sendable {
    let number: Int
    let report: PaymentReport
    let ordered: Int64
    let state: OrderOutcome.State
    let status: Int32

    var testDescription: String { "row \(number): \(report.meaning.rawValue), \(state.rawValue)" }

    /// Creates a row for an order of 1000 cents with the reference `order-1001`, unless `ordered` states another amount.
    init(
        _ number: Int,
        _ meaning: PaymentReport.Meaning,
        authorized: Int64? = nil,
        requested: Int64? = nil,
        captured: Int64? = nil,
        returning: Int64? = nil,
        refunded: Int64? = nil,
        ordered: Int64 = 1000,
        _ state: OrderOutcome.State,
        _ status: Int32,
        _ change: (inout PaymentReport) -> Void = { _ in }
    ) {
        var report = PaymentReport(gateway: "g")
        report.meaning = meaning
        (report.reference, report.currency) = ("order-1001", "EUR")
        (report.authorized, report.captureRequested) = (authorized, requested)
        (report.captured, report.refundRequested) = (captured, returning)
        report.refunded = refunded
        change(&report)
        self.number = number
        self.report = report
        self.ordered = ordered
        self.state = state
        self.status = status
    }
}

@Suite("The exit status of a payment")
struct ExitStatusTests {
    static let rows = [
        OutcomeRow(1, .booked, captured: 1000, .unknown, 5) { $0.reference = "order-1002" },
        OutcomeRow(1, .booked, captured: 1000, .unknown, 5) { $0.currency = "USD" },
        OutcomeRow(1, .booked, captured: 1000, .unknown, 5) { $0.isTest = true },
        OutcomeRow(1, .booked, captured: 1000, .unknown, 5) { $0.fault = "unreadable" },
        OutcomeRow(1, .booked, captured: 1000, .unknown, 5) { $0.about = .capture },
        OutcomeRow(1, .booked, captured: 1000, .unknown, 5) { $0.about = .refund },
        OutcomeRow(1, .undocumented, captured: 1000, .unknown, 5),
        OutcomeRow(1, .refused, authorized: 1, .unknown, 5),
        OutcomeRow(1, .booked, captured: 1, refunded: 2, .unknown, 5),
        OutcomeRow(1, .booked, captured: 1001, .unknown, 5),
        OutcomeRow(2, .booked, .unknown, 5),
        OutcomeRow(2, .booked, .pending, 4) { $0.canBeAsked = true },
        OutcomeRow(2, .booked, captured: 1000, .unknown, 5) { $0.reference = nil },
        OutcomeRow(3, .verified, ordered: 0, .authorized, 6),
        OutcomeRow(3, .refused, ordered: 0, .refused, 1),
        OutcomeRow(4, .booked, captured: 1000, .paid, 0),
        OutcomeRow(5, .booked, captured: 1000, refunded: 999, .partlyReturned, 6),
        OutcomeRow(6, .booked, captured: 1000, returning: 1000, .returning, 4),
        OutcomeRow(6, .booked, authorized: 1, captured: 999, refunded: 999, .returning, 4),
        OutcomeRow(7, .booked, captured: 1000, refunded: 1000, .returned, 1),
        OutcomeRow(8, .booked, captured: 999, .partlyPaid, 6),
        OutcomeRow(9, .booked, authorized: 1000, .authorized, 6),
        OutcomeRow(9, .booked, requested: 1000, .authorized, 6),
        OutcomeRow(10, .booked, authorized: 999, .partlyAuthorized, 6),
        OutcomeRow(11, .cancelled, .returned, 1), OutcomeRow(11, .expired, .returned, 1),
        OutcomeRow(12, .awaitingCustomer, .actionRequired, 4) { $0.setAddress("https://u") },
        OutcomeRow(12, .awaitingCustomer, .pending, 4), OutcomeRow(12, .undecided, .pending, 4),
        OutcomeRow(13, .refused, .refused, 1),
        OutcomeRow(13, .refused, .refused, 1) { $0.refusal = .init(origin: .issuer) },
        OutcomeRow(13, .refused, .refused, 1) { $0.refusal = .init(origin: .customer) },
        OutcomeRow(13, .refused, .refused, 3) { $0.refusal = .init(origin: .operator) },
        OutcomeRow(14, .absent, .unknown, 5),
    ]

    private static func attempt(_ amount: Int64) throws -> PaymentAttempt {
        let euro = try #require(Currency(alphabetic: "EUR"))
        return try PaymentAttempt(
            Order(reference: "order-1001", amount: amount, currency: euro))
    }

    @Test("is that of the first row of the table of outcomes that applies", arguments: rows)
    func order(_ row: OutcomeRow) throws {
        let outcome = OrderOutcome(
            report: row.report, attempt: try Self.attempt(row.ordered), isTest: false)
        #expect(outcome.state == row.state)
        #expect(ExitStatus(outcome).rawValue == row.status)
    }

    @Test("is compared for every row and every state of an order")
    func complete() {
        #expect(Set(Self.rows.map(\.number)) == Set(1...14))
        #expect(Set(Self.rows.map(\.state)) == Set(OrderOutcome.State.allCases))
    }

    @Test(
        "is 0, 4, 1 or 5 for an operation, and 3 if the merchant's account or request was refused",
        arguments: PaymentOperation.Kind.allCases,
        [
            (.booked, .done, 0), (.undecided, .pending, 4), (.refused, .refused, 1),
            (.undocumented, .unknown, 5),
        ] as [(PaymentReport.Meaning, OperationOutcome.State, Int32)])
    func operation(
        _ kind: PaymentOperation.Kind,
        _ row: (meaning: PaymentReport.Meaning, state: OperationOutcome.State, status: Int32)
    ) throws {
        for origin in [nil, .operator] as [PaymentReport.Refusal.Origin?] {
            var report = PaymentReport(gateway: "g", about: kind.subject)
            report.meaning = row.meaning
            report.refusal = origin.map { .init(origin: $0) }
            let outcome = OperationOutcome(
                report, of: kind, amount: nil, on: try Self.attempt(1000))
            #expect(outcome.state == row.state)
            let isOperator = origin == .operator && row.state == .refused
            #expect(ExitStatus(outcome).rawValue == (isOperator ? 3 : row.status))
        }
        #expect(OperationOutcome.State.allCases.count == 4)
    }
}
