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
        #expect(Answer.time(date) == "2029-05-06T23:46:30Z")
        let end = CertificateEnd(date, from: date.addingTimeInterval(-seconds))
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

    @Test("writes JSON strings with the escapes that JSON needs, and no others")
    func jsonText() {
        #expect(
            JSONText.string("\u{0}\n\u{10}\u{1F} \"\\/é\u{7F}")
                == #""\u0000\u000a\u0010\u001f \"\\/é"# + "\u{7F}\"")
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

    private static let event = GatewayEvent(
        identifier: "i", type: "y", time: Date(timeIntervalSince1970: 0), paymentId: "p",
        merchantReference: "m", outcome: .paid, gatewayStatus: nil, agrees: { _ in true })

    private static let bareEvent = GatewayEvent(
        identifier: "i", type: "y", time: nil, paymentId: nil, merchantReference: nil,
        outcome: .paid, gatewayStatus: nil, agrees: { _ in true })

    private static let outcomes: [(OutcomeAnswer, String, paytoken.ExitStatus)] = [
        (
            OutcomeAnswer(
                outcome: .paid, gateway: .adyen, step: "s", status: "S", httpStatus: 200),
            #""paid","gateway":"adyen","step":"s","status":"S","httpStatus":200"#, .done
        ),
        (
            OutcomeAnswer(outcome: .authorized, gateway: .bePaid),
            #""authorized","gateway":"bepaid","status":null"#, .done
        ),
        (
            OutcomeAnswer(outcome: .pending, gateway: .rbs, httpStatus: 202),
            #""pending","gateway":"rbs","status":null,"httpStatus":202"#, .pending
        ),
        (
            OutcomeAnswer(
                outcome: .actionRequired(URL(filePath: "/u")), gateway: .payPal, status: "S"),
            #""action-required","gateway":"paypal","status":"S","url":"file:///u""#, .pending
        ),
        (
            OutcomeAnswer(outcome: .refused(code: "c", text: "t"), gateway: .checkout),
            #""refused","gateway":"checkout","status":null,"code":"c","text":"t""#, .refused
        ),
        (
            OutcomeAnswer(outcome: .refused(code: nil, text: nil), gateway: .checkout),
            #""refused","gateway":"checkout","status":null,"code":null,"text":null"#, .refused
        ),
        (
            OutcomeAnswer(
                outcome: .unknown(reason: "r"), gateway: .dintero,
                error: GatewayMessageError(.outsideWindow, "f")),
            #""unknown","gateway":"dintero","status":null,"reason":"r","code":"outside-window""#,
            .unknown
        ),
        (
            OutcomeAnswer(outcome: .paid, gateway: .adyen, event: event),
            #""paid","gateway":"adyen","status":null,"event":{"id":"i","type":"y","#
                + #""time":"1970-01-01T00:00:00Z","paymentId":"p","reference":"m"}"#, .done
        ),
        (
            OutcomeAnswer(outcome: .paid, gateway: .adyen, event: bareEvent),
            #""paid","gateway":"adyen","status":null,"event":{"id":"i","type":"y","#
                + #""time":null,"paymentId":null,"reference":null}"#, .done
        ),
    ]

    @Test("has all members of an outcome", arguments: outcomes.indices)
    func outcome(_ index: Int) {
        let (answer, members, exit) = Self.outcomes[index]
        #expect(String(decoding: answer.json, as: UTF8.self) == "{\"outcome\":\(members)}\n")
        #expect(answer.exit == exit)
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
