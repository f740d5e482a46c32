import ApplePayGateways
import ApplePayToken
import TestVectors
import Testing

/// Answers from which the totals of a payment of 30.00 euros are added up.
struct TotalsCase: Sendable, CustomTestStringConvertible {
    let vector: AnswerVector
    let state: OrderOutcome.State
    /// The totals that are not 0: A reserved, c capture requested, C captured, g refund requested, G given back.
    let totals: String

    var testDescription: String { "\(vector.gateway) \(vector.step) \(vector.id.prefix(300))" }

    init(
        _ gateway: String, _ step: String, _ body: String, _ state: OrderOutcome.State,
        _ totals: String = ""
    ) {
        let status = ["cybersource", "checkout", "paypal"].contains(gateway) && step == "payment"
        vector = AnswerVector(gateway, step, body, status: status ? 201 : 200)
        self.state = state
        self.totals = totals
    }

    /// Returns the totals of a report in the form of ``totals``.
    static func text(_ report: PaymentReport) -> String {
        let totals = [
            ("A", report.authorized), ("c", report.captureRequested), ("C", report.captured),
            ("g", report.refundRequested), ("G", report.refunded),
        ]
        return totals.compactMap { name, amount in
            amount.flatMap { $0 == 0 ? nil : "\(name)\($0)" }
        }.joined(separator: " ")
    }
}

@Suite("The totals of a payment")
struct TotalsTests {
    /// The totals of the gateways in these files; a suite can state more.
    static let listed = details + connect + bePaid + rbs + dintero + checkout + payPal + others

    @Test("are added up from what the gateway states", arguments: GatewaySuites.totals)
    func totals(_ row: TotalsCase) throws {
        let reading = try row.vector.read()
        #expect(reading.state == row.state.rawValue, "\(reading.reason ?? "")")
        #expect(TotalsCase.text(try #require(reading.report)) == row.totals)
    }

    @Test(
        "state a chargeback if the gateway does",
        arguments: [
            (payPal("c:PENDING/CHARGEBACK:30.00", .pending), true),
            (payPal("c:PENDING/ECHECK:30.00", .authorized), false),
            (payPal("c:COMPLETED:30.00", .paid), false),
            (connect("CHARGEBACKED", "amountCaptured:3000", .returned), true),
            (connect("REFUNDED", "amountCaptured:3000 amountRefunded:3000", .returned), false),
        ])
    func chargebacks(_ row: TotalsCase, _ hasChargeback: Bool) throws {
        let reading = try row.vector.read()
        #expect(reading.state == row.state.rawValue)
        #expect(reading.report?.hasChargeback == hasChargeback)
    }

    /// Returns GetPaymentDetails of Worldline Direct with operations, each as `CODE:AMOUNT` or `STATUS:AMOUNT`.
    private static func detail(
        _ top: String, _ operations: String, _ state: OrderOutcome.State, _ totals: String = "",
        isAuthorized: Bool? = nil
    ) -> TotalsCase {
        let list = operations.split(separator: " ").enumerated().map { index, item in
            let parts = item.split(separator: ":")
            let code = Int(parts[0]).map { #""status":"S","statusOutput":{"statusCode":\#($0)}"# }
            return #"{"id":"1_\#(index)",\#(code ?? #""status":"\#(parts[0])""#),"#
                + #""amountOfMoney":{"amount":\#(parts[1]),"currencyCode":"EUR"}}"#
        }
        let parts = top.split(separator: ":")
        let flag = isAuthorized.map { #","isAuthorized":\#($0)"# } ?? ""
        return TotalsCase(
            "worldline-direct", "details",
            #"{"id":"1_0","status":"\#(parts[0])","statusOutput":{"statusCode":\#(parts[1])\#(flag)},"#
                + #""paymentOutput":{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"},"#
                + #""references":{"merchantReference":"order-1001"}},"#
                + #""Operations":[\#(list.joined(separator: ","))]}"#, state, totals)
    }

    private static let details: [TotalsCase] =
        [
            detail("PENDING_CAPTURE:5", "5:3000", .authorized, "A3000"),
            detail("PENDING_CAPTURE:5", "5:3000 91:1000", .authorized, "A2000 c1000"),
            detail("PENDING_CAPTURE:5", "5:3000 9:1000", .partlyPaid, "A2000 C1000"),
            detail("CAPTURED:9", "5:3000 9:1000 9:2000", .paid, "C3000"),
            detail("CAPTURED:9", "9:3000", .paid, "C3000"),
            // A final capture of a part leaves nothing open.
            detail("CAPTURED:9", "5:3000 9:1000", .partlyPaid, "C1000", isAuthorized: false),
            detail("CAPTURED:9", "5:3000 9:3000 8:1000", .partlyReturned, "C3000 G1000"),
            detail("REFUNDED:8", "5:3000 9:3000 8:1000 8:2000", .returned, "C3000 G3000"),
            detail("REFUNDED:7", "9:3000 7:1000 85:2000", .returned, "C3000 G3000"),
            // Refused operations change nothing.
            detail("REJECTED:83", "5:3000 9:3000 83:3000", .paid, "C3000"),
            detail("REJECTED:73", "5:3000 9:3000 73:3000", .paid, "C3000"),
            detail(
                "REJECTED_CAPTURE:93", "5:3000 93:3000", .authorized, "A3000", isAuthorized: true),
            detail("CANCELLED:63", "5:3000 63:1000", .authorized, "A3000", isAuthorized: true),
            detail("CANCELLED:64", "5:3000 64:1000", .authorized, "A3000", isAuthorized: true),
            detail("CANCELLED:63", "5:3000 9:3000 63:1000", .paid, "C3000"),
            detail("CANCELLED:63", "5:3000 91:3000 63:1000", .authorized, "c3000"),
            detail("PENDING_CAPTURE:5", "5:3000 6:1000", .partlyAuthorized, "A2000"),
            detail("PENDING_CAPTURE:5", "5:3000 61:1000", .partlyAuthorized, "A2000"),
            detail("PENDING_CAPTURE:5", "5:3000 62:1000", .partlyAuthorized, "A2000"),
            detail("CANCELLED:6", "5:3000 6:3000", .returned),
            detail("CANCELLED:61", "5:3000 61:3000", .pending),
            detail("PENDING_CAPTURE:5", "5:1000", .partlyAuthorized, "A1000"),
            detail("REJECTED:2", "2:3000", .refused),
            detail("CANCELLED:1", "1:3000", .refused),
            // The captured and reserved amounts exceed the order.
            detail("CAPTURED:9", "5:3000 9:3001", .unknown, "C3001"),
            detail("PENDING_CAPTURE:5", "5:9223372036854775807 5:1", .unknown, "A\(Int64.max)"),
            detail(
                "CAPTURED:9", "9:3000 8:9223372036854775807 8:9", .unknown, "C3000 G\(Int64.max)"),
            // Words without a code.
            detail("PENDING_CAPTURE:5", "PENDING_CAPTURE:3000", .authorized, "A3000"),
            detail("CAPTURED:9", "PENDING_CAPTURE:3000 CAPTURED:3000", .paid, "C3000"),
            detail("CAPTURE_REQUESTED:91", "CAPTURE_REQUESTED:3000", .authorized, "c3000"),
            detail(
                "PENDING_CAPTURE:5", "PENDING_CAPTURE:3000 CANCELLED:1000", .partlyAuthorized,
                "A2000"),
            detail("CAPTURED:9", "CAPTURED:3000 REFUNDED:1000", .partlyReturned, "C3000 G1000"),
            detail("CAPTURED:9", "CAPTURED:3000 REFUND_REQUESTED:3000", .returning, "C3000 g3000"),
            detail(
                "CAPTURED:9",
                "CAPTURED:3000 REJECTED:1000 REJECTED_CAPTURE:1 CREATED:1 REDIRECTED:1", .paid,
                "C3000"),
            // The word of the payment, or that of an operation, is not documented.
            detail("NEW:9", "9:3000", .unknown, "C3000"),
            detail("CAPTURED:9", "9:3000 77:1000", .unknown),
            detail("CAPTURED:9", "9:3000 NEW:1", .unknown),
            detail("CAPTURED:9", "9:3000 8:-1", .unknown),
        ]
        + [4, 91, 92, 99].map {
            detail("CAPTURE_REQUESTED:\($0)", "5:3000 \($0):3000", .authorized, "c3000")
        }
        + [71, 72, 81, 82].map {
            detail("REFUND_REQUESTED:\($0)", "9:3000 \($0):3000", .returning, "C3000 g3000")
        }
        + [0, 1, 2, 46, 50, 51, 52, 55, 56, 57, 59].map {
            detail("PENDING_CAPTURE:5", "\($0):3000 5:3000", .authorized, "A3000")
        }

    /// Returns GetPayment of Worldline Connect with the payment's totals.
    private static func connect(
        _ status: String, _ totals: String, _ state: OrderOutcome.State, _ expected: String = ""
    ) -> TotalsCase {
        let members = totals.split(separator: " ").map { item in
            let parts = item.split(separator: ":")
            return #","\#(parts[0])":\#(parts[1])"#
        }
        return TotalsCase(
            "worldline-connect", "status",
            #"{"id":"1","status":"\#(status)","paymentOutput":{"amountOfMoney":{"amount":3000,"#
                + #""currencyCode":"EUR"},"references":{"merchantReference":"order-1001"}"#
                + "\(members.joined())}}", state, expected)
    }

    private static let connect: [TotalsCase] = [
        connect("CAPTURED", "amountCaptured:3000 amountRefunded:0", .paid, "C3000"),
        connect("CAPTURED", "amountCaptured:3000 amountRefundRequested:0", .paid, "C3000"),
        connect("PAID", "amountPaid:3000 amountRefunded:0", .paid, "C3000"),
        connect(
            "PAID", "amountCaptured:3000 amountPaid:1000 amountRefunded:0", .paid, "C3000"),
        // Without a total of refunds, something may have been given back.
        connect("CAPTURED", "amountCaptured:3000", .unknown),
        connect("PAID", "amountPaid:3000", .unknown),
        connect("PENDING_CAPTURE", "amountCaptured:1000", .unknown),
        connect("CAPTURE_REQUESTED", "amountCaptureRequested:3000", .authorized, "c3000"),
        connect(
            "PENDING_CAPTURE", "amountCaptured:1000 amountCaptureRequested:500 amountRefunded:0",
            .partlyPaid, "A1500 c500 C1000"),
        connect("REJECTED_CAPTURE", "amountCaptured:0", .authorized, "A3000"),
        connect("PENDING_CAPTURE", "amountCaptured:4000 amountRefunded:0", .unknown, "C4000"),
        connect(
            "CAPTURED", "amountCaptured:3000 amountRefunded:1000", .partlyReturned, "C3000 G1000"),
        connect("REFUNDED", "amountCaptured:3000 amountRefunded:3000", .returned, "C3000 G3000"),
        connect(
            "REFUNDED", "amountCaptured:3000 amountRefunded:1000 amountReversed:2000", .returned,
            "C3000 G3000"),
        connect("REVERSED", "amountCaptured:3000 amountReversed:3000", .returned, "C3000 G3000"),
        connect("REFUNDED", "amountCaptured:3000 amountRefunded:1", .partlyReturned, "C3000 G1"),
        connect(
            "REFUND_REQUESTED", "amountCaptured:3000 amountRefundRequested:1", .partlyReturned,
            "C3000 g1"),
        connect(
            "REFUND_REQUESTED", "amountCaptured:3000 amountRefundRequested:3000", .returning,
            "C3000 g3000"),
        connect("CHARGEBACKED", "amountCaptured:3000", .returned, "C3000 G3000"),
        connect("CHARGEBACK_NOTIFICATION", "amountCaptured:3000", .returning, "C3000 g3000"),
        connect("PENDING_APPROVAL", "amountCaptured:0", .authorized, "A3000"),
        // A return without its amount.
        connect("REFUNDED", "amountCaptured:3000", .unknown),
        connect("REFUND_REQUESTED", "amountCaptured:3000", .unknown),
        connect("REVERSED", "amountCaptured:3000", .unknown),
        connect("REVERSED", "amountCaptured:3000 amountRefunded:0", .unknown),
        // No capture is stated.
        connect("CAPTURED", "amountRefunded:0", .unknown),
        connect(
            "REFUNDED",
            "amountCaptured:3000 amountRefunded:\(Int64.max) amountReversed:\(Int64.max)", .unknown,
            "C3000 G\(Int64.max)"),
        // Captured money contradicts a refusal, and outlives a cancellation.
        connect("REJECTED", "amountCaptured:3000", .unknown, "C3000"),
        connect("CANCELLED", "amountCaptured:1000", .partlyPaid, "C1000"),
    ]
}
