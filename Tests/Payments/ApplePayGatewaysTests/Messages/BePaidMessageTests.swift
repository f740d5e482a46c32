import ApplePayAcceptance
import ApplePayGateways
import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@Suite("A message from bePaid")
struct BePaidMessageTests {
    private static let body =
        #"{"transaction":{"uid":"4107-310b0da80b","status":"successful","type":"payment","amount":3000,"#
        + #""currency":"EUR","tracking_id":"order-1001","test":false,"#
        + #""updated_at":"2026-11-21T08:30:00.123Z","created_at":"2026-11-21T08:29:00Z"}}"#

    private func read(_ message: GatewayMessage) throws -> GatewayEvent {
        try #require(
            try SignedMessage.bePaidShop().read(message, receivedAt: SignedMessage.time).event)
    }

    @Test("is verified with the shop's RSA key, given as PEM or only as base64")
    func event() throws {
        let rsa = try SignedMessage.shopKey()
        let base64 = SignedMessage.publicKey(rsa)
        let lines = stride(from: 0, to: base64.count, by: 64).map { start in
            String(base64.dropFirst(start).prefix(64))
        }.joined(separator: "\r\n")
        for text in [
            base64, lines, " \(base64) ",
            "-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n",
        ] {
            var shop = try SignedMessage.bePaidShop()
            shop.notificationKey = try BePaid.NotificationKey(text)
            let contents = try shop.read(
                SignedMessage.bePaid(Self.body), receivedAt: SignedMessage.time)
            let event = try #require(contents.event)
            #expect(event.identifier == "4107-310b0da80b:successful" && event.type == "payment")
            #expect(event.time == Date(timeIntervalSince1970: 1_795_249_800.123))
            let report = event.report
            #expect(report.about == .payment && report.reference == "order-1001")
            #expect(report.paymentID == "4107-310b0da80b" && report.ordered == 3000)
            #expect(report.currency == "EUR" && report.isTest == false && report.fault == nil)
            // It is sent again for 37 hours, also after a refund.
            #expect(report.captured == nil && report.canBeAsked)
            let attempt = try GatewayFixture.attempt(GatewayFixture.order())
            #expect(OrderOutcome(report: report, attempt: attempt).state == .pending)
            #expect(OrderOutcome(report: report, attempt: attempt, isTest: true).state == .unknown)
        }
    }

    @Test("is refused if it is forged or altered")
    func forgeries() throws {
        let field = "Content-Signature"
        func refuse(
            _ code: PaymentError.Code, _ message: @autoclosure () throws -> GatewayMessage,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            MessageTests.expect(code, field, sourceLocation: sourceLocation) {
                _ = try read(message())
            }
        }
        let altered = Self.body.replacing("3000", with: "3001")
        refuse(.wrongSignature, try SignedMessage.bePaid(altered, signing: Self.body))
        refuse(
            .wrongSignature,
            try SignedMessage.bePaid(Self.body, key: SignedMessage.shopKey("other")))
        for (signature, code) in [
            ("", .malformed), ("!", .malformed), ("AAAA", .wrongSignature),
            (Data(repeating: 0, count: 256).base64EncodedString(), .wrongSignature),
            (String(repeating: "A", count: 2000), .malformed),
        ] as [(String, PaymentError.Code)] {
            refuse(
                code,
                GatewayMessage(
                    method: "POST", target: "/", headers: [(field, signature)],
                    body: Array(Self.body.utf8)))
        }
        refuse(.missingMember, GatewayMessage(method: "POST", target: "/", headers: [], body: []))
        let good = try SignedMessage.bePaid(Self.body)
        refuse(
            .malformed,
            GatewayMessage(
                method: "POST", target: "/", headers: good.headers + good.headers, body: good.body))
    }

    @Test("with a valid signature is refused if it cannot be read")
    func unreadable() throws {
        for (body, code, member) in [
            ("", .notJSON, ""), ("[]", .malformed, ""),
            (#"{"transaction":{}}"#, .missingMember, "transaction.uid"),
            (#"{"transaction":{"status":"successful"}}"#, .missingMember, "uid"),
            (#"{"transaction":{"status":"failed"}}"#, .missingMember, "transaction.uid"),
            (#"{"transaction":{"uid":"u1"}}"#, .missingMember, "transaction.uid"),
            (#"{"transaction":[]}"#, .malformed, "transaction"),
            (
                #"{"transaction":{"uid":"u1","status":"failed","tracking_id":[]}}"#, .malformed,
                "tracking_id"
            ),
            (#"{"transaction":{"uid":"u1","status":"failed","test":1}}"#, .malformed, "test"),
        ] as [(String, PaymentError.Code, String)] {
            MessageTests.expect(code, member) { _ = try read(SignedMessage.bePaid(body)) }
        }
    }

    @Test(
        "about an operation names the operation, or the reference of a payment that was charged back"
    )
    func operations() throws {
        func event(_ members: String) throws -> GatewayEvent {
            try read(
                SignedMessage.bePaid(
                    #"{"transaction":{"uid":"u2","parent_uid":"u1","status":"successful","amount":1000,"#
                        + #""currency":"EUR",\#(members)}}"#))
        }
        let capture = try event(#""type":"capture""#)
        #expect(capture.report.about == .capture && capture.report.meaning == .booked)
        #expect(capture.report.paymentID == "u1" && capture.report.operationID == "u2")
        #expect(capture.report.operationAmount == 1000 && capture.report.ordered == nil)
        #expect(capture.identifier == "u2:successful" && capture.report.fault == nil)
        #expect(capture.time == nil && !capture.report.hasChargeback)
        let refund = try event(#""type":"refund","tracking_id":"refund-1""#)
        #expect(refund.report.about == .refund && refund.report.paymentID == nil)
        #expect(refund.report.reference == "refund-1" && refund.relatedID == "u1")
        let chargeback = try event(
            #""type":"chargeback","parent_transaction":{"tracking_id":"order-1001"}"#)
        #expect(chargeback.report.about == .chargeback && chargeback.report.hasChargeback)
        #expect(chargeback.report.reference == "order-1001" && chargeback.report.paymentID == nil)
        let failed = try event(#""type":"void","created_at":"2026-11-21T08:30:00Z""#)
        #expect(failed.time == SignedMessage.time && failed.type == "void")
    }

    @Test("that is repeated has the same identifier, and another status another one")
    func repetitions() throws {
        #expect(
            try read(SignedMessage.bePaid(Self.body)) == read(SignedMessage.bePaid(Self.body)))
        let failed = Self.body.replacing("successful", with: "failed")
        let event = try read(SignedMessage.bePaid(failed))
        #expect(event.identifier == "4107-310b0da80b:failed")
        #expect(event.report.meaning == .refused && event.report.refusal?.origin == .issuer)
        let subscription = try read(
            SignedMessage.bePaid(#"{"id":"sbs_1","state":"active","tracking_id":"order-1001"}"#))
        #expect(subscription.identifier == "sbs_1:active" && subscription.type == "subscription")
        #expect(subscription.report.about.rawValue == "subscription")
        #expect(subscription.report.refusal == nil)
    }

    @Test("needs an RSA key of 2048 bits")
    func keys() throws {
        let small = SignedMessage.publicKey(try SignedMessage.shopKey("small", bitCount: 1024))
        let curve =
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYcF+GXB1DjbKLn5PgxVky2QTk53HjfoIXOvE7kH6+lixJKSTv1AuPlAUsBD2"
            + "Nu2qHFwP50Abeh1onwvmvMYY/g=="
        let long =
            SignedMessage.publicKey(try SignedMessage.shopKey())
            + String(repeating: " ", count: 1 << 14)
        for text in ["", "x", "AAAA", small, curve, String(repeating: "A", count: 20_000), long] {
            MessageTests.expect(.invalidKey, "Content-Signature") {
                _ = try BePaid.NotificationKey(text)
            }
        }
    }
}
