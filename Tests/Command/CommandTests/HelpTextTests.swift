import ApplePayOrderPrograms
import ApplePayPrograms
import Foundation
import TestVectors
import Testing

@testable import paytoken

@Suite("Help texts")
struct HelpTextTests {
    private static let folder = TestVectors.directory.deletingLastPathComponent()
        .appending(path: "Tests/Command/Help")

    /// Returns all help texts, by the words before `--help`.
    private static func texts(_ usage: Usage) -> [String: String] {
        var texts = ["": usage.overview]
        for command in Program.paytoken.commands { texts[command.name] = usage.text([command]) }
        return texts
    }

    @Test("are those of Tests/Command/Help")
    func texts() throws {
        let texts = Self.texts(Usage(of: .paytoken, columns: nil))
        var names: Set<String> = []
        for (words, text) in texts {
            let name = (["paytoken"] + words.split(separator: " ")).joined(separator: "-") + ".txt"
            names.insert(name)
            let expected = try? String(
                contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            #expect(text == expected, "paytoken \(words) --help > Tests/Command/Help/\(name)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
        #expect(Set(files) == names)
    }

    @Test(
        "have descriptions of at most 100 characters a line, and fewer on a narrow terminal",
        arguments: [(nil, 100), (1, 60), (60, 60), (61, 61), (99, 99), (100, 100), (101, 100)]
            as [(Int?, Int)])
    func width(_ columns: Int?, _ width: Int) throws {
        let lines = Self.texts(Usage(of: .paytoken, columns: columns)).values
            .flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let described = lines.filter { $0.hasPrefix(String(repeating: " ", count: 32)) }
        // A word that is longer than the line is alone on it.
        let wrapped = described.filter { $0.drop { $0 == " " }.contains(" ") }
        let longest = try #require(wrapped.map(\.count).max())
        #expect(longest <= width && longest > width - 5)
    }

    @Test("have at most 80 lines")
    func length() {
        for (words, text) in Self.texts(Usage(of: .paytoken, columns: nil)) {
            let count = text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            #expect(count <= 80, "paytoken \(words) --help has \(count) lines")
        }
    }

    @Test("put each option and its description in columns")
    func columns() {
        let lines = Usage(of: .paytoken, columns: nil).text(Program.paytoken.commands).split(
            separator: "\n")
        for option in Program.paytoken.commands.flatMap(\.options) {
            let name = "  \(option.usage)"
            let rest = String(repeating: " ", count: max(32 - name.count, 2))
            #expect(lines.contains { $0.hasPrefix(name + rest) }, "\(option.usage)")
        }
    }
}
