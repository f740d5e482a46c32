import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayTokenTesting
import ApplePayTransport
import ApplePayWire
import Foundation
import Testing

@testable import paytoken_testing

/// Reads cases and answers in this process; ConformCheckTests runs the command on them.
@Suite("The rules of conform --check")
struct ConformanceRuleTests {
    private func line(_ text: String) throws -> AnswerValue {
        try #require(ConformanceCase.object(.text(Array(text.utf8))), "\(text)")
    }

    @Test(
        "read every member of a case",
        arguments: [
            (#"{"id":"a/b/c","expect":"reject"}"#, "a/b/c, a, , reject, "),
            (#"{"id":"a","group":"g/h","comment":"c","expect":"reject"}"#, "a, g/h, c, reject, "),
            (#"{"id":"a","expect":"reject","stage":"s"}"#, "a, a, , reject at s, "),
            (#"{"id":"a","expect":"reject","stages":["s","t"]}"#, "a, a, , reject at s or t, "),
            (
                #"{"id":"a","expect":"reject","stage":"r","stages":["s","t"]}"#,
                "a, a, , reject at s or t, "
            ),
            (#"{"id":"a","expect":"reject","stages":[]}"#, "a, a, , reject, "),
            (#"{"id":"a","expect":"reject","plaintext":{}}"#, "a, a, , reject, {}"),
            (#"{"id":"a","expect":"either"}"#, "a, a, , accept, or reject, "),
            (#"{"id":"a","expect":"either","stage":"s"}"#, "a, a, , accept, or reject at s, "),
            (
                #"{"id":"a","expect":"accept","plaintext":{"x": 1}}"#,
                #"a, a, , accept, {"x": 1}"#
            ),
            (
                #"{"id":"a","expect":"accept","plaintext":{},"optional":false}"#,
                "a, a, , accept, {}"
            ),
            (
                #"{"id":"a","expect":"accept","plaintext":{},"optional":true}"#,
                "a, a, , accept, or reject, {}"
            ),
            (#"{"id":"a","expect":"accept"}"#, nil),
            (#"{"id":"a","expect":"accept","plaintext":null}"#, nil),
            (#"{"id":"a","expect":"accept","plaintext":[]}"#, nil),
            (#"{"id":"a","expect":"reject","plaintext":"x"}"#, nil),
            (#"{"id":"a","expect":"reject","stages":"s"}"#, nil),
            (#"{"id":"a","expect":"reject","stages":["s",1]}"#, nil),
            (#"{"id":"a","expect":"reject","severity":"low"}"#, nil),
            (#"{"id":"a","expect":"reject","severity":1}"#, nil),
            (#"{"id":"a","expect":"reject","severity":null}"#, nil),
            (#"{"id":"a","expect":"reject","optional":1}"#, nil),
            (#"{"id":"a","expect":"reject","optional":null}"#, nil),
            (#"{"id":1,"expect":"reject"}"#, nil), (#"{"id":"a","expect":"refuse"}"#, nil),
            (#"{"id":"a"}"#, nil), (#"{"expect":"reject"}"#, nil),
        ] as [(String, String?)])
    func cases(_ text: String, _ members: String?) throws {
        let read = ConformanceCase(try line(text)).map { vector in
            [
                vector.id, vector.group, vector.comment, ExactText(vector.expected),
                ExactText(String(decoding: vector.plaintext?.raw ?? [], as: UTF8.self)),
            ].joined(separator: ", ")
        }
        #expect(read == members)
    }

    @Test(
        "compare payment data, and name the first member that differs",
        arguments: [
            ("null", "null", nil), ("null", "0", "p is not absent"),
            (#"{"a":null}"#, "{}", nil), (#"{"a":null}"#, #"{"a":null}"#, nil),
            (#"{"a":null}"#, #"{"a":0}"#, "p.a is not absent"),
            (#"{"a":1}"#, "{}", "p.a is missing"),
            (#"{"a":1}"#, #"{"a":null}"#, "p.a has another value"),
            (#"{"a":{}}"#, #"{"a":[]}"#, "p.a is not an object"),
            (#"{"a":{"b":1,"c":2}}"#, #"{"a":{"c":3,"b":1}}"#, "p.a.c has another value"),
            (#"{"a":1}"#, #"{"a":1,"b":2}"#, nil), ("[]", "{}", "p is not an array of 0"),
            ("[1,2]", "[1]", "p is not an array of 2"), ("[1]", "[1,2]", "p is not an array of 1"),
            ("[1,[2,3]]", "[1,[2,4]]", "p[1][1] has another value"),
            (#""a""#, #""\u0061""#, nil), (#""a""#, #""b""#, "p has another value"),
            (#""1""#, "1", "p has another value"), ("1", #""1""#, "p has another value"),
            ("true", "true", nil), ("true", "false", "p has another value"),
            ("100", "1e2", nil), ("1", "1.0", nil), ("1", "2", "p has another value"),
            (#"{"transactionAmount":100}"#, #"{"transactionAmount":"0100"}"#, nil),
            (#"{"currencyCode":"036"}"#, #"{"currencyCode":36}"#, nil),
            (#"{"x":{"currencyCode":"036"}}"#, #"{"x":{"currencyCode":"36"}}"#, nil),
            (#"{"currency":"036"}"#, #"{"currency":"36"}"#, "p.currency has another value"),
            (
                #"{"transactionAmount":100}"#, #"{"transactionAmount":"1e2"}"#,
                "p.transactionAmount has another value"
            ),
            (
                #"{"transactionAmount":1}"#, #"{"transactionAmount":""}"#,
                "p.transactionAmount has another value"
            ),
            (
                #"{"transactionAmount":1}"#, #"{"transactionAmount":true}"#,
                "p.transactionAmount has another value"
            ),
            (
                #"{"transactionAmount":1}"#, #"{"transactionAmount":"1/"}"#,
                "p.transactionAmount has another value"
            ),
            (
                #"{"transactionAmount":"1"}"#, #"{"transactionAmount":":"}"#,
                "p.transactionAmount has another value"
            ),
            (#"{"transactionAmount":"0"}"#, #"{"transactionAmount":"00"}"#, nil),
            (#"{"transactionAmount":"9"}"#, #"{"transactionAmount":"09"}"#, nil),
        ] as [(String, String, String?)])
    func comparison(_ want: String, _ got: String, _ difference: String?) throws {
        let (expected, actual) = (
            try AnswerValue(Array(want.utf8)), try AnswerValue(Array(got.utf8))
        )
        #expect(expected.difference(from: actual, path: "p") == difference)
    }

    @Test("compare numbers of up to 38 digits, and treat longer ones as different")
    func longNumbers() throws {
        for (digits, difference) in [(38, nil), (39, "p has another value")] as [(Int, String?)] {
            let number = String(repeating: "7", count: digits)
            try comparison(number, number, difference)
            try comparison(number, number.dropLast() + "8", "p has another value")
        }
    }

    @Test(
        "judge answers, and describe them",
        arguments: [
            (0, [], .missingAnswer, "no answer"),
            (0, [#""status":"error","stage":"s""#], .correct, "rejected at s"),
            (0, [#""status":"error","stage":"t","code":"c""#], .wrongStage, "rejected at t (c)"),
            (0, [#""status":"error","code":"c""#], .correct, "rejected (c)"),
            (0, [#""status":"error""#], .correct, "rejected"),
            (0, [#""status":"ok""#], .falseAccept, "accepted"),
            (4, [#""status":"ok""#], .falseAccept, "accepted"),
            (5, [#""status":"ok""#], .falseAcceptForm, "accepted"),
            (5, [#""status":"error""#], .correct, "rejected"),
            (
                0, [#""status":1"#], .missingAnswer,
                "an answer whose status is neither ok nor error"
            ),
            (
                0, [#""status":"error""#, #""status":"error""#], .missingAnswer, "several answers"
            ),
            (1, [#""status":"ok","paymentData":{"x":1}"#], .correct, "accepted"),
            (
                1, [#""status":"ok","paymentData":{}"#], .wrongPlaintext,
                "accepted; paymentData.x is missing"
            ),
            (1, [#""status":"ok""#], .wrongPlaintext, "accepted; paymentData is missing"),
            (1, [#""status":"error","stage":"s""#], .falseReject, "rejected at s"),
            (2, [#""status":"error""#], .declined, "rejected"),
            (2, [#""status":"ok","paymentData":{"x":1}"#], .correct, "accepted"),
            (3, [#""status":"ok""#], .correct, "accepted"),
            (3, [#""status":"error","stage":"any""#], .correct, "rejected at any"),
        ] as [(Int, [String], ConformanceVerdict, String)])
    func verdicts(
        _ number: Int, _ answers: [String], _ verdict: ConformanceVerdict, _ words: String
    ) throws {
        let cases = [
            #"{"id":"a","expect":"reject","stage":"s"}"#,
            #"{"id":"a","expect":"accept","plaintext":{"x":1}}"#,
            #"{"id":"a","expect":"accept","plaintext":{"x":1},"optional":true}"#,
            #"{"id":"a","expect":"either"}"#,
            #"{"id":"a","expect":"reject","severity":"security"}"#,
            #"{"id":"a","expect":"reject","severity":"form"}"#,
        ]
        var result = ConformanceResult(try #require(ConformanceCase(try line(cases[number]))))
        for answer in answers { result.judge(try line("{\(answer)}")) }
        #expect(result.verdict == verdict)
        #expect(result.answer == words)
    }

    @Test("divide verdicts into failures, other findings and permitted answers")
    func kinds() {
        let all = ConformanceVerdict.allCases
        #expect(
            all.filter(\.isFailure) == [
                .falseAccept, .falseAcceptForm, .wrongPlaintext, .missingAnswer,
            ])
        #expect(all.filter(\.isAcceptable) == [.correct, .declined])
    }

    @Test("read lines up to a length and a depth, with any escape")
    func limits() {
        let rest = ConformanceCase.limits.textLength - 2
        #expect(rest == 2_097_150)
        for (spaces, isRead) in [(rest, true), (rest + 1, false)] {
            let text = "{" + String(repeating: " ", count: spaces) + "}"
            #expect((ConformanceCase.object(.text(Array(text.utf8))) != nil) == isRead)
        }
        for (depth, isRead) in [(16, true), (17, false)] {
            let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let text = "{\"a\":\(arrays)}"
            #expect((ConformanceCase.object(.text(Array(text.utf8))) != nil) == isRead)
        }
        #expect(ConformanceCase.object(.text(Array(#"{"id":"\udcff"}"#.utf8))) != nil)
        #expect(ConformanceCase.object(.text(Array("[]".utf8))) == nil)
        #expect(ConformanceCase.object(.tooLong) == nil)
    }

    @Test("limit the number of cases")
    func caseLimit() throws {
        #expect(ConformCheck.caseLimit == 1_048_576)
        let options = [CommandOption.check] + ConformCheck.reports.map(\.option)
        for (count, message) in [
            (
                2,
                "/nowhere cannot be read: No such file or directory; check the name and the folder."
            ),
            (3, "cases has more than 2 cases; divide it."),
        ] {
            let cases = (1...count).map { #"{"id":"\#($0)","expect":"either"}"# }
            try KeyFolder.with(["cases": cases.joined(separator: "\n")]) { folder in
                let check = try ConformCheck(
                    path: "\(folder)/cases", try Arguments(["--check", "/nowhere"], options),
                    caseLimit: 2)
                let failure = #expect(throws: CommandFailure.self) { try check.run() }
                #expect(failure?.status == .means)
                #expect(failure?.message.hasSuffix(message) == true, "\(failure?.message ?? "")")
            }
        }
    }
}
