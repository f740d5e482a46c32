import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import TestVectors
import Testing

/// What Worldline Direct's acquirer took of a payment of 30.00 euros.
@Suite("The acquired amount at Worldline Direct")
struct AcquiredAmountTests {
    /// A payment in an answer: its status with its code, its operations as `code:amount`, and the other members of its output.
    struct Row: Sendable {
        let status: String
        let operations: String
        let acquired: String
        let state: OrderOutcome.State
        let totals: String

        init(
            _ status: String, _ operations: String, _ acquired: String,
            _ state: OrderOutcome.State, _ totals: String
        ) {
            self.status = status
            self.operations = operations
            self.acquired = acquired
            self.state = state
            self.totals = totals
        }

        /// The answer to GetPaymentDetails.
        var text: String {
            let list = operations.split(separator: " ").map { operation in
                let parts = operation.split(separator: ":")
                return #"{"id":"1_1","status":"OTHER","statusOutput":{"statusCode":\#(parts[0])},"#
                    + #""amountOfMoney":{"amount":\#(parts[1]),"currencyCode":"EUR"}}"#
            }
            let status = status.split(separator: ":")
            return
                #"{"id":"1_0","status":"\#(status[0])","statusOutput":{"statusCode":\#(status[1])},"#
                + #""Operations":[\#(list.joined(separator: ","))],"paymentOutput":{"#
                + #""amountOfMoney":{"amount":3000,"currencyCode":"EUR"}\#(acquired),"#
                + #""references":{"merchantReference":"order-1001"}}}"#
        }
    }

    private static func acquired(_ amount: Int64, _ currency: String = "EUR") -> String {
        #","acquiredAmount":{"amount":\#(amount),"currencyCode":"\#(currency)"}"#
    }

    private static func surcharge(_ amount: Int64) -> String {
        #","surchargeSpecificOutput":{"mode":"on-top","surchargeAmount":{"amount":\#(amount),"#
            + #""currencyCode":"EUR"}}"#
    }

    private static let rows: [Row] = [
        .init("CAPTURED:9", "9:3000", "", .paid, "C3000"),
        .init("CAPTURED:9", "9:3000", acquired(3000), .paid, "C3000"),
        .init("CAPTURED:9", "", acquired(3000), .paid, "C3000"),
        // Paid in parts, such as with vouchers.
        .init("CAPTURED:9", "9:3000", acquired(1), .partlyPaid, "C1"),
        .init("CAPTURED:9", "", acquired(1), .partlyPaid, "C1"),
        .init("CAPTURED:9", "9:3000", acquired(0), .unknown, ""),
        .init("PENDING_CAPTURE:5", "5:3000", acquired(1), .partlyAuthorized, "A1"),
        .init("PENDING_CAPTURE:5", "", acquired(1), .partlyAuthorized, "A1"),
        .init("PENDING_CAPTURE:5", "5:3000", acquired(3000), .authorized, "A3000"),
        // It states no capture by itself.
        .init("PENDING_CAPTURE:5", "5:3000 9:1000", acquired(3000), .partlyPaid, "A2000 C1000"),
        .init("CAPTURE_REQUESTED:91", "91:3000", acquired(0), .authorized, "c3000"),
        .init("CREATED:0", "0:3000", acquired(3000), .pending, ""),
        // Nothing is acquired of what was refused or released.
        .init("REJECTED:2", "2:3000", acquired(0), .refused, ""),
        .init("CANCELLED:6", "5:3000 6:3000", acquired(0), .returned, ""),
        // In another currency, it is a settlement.
        .init("CAPTURED:9", "9:3000", acquired(1, "USD"), .paid, "C3000"),
        // A surcharge that is stated is no contradiction; without it, more than the order is.
        .init("CAPTURED:9", "9:3000", acquired(3100) + surcharge(100), .paid, "C3000"),
        .init("CAPTURED:9", "9:3100", acquired(3100) + surcharge(100), .paid, "C3000"),
        .init("CAPTURED:9", "", acquired(3100) + surcharge(100), .paid, "C3000"),
        .init("PENDING_CAPTURE:5", "5:3100", acquired(3100) + surcharge(100), .authorized, "A3000"),
        .init(
            "REFUNDED:8", "9:3100 8:3100", acquired(3100) + surcharge(100), .returned, "C3000 G3000"
        ),
        .init("CAPTURED:9", "9:3000", acquired(3000) + surcharge(100), .partlyPaid, "C2900"),
        .init("CAPTURED:9", "9:3000", acquired(3100), .unknown, "C3000"),
        .init("CAPTURED:9", "9:3000", acquired(3200) + surcharge(100), .unknown, "C3000"),
        .init("CAPTURED:9", "9:3100", surcharge(100), .unknown, "C3100"),
        // After a refund, the acquirer may state what is left.
        .init("CAPTURED:9", "9:3000 8:3000", acquired(0), .returned, "C3000 G3000"),
        .init("CAPTURED:9", "9:3000 8:1000", acquired(3000), .partlyReturned, "C3000 G1000"),
        // A refund without an operation states no amount.
        .init("REFUNDED:8", "9:3000", acquired(3000), .unknown, "C3000"),
        .init("REFUNDED:7", "9:3000", "", .unknown, "C3000"),
        .init("REFUND_REQUESTED:81", "9:3000", "", .unknown, "C3000"),
        .init("CAPTURED:8", "9:3000", "", .unknown, "C3000"),
        .init("REFUNDED:8", "9:3000 8:3000", "", .returned, "C3000 G3000"),
        .init("REFUND_REQUESTED:81", "9:3000 81:3000", "", .returning, "C3000 g3000"),
        // A refund that was refused is not a refund.
        .init("REFUNDED:8", "9:3000 83:3000", "", .unknown, "C3000"),
    ]

    @Test("limits what is authorized or captured, and a refund needs an operation")
    func payments() throws {
        for row in Self.rows {
            let reading = try AnswerVector("worldline-direct", "details", row.text).read()
            #expect(reading.state == row.state.rawValue, "\(row) \(reading.reason ?? "")")
            #expect(TotalsCase.text(try #require(reading.report)) == row.totals, "\(row)")
            if row.state == .unknown { #expect(reading.reason != nil, "\(row)") }
        }
    }

    @Test("limits the first answer to a payment")
    func first() throws {
        for row in Self.rows where row.operations.isEmpty {
            let text = #"{"payment":\#(row.text)}"#
            let reading = try AnswerVector("worldline-direct", "payment", text, status: 201).read()
            #expect(reading.state == row.state.rawValue, "\(row) \(reading.reason ?? "")")
            #expect(TotalsCase.text(try #require(reading.report)) == row.totals, "\(row)")
        }
    }

    @Test("with a wrong type or a negative amount cannot be read")
    func types() throws {
        for member in [
            #","acquiredAmount":3000"#, #","acquiredAmount":{"amount":{},"currencyCode":"EUR"}"#,
            #","acquiredAmount":{"amount":3000,"currencyCode":[]}"#, Self.acquired(-1),
            #","surchargeSpecificOutput":"x""#, Self.acquired(3000) + Self.surcharge(-1),
        ] {
            let row = Row("CAPTURED:9", "9:3000", member, .unknown, "")
            let reading = try AnswerVector("worldline-direct", "details", row.text).read()
            #expect(reading.state == "unknown" && reading.report?.fault != nil, "\(member)")
        }
    }

    @Test("of a capture limits it, and its surcharge is no contradiction")
    func operations() throws {
        for (amount, members, state) in [
            (1000, "", "done"), (1000, Self.acquired(1000), "done"),
            (1000, Self.acquired(1), "unknown"), (1000, Self.acquired(0), "unknown"),
            (1000, Self.acquired(1100) + Self.surcharge(100), "done"),
            (1100, Self.acquired(1100) + Self.surcharge(100), "done"),
            (1000, Self.acquired(1100), "done"), (1100, Self.acquired(1100), "unknown"),
            (1000, Self.acquired(1000) + Self.surcharge(100), "unknown"),
        ] as [(Int, String, String)] {
            for (kind, status, output) in [
                (PaymentOperation.Kind.capture, "CAPTURED", "capture"),
                (.refund, "REFUNDED", "refund"),
            ] {
                let text =
                    #"{"id":"1_1","status":"\#(status)","\#(output)Output":{"amountOfMoney":{"#
                    + #""amount":\#(amount),"currencyCode":"EUR"}\#(members)}}"#
                let response = GatewayResponse(status: 201, body: Array(text.utf8))
                let report = Worldline.operationReport(response, of: kind, .direct)
                let outcome = OperationOutcome(
                    report, of: kind, amount: 1000,
                    on: try GatewayFixture.attempt(GatewayFixture.order()))
                #expect(outcome.state.rawValue == state, "\(kind) \(amount) \(members)")
            }
        }
    }
}
