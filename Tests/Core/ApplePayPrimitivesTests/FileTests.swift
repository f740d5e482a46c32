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
