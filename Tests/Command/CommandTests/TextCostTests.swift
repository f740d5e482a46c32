import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrderPrograms
import ApplePayOrders
import ApplePayPrimitives
import ApplePayTokenTestingPrimitives
import ApplePayTransport
import ApplePayWire
import Foundation
import Testing

@testable import paytokend

/// F2: a run of combining marks must not cost more than as many letters.
@Suite("Long texts of others", .serialized)
struct TextCostTests {
    /// A place where text of others is read and compared, by its name; the work on a text in JSON's quotes.
    static let places: [(name: String, work: @Sendable (_ text: String) -> Void)] = [
        (
            "currency",
            { _ = try? ServiceBody.Token(body(#""order":{"currency":\#($0)}"#), isDecrypted: true) }
        ),
        (
            "zero amount",
            {
                _ = try? ServiceBody.Token(
                    body(#""order":{"zeroAmount":\#($0)}"#), isDecrypted: true)
            }
        ),
        ("name of a member", { _ = try? ServiceBody.Token(body("\($0):1"), isDecrypted: true) }),
        ("gateway", { _ = try? ServiceBody.Payment(body(#""gateway":\#($0)"#), isPage: true) }),
        ("person", { _ = try? ServiceBody.Decision(body(#""by":\#($0)"#)) }),
        (
            "key of a message",
            { text in
                _ = try? merchant.worldlineDirect.read(
                    GatewayMessage(
                        method: text, target: text,
                        headers: [("X-GCS-KeyId", text), ("X-GCS-Signature", text), (text, text)],
                        body: []), receivedAt: Date())
            }
        ),
        (
            "name of a header",
            {
                _ = GatewayResponse(status: 200, headers: [($0, $0)], body: []).header(
                    "Retry-After")
            }
        ),
        (
            "reference in an answer",
            { text in
                let report = RBS.statusReport(
                    GatewayResponse(
                        status: 200,
                        body: Array(
                            #"{"orderStatus":2,"amount":1,"orderNumber":\#(text),"currency":\#(text)}"#
                                .utf8)))
                if let euro = Currency(alphabetic: "EUR"),
                    let attempt = try? PaymentAttempt(
                        Order(reference: "r", amount: 1, currency: euro))
                {
                    _ = OrderOutcome(report: report, attempt: attempt)
                }
            }
        ),
        ("cursor", { _ = ChangeCursor($0) }), ("position", { _ = AttemptPosition($0) }),
        ("path", { _ = ServiceReply.unknownPath([$0]) }),
        ("text for a record", { _ = ExactText($0).withoutCardNumbers }),
    ]

    private static let merchant = ExampleMerchant(secret: "not-a-real-secret")

    private static func body(_ member: String) throws -> AnswerValue {
        try AnswerValue(Array("{\(member)}".utf8))
    }

    /// The texts that are compared: what is repeated, and letters of the same length.
    static let texts: [(name: String, part: String, letters: String)] = [
        ("combining marks", "\u{301}\u{323}", "\u{E9}\u{E8}"), ("joiners", "\u{200D}", "\u{4E2D}"),
        ("escapes", #"\u0301"#, #"\u00e9"#),
    ]

    @Test("cost at most twice as much as letters", arguments: places.indices)
    func marks(_ index: Int) {
        let place = Self.places[index]
        for text in Self.texts {
            func cost(_ part: String) -> Duration {
                let count = (256 << 10) / part.utf8.count
                let whole = "\"a\(String(repeating: part, count: count))\""
                return (0..<5).map { _ in
                    let start = ProcessorTime.ofThread
                    place.work(whole)
                    return ProcessorTime.ofThread - start
                }.min() ?? .zero
            }
            let (letters, marks) = (cost(text.letters), cost(text.part))
            // A millisecond is the noise of the measurement.
            #expect(
                marks <= letters * 2 + .milliseconds(1),
                "\(place.name), \(text.name): \(letters), \(marks)")
        }
    }
}
