import ApplePayAcceptance
import ApplePayGatewaysTesting
import ApplePayOrderPrograms
import ApplePayPrograms
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

    /// Returns the object about a report on an order for 3 cents.
    private func order(
        _ meaning: PaymentReport.Meaning, _ change: (inout PaymentReport) -> Void = { _ in }
    ) throws -> (String, ApplePayPrograms.ExitStatus) {
        let euro = try #require(Currency(alphabetic: "EUR"))
        let order = Order(reference: "r", amount: 3, currency: euro)
        var report = PaymentReport(gateway: "g")
        report.meaning = meaning
        change(&report)
        let outcome = OrderOutcome(report: report, attempt: try PaymentAttempt(order))
        return (JSONLine { $0.order(outcome) }.bytes.revealText(), ExitStatus(outcome))
    }

    @Test("has all members of an order's state, and an exit status")
    func outcome() throws {
        let rows: [((String, ApplePayPrograms.ExitStatus), String, ApplePayPrograms.ExitStatus)] = [
            (
                try order(.booked) {
                    $0.paymentID = "p"
                    $0.reference = "r"
                    $0.currency = "EUR"
                    $0.status = "S"
                    $0.captured = 3
                },
                #""reference":"r","outcome":"paid","gateway":"g","paymentId":"p","status":"S","#
                    + #""captured":3,"refunded":null,IS"#, .done
            ),
            (
                try order(.booked) {
                    $0.reference = "r"
                    $0.currency = "EUR"
                    $0.authorized = 1
                    $0.captured = 2
                    $0.refunded = 1
                },
                #""reference":"r","outcome":"partly-returned","gateway":"g","paymentId":null,"#
                    + #""status":null,"captured":2,"refunded":1,IS,"authorized":1,"cause":"refund""#,
                .partial
            ),
            (
                try order(.undecided),
                #""reference":null,"outcome":"pending","gateway":"g","paymentId":null,"status":null,"#
                    + #""captured":null,"refunded":null,IS,"reason":"The gateway has not decided.""#,
                .pending
            ),
            (
                try order(.awaitingCustomer) { $0.setAddress("https://u") },
                #""reference":null,"outcome":"action-required","gateway":"g","paymentId":null,"#
                    + #""status":null,"captured":null,"refunded":null,IS,"url":"https://u""#,
                .pending
            ),
            (
                try order(.refused) {
                    $0.refusal = .init(code: "c", text: "of 4111111111111111")
                },
                #""reference":null,"outcome":"refused","gateway":"g","paymentId":null,"status":null,"#
                    + #""captured":null,"refunded":null,IS,"code":"c","text":"of …","#
                    + #""origin":"issuer","advice":"The card was declined: let the customer choose another card, and pay the "#
                    + #"order again with the new token.""#, .refused
            ),
        ]
        for ((json, status), members, expected) in rows {
            let whole = members.replacing(
                "IS", with: #""isRecorded":true,"isAmountSigned":true,"isAnswered":false"#)
            #expect(json == "{\(whole)}\n")
            #expect(status == expected, "\(members)")
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
        let refused = CommandFailure.refused(PaymentError(.orderMismatch))
        #expect(refused.status == .refused)
        let advice = PaymentError.Code.orderMismatch.advice
        #expect(refused.explanation == "\(refused.message) \(advice)")
        let explained = refused.explained(subject: "f", message: "m", advice: "a")
        #expect(explained.explanation == "f: m a")
        #expect(explained.message == "m" && explained.status == .refused)
    }
}
