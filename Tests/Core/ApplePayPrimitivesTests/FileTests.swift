import Foundation
import Testing

@testable import ApplePayPrimitives

@Suite("Files")
struct FileTests {
    private func file(_ text: String) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(text.utf8).write(to: url)
        return url
    }

    @Test("are read up to their limit", arguments: [0, 1, 16_384, 16_385, 100_000])
    func contents(_ count: Int) throws {
        let url = try file(String(repeating: "x", count: count))
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(try FileContents.read(url.path(), limit: count).count == count)
        guard count > 0 else { return }
        let error = FileError(path: url.path(), reason: "is larger than \(count - 1) bytes")
        #expect(throws: error) { _ = try FileContents.read(url.path(), limit: count - 1) }
    }

    @Test("that do not exist are named in the error, with the system's reason")
    func missing() {
        let error = FileError(
            path: "/nowhere/file", reason: "cannot be read: No such file or directory",
            isMissing: true)
        #expect(throws: error) { _ = try FileContents.read("/nowhere/file", limit: 1) }
        #expect("\(error)" == "/nowhere/file cannot be read: No such file or directory")
    }

    @Test(
        "are no pipes that lie in a folder, whether anybody writes to them or not",
        arguments: [false, true])
    func pipes(hasWriter: Bool) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        try #require(unsafe mkfifo(path, 0o600) == 0)
        let writer = hasWriter ? unsafe open(path, O_RDWR | O_CLOEXEC) : -1
        defer {
            if writer >= 0 { close(writer) }
            try? FileManager.default.removeItem(atPath: path)
        }
        let error = FileError(
            path: path, reason: "is a pipe, not a file; copy its contents to a file, and name that")
        #expect(throws: error) { _ = try FileContents.read(path, limit: 9) }
        let link = "\(path).link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        #expect(
            throws: FileError(
                path: link,
                reason: "is a pipe, not a file; copy its contents to a file, and name that")
        ) {
            _ = try FileContents.read(link, limit: 9)
        }
    }

    @Test("get names that no other file has, with their endings")
    func free() throws {
        let path = try file("x").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FileStatus.free(path) == "\(path)-2")
        #expect(FileStatus.free(path, ".pem") == path)
        let dangling = "\(path)-2"
        try FileManager.default.createSymbolicLink(
            atPath: dangling, withDestinationPath: "/nowhere")
        defer { try? FileManager.default.removeItem(atPath: dangling) }
        #expect(FileStatus.free(path) == "\(path)-3")
        #expect(
            FileStatus.free(String(path.dropLast(2)), String(path.suffix(2)))
                == "\(path.dropLast(2))-2")
    }

    @Test("are waited for only as long as their disk may take")
    func hanging() {
        var timeLeft = Duration.milliseconds(50)
        let answers = Monitor(false)
        let late = FileError(
            path: "f", reason: "was not read within 10 s; check its disk or network", isLate: true)
        for _ in 0..<2 {
            #expect(throws: late) {
                try ThreadLimit.files.result(at: "f", within: &timeLeft) { () throws(FileError) in
                    _ = answers.wait { $0 ? () : nil }
                }
            }
            // The second read is not begun.
            #expect(timeLeft <= .zero)
        }
        answers.change { $0 = true }
    }

    @Test("are read on threads that have ended then")
    func threads() throws {
        var timeLeft = ThreadLimit.fileTime
        let thread = try ThreadLimit.files.result(at: "f", within: &timeLeft) {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        }
        let path = "/proc/\(try #require(thread))"
        #expect(path.contains("/task/") && !FileManager.default.fileExists(atPath: path))
        #expect(timeLeft > .zero && timeLeft < ThreadLimit.fileTime)
    }

    @Test("are pipes that are open, as shells pass them, until they end")
    func openPipes() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("text".utf8))
        try pipe.fileHandleForWriting.close()
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        #expect(try FileContents.read(path, limit: 9).array() == Array("text".utf8))
    }

    @Test("are devices only as long as they deliver at once")
    func devices() throws {
        #expect(try FileContents.read("/dev/null", limit: 9).count == 0)
        #expect(throws: FileError(path: "/dev/zero", reason: "is larger than 9 bytes")) {
            _ = try FileContents.read("/dev/zero", limit: 9)
        }
    }
}

@Suite("Locks")
struct LockTests {
    @Test("let only one caller at a time change a value")
    func lock() async {
        let counter = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { counter.withLock { $0 += 1 } } }
            }
        }
        #expect(counter.withLock { $0 } == 80_000)
    }
}
