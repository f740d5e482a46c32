import ApplePayGatewaysTesting
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@testable import ApplePayGateways
@testable import paytoken

@Suite("Output")
struct OutputTests {
    @Test(
        "names the end of a certificate, and whether it is near",
        arguments: [
            (-1, "ended on 2029-05-06", true), (0, "ends on 2029-05-06, in less than a day", true),
            (86_399, "ends on 2029-05-06, in less than a day", true),
            (86_400, "ends on 2029-05-06, in 1 day", true),
            (172_799, "ends on 2029-05-06, in 1 day", true),
            (172_800, "ends on 2029-05-06, in 2 days", true),
            (180 * 86_400, "ends on 2029-05-06, in 180 days", true),
            (180 * 86_400 + 1, "ends on 2029-05-06, in 180 days", false),
        ] as [(Double, String, Bool)])
    func certificateEnd(_ seconds: Double, _ text: String, _ isSoon: Bool) {
        let date = CertificateEnd.appleIntermediate
        #expect(date.internetTime == "2029-05-06T23:46:30Z")
        let end = CertificateEnd(end: date, now: date.addingTimeInterval(-seconds))
        #expect(end.text == text)
        #expect(end.isSoon == isSoon)
        #expect(end.isPast == (seconds < 0))
        #expect(end.daysLeft == Int((seconds / 86_400).rounded(.down)))
    }

    @Test(
        "escapes characters that control a terminal, and no others",
        arguments: [
            ("a\u{0}\u{F}\u{10}\u{1F} ~\u{7F}b", #"a\00\0F\10\1F ~\7Fb"#),
            ("\u{80}\u{9F}\u{A0}é", #"\C2\80\C2\9F"# + "\u{A0}é"),
            ("\u{2028}\u{2029}\u{202E}x", #"\E2\80\A8\E2\80\A9\E2\80\AEx"#),
            (#"plain \ text"#, #"plain \ text"#), ("", ""),
        ])
    func printable(_ text: String, _ printable: String) {
        #expect(text.printable == printable)
    }

    @Test("writes JSON strings that cannot control a terminal or reorder a line")
    func jsonText() {
        #expect(
            JSONLine { $0.member("a", "\u{0}\n\u{10}\u{1F} \"\\/é\u{7F}") }.bytes.revealText()
                == #"{"a":"\u0000\n\u0010\u001f \"\\/é\u007f"}"# + "\n")
        #expect(
            JSONLine { $0.member("a", ["\u{9B}\n\"\u{202E}\u{2028}", "\u{E0001}ä\u{A0}😀"]) }
                .bytes.revealText()
                == #"{"a":["\u009b\n\"\u202e\u2028","\udb40\udc01ä"# + "\u{A0}😀\"]}\n")
    }

    @Test("escapes text for roff and for the shells")
    func quoted() {
        for (text, roff) in [
            (".a.'b'", #"\&.a.'b'"#), ("'a", #"\&'a"#), (#"a\-b…"#, #"a\e\-b..."#), ("", ""),
        ] {
            #expect(ManualPage.escaped(text) == roff)
        }
        #expect("  a''b".zshQuoted == #"  'a'\'''\''b'"#)
        #expect(#"a[0]: \"#.zshEscaped == #"a\[0\]\: \\"#)
        #expect("'".zshQuoted == #"''\'''"#)
        #expect(#"a\\b''c"#.fishQuoted == #"'a\\\\b\'\'c'"#)
        #expect(#"\'"#.fishQuoted == #"'\\\''"#)
    }

    private static func attempt() throws -> PaymentAttempt {
        let euro = try #require(Currency(alphabetic: "EUR"))
        return try PaymentAttempt(Order(reference: "r", amount: 3, currency: euro))
    }

    /// Returns what is concluded from a report about an order for 3 cents.
    private static func order(
        _ meaning: PaymentReport.Meaning,
        _ change: (inout PaymentReport) -> Void = { _ in }
    ) throws -> AnswerMeaning.Conclusion {
        var report = PaymentReport(gateway: "g")
        report.meaning = meaning
        change(&report)
        return .order(OrderOutcome(report, of: try attempt()))
    }

    private static func event(_ time: Date?) -> GatewayEvent {
        GatewayEvent(
            identifier: "i", type: "y", time: time,
            report: PaymentReport(gateway: "g", about: .refund))
    }

    private static func card(_ body: String) -> AnswerMeaning.Conclusion {
        .card(Intergiro.consentOutcome(GatewayResponse(body), isBrowser: false))
    }

    private static func outcomes() throws -> [(AnswerMeaning, String, paytoken.ExitStatus)] {
        let nothing = #""paymentId":null,"reference":null,"status":null"#
        var refund = PaymentReport(gateway: "g", about: .refund)
        refund.meaning = .booked
        refund.operationID = "o"
        refund.operationAmount = 1
        return [
            (
                AnswerMeaning(
                    conclusion: try order(.booked) {
                        $0.paymentID = "p"
                        $0.reference = "r"
                        $0.currency = "EUR"
                        $0.status = "S"
                        $0.captured = 3
                    }, gateway: "adyen", step: "s", httpStatus: 200),
                #""outcome":"paid","gateway":"adyen","step":"s","paymentId":"p","reference":"r","#
                    + #""status":"S","currency":"EUR","captured":3,"httpStatus":200"#, .done
            ),
            (
                AnswerMeaning(
                    conclusion: try order(.booked) {
                        $0.sessionID = "n"
                        $0.reference = "r"
                        $0.currency = "EUR"
                        $0.ordered = 3
                        $0.authorized = 1
                        $0.captureRequested = 0
                        $0.captured = 2
                        $0.refundRequested = 0
                        $0.refunded = 1
                    }, gateway: "bepaid"),
                #""outcome":"partly-returned","gateway":"bepaid","paymentId":null,"reference":"r","#
                    + #""status":null,"sessionId":"n","currency":"EUR","ordered":3,"authorized":1,"#
                    + #""captureRequested":0,"captured":2,"refundRequested":0,"refunded":1,"#
                    + #""cause":"refund""#, .partial
            ),
            (
                AnswerMeaning(conclusion: try order(.undecided), gateway: "rbs", httpStatus: 202),
                #""outcome":"pending","gateway":"rbs",\#(nothing),"httpStatus":202,"#
                    + #""reason":"The gateway has not decided.""#, .pending
            ),
            (
                AnswerMeaning(
                    conclusion: try order(.awaitingCustomer) { $0.setAddress("https://u") },
                    gateway: "paypal"),
                #""outcome":"action-required","gateway":"paypal",\#(nothing),"url":"https://u""#,
                .pending
            ),
            (
                AnswerMeaning(
                    conclusion: try order(.refused) { $0.refusal = .init(code: "c", text: "t") },
                    gateway: "checkout"),
                #""outcome":"refused","gateway":"checkout",\#(nothing),"code":"c","text":"t","#
                    + #""origin":"issuer""#, .refused
            ),
            (
                AnswerMeaning(
                    conclusion: try order(.refused) { $0.refusal = .init(origin: .operator) },
                    gateway: "checkout"),
                #""outcome":"refused","gateway":"checkout",\#(nothing),"origin":"operator""#, .means
            ),
            (
                AnswerMeaning(
                    conclusion: .order(OrderOutcome(unknown: "r")), gateway: "dintero",
                    error: GatewayMessageError(.outsideWindow, "f")),
                #""outcome":"unknown","gateway":"dintero",\#(nothing),"code":"outside-window","#
                    + #""reason":"r""#, .unknown
            ),
            (
                AnswerMeaning(
                    conclusion: .order(OrderOutcome(unknown: "r")), gateway: "adyen",
                    event: event(Date(timeIntervalSince1970: 0))),
                #""outcome":"unknown","gateway":"adyen",\#(nothing),"reason":"r","event":{"#
                    + #""id":"i","type":"y","about":"refund","time":"1970-01-01T00:00:00Z"}"#,
                .unknown
            ),
            (
                AnswerMeaning(
                    conclusion: .order(OrderOutcome(unknown: "r")), gateway: "adyen",
                    event: event(nil)),
                #""outcome":"unknown","gateway":"adyen",\#(nothing),"reason":"r","event":{"#
                    + #""id":"i","type":"y","about":"refund","time":null}"#, .unknown
            ),
            (
                AnswerMeaning(
                    conclusion: .operation(
                        OperationOutcome(refund, of: .refund, amount: nil, on: try attempt())),
                    gateway: "rbs", step: "refund", httpStatus: 200),
                #""operation":"done","gateway":"rbs","step":"refund",\#(nothing),"operationId":"o","#
                    + #""operationAmount":1,"httpStatus":200"#, .done
            ),
            (
                AnswerMeaning(conclusion: .preparation(nil), gateway: "dintero", step: "session"),
                #""outcome":"pending","gateway":"dintero","step":"session""#, .pending
            ),
            (
                AnswerMeaning(conclusion: .preparation("r"), gateway: "dintero", httpStatus: 401),
                #""outcome":"failed","gateway":"dintero","httpStatus":401,"reason":"r""#, .means
            ),
            (
                AnswerMeaning(
                    conclusion: card(
                        #"{"method":{"token":"secret","redirect_url":"https://u"}}"#),
                    gateway: "intergiro"),
                #""outcome":"launch","gateway":"intergiro","token":"secret","url":"https://u""#,
                .pending
            ),
            (
                AnswerMeaning(
                    conclusion: .card(
                        Intergiro.tokenizeOutcome(
                            GatewayResponse(
                                #"{"consent":{"id":"c","status":"pending"}}"#, status: 412))),
                    gateway: "intergiro"),
                #""outcome":"pending","gateway":"intergiro","consentId":"c""#, .pending
            ),
            (
                AnswerMeaning(
                    conclusion: .card(CardOutcome(unknown: "r")), gateway: "intergiro"),
                #""outcome":"unknown","gateway":"intergiro","reason":"r""#, .unknown
            ),
            (
                AnswerMeaning(conclusion: .endpointCheck(reply: "e"), gateway: "worldline-direct"),
                #""outcome":"endpoint-check","gateway":"worldline-direct","reply":"e""#, .pending
            ),
        ]
    }

    @Test("has all members of an outcome, and an exit status")
    func outcome() throws {
        for (answer, members, exit) in try Self.outcomes() {
            #expect(answer.json.bytes.revealText() == "{\(members)}\n")
            #expect(answer.exit == exit, "\(members)")
        }
    }

    @Test("ends every failure with one sentence, which names its subject")
    func failures() {
        struct Failure: Error, CustomStringConvertible { let description: String }
        for (subject, text, message) in [
            (nil, "no", "no."), (nil, "no.", "no."), ("f", "no", "f: no."), ("f", "no.", "f: no."),
        ] as [(String?, String, String)] {
            let failure = #expect(throws: CommandFailure.self) {
                try failing(subject) { () throws(Failure) in throw Failure(description: text) }
            }
            #expect(failure?.status == .means)
            #expect(failure?.message == message)
            #expect(failure?.explanation == message)
        }
        let refused = CommandFailure.refused(PaymentTokenError(.tooOld))
        #expect(refused.status == .refused)
        let advice = PaymentTokenError.Code.tooOld.advice
        #expect(refused.explanation == "\(refused.message) \(advice)")
        let explained = refused.explained(subject: "f", message: "m", advice: "a")
        #expect(explained.explanation == "f: m a")
        #expect(explained.message == "m" && explained.status == .refused)
    }
}
