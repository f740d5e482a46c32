import ApplePayGateways
import ApplePayToken
import ApplePayWire
import Foundation
import TestVectors

/// A report about a payment of the order `order-1` in euros, and what the merchant knows.
struct OutcomeSituation: CustomStringConvertible {
    /// The report: booked, with the attempt's reference and currency, and nothing else.
    var report = PaymentReport(gateway: "test")
    /// The order's amount.
    var order: Int64 = 1000
    /// The ordered amount that the gateway states, less the order's amount; nil if it states none.
    var orderedExcess: Int64?
    /// Whether the merchant knows the payment's identifier, `P1`.
    var knowsIdentifier = false
    /// Whether the merchant's account is for tests.
    var isTest: Bool?

    init(_ meaning: PaymentReport.Meaning = .booked, captured: Int64? = nil) {
        report.meaning = meaning
        report.reference = "order-1"
        report.currency = "EUR"
        report.captured = captured
    }

    /// Every member that the outcome can depend on, on one line.
    var description: String {
        func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "-" }
        return "about \(report.about.rawValue), \(report.meaning)"
            + ", A \(text(report.authorized)) c \(text(report.captureRequested))"
            + " C \(text(report.captured)) g \(text(report.refundRequested))"
            + " G \(text(report.refunded)), operation \(text(report.operationAmount))"
            + ", order \(order), ordered \(text(report.ordered))"
            + ", reference \(text(report.reference)), currency \(text(report.currency))"
            + ", payment \(text(report.paymentID)) (known: \(knowsIdentifier ? "P1" : "-"))"
            + ", test \(text(report.isTest)) (account: \(text(isTest)))"
            + ", refusal \(text(report.refusal?.origin)), address \(text(report.address))"
            + ", can be asked \(report.canBeAsked), fault \(text(report.fault))"
            + ", chargeback \(report.hasChargeback)"
    }
}

/// One member, or two that are compared with each other.
enum OutcomeDimension: CaseIterable {
    case about
    case meaning
    case authorized
    case captureRequested
    case captured
    case refundRequested
    case refunded
    case order
    case ordered
    case reference
    case currency
    /// The report's identifier of the payment, and the one that the merchant knows.
    case identifier
    /// The report's mode, and the account's.
    case test
    case refusal
    case address
    case canBeAsked
    case fault
    case chargeback

    static let amounts: [Self] = [
        .authorized, .captureRequested, .captured, .refundRequested, .refunded,
    ]
}

/// Goes through combinations of the dimensions' values.
struct OutcomeWalk: Sendable {
    /// The values of each amount.
    var amounts: [Int64?] = [nil, 0, 400, 1000, 1600]
    /// The values of the order's amount.
    var orders: [Int64] = [0, 1000]

    /// Returns the number of combinations.
    func count(_ dimensions: [OutcomeDimension]) -> Int {
        dimensions.reduce(1) { $0 * count($1) }
    }

    /// Calls a function with each combination, or with those whose numbers are in a range, at the distance of the step.
    func visit(
        _ dimensions: [OutcomeDimension],
        in range: Range<Int>? = nil,
        step: Int = 1,
        base: OutcomeSituation = OutcomeSituation(),
        _ body: (OutcomeSituation) throws -> Void
    ) rethrows {
        let counts = dimensions.map { count($0) }
        var situation = base
        // The number of each dimension's present value: with a step of 1, mostly the last one changes only.
        var present = [Int](repeating: -1, count: counts.count)
        let range = range ?? 0..<count(dimensions)
        for number in stride(from: range.lowerBound, to: range.upperBound, by: step) {
            var rest = number
            for position in counts.indices.reversed() {
                let value = rest % counts[position]
                rest /= counts[position]
                guard value != present[position] else { continue }
                present[position] = value
                apply(dimensions[position], value, to: &situation)
            }
            situation.report.ordered = situation.orderedExcess.map { situation.order &+ $0 }
            try body(situation)
        }
    }

    private func count(_ dimension: OutcomeDimension) -> Int {
        switch dimension {
        case .about: Self.subjects.count
        case .meaning: PaymentReport.Meaning.allCases.count
        case .authorized, .captureRequested, .captured, .refundRequested, .refunded: amounts.count
        case .order: orders.count
        case .ordered: Self.excesses.count
        case .reference: Self.references.count
        case .currency: Self.currencies.count
        case .identifier: 2 * Self.identifiers.count
        case .test: Self.flags.count * Self.flags.count
        case .refusal: Self.refusals.count
        case .address, .canBeAsked, .fault, .chargeback: 2
        }
    }

    private func apply(
        _ dimension: OutcomeDimension, _ value: Int, to situation: inout OutcomeSituation
    ) {
        switch dimension {
        case .about: situation.report.about = Self.subjects[value]
        case .meaning: situation.report.meaning = PaymentReport.Meaning.allCases[value]
        case .authorized: situation.report.authorized = amounts[value]
        case .captureRequested: situation.report.captureRequested = amounts[value]
        case .captured: situation.report.captured = amounts[value]
        case .refundRequested: situation.report.refundRequested = amounts[value]
        case .refunded: situation.report.refunded = amounts[value]
        case .order: situation.order = orders[value]
        case .ordered: situation.orderedExcess = Self.excesses[value]
        case .reference: situation.report.reference = Self.references[value]
        case .currency: situation.report.currency = Self.currencies[value]
        case .identifier:
            situation.report.paymentID = Self.identifiers[value / 2]
            situation.knowsIdentifier = value % 2 == 1
        case .test:
            situation.report.isTest = Self.flags[value / Self.flags.count]
            situation.isTest = Self.flags[value % Self.flags.count]
        case .refusal: situation.report.refusal = Self.refusals[value]
        case .address: situation.report.address = value == 0 ? nil : Self.page
        case .canBeAsked: situation.report.canBeAsked = value == 1
        case .chargeback: situation.report.hasChargeback = value == 1
        case .fault: situation.report.fault = value == 0 ? nil : "amount is not a number."
        }
    }

    private static let subjects: [PaymentReport.Subject] = [
        .payment, .refund, .chargeback, .init(rawValue: "payout"),
    ]
    private static let excesses: [Int64?] = [nil, 0, -1, 1]
    private static let references: [ExactText?] = [nil, "order-1", "order-2"]
    private static let currencies: [ExactText?] = [nil, "EUR", "USD"]
    private static let identifiers: [ExactText?] = [nil, "P1", "P2"]
    private static let flags: [Bool?] = [nil, true, false]
    private static let refusals: [PaymentReport.Refusal?] =
        [nil] + PaymentReport.Refusal.Origin.allCases.map { .init(code: "51", origin: $0) }
    private static let page = URL(string: "https://bank.example/1")
}
