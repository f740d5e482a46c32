import ApplePayGatewaysTesting
import ApplePayOtherGateways
import Foundation
import TestVectors
import Testing

@Suite("The commands of the gateways' pages")
struct GatewayPageTests {
    private static let root = TestVectors.directory.deletingLastPathComponent()

    /// Runs a command line in a folder, with the root and the time of receipt of the test token.
    private func run(_ line: String, in folder: URL, _ variables: [String]) throws -> Command {
        var line = line
        if line.hasPrefix("paytoken") {
            line = "'\(Command.path(of: "paytoken"))'" + line.dropFirst("paytoken".count)
        }
        if line.contains(" token.json ") {
            line += " --test-trust-anchor '\(TestVectors.root.path())' --at 2026-05-04T09:30:00Z"
        }
        let environment = variables.map { name in
            // CyberSource's secret must be base64.
            (name, name.hasPrefix("CYBERSOURCE") ? "bm90LXJlYWw=" : "not-a-real-secret")
        }
        return try Command(
            ["-euc", "cd '\(folder.path())'\n\(line)"], program: "/bin/sh",
            environment: Dictionary(environment) { first, _ in first })
    }

    /// Creates a folder with the test token, its keys and the files that a page saves.
    private func folder(_ page: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, target) in [("token.json", TestVectors.demoToken), ("keys", TestVectors.keys)] {
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: name), withDestinationURL: target)
        }
        for block in page.components(separatedBy: "<!-- saved as ").dropFirst() {
            let parts = block.components(separatedBy: " -->\n```json\n")
            let text = try #require(parts.last?.components(separatedBy: "```").first)
            try Data(text.utf8).write(to: folder.appending(path: parts[0]))
        }
        return folder
    }

    /// Returns the names of the environment variables that a page's files and options name.
    private func variables(_ page: String) -> [String] {
        ["\"env\": \"", "-env "].flatMap { mark in
            page.components(separatedBy: mark).dropFirst().map { text in
                String(text.prefix { $0.isLetter || $0 == "_" })
            }
        }
    }

    @Test("print the output shown below them")
    func commands() throws {
        let docs = Self.root.appending(path: "Sources/Payments/ApplePayGateways/Docs.docc")
        let pages = try FileManager.default.contentsOfDirectory(atPath: docs.path())
            .filter { $0.hasSuffix(".md") }
            .map { try String(contentsOf: docs.appending(path: $0), encoding: .utf8) }
            .filter { $0.contains("```console\n") }
        // The others have no body that another client could send.
        #expect(pages.count == ExampleGateway.all.count - 3)
        for page in pages {
            let folder = try folder(page)
            defer { try? FileManager.default.removeItem(at: folder) }
            let block = try #require(
                page.components(separatedBy: "```console\n$ ").last?
                    .components(separatedBy: "\n```").first)
            for step in block.components(separatedBy: "\n$ ") {
                let lines = step.replacing("\\\n", with: " ").split(separator: "\n", maxSplits: 1)
                let command = try run(String(lines[0]), in: folder, variables(page))
                #expect(command.status == 0, "\(lines[0]) \(command.error)")
                let messages = command.error.split(separator: "\n").map(String.init)
                    .filter { !$0.hasPrefix("paytoken: trusting the test root ") }
                #expect(
                    ([command.output] + messages).joined(separator: "\n")
                        .trimmingCharacters(in: .newlines)
                        == (lines.count == 2 ? String(lines[1]) : ""), "\(lines[0])")
            }
        }
    }
}
