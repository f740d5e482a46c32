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
    private let enveloped = [
        "--batch", "--envelopes", "--test-trust-anchor", TestVectors.root.path(), "--keys",
        TestVectors.keys.path(),
    ]

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

    @Test(
        "answers every line in the input's order, with any number of threads",
        arguments: [false, true])
    func order(hasEnvelopes: Bool) throws {
        let cases = try TestVectors.syntheticCases().filter { vector in
            // A batch needs one line for each token, so exclude tokens that contain a line feed.
            !vector.token.contains(0x0A) && !vector.token.isEmpty && vector.group != "wrapper"
        }.prefix(240)
        let input = cases.enumerated().map { number, vector in
            let token = String(decoding: vector.token, as: UTF8.self)
            guard hasEnvelopes else { return token }
            return #"{"id":\#(number),"at":"2026-05-04T09:30:00Z","token":\#(token)}"#
        }
        let verdicts = try [1, 3].map { jobs in
            try Command(
                ["decrypt", "--jobs", "\(jobs)"]
                    + (hasEnvelopes ? enveloped : ["--batch"] + keys + testOptions),
                input: input.joined(separator: "\n"))
        }
        #expect(verdicts[0].status == 1)
        #expect(verdicts[0].output == verdicts[1].output)
        let answers = try answers(verdicts[1].output)
        try #require(answers.count == cases.count)
        for (number, answer) in answers.enumerated()
        where answer["code"] as? String != "invalid-envelope" {
            #expect(answer["id"] as? Int == (hasEnvelopes ? number : nil))
        }
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

    @Test("reads id, at and order from an envelope")
    func envelopes() throws {
        let demo = try demo()
        let text = try String(decoding: JSONEncoder().encode(demo), as: UTF8.self)
        let time = #""at":"2026-05-04T09:30:00Z""#
        let lines = [
            #"{"id":"in time",\#(time),"token":\#(demo)}"#,
            #"{"id":"too late","at":"2026-05-04T10:30:00Z","token":\#(demo)}"#,
            #"{"at":"2026-05-04T09:30:00.5Z","token":\#(demo)}"#,
            #"{"id":1.5,"token":\#(demo),"order":{"amount":1,"currency":"EUR"},\#(time)}"#,
            #"{"id":"text",\#(time),"token":"{\"version\":\"EC_v1\"}"}"#,
            #"{"id":"now","token":\#(demo)}"#,
            #"{"token":\#(text),"reference":"R",\#(time)}"#,
        ]
        let batch = try Command(["decrypt"] + enveloped, input: lines.joined(separator: "\n"))
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
        #expect(answers[5]["stage"] as? String == "signing-time")
        #expect(answers[6]["status"] as? String == "ok")
    }

    @Test("repeats an id with escapes for characters that could control a terminal")
    func identifier() throws {
        let line = "{\"id\":\"x\\n\u{85}\u{7F}\u{202E}\u{2028}é\",\"token\":{}}"
        let batch = try Command(
            [
                "verify", "--batch", "--envelopes", "--test-trust-anchor", TestVectors.root.path(),
            ], input: line)
        #expect(batch.output.hasPrefix(#"{"id":"x\n\u0085\u007f\u202e\u2028é","status""#))
    }

    @Test("refuses an order to compare with a token that is not decrypted")
    func orderWithoutKey() throws {
        let demo = try demo()
        let token = #""at":"2026-05-04T09:30:00Z","token":\#(demo)"#
        let lines = [
            #"{"id":1,"order":{"amount":1,"currency":"EUR"},\#(token)}"#,
            #"{"id":2,"reference":"R",\#(token)}"#, #"{"id":3,\#(token)}"#,
        ]
        let batch = try Command(
            [
                "verify", "--batch", "--envelopes", "--test-trust-anchor", TestVectors.root.path(),
            ], input: lines.joined(separator: "\n"))
        let answers = try answers(batch.output)
        try #require(answers.count == 3)
        #expect(answers[2]["status"] as? String == "ok")
        for (answer, member) in zip(answers, ["order", "reference"]) {
            #expect(answer["code"] as? String == "invalid-envelope")
            let message = answer["message"] as? String
            #expect(
                message?.contains("\(member) is compared only by decrypt; leave it out") == true,
                "\(message ?? "")")
        }
    }

    @Test("refuses a line that is not an envelope, names the member at fault and continues")
    func badEnvelopes() throws {
        let demo = try demo()
        let rows: [(line: String, id: String?, sentence: String)] = [
            ("", nil, "The line is not an envelope."),
            ("no token", nil, "The line is not an envelope."),
            ("[\(demo)]", nil, "The line is not an envelope. It is not a JSON object."),
            (demo, nil, " is unknown: an envelope has token"),
            (#"{"id":"t"}"#, "t", "The envelope's token is missing;"),
            (#"{"id":"u","token":\#(demo),"more":[]}"#, "u", "The envelope's more is unknown"),
            (#"{"id":[],"token":{}}"#, nil, "The envelope's id must be a string or a number."),
            (#"{"token":null}"#, nil, "The envelope's token must be the token as an object"),
            (#"{"token":[\#(demo)]}"#, nil, "The envelope's token must be the token as an object"),
            (#"{"id":"a","at":1,"token":{}}"#, "a", "The envelope's at must be a time"),
            (#"{"at":"today","id":"A","token":{}}"#, "A", "The envelope's at must be a time"),
            (
                #"{"id":"b","token":{},"order":{"amount":-1,"currency":"EUR"}}"#, "b",
                "The envelope's order.amount must be a whole number of minor units."
            ),
            (#"{"token":{},"order":[]}"#, nil, "The envelope's order must be an object."),
            (#"{"id":"c","token":{},"reference":1}"#, "c", "reference must be a string."),
            // Only the outermost object is an envelope; this one contains another.
            (#"{"token":{"id":"i","token":\#(demo)},"at":null}"#, nil, "The envelope's at must"),
        ]
        let good = #"{"at":"2026-05-04T09:30:00Z","token":\#(demo)}"#
        let input = rows.map(\.line) + [String(repeating: "x", count: 2 << 20 + 1), good]
        let batch = try Command(["decrypt"] + enveloped, input: input.joined(separator: "\n"))
        let answers = try answers(batch.output)
        #expect(batch.status == 1)
        try #require(answers.count == input.count)
        for (answer, row) in zip(answers, rows) {
            #expect(answer["stage"] as? String == "json", "\(row.line)")
            #expect(answer["code"] as? String == "invalid-envelope", "\(row.line)")
            #expect(answer["id"] as? String == row.id, "\(row.line)")
            let message = try #require(answer["message"] as? String)
            #expect(message.contains(row.sentence), "\(row.line): \(message)")
        }
        #expect(answers[rows.count]["code"] as? String == "text-too-long")
        #expect(answers.last?["status"] as? String == "ok")
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
                #expect(answer["id"] == nil)
                #expect((answer["status"] as? String == "ok") == (options == ["--any-age"]))
            }
        }
    }

    @Test("claims each transaction once, in the order of the input")
    func ledger() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let location = ["--ledger", folder.appending(path: "ledger").path()]
        #expect(try Command(["ledger", "init", "--window", "600"] + location).status == 0)
        let batch = try Command(
            ["decrypt", "--batch"] + location + keys + testOptions,
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
            (["decrypt", "--envelopes"], "--envelopes needs --batch."),
            (["verify", "--envelopes"], "--envelopes needs --batch."),
            (["inspect", "--envelopes"], "--envelopes is not an option here"),
        ] as [([String], String)])
    func usage(_ words: [String], _ sentence: String) throws {
        let run = try Command(words + (words[0] == "decrypt" ? keys : []) + testOptions)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.error.contains(sentence), "\(run.error)")
    }

    @Test(
        "refuses options for all lines if each line has an envelope",
        arguments: ["decrypt --keys k", "verify", "request payment --keys k --gateway shop.json"],
        [
            "--at 2026-05-04T09:30:00Z", "--any-age", "--amount 1", "--currency EUR",
            "--application-data AAAA", "--order order.json",
        ])
    func sharedValues(_ command: String, _ option: String) throws {
        let name = try #require(option.split(separator: " ").first)
        let account =
            #"{"gateway":"checkout","environment":"test","credentials":{"secretKey":{"env":"HOME"}}}"#
        let run = try KeyFolder.with(["shop.json": account]) { folder in
            let words = "\(command) \(option)".split(separator: " ").map {
                $0 == "shop.json" ? "\(folder)/shop.json" : String($0)
            }
            return try Command(words + ["--batch", "--envelopes"], input: "{}")
        }
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        // verify does not decrypt tokens, so it does not accept the options for the order; request takes it as a file.
        let isOfEach = ["--at", "--any-age"].contains(name)
        let sentence =
            isOfEach || command.hasPrefix("decrypt") || (command != "verify" && name == "--order")
            ? "\(name) sets one value for all lines, but with --envelopes each line has its own"
            : command.hasPrefix("request") && name == "--amount"
                ? "--amount is for one request; leave out --amount or --batch."
                : "\(name) is not an option here"
        #expect(run.error.contains(sentence), "\(run.error)")
    }
}
