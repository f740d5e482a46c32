import ApplePayGatewaysTesting
import Foundation
import TestVectors
import Testing

@Suite("The commands of the gateways' pages")
struct GatewayPageTests {
    private static let root = TestVectors.directory.deletingLastPathComponent()

    /// Splits a command line into words; quotation marks enclose words with spaces.
    private func words(_ line: String) -> [String] {
        line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .flatMap { index, part in
                index.isMultiple(of: 2)
                    ? part.split(separator: " ").map(String.init) : [String(part)]
            }
    }

    /// Runs the command with the paths of the test token, its keys and its root.
    private func run(_ line: String) throws -> Command {
        var words = words(line)
        #expect(words.removeFirst() == "paytoken")
        let environment = zip(words, words.dropFirst()).filter { $0.0.hasSuffix("-env") }
            .map { option, name in
                // CyberSource's secret must be base64.
                (name, option.hasPrefix("--shared-") ? "bm90LXJlYWw=" : "not-a-real-secret")
            }
        if words.contains("token.json") {
            words += [
                "--test-trust-anchor", TestVectors.root.path(), "--at", "2026-05-04T09:30:00Z",
            ]
        }
        let files = ["token.json": TestVectors.demoToken.path(), "keys": TestVectors.keys.path()]
        return try Command(
            words.map { files[$0] ?? $0 },
            environment: Dictionary(environment) { first, _ in first })
    }

    @Test("print the output shown below them")
    func commands() throws {
        let folder = Self.root.appending(path: "Sources/Payments/ApplePayGateways/Docs.docc")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path())
            .filter { $0.hasSuffix(".md") }
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
        let blocks = pages.flatMap { page in
            page.components(separatedBy: "```console\n$ ").dropFirst()
                .compactMap { $0.components(separatedBy: "\n```").first }
        }
        #expect(blocks.count == ExampleGateway.all.count)
        for block in blocks {
            let text = block.replacing("\\\n", with: " ")
            let lines = text.split(separator: "\n", maxSplits: 1)
            let command = try run(String(lines[0]))
            #expect(command.status == 0, "\(lines[0]) \(command.error)")
            #expect(
                command.output.trimmingCharacters(in: .newlines)
                    == (lines.count == 2 ? String(lines[1]) : ""), "\(lines[0])")
        }
    }
}
