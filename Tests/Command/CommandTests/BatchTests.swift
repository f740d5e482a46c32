import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("A batch")
struct BatchTests {
    private let testOptions = [
        "--test-trust-anchor", TestVectors.root.path(), "--at", "2026-05-04T09:30:00Z",
    ]
    private let keys = ["--keys", TestVectors.keys.path()]

    private func demo() throws -> String {
        try String(contentsOf: TestVectors.demoToken, encoding: .utf8)
            .trimmingCharacters(in: .newlines)
    }

    private func answers(_ output: String) throws -> [[String: Any]] {
        #expect(output.isEmpty || output.hasSuffix("\n"))
        return try output.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private func shell(_ script: String, _ words: [String]) throws -> Command {
        let program = Command.path(of: "paytoken")
        return try Command(["-c", script, "bash", program] + words, program: "/bin/bash")
    }

    @Test("answers every line in the input's order, with any number of threads")
    func order() throws {
        let cases = try TestVectors.syntheticCases().filter { vector in
            // A batch needs one line for each token, so exclude tokens that contain a line feed.
            !vector.token.contains(0x0A) && !vector.token.isEmpty
        }.prefix(240)
        let input = cases.map { String(decoding: $0.token, as: UTF8.self) }
            .joined(separator: "\n")
        let verdicts = try [1, 3].map { jobs in
            try Command(
                ["decrypt", "--batch", "--jobs", "\(jobs)"] + keys + testOptions, input: input)
        }
        #expect(verdicts[0].status == 1)
        #expect(verdicts[0].output == verdicts[1].output)
        let answers = try answers(verdicts[1].output)
        #expect(answers.count == cases.count)
        #expect(answers.contains { $0["status"] as? String == "ok" })
    }

    @Test("gives the same answer as for the token alone, masked, and unmasked with --reveal")
    func single() throws {
        for options in [[], ["--reveal"]] {
            let alone = try Command(
                ["decrypt", TestVectors.demoToken.path()] + options + keys + testOptions)
            let batch = try Command(
                ["decrypt", "--batch"] + options + keys + testOptions, input: demo() + "\n")
            #expect(batch.output == alone.output)
            #expect(batch.status == 0)
        }
        let verified = try Command(["verify", "--batch"] + testOptions, input: demo())
        #expect(try answers(verified.output).first?["status"] as? String == "ok")
        #expect(!verified.output.contains("paymentData\":{"))
    }

    @Test("answers a bad line with its error and continues")
    func badLines() throws {
        let lines = ["", "no token", String(repeating: "x", count: 2 << 20 + 1), try demo()]
        let batch = try Command(
            ["decrypt", "--batch"] + keys + testOptions, input: lines.joined(separator: "\n"))
        let answers = try answers(batch.output)
        #expect(batch.status == 1)
        #expect(
            answers.map { $0["code"] as? String } == [
                "unexpected-end", "unexpected-character", "text-too-long", nil,
            ])
        #expect(answers.last?["status"] as? String == "ok")
    }

    @Test("judges a payment object as outside a batch, whatever other members it has")
    func customersMembers() throws {
        let demo = try demo()
        let other = try #require(
            TestVectors.syntheticCases().first { $0.id == "valid/ec" }
                .map { String(decoding: $0.token, as: UTF8.self) })
        let order = #"{"amount":1,"currency":"EUR"}"#
        let added = [
            #""at":"2026-05-04T09:30:00Z""#, #""at":1"#, #""order":\#(order)"#, #""order":[]"#,
            #""id":"x""#, #""id":[]"#, #""reference":"R""#,
            #""id":"x","at":"2020-01-01T00:00:00Z","order":\#(order),"reference":"R""#,
        ]
        var objects = added.map { #"{\#($0),"token":\#(demo)}"# }
        // A token with another one as a member.
        objects.append("\(demo.dropLast()),\"at\":\"2026-05-04T09:30:00Z\",\"token\":\(other)}")
        let age = ["--at", "2026-05-04T10:30:00Z"]
        let options: [[String]] = [
            [], age, ["--any-age"], ["--any-age", "--amount", "999999"],
            ["--any-age", "--amount", "1", "--currency", "EUR"],
        ]
        for options in options {
            let words = keys + ["--test-trust-anchor", TestVectors.root.path()] + options
            let alone = try objects.map { try Command(["decrypt"] + words, input: $0) }
            let batch = try Command(
                ["decrypt", "--batch"] + words, input: objects.joined(separator: "\n"))
            // The age of a token that is verified again may have increased.
            let digits = try Regex("signed [^;]+ before")
            #expect(
                batch.output.replacing(digits, with: "")
                    == alone.map(\.output).joined().replacing(digits, with: ""))
            #expect(batch.status == alone.map(\.status).max())
            for answer in try answers(batch.output) {
                #expect((answer["status"] as? String == "ok") == (options == ["--any-age"]))
            }
        }
    }

    @Test("answers a line before the next one comes", .timeLimit(.minutes(1)))
    func promptness() throws {
        let script = """
            program=$1 token=$2; shift 2
            coproc "$program" "$@"
            for line in 1 2 3; do
                { cat "$token"; echo; } >&"${COPROC[1]}"; read -r answer <&"${COPROC[0]}"; echo "$answer"
            done
            """
        let run = try shell(
            script, [TestVectors.demoToken.path(), "decrypt", "--batch"] + keys + testOptions)
        #expect(try answers(run.output).count == 3)
    }

    @Test("ends after a complete line when the reader closes the pipe", .timeLimit(.minutes(1)))
    func closedPipe() throws {
        let script = """
            program=$1 token=$2; shift 2
            for i in $(seq 4000); do { cat "$token" && echo; } || exit 1; done 2>/dev/null \
                | { "$program" "$@"; echo "status $?" >&2; } | head -n 2
            ((PIPESTATUS[0])) && echo "not read to its end" >&2
            """
        let run = try shell(
            script, [TestVectors.demoToken.path(), "decrypt", "--batch"] + keys + testOptions)
        #expect(try answers(run.output).count == 2)
        #expect(run.error.hasSuffix("status 3\nnot read to its end\n"))
    }

    @Test("ends after a complete line when it is interrupted", .timeLimit(.minutes(1)))
    func interruption() throws {
        let script = """
            program=$1 token=$2; shift 2
            coproc { exec "$program" "$@"; }
            process=$COPROC_PID
            { cat "$token"; echo; } >&"${COPROC[1]}"; read -r answer <&"${COPROC[0]}"; echo "$answer"
            head -c 100 "$token" >&"${COPROC[1]}"
            exec {output}<&"${COPROC[0]}"
            kill -INT $process
            cat <&"$output"
            wait $process; echo "status $?" >&2
            """
        let run = try shell(
            script, [TestVectors.demoToken.path(), "decrypt", "--batch"] + keys + testOptions)
        #expect(try answers(run.output).count == 1)
        #expect(run.error.hasSuffix("status 130\n"))
    }

    @Test(
        "is refused with options that exclude one another",
        arguments: [
            (["decrypt", "--jobs", "2"], "--jobs needs --batch."),
            (["decrypt", "--batch", "--jobs", "0"], "--jobs takes a number from 1 to 1024"),
            (["verify", "--batch", "--jobs", "x"], "--jobs takes a whole number"),
            (
                ["decrypt", "--batch", "--ledger", "ledger"],
                "a batch claims nothing, because its answers are written later"
            ),
            (["inspect", "--batch"], "--batch is not an option here"),
        ] as [([String], String)])
    func usage(_ words: [String], _ sentence: String) throws {
        let run = try Command(words + (words[0] == "decrypt" ? keys : []) + testOptions)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.error.contains(sentence), "\(run.error)")
    }
}
