import Foundation
import TestVectors
import Testing
import TokenMint

@Suite("A batch")
struct BatchTests {
    private let minted = [
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
            // One line each: a token with a line feed in it would be two.
            !vector.token.contains(0x0A) && !vector.token.isEmpty && vector.group != "wrapper"
        }.prefix(240)
        let input = cases.enumerated().map { number, vector in
            let token = String(decoding: vector.token, as: UTF8.self)
            return number.isMultiple(of: 3) ? "{\"id\":\(number),\"token\":\(token)}" : token
        }
        let verdicts = try [1, 3].map { jobs in
            try Command(
                ["decrypt", "--batch", "--jobs", "\(jobs)"] + keys + minted,
                input: input.joined(separator: "\n"))
        }
        #expect(verdicts[0].status == 1)
        #expect(verdicts[0].output == verdicts[1].output)
        let answers = try answers(verdicts[1].output)
        try #require(answers.count == cases.count)
        for (number, answer) in answers.enumerated() where answer["id"] != nil {
            #expect(answer["id"] as? Int == number)
        }
        #expect(answers.contains { $0["status"] as? String == "ok" })
    }

    @Test("gives the same answer as the token alone, masked, and revealed when told so")
    func single() throws {
        for options in [[], ["--reveal"]] {
            let alone = try Command(
                ["decrypt", TestVectors.demoToken.path()] + options + keys + minted)
            let batch = try Command(
                ["decrypt", "--batch"] + options + keys + minted, input: demo() + "\n")
            #expect(batch.output == alone.output)
            #expect(batch.status == 0)
        }
        let verified = try Command(["verify", "--batch"] + minted, input: demo())
        #expect(try answers(verified.output).first?["status"] as? String == "ok")
        #expect(!verified.output.contains("paymentData\":{"))
    }

    @Test("reads id, at and order from an envelope")
    func envelopes() throws {
        let demo = try demo()
        let lines = [
            #"{"id":"in time","at":"2026-05-04T09:30:00Z","token":\#(demo)}"#,
            #"{"id":"too late","at":"2026-05-04T10:30:00Z","token":\#(demo)}"#,
            #"{"at":"2026-05-04T09:30:00.5Z","token":\#(demo)}"#,
            #"{"id":1.5,"token":\#(demo),"order":{"amount":1,"currency":"EUR"}}"#,
            #"{"id":"text","token":"{\"version\":\"EC_v1\"}"}"#,
            #"{"token":\#(demo),"order":{"amount":1,"currency":"EUR"}}"#,
            #"{"token":\#(demo),"reference":"R","more":[]}"#,
        ]
        let batch = try Command(
            ["decrypt", "--batch", "--test-trust-anchor", TestVectors.root.path(), "--any-age"]
                + keys, input: lines.joined(separator: "\n"))
        let answers = try answers(batch.output)
        try #require(answers.count == lines.count)
        #expect(answers[0]["agePolicy"] as? String == "received-at 2026-05-04T09:30:00Z")
        #expect(answers[1]["code"] as? String == "too-old")
        #expect(answers[1]["id"] as? String == "too late")
        #expect(answers[2]["id"] == nil)
        #expect(answers[2]["status"] as? String == "ok")
        #expect(answers[3]["id"] as? Double == 1.5)
        #expect(answers[3]["code"] as? String == "order-mismatch")
        #expect(answers[4]["stage"] as? String == "field")
        #expect(answers[5]["code"] as? String == "order-mismatch")
        #expect(answers[6]["status"] as? String == "ok")
    }

    @Test("answers a bad line with its error and goes on")
    func badLines() throws {
        let demo = try demo()
        let lines = [
            "", "no token", #"{"id":[],"token":{}}"#, #"{"id":"a","at":1,"token":{}}"#,
            #"{"id":"b","token":{},"order":{"amount":-1,"currency":"EUR"}}"#,
            #"{"token":{},"order":[]}"#, #"{"id":"c","token":{},"reference":1}"#,
            String(repeating: "x", count: 2 << 20 + 1), demo,
        ]
        let batch = try Command(
            ["decrypt", "--batch"] + keys + minted, input: lines.joined(separator: "\n"))
        let answers = try answers(batch.output)
        #expect(batch.status == 1)
        #expect(
            answers.map { $0["code"] as? String } == [
                "unexpected-end", "unexpected-character", "invalid-envelope", "invalid-envelope",
                "invalid-envelope", "invalid-envelope", "invalid-envelope", "text-too-long", nil,
            ])
        #expect(
            answers.map { $0["id"] as? String } == [nil, nil, nil, "a", "b", nil, "c", nil, nil])
        #expect(answers.last?["status"] as? String == "ok")
    }

    @Test("claims each transaction once, in the order of the input")
    func ledger() throws {
        let ledger = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: ledger) }
        let location = ["--ledger", ledger.path()]
        #expect(try Command(["ledger", "init", "--window", "600"] + location).status == 0)
        let batch = try Command(
            ["decrypt", "--batch"] + location + keys + minted,
            input: Array(repeating: demo(), count: 40).joined(separator: "\n"))
        let codes = try answers(batch.output).map { $0["code"] as? String }
        #expect(codes.count == 40)
        #expect(codes.filter { $0 == nil }.count == 1)
        #expect(codes.filter { $0 == "already-claimed" }.count == 39)
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
            script, [TestVectors.demoToken.path(), "decrypt", "--batch"] + keys + minted)
        #expect(try answers(run.output).count == 3)
    }

    @Test("ends after complete lines when nobody reads on", .timeLimit(.minutes(1)))
    func closedPipe() throws {
        let script = """
            program=$1 token=$2; shift 2
            for i in $(seq 4000); do cat "$token"; echo; done 2>/dev/null \
                | { "$program" "$@"; echo "status $?" >&2; } | head -n 2
            """
        let run = try shell(
            script, [TestVectors.demoToken.path(), "decrypt", "--batch"] + keys + minted)
        #expect(try answers(run.output).count == 2)
        #expect(run.error.hasSuffix("status 3\n"))
    }

    @Test("ends after complete lines when it is interrupted", .timeLimit(.minutes(1)))
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
            script, [TestVectors.demoToken.path(), "decrypt", "--batch"] + keys + minted)
        #expect(try answers(run.output).count == 1)
        #expect(run.error.hasSuffix("status 130\n"))
    }

    @Test(
        "is refused with words that do not go together",
        arguments: [
            ["decrypt", "--jobs", "2"], ["decrypt", "--batch", "--jobs", "0"],
            ["verify", "--batch", "--jobs", "x"],
        ])
    func usage(_ words: [String]) throws {
        let run = try Command(words + (words[0] == "decrypt" ? keys : []) + minted)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
    }
}
