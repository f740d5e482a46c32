import Foundation
import TestVectors
import Testing

@Suite("Messages of the command")
struct MessageTests {
    /// Pieces of messages that no transcript provokes, with the reason.
    private static let absent = [
        "libcrypto failed to sign the request; check this machine's memory and OpenSSL.":
            "needs a failure of libcrypto, such as a lack of memory",
        "libcrypto failed to create a key; check this machine's memory and OpenSSL.":
            "needs a failure of libcrypto, such as a lack of memory",
        "claims that could not be released in time, though no byte of their answers was written:":
            "needs a ledger that hangs when a signal comes; DeliveryTests has one",
        "lists the open claims.": "the same",
        "has more than": "a file of a million cases",
        "cases; divide it.": "a file of a million cases",
        "this paytoken was built without SQLite; in its source folder, swift build, without options, builds":
            "needs a build without the trait",
        "Check that the server runs and accepts writes, and the host, the port, the database and the":
            "needs a build with PostgreSQL; Tests/Integration/postgresql-attempts.sh has one",
        "this process is root's, and cannot become the user":
            "needs a system that refuses it",
        ", to whom": "the same",
        "belongs; run it as that user.": "the same",
        "the state is": "needs a payment; Tests/Integration/orders.py has one",
        ", which could not be written to standard output; payments show writes it again.":
            "the same",
        "Check the network, the gateway's address and its certificate, then repeat the command.":
            "needs a payment; PaymentsCommandTests has one",
        "there are more than": "10,000 open payments",
        "open payments; only these are listed.": "the same",
        "a payment is not listed:":
            "needs a record of a newer version; Tests/Integration/service.py has one",
        "the system cannot start a thread that waits for signals; raise the limit on processes.":
            "needs a system on which no thread can be started",
        "is compared only by decrypt; leave it out":
            "needs an envelope with a token of this moment; BatchTests has one",
        "the system cannot start another thread; raise the limit on processes.":
            "the same; Tests/Integration/system-limits.sh has one",
        "requests were still being handled after 70 s.":
            "needs a gateway that is silent for so long",
        "lines of the audit log could not be written, and are lost.":
            "needs an output that takes nothing; Tests/Integration/service.py has one",
        "the settings of the resolver were replaced; this process ends, to be started again with the new ones.":
            "needs another file in /etc; Tests/Integration/service.py has one",
        "the system cannot start another process of this program.":
            "needs a system on which no process can be started",
        "this process cannot be confined, because it has several threads already.":
            "needs a library that starts a thread when it is loaded",
        "the system refuses to": "needs a system that refuses it",
        "), so the service does not start; permit this call in its unit or container.":
            "the same",
        "the arguments cannot be read, because /proc is not mounted here; mount it.":
            "needs a system without it; Tests/Integration/system-limits.sh has one",
    ]

    @Test(
        "are those of the transcripts, and every proposed command works",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "needs openssl"),
        arguments: MessageTranscript.all)
    func transcript(_ transcript: MessageTranscript) throws {
        #expect(!transcript.entries.isEmpty)
        #expect(transcript.entries.allSatisfy { ($0.outcome == nil) == $0.command.hasPrefix("!") })
        try transcript.check()
    }

    @Test(
        "help with 100 mistakes and more: a newcomer's grades have a mean of 2.8 or more, and none is 0"
    )
    func mistakes() throws {
        let entries = MessageTranscript.all.flatMap(\.entries)
        let mistakes = entries.compactMap(\.mistake)
        #expect(mistakes.count >= 100)
        #expect(Set(mistakes.map(\.text)).count == mistakes.count)
        // A mark above something else would be lost.
        #expect(entries.allSatisfy { $0.mistake == nil || $0.command.hasPrefix("$") })
        #expect(mistakes.count == MessageTranscript.markCount)
        for mistake in mistakes where mistake.grade == 0 { Issue.record("\(mistake.text)") }
        let mean = Double(mistakes.map(\.grade).reduce(0, +)) / Double(mistakes.count)
        #expect(mean >= 2.8, "the mean is \(mean)")
        // What is printed is a message, unless the mistake simply works.
        for entry in entries where entry.mistake != nil {
            #expect(!entry.error.isEmpty || entry.outcome == "0", "\(entry.command)")
        }
    }

    @Test("are all in the transcripts")
    func coverage() throws {
        #expect(MessageTranscript.all.count >= 6)
        let messages = MessageTranscript.all.flatMap(\.entries).map(\.error).joined()
            .replacing("\n", with: " ")
        let literals = try MessageLiterals.byFile()
        #expect(literals.values.reduce(0) { $0 + $1.count } > 150)
        for (file, pieces) in literals {
            for piece in pieces where !messages.contains(piece) {
                #expect(Self.absent[piece] != nil, "\(file): \(piece)")
            }
        }
        let all = literals.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        for piece in Self.absent.keys {
            #expect(all.contains(piece) && !messages.contains(piece), "\(piece)")
        }
    }

    @Test(
        "announce that a terminal is read",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script"),
        arguments: [
            ("verify", "a token"), ("verify --batch", "tokens, one a line,"),
            ("verify x --crl -", "a file"),
            ("request payment --gateway -", "a gateway file"),
            ("decrypt --keys \(TestVectors.keys.path()) --order -", "an order"),
            ("conform - --check x", "test vectors"),
            (
                "conform - --trust-anchor \(TestVectors.root.path()) --keys \(TestVectors.keys.path())",
                "test vectors"
            ),
            ("conform \(TestVectors.syntheticCasesFile.path()) --check -", "answers"),
            ("keys hash -", "a key"),
            ("keys list --keys -", "a key"),
            ("keys csr --key - --out x", "a key"),
            ("keys new --out /nowhere/x --passphrase-file -", "a passphrase"),
        ])
    func terminal(_ words: String, _ contents: String) throws {
        // The terminal delivers Ctrl-D as the end of the input.
        let run = try Command(
            ["-qec", "\(Command.path(of: "paytoken")) \(words)", "/dev/null"],
            program: "/usr/bin/script", input: "\u{04}\u{04}")
        #expect(
            run.output.contains(
                "paytoken: Reading \(contents) from the terminal; end it with Ctrl-D.\r\n"))
    }
}
