import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import Foundation
import TestVectors
import Testing

/// The properties that all gateways' messages have in common.
@Suite("A message from a gateway")
struct MessageTests {
    /// Expects that a message is refused with this code and field, and a sentence.
    static func expect(
        _ code: PaymentError.Code,
        _ field: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        let error = #expect(throws: PaymentError.self, sourceLocation: sourceLocation) {
            try body()
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect((error?.members.first ?? "") == field, sourceLocation: sourceLocation)
        #expect(error?.description.hasSuffix(".") == true, sourceLocation: sourceLocation)
    }

    private func order() throws -> PaymentAttempt {
        try GatewayFixture.attempt(GatewayFixture.order())
    }

    @Test("is not supported without a key, or by a gateway that signs none")
    func unsupported() throws {
        let merchant = ExampleMerchant(secret: "not-a-real-secret")
        let body =
            #"{"apiVersion":"v1","merchantId":"m-1","id":"1","type":"payment.paid"}"#
        let messages = [
            try SignedMessage.worldline(body), try SignedMessage.bePaid(body),
            try SignedMessage.dintero("/?x=1", SignedMessage.dinteroSignature("x=1", path: "/")),
            GatewayMessage(
                method: "GET", target: "/",
                headers: [("X-GCS-Webhooks-Endpoint-Verification", "x")], body: []),
        ]
        let accounts: [any PaymentGateway] = [
            merchant.worldlineDirect, merchant.worldlineConnect, merchant.bePaid, merchant.dintero,
            merchant.rbs(.encrypted), merchant.cyberSource, try merchant.checkout(),
            try merchant.adyen(), merchant.payPal,
            with(merchant.dintero) { $0.callbackSecret = GatewayFixture.secret("") },
        ]
        for account in accounts {
            for message in messages {
                Self.expect(.unsupportedMessages, "") {
                    _ = try account.read(message, receivedAt: SignedMessage.time)
                }
            }
        }
    }

    @Test("about a payment without a reference has a fault, and keeps an earlier one")
    func reference() throws {
        var report = PaymentReport(gateway: "test")
        report.meaning = .booked
        let event = { GatewayEvent(identifier: "1", type: "t", time: nil, report: $0) }
        #expect(event(report).report.fault == "The message does not repeat a reference.")
        #expect(OrderOutcome(report: event(report).report, attempt: try order()).state == .unknown)
        report.fault = "Another fault."
        #expect(event(report).report.fault == "Another fault.")
        report.fault = nil
        report.reference = "order-1001"
        #expect(event(report).report == report)
        report.reference = nil
        report.about = .refund
        #expect(event(report).report == report)
    }

    /// A message about each object, as `GATEWAY`, the message, and what it is about.
    private static let objects: [(String, String, PaymentReport.Subject)] = [
        ("worldline", "payment.captured", .payment), ("worldline", "payment.refunded", .refund),
        ("worldline", "payment.chargebacked", .chargeback),
        ("worldline", "refund.refunded", .refund),
        ("worldline", "dispute.created", .chargeback),
        ("worldline", "payout.paid", .init(rawValue: "payout")),
        ("worldline", "token.created", .init(rawValue: "token")),
        ("worldline", "capture.captured", .init(rawValue: "capture")),
        ("bepaid", "payment", .payment), ("bepaid", "authorization", .payment),
        ("bepaid", "charge", .payment), ("bepaid", "refund", .refund),
        ("bepaid", "void", .cancellation),
        ("bepaid", "capture", .capture), ("bepaid", "chargeback", .chargeback),
        ("bepaid", "credit", .init(rawValue: "credit")),
        ("bepaid", "payout", .init(rawValue: "payout")),
        ("bepaid", "tokenization", .init(rawValue: "tokenization")),
        ("bepaid", "checkup", .init(rawValue: "checkup")),
        ("dintero", "CAPTURE", .capture), ("dintero", "REFUND", .refund),
        ("dintero", "VOID", .cancellation),
        ("dintero", "SETTLE", .init(rawValue: "SETTLE")), ("dintero", "", .payment),
    ]

    @Test(
        "states the order's outcome only if it is about the payment", arguments: objects)
    func subjects(_ gateway: String, _ type: String, _ subject: PaymentReport.Subject) throws {
        let contents =
            switch gateway {
            case "worldline": try Self.worldline(type)
            case "bepaid": try Self.bePaid(type)
            default: try Self.dintero(type)
            }
        let event = try #require(contents.event)
        #expect(event.report.about == subject)
        let outcome = OrderOutcome(report: event.report, attempt: try order())
        #expect(![.paid, .authorized, .refused, .returned].contains(outcome.state), "\(outcome)")
        if subject != .payment { #expect(outcome.state == .unknown) }
    }

    private static func worldline(_ type: String) throws -> GatewayMessageContents {
        let object = type.prefix { $0 != "." }
        let body =
            #"{"apiVersion":"v1","merchantId":"m-1","id":"e1","type":"\#(type)","\#(object)":{"id":"1_0","#
            + #""status":"REFUNDED","statusOutput":{"statusCode":8},"\#(object)Output":{"amountOfMoney":{"#
            + #""amount":3000,"currencyCode":"EUR"},"references":{"merchantReference":"order-1001"}}}}"#
        return try SignedMessage.worldlineAccount("worldline-connect").read(
            SignedMessage.worldline(body), receivedAt: SignedMessage.time)
    }

    private static func bePaid(_ type: String) throws -> GatewayMessageContents {
        let body =
            #"{"transaction":{"uid":"u1","status":"successful","type":"\#(type)","amount":3000,"#
            + #""currency":"EUR","tracking_id":"order-1001"}}"#
        return try SignedMessage.bePaidShop().read(
            SignedMessage.bePaid(body), receivedAt: SignedMessage.time)
    }

    private static func dintero(_ event: String) throws -> GatewayMessageContents {
        let query =
            (event.isEmpty ? "" : "event=\(event)&")
            + "merchant_reference=order-1001&transaction_id=P00000000.t1"
        return try SignedMessage.dinteroAccount().read(
            SignedMessage.dintero("/callback?\(query)", SignedMessage.dinteroSignature(query)),
            receivedAt: SignedMessage.time)
    }

    @Test("that arrives late does not replace a newer report")
    func late() throws {
        var newer = PaymentReport(gateway: "worldline-connect")
        newer.reference = "order-1001"
        newer.paymentID = "1_0"
        newer.captured = 3000
        let message = try #require(try Self.worldline("payment.captured").event).report
        #expect(!message.canFollow(newer) && newer.canFollow(message))
        newer.paymentID = "2"
        #expect(!newer.canFollow(message))
        newer.paymentID = nil
        #expect(newer.canFollow(message))
        newer.reference = "order-1002"
        #expect(!newer.canFollow(message))
    }

    @Test("does not show its contents in its description")
    func descriptions() throws {
        let message = try SignedMessage.worldline("secret")
        #expect("\(message)" == "GatewayMessage(POST /hook, 6 bytes)")
        let query = GatewayMessage(method: "GET", target: "/a?b=c", headers: [], body: [])
        #expect("\(query)" == "GatewayMessage(GET /a, 0 bytes)")
        #expect(Mirror(reflecting: message).children.isEmpty)
    }
}
