import ApplePayOrderPrograms
import ApplePayPrograms
import Foundation
import Testing

@testable import paytoken

@Suite("Lines of a file")
struct LineReaderTests {
    private func file(_ text: String) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(text.utf8).write(to: url)
        return url
    }

    @Test("are read line by line, and a line over the limit is reported as such")
    func lines() throws {
        let long = String(repeating: "y", count: 200_000)
        let url = try file("one\n\n\(long)\ntwo\n\(long)")
        defer { try? FileManager.default.removeItem(at: url) }
        let reader = try LineReader(path: url.path(), limit: 1000)
        var lines: [String] = []
        while let line = try reader.next() {
            switch line {
            case .text(let bytes): lines.append(String(decoding: bytes, as: UTF8.self))
            case .tooLong: lines.append("too long")
            }
        }
        #expect(lines == ["one", "", "too long", "two", "too long"])
    }

    @Test("end with or without a line feed", arguments: ["a\nb", "a\nb\n"])
    func lastLine(_ text: String) throws {
        let url = try file(text)
        defer { try? FileManager.default.removeItem(at: url) }
        let reader = try LineReader(path: url.path(), limit: 10)
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect(count == 2)
    }
}
