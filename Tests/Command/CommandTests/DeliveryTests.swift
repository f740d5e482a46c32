import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

/// Tests/Integration/delivered-claims.py and interruptions.py test the same behavior with full
/// disks, pipes of many sizes and hanging devices.
@Suite("The claim of an answer")
struct DeliveryTests {
    private let decrypt = [
        "decrypt", "--any-age", "--test-trust-anchor", TestVectors.root.path(), "--keys",
        TestVectors.keys.path(),
    ]

    /// Returns valid tokens with different transactions, one per line.
    private func tokens() throws -> [String] {
        let cases = try TestVectors.syntheticCases().filter { vector in
            vector.expect == .accept && vector.group == "valid" && !vector.token.contains(0x0A)
        }
        let tokens = cases.map { String(decoding: $0.token, as: UTF8.self) }
        try #require(tokens.count >= 10)
        return tokens
    }

    /// Returns a token, and its transactionId.
    private func tokenAndTransaction() throws -> (token: String, transaction: Substring) {
        let token = try tokens()[0]
        let answer = try Command(decrypt, input: token).output
        return (token, try #require(answer.firstMatch(of: /"transactionId":"([0-9a-f]+)"/)).1)
    }

    private func withLedger(_ body: (URL, [String]) throws -> Void) throws {
        try KeyFolder.with([String: String]()) { folder in
            let folder = URL(filePath: folder)
            let ledger = ["--ledger", folder.appending(path: "ledger").path()]
            let made = try Command(["ledger", "init", "--window", "300"] + ledger)
            try #require(made.status == 0, "\(made.error)")
            try body(folder, ledger)
        }
    }

    private func shell(_ script: String, _ words: [String], input: String = "") throws -> Command {
        let program = Command.path(of: "paytoken")
        return try Command(
            ["-c", script, "bash", program] + words, program: "/bin/bash", input: input)
    }

    /// Returns answers, or a part of them, with zeros as the digits of serials, which are chosen at random.
    private func masked(_ answers: String) -> String {
        answers.replacing(/("serial":")([0-9a-f]*)/) { match in
            match.1 + String(repeating: "0", count: match.2.count)
        }
    }

    /// Returns what the command writes for tokens that are claimed for the first time, masked.
    private func claimed(_ words: [String], _ input: String) throws -> String {
        var output = ""
        try withLedger { _, ledger in
            let whole = try Command(decrypt + words + ledger, input: input)
            #expect(whole.status == 0)
            output = masked(whole.output)
        }
        return output
    }

    /// Expects a second run to write exactly the answers after the first `written` bytes.
    private func expectKept(
        _ answers: [Substring],
        written: Int,
        error: String,
        of input: String,
        _ ledger: [String]
    ) throws {
        let again = try Command(decrypt + ["--batch"] + ledger, input: input)
        let verdicts = again.output.split(separator: "\n")
        try #require(verdicts.count == answers.count)
        var start = 0
        for (answer, verdict) in zip(answers, verdicts) {
            let end = start + answer.utf8.count + 1
            let transaction = try #require(answer.firstMatch(of: /"transactionId":"([0-9a-f]+)"/)).1
            let isPartial = start < written && written < end
            #expect(error.contains("transaction \(transaction): only a part") == isPartial)
            let shown = try Command(["ledger", "show", String(transaction)] + ledger).output
            let serial = try #require(shown.firstMatch(of: /"serial":"([0-9a-f]{32})"/)).1
            let release = "paytoken ledger release \(transaction) --serial \(serial) --ledger"
            #expect(error.contains(release) == isPartial)
            #expect(verdict.contains(#""code":"already-claimed""#) == (start < written))
            #expect((masked(String(verdict)) == answer) == (start >= written))
            start = end
        }
    }

    @Test(
        "stays open as soon as a byte was written, and is released otherwise", arguments: [8, 20])
    func limitedFile(kilobytes: Int) throws {
        let input = try tokens().joined(separator: "\n")
        let whole = try claimed(["--batch"], input)
        try withLedger { folder, ledger in
            let file = folder.appending(path: "answers")
            // The limit also applies to the files of the ledger, which need less than this.
            let filled = (4_096 - kilobytes) * 1_024
            try Data(repeating: UInt8(ascii: "x"), count: filled).write(to: file)
            let script = """
                program=$1 file=$2; shift 2
                ulimit -f 4096 && exec "$program" "$@" >> "$file"
                """
            let run = try shell(
                script, [file.path()] + decrypt + ["--batch"] + ledger, input: input)
            #expect(run.status == 3)
            let written = Data(try Data(contentsOf: file).dropFirst(filled))
            #expect(written.count == kilobytes * 1024)
            #expect(whole.hasPrefix(masked(String(decoding: written, as: UTF8.self))))
            try expectKept(
                whole.split(separator: "\n"), written: written.count, error: run.error,
                of: input, ledger)
        }
    }

    @Test("of one token stays open, too, if only the line feed is missing", arguments: [0, 1, 2])
    func oneToken(missing: Int) throws {
        let token = try tokens()[0]
        let whole = try claimed([], token)
        try withLedger { folder, ledger in
            let file = folder.appending(path: "answer")
            let room = missing == 2 ? 0 : whole.utf8.count - missing
            try Data(repeating: UInt8(ascii: "x"), count: 4_194_304 - room).write(to: file)
            let script = """
                program=$1 file=$2; shift 2
                ulimit -f 4096 && exec "$program" "$@" >> "$file"
                """
            let run = try shell(script, [file.path()] + decrypt + ledger, input: token)
            #expect(run.status == (missing == 0 ? 0 : 3))
            #expect(run.error.contains("only a part of its answer was written") == (missing == 1))
            let again = try Command(decrypt + ledger, input: token)
            #expect((masked(again.output) == whole) == (room == 0))
            #expect(again.output.contains("already-claimed") == (room > 0))
        }
    }

    @Test("is released if standard output is closed, whatever file is opened next")
    func closedOutput() throws {
        let token = try tokens()[0]
        try withLedger { _, ledger in
            for more in [[], ["--batch"]] {
                let words = decrypt + ledger + more
                let run = try shell("exec \"$@\" >&-", words, input: token)
                #expect(run.status == 3, "\(run.error)")
                #expect(!run.error.contains("part"))
            }
            let again = try Command(decrypt + ledger, input: token)
            #expect(again.status == 0, "\(again.output)")
        }
    }

    @Test(
        "that cannot be released is named",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")))
    func lockedLedger() throws {
        let (token, transaction) = try tokenAndTransaction()
        try withLedger { folder, ledger in
            let input = folder.appending(path: "token")
            try Data(token.utf8).write(to: input)
            // The answer waits in front of a full pipe until the ledger is locked, and then its reader leaves.
            let script = """
                program=$1 transaction=$2 ledger=$3 fifo=$4; shift 4
                mkfifo "$fifo" && exec 3<>"$fifo" 4<"$fifo"
                head -c 65536 /dev/zero >&3
                "$program" "$@" >"$fifo" 3>&- 4<&- &
                process=$!
                until "$program" ledger show $transaction --ledger "$ledger" | grep -q claimed; do sleep 0.05; done
                exec 9<"$ledger.lock" && flock -x 9
                exec 3>&- 4<&-
                wait $process; echo "status $?" >&2
                """
            let words = [
                String(transaction), folder.appending(path: "ledger").path(),
                folder.appending(path: "fifo").path(),
            ]
            let run = try shell(script, words + decrypt + [input.path()] + ledger)
            #expect(run.error.hasSuffix("status 3\n"), "\(run.error)")
            #expect(run.error.contains("transaction \(transaction): its answer was not written"))
            #expect(run.error.contains("run `paytoken ledger release \(transaction) --serial "))
        }
    }

    @Test(
        "that cannot be released before a signal ends the command is counted",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")))
    func lockedLedgerAndSignal() throws {
        let (token, transaction) = try tokenAndTransaction()
        try withLedger { folder, ledger in
            let input = folder.appending(path: "token")
            try Data(token.utf8).write(to: input)
            let script = """
                program=$1 transaction=$2 ledger=$3 fifo=$4; shift 4
                mkfifo "$fifo" && exec 3<>"$fifo"
                head -c 65536 /dev/zero >&3
                "$program" "$@" >&3 3>&- &
                process=$!
                until "$program" ledger show $transaction --ledger "$ledger" | grep -q claimed; do sleep 0.05; done
                exec 9<"$ledger.lock" && flock -x 9
                kill -TERM $process
                wait $process; echo "status $?" >&2
                """
            let words = [
                String(transaction), folder.appending(path: "ledger").path(),
                folder.appending(path: "fifo").path(),
            ]
            let run = try shell(script, words + decrypt + [input.path()] + ledger)
            #expect(run.error.hasSuffix("status 130\n"), "\(run.error)")
            #expect(run.error.contains("no byte of their answers was written: 1. `paytoken ledger"))
        }
    }

    @Test(
        "of an answer that a hanging reader never took is released within a second of a signal",
        .timeLimit(.minutes(1)), arguments: ["INT", "TERM"])
    func hangingReader(signal: String) throws {
        // No more than a slow disk can release in half a second.
        let tokens = try tokens().prefix(12)
        try withLedger { folder, ledger in
            let fifo = folder.appending(path: "fifo")
            // The pipe is full, and open for reading until the shell exits. The signal comes when all threads have been
            // sleeping for a while.
            let script = """
                program=$1 fifo=$2 signal=$3; shift 3
                rm -f "$fifo" && mkfifo "$fifo" && exec 3<>"$fifo"
                head -c 65536 /dev/zero >&3
                "$program" "$@" >&3 3>&- &
                process=$! steady=0
                while ((steady < 6)); do
                    sleep 0.05
                    grep -q 'State:.[RD]' /proc/$process/task/*/status 2>&- && steady=0 || ((++steady))
                done
                start=${EPOCHREALTIME/./}
                kill -"$signal" $process
                wait $process; echo "status $?" >&2
                echo $(((${EPOCHREALTIME/./} - start) / 1000))
                """
            let words = [fifo.path(), signal] + decrypt
            let input = folder.appending(path: "tokens")
            try Data(tokens.joined(separator: "\n").utf8).write(to: input)
            let one = folder.appending(path: "token")
            try Data(tokens[0].utf8).write(to: one)
            for more in [[one.path()], [one.path()] + ledger, ["--batch", input.path()] + ledger] {
                let run = try shell(script, words + more)
                #expect(run.error.hasSuffix("status 130\n"), "\(more) \(run.error)")
                let milliseconds = try #require(Int(run.output.dropLast()))
                #expect(milliseconds < 1500, "\(more)")
            }
            let again = try Command(decrypt + ["--batch", input.path()] + ledger)
            #expect(again.status == 0)
            #expect(!again.output.contains("already-claimed"))
        }
    }
}
