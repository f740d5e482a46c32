import ApplePayOrderPrograms
import ApplePayPrimitives
import ApplePayPrograms
import ApplePayTokenTesting
import Foundation
import Glibc
import TestVectors
import Testing

@testable import paytoken
@testable import paytokend

@Suite("The command's process")
struct SystemTests {
    private func text(_ lines: [LineReader.Line]) -> [String] {
        lines.map { line in
            switch line {
            case .text(let bytes): String(decoding: bytes, as: UTF8.self)
            case .tooLong: "too long"
            }
        }
    }

    /// Returns all lines of a text that is read from a file.
    private func lines(_ text: String, limit: Int) throws -> [String] {
        try KeyFolder.with(["lines": text]) { folder in
            let reader = try LineReader(path: "\(folder)/lines", limit: limit)
            var lines: [LineReader.Line] = []
            while let line = try reader.next() { lines.append(line) }
            return self.text(lines)
        }
    }

    @Test("reads lines of exactly the limit, and of any number of pieces of a file")
    func lines() throws {
        for end in ["", "\n"] {
            #expect(
                try lines("abc\nabcd\n\nxyz\(end)", limit: 3) == ["abc", "too long", "", "xyz"])
            #expect(try lines("abcd\(end)", limit: 3) == ["too long"])
            #expect(try lines("a\(end)", limit: 3) == ["a"])
            // A piece has 65,536 bytes.
            for count in [65_535, 65_536, 65_537, 131_073] {
                let line = String(repeating: "a", count: count)
                #expect(try lines("\(line)\nb\(end)", limit: count) == [line, "b"])
                #expect(try lines("\(line)\(end)", limit: count) == [line])
                #expect(try lines("\(line)\(end)", limit: count - 1) == ["too long"])
            }
        }
        #expect(try lines("", limit: 3) == [])
    }

    @Test("reads the lines that are available, at most as many as requested")
    func available() throws {
        try KeyFolder.with(["lines": "a\nb\nc\n\nd"]) { folder in
            let reader = try LineReader(path: "\(folder)/lines", limit: 9)
            #expect(try text(reader.lines(upTo: 2)) == ["a", "b"])
            #expect(try text(reader.lines(upTo: 9)) == ["c", ""])
            #expect(try text(reader.lines(upTo: 9)) == ["d"])
            #expect(try text(reader.lines(upTo: 9)) == [])
        }
    }

    @Test("opens a file of lines once, closes it, and never closes standard input")
    func descriptors() throws {
        func count(_ path: String) throws -> Int {
            let folder = "/proc/self/fd"
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))
                    == path
            }.count
        }
        try KeyFolder.with(["lines": "a"]) { folder in
            let path = "\(folder)/lines"
            do {
                let reader = try LineReader(path: path, limit: 9)
                #expect(try text(reader.lines(upTo: 1)) == ["a"] && count(path) == 1)
            }
            #expect(try count(path) == 0)
            for (path, reason) in [
                ("\(folder)/other", "No such file or directory"), (folder, "Is a directory"),
            ] {
                let error = #expect(throws: FileError.self) {
                    try LineReader(path: path, limit: 9).next()
                }
                #expect(error?.description == "\(path) cannot be read: \(reason)")
            }
        }
        let isOpen = fcntl(STDIN_FILENO, F_GETFD) != -1
        _ = try LineReader(path: "-", limit: 9)
        #expect((fcntl(STDIN_FILENO, F_GETFD) != -1) == isOpen)
    }

    @Test("has no core dumps, and OpenSSL started")
    func guarded() {
        #expect(ProcessGuard.disableCoreDumps())
        #expect(ProcessGuard.startLibcrypto())
    }

    private static let limiter = "/usr/bin/prlimit"

    @Test(
        "fails at once if a closed standard stream cannot be replaced",
        .enabled(if: FileManager.default.isExecutableFile(atPath: limiter), "needs prlimit"),
        arguments: [
            (1, ""),
            (
                100,
                "paytoken: standard output cannot be written: Bad file descriptor; the answer is not complete.\n"
            ),
        ])
    func reservedStreams(_ files: Int, _ message: String) throws {
        // With one file allowed, standard input is replaced, and standard output is not.
        let script = "exec \(Self.limiter) --nofile=\(files) \"$0\" ledger show --help <&- >&-"
        let run = try Command(["-c", script, Command.path(of: "paytoken")], program: "/bin/bash")
        #expect(run.status == 3)
        #expect(run.error == message)
    }

    private static let terminal = "/usr/bin/script"

    @Test(
        "shows the progress of a batch on a terminal, and ends its line",
        .enabled(if: FileManager.default.isExecutableFile(atPath: terminal), "needs script"))
    func progress() throws {
        let token = try String(contentsOf: TestVectors.demoToken, encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        try KeyFolder.with(["tokens": "\(token)\nx\n\(token)\n"]) { folder in
            let words =
                "verify --batch --jobs 1 \(folder)/tokens --any-age --test-trust-anchor "
                + TestVectors.root.path()
            let run = try Command(
                [
                    "-qec", "stty -onlcr; \(Command.path(of: "paytoken")) \(words) > /dev/null",
                    "/dev/null",
                ],
                program: Self.terminal)
            #expect(run.status == 1)
            let shown = #"\r3 done, [0-9]+/s, 1 refused   "#
            let pattern = try Regex("instead of Apple Root CA - G3\\.\\n\(shown)\(shown)\\n$")
            #expect(run.output.firstMatch(of: pattern) != nil, "\(run.output)")
        }
    }

    @Test(
        "exits with 1 if one line of a batch is refused, and with 0 if none is", arguments: [0, 1])
    func batchStatus(_ refused: Int) throws {
        let token = try String(contentsOf: TestVectors.demoToken, encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        let input = token + String(repeating: "\nx", count: refused)
        let words = [
            "verify", "--batch", "--any-age", "--test-trust-anchor", TestVectors.root.path(),
        ]
        let run = try Command(words, input: input)
        #expect(run.status == Int32(refused))
        #expect(run.output.split(separator: "\n").count == 1 + refused)
    }

    @Test("does work on the calling thread, also while all of Swift's threads are busy")
    func busyThreads() throws {
        let (isOpen, result) = (Monitor(false), Monitor(Int?.none))
        // Each blocks one of Swift's threads, and wakes the next.
        for _ in 0..<SystemThread.processorCount * 2 {
            Task.detached {
                _ = isOpen.wait { $0 ? true : nil }
                isOpen.change { $0 = true }
            }
        }
        let thread = SystemThread {
            let caller = pthread_self()
            let found = waiting { () async -> Int in
                var count = 0
                for _ in 0..<5 {
                    if pthread_self() == caller { count += 1 }
                    await withCheckedContinuation { continuation in
                        SystemThread { continuation.resume() }?.detach()
                    }
                    await Task.yield()
                }
                return count
            }
            result.change { $0 = found }
        }
        try #require(thread).detach()
        // Other programs use the processors, too.
        #expect(result.wait(atMost: .seconds(60)) { $0 } == 5)
        isOpen.change { $0 = true }
    }
}
