/// The course of a payment; its amount selects it.
enum Scenario: CaseIterable, Sendable {
    /// The payment succeeds; this is the scenario of every amount that is not in ``table``.
    case success

    /// The payment is in progress and succeeds before the first status query.
    case pending

    /// The customer must open a URL first.
    case customerAction

    /// The bank declines the payment.
    case decline

    /// The payment succeeds, but the answer is never sent.
    case timeOut

    /// The request is lost: no payment is made, and no answer is sent.
    case lostRequest

    /// The gateway refuses the payment as a duplicate of another one.
    case duplicate

    /// The gateway fails with a 500 in its own format; no payment is made.
    case serverError

    /// The payment succeeds, but a proxy answers 502 with an HTML page.
    case errorPage

    /// The gateway is unavailable and answers 503; no payment is made.
    case unavailable

    /// One row of the table of amounts.
    struct Row: Sendable {
        /// The amount in minor units, such as 40200 for the decimal `402.00`.
        let amount: Int64

        /// The scenario of the amount.
        let scenario: Scenario

        /// One line for people.
        let summary: String
    }

    /// The amounts that select a scenario; all other amounts succeed.
    static let table = [
        Row(
            amount: 20_200, scenario: .pending,
            summary: "is in progress; the first status request finds it paid"),
        Row(
            amount: 30_300, scenario: .customerAction,
            summary: "needs the customer, at an address that the answer contains"),
        Row(amount: 40_200, scenario: .decline, summary: "is declined by the bank"),
        Row(
            amount: 40_800, scenario: .timeOut,
            summary: "times out: the payment is made, the answer never comes"),
        Row(
            amount: 40_801, scenario: .lostRequest,
            summary: "times out: no payment is made, no answer comes"),
        Row(
            amount: 40_900, scenario: .duplicate,
            summary: "is refused as a duplicate of another payment"),
        Row(
            amount: 50_000, scenario: .serverError,
            summary: "fails with the gateway's 5xx; no payment is made"),
        Row(
            amount: 50_200, scenario: .errorPage,
            summary: "is made, but a proxy answers 502 with an HTML page"),
        Row(
            amount: 50_300, scenario: .unavailable,
            summary: "fails with 503; no payment is made"),
    ]

    /// Selects the scenario of an amount in minor units; all amounts that are not in ``table`` succeed.
    init(amount: Int64?) {
        self = Self.table.first { $0.amount == amount }?.scenario ?? .success
    }
}
