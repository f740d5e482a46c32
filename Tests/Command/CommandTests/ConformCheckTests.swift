import ApplePayTokenTesting
import Foundation
import Testing

/// Runs `conform --check` on small files in which each verdict occurs.
@Suite("conform --check")
struct ConformCheckTests {
    private static let cases = [
        #"{"id":"a/1","expect":"accept","plaintext":{"transactionAmount":100,"currencyCode":"036","x":{"y":[1,"z"]},"n":null}}"#,
        #"{"id":"a/2","expect":"accept","optional":true,"plaintext":{"x":"1"}}"#,
        #"{"id":"r/1","group":"<r>","comment":"a | b <i>","expect":"reject","stage":"chain"}"#,
        #"{"id":"e/1","expect":"either","stages":["json","field"],"plaintext":{"x":true}}"#,
        #"{"id":"f/1","expect":"reject","severity":"form"}"#,
    ]

    private static let right = [
        #"{"id":"e/1","status":"ok","paymentData":{"x":true}}"#,
        #"{"id":"r/1","status":"error"}"#, #"{"id":"a/2","status":"error","stage":"field"}"#,
        #"{"id":"f/1","status":"error"}"#,
        #"{"id":"a/1","status":"ok","paymentData":{"transactionAmount":"100","currencyCode":36,"x":{"y":[1.0,"z"],"more":1}}}"#,
    ]

    /// Runs the comparison on cases and answers.
    private func check(
        _ answers: [String], cases: [String] = cases, _ options: [String] = []
    ) throws -> Command {
        try KeyFolder.with(["cases.jsonl": cases.joined(separator: "\n")]) { folder in
            try Command(
                ["conform", "\(folder)/cases.jsonl", "--check", "-"] + options,
                program: "paytoken-testing", input: answers.joined(separator: "\n"))
        }
    }

    /// Returns the findings as `id verdict`.
    private func findings(_ command: Command) throws -> [String] {
        try command.output.split(separator: "\n").dropLast().map {
            let object = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String]
            return "\(object?["id"] ?? "") \(object?["finding"] ?? "")"
        }
    }

    @Test(
        "refuses a wrong command line, with exit 2",
        arguments: [
            (
                [],
                "conform needs --trust-anchor FILE (or --check) and --keys FOLDER (or --check)."
            ),
            (["--trust-anchor", "a", "--keys", "b"], "conform needs one file"),
            (
                ["--check", "x", "a", "b"],
                "conform needs one file of vectors, or - for standard input."
            ),
        ] as [([String], String)])
    func usage(_ words: [String], _ sentence: String) throws {
        let refused = try Command(["conform"] + words, program: "paytoken-testing")
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.error.hasPrefix("paytoken-testing: \(sentence)"), "\(refused.error)")
    }

    @Test("accepts right answers in any order, with and without stages")
    func right() throws {
        let command = try check(Self.right)
        #expect(command.status == 0)
        #expect(try findings(command).isEmpty)
        #expect(command.output.contains(#""passed":true,"cases":5,"correct":4,"declined":1"#))
        #expect(command.error.contains("5 cases: 4 correct, 1 declined"))
    }

    @Test(
        "finds every kind of wrong answer",
        arguments: [
            (#"{"id":"r/1","status":"ok","paymentData":{}}"#, "r/1 false-accept", 1),
            (#"{"id":"r/1","status":"ok","paymentData":not JSON}"#, "r/1 false-accept", 1),
            (#"{"id":"r/1","status":"ok","paymentData":}"#, "r/1 false-accept", 1),
            (
                #"{"id":"r/1","status":"ok","paymentData":{"a":1,"a":2}}"#, "r/1 false-accept", 1
            ),
            (
                #"{"id":"r/1","status":"ok","paymentData":{},"status":"error"}"#,
                "r/1 false-accept", 1
            ),
            (#"{"id":"f/1","status":"ok","paymentData":{}}"#, "f/1 false-accept-form", 1),
            (#"{"id":"f/1","status":"ok","paymentData":not JSON}"#, "f/1 false-accept-form", 1),
            (#"{"id":"r/1","status":"error","stage":"signature"}"#, "r/1 wrong-stage", 0),
            (#"{"id":"a/1","status":"error"}"#, "a/1 false-reject", 0),
            (#"{"id":"a/1","status":"ok"}"#, "a/1 wrong-plaintext", 1),
            (
                #"{"id":"a/1","status":"ok","paymentData":{"transactionAmount":101,"currencyCode":"036","x":{"y":[1,"z"]}}}"#,
                "a/1 wrong-plaintext", 1
            ),
            (
                #"{"id":"a/1","status":"ok","paymentData":{"transactionAmount":100,"currencyCode":"036","x":{"y":["z"]}}}"#,
                "a/1 wrong-plaintext", 1
            ),
            (#"{"id":"a/2","status":"ok","paymentData":{"x":1}}"#, "a/2 wrong-plaintext", 1),
            (#"{"id":"e/1","status":"ok","paymentData":{"x":false}}"#, "e/1 wrong-plaintext", 1),
            (#"{"id":"e/1","status":"error","stage":"cms"}"#, "e/1 wrong-stage", 0),
            (#"{"id":"e/1","status":"maybe"}"#, "e/1 missing-answer", 1),
            ("", "e/1 missing-answer", 1), (#"["e/1"]"#, "e/1 missing-answer", 1),
            (#"{"id":"e/1","status":"ok","paymentData":{"x":true}"#, "e/1 wrong-plaintext", 1),
            (#"{"id":"e/1","status":"ok""#, "e/1 missing-answer", 1),
            (#"{"id":"e/1","status":,"paymentData":not JSON}"#, "e/1 missing-answer", 1),
            (#"{"id":"unknown","status":"ok"}"#, "e/1 missing-answer", 1),
            (String(repeating: "[", count: 3 << 20), "e/1 missing-answer", 1),
        ] as [(String, String, Int32)]
    )
    func wrong(_ answer: String, _ finding: String, _ status: Int32) throws {
        let id = try #require(finding.split(separator: " ").first)
        let others = Self.right.filter { !$0.contains("\"\(id)\"") }
        let command = try check(others + [answer])
        #expect(try findings(command) == [finding])
        #expect(command.status == status)
        #expect(command.output.contains("\"passed\":\(status == 0)"))
    }

    @Test("counts a case with two answers as unanswered")
    func twice() throws {
        let command = try check(Self.right + [Self.right[1]])
        #expect(try findings(command) == ["r/1 missing-answer"])
        #expect(command.status == 1)
    }

    @Test("refuses files without valid cases, and options that have no effect")
    func refusals() throws {
        for (cases, message) in [
            ([""], "is not a case"), ([], "contains no case"), (["{}"], "is not a case"),
            ([#"{"id":"a","expect":"accept"}"#], "is not a case"),
            ([#"{"id":"a","expect":"reject"}"#, #"{"id":"a","expect":"reject"}"#], "line 2"),
        ] {
            let lines = cases == [""] ? ["", "x"] : cases
            let command = try check([], cases: lines)
            #expect(command.status == 3 && command.error.contains(message), "\(command.error)")
        }
        for (words, message) in [
            (
                ["a", "--check", "b", "--keys", "c"],
                "--check only compares answers; leave out --keys."
            ),
            (["-", "--check", "-"], "only one"),
            (["a", "--trust-anchor", "b", "--keys", "c", "--html", "d"], "--html needs --check"),
        ] {
            let command = try Command(["conform"] + words, program: "paytoken-testing")
            #expect(command.status == 2 && command.error.contains(message), "\(command.error)")
        }
    }

    @Test("escapes the text of cases in reports")
    func reports() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let names = ["html", "markdown", "junit"]
        let options = names.flatMap { ["--\($0)", folder.appending(path: $0).path()] }
        let answers = Self.right.filter { !$0.contains("r/1") }
        let command = try check(
            answers + [#"{"id":"r/1","status":"error","stage":"\u001b<b>|"}"#], options)
        #expect(command.status == 0)
        let texts = try names.map {
            try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }
        for text in texts {
            #expect(text.contains("wrong"), "\(text)")
            #expect(!text.contains("<b>") && !text.contains("<i>") && !text.contains("\u{1B}"))
        }
        #expect(texts[0].contains("a | b &lt;i&gt;") && texts[0].hasPrefix("<!doctype html>"))
        #expect(texts[1].contains(#"a \| b &lt;i\>"#))
        #expect(texts[2].contains("failures=\"1\""))
        let again = try check(answers, options)
        #expect(again.status == 3 && again.error.contains("exists already"))
    }
}
