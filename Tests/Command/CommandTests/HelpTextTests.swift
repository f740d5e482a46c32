import ApplePayOrderPrograms
import ApplePayPrograms
import Foundation
import TestVectors
import Testing

@testable import paytoken
@testable import paytoken_testing
@testable import paytokend

@Suite("Help texts")
struct HelpTextTests {
    private static let folder = TestVectors.directory.deletingLastPathComponent()
        .appending(path: "Tests/Command/Help")

    private static let programs: [Program] = [.paytoken, .paytokend, .testing]

    /// Returns all help texts, by the words before `--help`.
    private static func texts(columns: Int?) -> [String: String] {
        var texts: [String: String] = [:]
        for program in programs {
            let usage = Usage(of: program, columns: columns)
            for command in program.commands {
                texts["\(program.name) \(command.name)"] = usage.text([command])
            }
            texts[program.name] = usage.overview
        }
        return texts.filter { !$0.key.hasSuffix(" ") }
    }

    @Test("are of the commands that each program knows of the others")
    func otherPrograms() {
        let own = Self.programs.map { program in
            "\(program.name): \(program.commands.map(\.name).sorted())"
        }
        // Each program has these.
        let shared = ["", "completions", "manual"]
        let known = Program.commandNames.map { program, names in
            let common = Self.programs.first { $0.name == program }?.commands.map(\.name) ?? []
            return "\(program): \((names + shared.filter(common.contains)).sorted())"
        }
        #expect(known == own)
    }

    @Test("are those of Tests/Command/Help")
    func texts() throws {
        let texts = Self.texts(columns: nil)
        var names: Set<String> = []
        for (words, text) in texts {
            let name = words.split(separator: " ").joined(separator: "-") + ".txt"
            names.insert(name)
            let expected = try? String(
                contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            #expect(text == expected, "\(words) --help > Tests/Command/Help/\(name)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
        #expect(Set(files) == names)
    }

    @Test(
        "have descriptions of at most 100 characters a line, and fewer on a narrow terminal",
        arguments: [(nil, 100), (1, 60), (60, 60), (61, 61), (99, 99), (100, 100), (101, 100)]
            as [(Int?, Int)])
    func width(_ columns: Int?, _ width: Int) throws {
        let lines = Self.texts(columns: columns).values
            .flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let described = lines.filter { $0.hasPrefix(String(repeating: " ", count: 32)) }
        // A word that is longer than the line is alone on it.
        let wrapped = described.filter { $0.drop { $0 == " " }.contains(" ") }
        let longest = try #require(wrapped.map(\.count).max())
        #expect(longest <= width && longest > width - 5)
    }

    @Test("of a program's own work are written wherever --help stands among its options")
    func main() throws {
        let overview = Usage(of: .paytokend, columns: nil).overview
        for words in [["--help"], ["--socket", "x", "--help"]] {
            let help = try Command(words, program: "paytokend")
            #expect(help.status == 0 && help.output == overview)
        }
        #expect(try Command(["--socket", "x", "--", "--help"], program: "paytokend").status == 2)
    }

    @Test("have at most 80 lines")
    func length() {
        for (words, text) in Self.texts(columns: nil) {
            let count = text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            #expect(count <= 80, "\(words) --help has \(count) lines")
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
