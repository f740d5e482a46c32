import ApplePayAcceptance
import ApplePayGateways
import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("A callback from Dintero")
struct DinteroMessageTests {
    private static let field = "Dintero-Signature"
    private static let query =
        "merchant_reference=order-1001&session_id=P00000000.s1&transaction_id=P00000000.t1"

    private func read(
        _ message: GatewayMessage, account: String = "P00000000",
        secret: String = SignedMessage.secret, at seconds: Double = 0
    ) throws -> GatewayEvent {
        let contents = try SignedMessage.dinteroAccount(account, secret: secret).read(
            message, receivedAt: SignedMessage.time.addingTimeInterval(seconds))
        return try #require(contents.event)
    }

    private func read(query: String) throws -> GatewayEvent {
        try read(
            SignedMessage.dintero("/callback?\(query)", SignedMessage.dinteroSignature(query)))
    }

    @Test("names a transaction to ask for")
    func event() throws {
        let query =
            "merchant_reference=order+1%2F%C3%A9&note=*%7E&session_id=P1&time=2026-11-21T08%3A30%3A00Z"
            + "&transaction_id=T1"
        let signature = try SignedMessage.dinteroSignature(query)
        for target in [
            "/callback?\(query)", "/callback?\(query)#fragment",
            "/callback?transaction_id=T1&merchant_reference=order%201/é&time=2026-11-21T08:30:00Z"
                + "&note=%2A~&session_id=P1",
        ] {
            let event = try read(
                SignedMessage.dintero(target, signature, host: "EXAMPLE.com:443"))
            #expect(event.report.meaning == .undecided && event.report.canBeAsked)
            #expect(event.report.paymentID == "T1" && event.report.sessionID == "P1")
            #expect(event.report.reference == "order 1/é" && event.type == "callback")
            #expect(event.identifier == "P1:T1:callback")
            #expect(event.time == SignedMessage.time)
        }
    }

    @Test("about an order is pending, and has the account's test flag")
    func outcome() throws {
        let report = try read(query: Self.query).report
        let attempt = try GatewayFixture.attempt(GatewayFixture.order())
        #expect(OrderOutcome(report: report, attempt: attempt, isTest: false).state == .pending)
        #expect(OrderOutcome(report: report, attempt: attempt, isTest: true).state == .unknown)
        #expect(report.isTest == false && report.about == .payment)
        let other = try GatewayFixture.attempt(GatewayFixture.order(reference: "order-1002"))
        #expect(OrderOutcome(report: report, attempt: other).state == .unknown)
        let session = "merchant_reference=o&sid=T00000000.s1&transaction_id=T00000000.t1"
        let test = try read(query: session).report
        #expect(test.isTest == true && test.sessionID == "T00000000.s1")
        #expect(try read(query: "merchant_reference=o&transaction_id=X1").report.isTest == nil)
    }

    @Test("with an error keeps its code, and the payment stays open")
    func errors() throws {
        for (error, origin) in [
            ("authorization", .issuer), ("cancelled", .customer), ("unknown", .issuer),
        ] as [(String, PaymentReport.Refusal.Origin)] {
            let event = try read(
                query: "error=\(error)&merchant_reference=order-1001&session_id=P1")
            #expect(event.report.meaning == .undecided && event.report.status == error)
            #expect(event.report.refusal == .init(code: ExactText(error), origin: origin))
            #expect(event.identifier == "P1:\(error):callback" && event.report.paymentID == nil)
        }
        for query in ["session_id=P1", "error=failed", "merchant_reference=o&transaction_id="] {
            MessageTests.expect(.missingMember, "transaction_id") { _ = try read(query: query) }
        }
    }

    @Test("that is repeated has the same identifier, and another event another one")
    func identifiers() throws {
        #expect(try read(query: Self.query) == read(query: Self.query))
        func identifier(_ more: String) throws -> String {
            try String(read(query: "\(more)&\(Self.query)").identifier)
        }
        let ends = [
            "event=CAPTURE&event_id=e1", "event=CAPTURE&event_id=e2", "event=REFUND&event_id=e1",
        ]
        let identifiers = try ends.map(identifier)
        #expect(identifiers[0] == "P00000000.s1:P00000000.t1:CAPTURE:e1")
        #expect(Set(identifiers).count == 3)
        MessageTests.expect(.malformed, "event") {
            _ = try read(query: "event=CAPTURE&event=REFUND&\(Self.query)")
        }
    }

    @Test("is refused if it is forged or altered")
    func forgeries() throws {
        let query = Self.query
        let (target, signature) = ("/callback?\(query)", try SignedMessage.dinteroSignature(query))
        let code = signature.split(separator: "=").last ?? ""
        let seconds = Int(SignedMessage.time.timeIntervalSince1970)
        for message in [
            SignedMessage.dintero("/callback?\(query)".replacing(".t1", with: ".t2"), signature),
            SignedMessage.dintero("/callback?\(query)&x=1", signature),
            SignedMessage.dintero("/other?\(query)", signature),
            SignedMessage.dintero("/callback", signature),
            SignedMessage.dintero(target, signature, method: "POST"),
            SignedMessage.dintero(target, signature, host: "example.org"),
            SignedMessage.dintero(
                target, signature.replacing("t=\(seconds)", with: "t=\(seconds + 1)")),
            SignedMessage.dintero(target, try SignedMessage.dinteroSignature(query, secret: "x")),
        ] { MessageTests.expect(.wrongSignature, Self.field) { _ = try read(message) } }
        MessageTests.expect(.wrongSignature, Self.field) {
            _ = try read(SignedMessage.dintero(target, signature), account: "P00000001")
        }
        for text in [
            "", "t=\(seconds)", "v0-hmac-sha256=\(code),t=\(seconds)",
            "t=+\(seconds),v0-hmac-sha256=\(code)", "t=0\(seconds),v0-hmac-sha256=\(code)",
            "t=99999999999999999999,v0-hmac-sha256=\(code)", "t=-1,v0-hmac-sha256=\(code)",
            "t=253402300800,v0-hmac-sha256=\(code)", "x=\(seconds),v0-hmac-sha256=\(code)",
            "t=\(seconds),v0-hmac-sha256=\(code)0", "t=\(seconds),v0-hmac-sha256=zz",
            "t=\(seconds),v1=\(code)", "\(signature),v0-hmac-sha256=\(code)",
            "t=\(seconds),,v0-hmac-sha256=\(code)",
        ] {
            MessageTests.expect(.malformed, Self.field) {
                _ = try read(SignedMessage.dintero(target, text))
            }
        }
        // A space after the comma, and capitals, do not change the signature.
        let capitals = "t=\(seconds), v0-hmac-sha256=\(code.uppercased())"
        #expect(try read(SignedMessage.dintero(target, capitals)).type == "callback")
        for headers in [[("Host", "example.com")], [(Self.field, signature)]] {
            let missing = headers[0].0 == "Host" ? Self.field : "Host"
            MessageTests.expect(.missingMember, missing) {
                _ = try read(
                    GatewayMessage(method: "GET", target: target, headers: headers, body: []))
            }
        }
    }

    @Test("is refused more than 5 minutes before or after it was signed")
    func window() throws {
        let message = SignedMessage.dintero(
            "/callback?\(Self.query)", try SignedMessage.dinteroSignature(Self.query))
        for seconds in [-301, 301, .infinity, -.infinity, .nan] as [Double] {
            MessageTests.expect(.outsideWindow, Self.field) {
                _ = try read(message, at: seconds)
            }
        }
        for seconds in [-300, 0, 300] as [Double] {
            #expect(throws: Never.self) { try read(message, at: seconds) }
        }
    }

    @Test("with more than 64 parameters or 8 KiB is refused before its signature is verified")
    func limits() throws {
        func signed(_ query: String) throws -> GatewayMessage {
            SignedMessage.dintero("/callback?\(query)", try SignedMessage.dinteroSignature(query))
        }
        let most = (0..<62).map { "a\($0 + 10)=1" }.joined(separator: "&")
        #expect(
            try read(signed("\(most)&merchant_reference=o&transaction_id=T1")).type == "callback")
        for query in [
            "\(most)&b=1&merchant_reference=o&transaction_id=T1",
            "merchant_reference=o&transaction_id=\(String(repeating: "x", count: 8192))",
        ] {
            for message in [
                try signed(query),
                SignedMessage.dintero(
                    "/callback?\(query)", "t=1,v0-hmac-sha256=\(String(repeating: "0", count: 64))"),
            ] {
                MessageTests.expect(.malformed, "target") { _ = try read(message) }
            }
        }
    }
}
