import ApplePayAcceptance
import ApplePayGateways
import TestVectors

/// A report and the payment that it is compared with, with the letters of design.md spelled out: a missing amount counts
/// as 0, and every sum fits.
struct OutcomeFacts {
    let report: PaymentReport
    let attempt: PaymentAttempt
    /// Whether the merchant's account is for tests.
    let isTest: Bool?

    /// O: the order's amount.
    let order: Int128
    /// A: reserved and still capturable.
    let reserved: Int128
    /// c: requested captures.
    let requested: Int128
    /// C: captured.
    let captured: Int128
    /// g: requested refunds, or disputed.
    let disputed: Int128
    /// G: given back.
    let returned: Int128

    init(_ report: PaymentReport, _ attempt: PaymentAttempt, isTest: Bool?) {
        self.report = report
        self.attempt = attempt
        self.isTest = isTest
        order = Int128(attempt.amount)
        reserved = Int128(report.authorized ?? 0)
        requested = Int128(report.captureRequested ?? 0)
        captured = Int128(report.captured ?? 0)
        returned = Int128(report.refunded ?? 0)
        let stated = Int128(report.refundRequested ?? 0)
        // A chargeback without an amount is about everything.
        disputed = report.hasChargeback && stated == 0 && returned == 0 ? captured : stated
    }

    /// A + c: what can still become captured.
    var outstanding: Int128 { reserved + requested }
    /// G + g: what is given back or may be.
    var leaving: Int128 { returned + disputed }

    /// Canceled by the merchant, or expired.
    var isReleased: Bool { report.meaning == .cancelled || report.meaning == .expired }
    /// The meanings for which rows 4 to 8 compare amounts.
    var movesMoney: Bool { report.meaning == .booked || isReleased }
    /// States that money is reserved or captured.
    var claimsMoney: Bool { report.meaning == .booked || isReleased && captured > 0 }
    /// Does not state how much, for which order, or in which currency.
    var isIncomplete: Bool {
        report.reference == nil || report.currency == nil
            || report.authorized == nil && report.captureRequested == nil && report.captured == nil
    }
}

/// The table of design.md, "Payments: one state of an order", written a second time to compare the library with it.
///
/// A row of design.md with several conditions or outcomes is several rows here, with the same number.
struct OutcomeTable {
    /// One condition and its outcome.
    struct Row: Sendable {
        /// The number in design.md.
        let number: Int
        /// The condition in words, for messages.
        let rule: String
        let state: OrderOutcome.State
        let isSettled: Bool
        /// The exit status of the command.
        let exit: Int
        let applies: @Sendable (OutcomeFacts) -> Bool

        init(
            _ number: Int,
            _ rule: String,
            _ state: OrderOutcome.State,
            settled: Bool = false,
            exit: Int,
            _ applies: @escaping @Sendable (OutcomeFacts) -> Bool
        ) {
            self.number = number
            self.rule = rule
            self.state = state
            self.isSettled = settled
            self.exit = exit
            self.applies = applies
        }
    }

    /// Returns the position of the first row that applies; the last one always does.
    static func position(_ facts: OutcomeFacts) -> Int {
        rows.firstIndex { $0.applies(facts) } ?? rows.count - 1
    }

    static let rows = contradictions + states

    /// Row 1, and the sentence that only a report about the payment states anything.
    private static let contradictions = [
        unknown("not about the payment") { $0.report.about != .payment },
        unknown("another reference") { differ($0.report.reference, $0.attempt.reference) },
        unknown("another payment identifier") {
            differ($0.report.paymentID, $0.attempt.paymentID)
        },
        unknown("another currency") {
            differ($0.report.currency, $0.attempt.currency.alphabetic)
        },
        unknown("another account mode") { differ($0.report.isTest, $0.isTest) },
        unknown("unreadable") { $0.report.fault != nil },
        unknown("undocumented word") { $0.report.meaning == .undocumented },
        unknown("another ordered amount") { differ($0.report.ordered, $0.attempt.amount) },
        unknown("a negative amount") {
            $0.reserved < 0 || $0.requested < 0 || $0.captured < 0 || $0.disputed < 0
                || $0.returned < 0
        },
        unknown("verified, but the order is above 0") {
            $0.report.meaning == .verified && $0.order > 0
        },
        unknown("released, but money is still reserved or requested") {
            $0.isReleased && $0.outstanding > 0
        },
        unknown("not booked, but money is reserved, requested or captured") {
            !$0.movesMoney && $0.outstanding + $0.captured > 0
        },
        unknown("G > C") { $0.returned > $0.captured },
        unknown("A + c + C > O") { $0.outstanding + $0.captured > $0.order },
        unknown("g > 0, C = 0") {
            $0.disputed > 0 && $0.captured == 0
                && ($0.report.captured == 0 || $0.report.meaning != .booked)
        },
    ]

    /// Returns whether both are known and different.
    static func differ<Value: Equatable>(_ stated: Value?, _ known: Value?) -> Bool {
        guard let stated, let known else { return false }
        return stated != known
    }

    private static func unknown(
        _ rule: String, _ applies: @escaping @Sendable (OutcomeFacts) -> Bool
    ) -> Row {
        Row(1, rule, .unknown, exit: 5, applies)
    }

    private static let states = [
        Row(2, "incomplete, can be asked", .pending, exit: 4) {
            $0.claimsMoney && $0.isIncomplete && $0.report.canBeAsked
        },
        Row(2, "incomplete", .unknown, exit: 5) { $0.claimsMoney && $0.isIncomplete },
        Row(3, "O = 0: verified or booked", .authorized, settled: true, exit: 6) {
            $0.order == 0 && ($0.report.meaning == .verified || $0.report.meaning == .booked)
        },
        Row(3, "O = 0: refused", .refused, settled: true, exit: 1) {
            $0.order == 0 && $0.report.meaning == .refused
                && $0.report.refusal?.origin != .operator
        },
        Row(4, "C = O, G = g = 0", .paid, settled: true, exit: 0) {
            $0.movesMoney && $0.captured > 0 && $0.captured == $0.order && $0.leaving == 0
        },
        Row(5, "C > 0, 0 < G < C, g = 0, A + c = 0", .partlyReturned, settled: true, exit: 6) {
            $0.movesMoney && $0.captured > 0 && $0.leaving > 0 && $0.leaving < $0.captured
                && $0.disputed == 0 && $0.outstanding == 0
        },
        Row(5, "C > 0, 0 < G + g < C", .partlyReturned, exit: 6) {
            $0.movesMoney && $0.captured > 0 && $0.leaving > 0 && $0.leaving < $0.captured
        },
        Row(6, "C > 0, G + g >= C, and g > 0 or A + c > 0", .returning, exit: 4) {
            $0.movesMoney && $0.captured > 0 && $0.leaving >= $0.captured
                && ($0.disputed > 0 || $0.outstanding > 0)
        },
        Row(7, "C > 0, G >= C, g = 0, A + c = 0", .returned, settled: true, exit: 1) {
            $0.movesMoney && $0.captured > 0 && $0.returned >= $0.captured && $0.disputed == 0
                && $0.outstanding == 0
        },
        Row(8, "0 < C < O, G = 0, A + c = 0", .partlyPaid, settled: true, exit: 6) {
            $0.movesMoney && $0.captured > 0 && $0.captured < $0.order && $0.returned == 0
                && $0.outstanding == 0
        },
        Row(8, "0 < C < O, G = 0, A + c > 0", .partlyPaid, exit: 6) {
            $0.movesMoney && $0.captured > 0 && $0.captured < $0.order && $0.returned == 0
        },
        Row(9, "C = 0, A + c >= O", .authorized, exit: 6) {
            $0.report.meaning == .booked && $0.captured == 0 && $0.outstanding >= $0.order
        },
        Row(10, "C = 0, 0 < A + c < O", .partlyAuthorized, exit: 6) {
            $0.report.meaning == .booked && $0.captured == 0 && $0.outstanding > 0
                && $0.outstanding < $0.order
        },
        Row(11, "A = C = 0 by cancellation or expiry", .returned, settled: true, exit: 1) {
            $0.isReleased && $0.reserved == 0 && $0.captured == 0
        },
        Row(12, "the customer must act, at an address", .actionRequired, exit: 4) {
            $0.report.meaning == .awaitingCustomer && $0.report.address != nil
        },
        Row(12, "the customer must act, without an address", .pending, exit: 4) {
            $0.report.meaning == .awaitingCustomer
        },
        Row(12, "not decided", .pending, exit: 4) { $0.report.meaning == .undecided },
        Row(13, "refused: credentials or account", .refused, settled: true, exit: 3) {
            $0.report.meaning == .refused && $0.report.refusal?.origin == .operator
        },
        Row(13, "refused", .refused, settled: true, exit: 1) { $0.report.meaning == .refused },
        Row(14, "everything else", .unknown, exit: 5) { _ in true },
    ]
}
