import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("The table of rules in VerificationRules.md")
struct RuleTableTests {
    private struct Row {
        let code, source, file, accepts, refuses: String
    }

    private static let root = TestVectors.directory.deletingLastPathComponent()

    private func rows() throws -> [Row] {
        let text = try String(
            contentsOf: Self.root.appending(
                path: "Sources/Core/ApplePayToken/Docs.docc/VerificationRules.md"), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap { line in
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 6, cells[0].contains("/") else { return nil }
            return Row(
                code: cells[0].filter { $0 != "`" }, source: cells[2], file: cells[3],
                accepts: cells[4].filter { $0 != "`" }, refuses: cells[5])
        }
    }

    @Test("has a row for every check of a token, each with a source")
    func complete() throws {
        // Refusals that do not depend on the token alone have neither a vector nor a row.
        let expected = PaymentTokenError.Code.allCases
            .filter { code in
                code.name != "library-failure"
                    && code != .keyUnavailable
            }
            .map(\.rawValue)
        let rows = try rows()
        #expect(rows.map(\.code) == expected)
        #expect(rows.allSatisfy { !$0.source.isEmpty })
    }

    @Test("names the file that throws each code")
    func files() throws {
        for row in try rows() {
            let file = Self.root.appending(path: "Sources/Core").appending(path: row.file)
            let text = try String(contentsOf: file, encoding: .utf8)
            let code = try #require(PaymentTokenError.Code(rawValue: row.code))
            // A code's description is the name of its case.
            #expect(text.contains(".\(code)"), "\(row.code) in \(row.file)")
        }
    }

    @Test("names vectors that are accepted, and vectors that are refused with the row's code")
    func vectors() throws {
        let cases = try TestVectors.syntheticCases()
        let expectations = Dictionary(uniqueKeysWithValues: cases.map { ($0.id, $0.expect) })
        let refusals = try TestVectors.syntheticRefusals()
        let tests = Self.root.appending(path: "Tests/Core/ApplePayTokenTests")
        for row in try rows() {
            #expect(expectations[row.accepts] == .accept, "\(row.code): \(row.accepts)")
            guard row.refuses.hasPrefix("`") else {
                let test = try String(
                    contentsOf: tests.appending(path: row.refuses), encoding: .utf8)
                #expect(test.contains(row.code), "\(row.code): \(row.refuses)")
                continue
            }
            let named = row.refuses.split(separator: "`").map(String.init)
                .filter { $0.contains("/") }
            let all = refusals.filter { $0.value == row.code }
            for vector in named { #expect(refusals[vector] == row.code, "\(vector)") }
            let more = row.refuses.split(separator: " and ").dropFirst().first
                .flatMap { $0.split(separator: " ").first }.flatMap { Int($0) }
            #expect(named.count + (more ?? 0) == all.count, "\(row.code)")
        }
    }
}
