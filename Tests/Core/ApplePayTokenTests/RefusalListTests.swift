import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("The list of refusals")
struct RefusalListTests {
    @Test("contains exactly the stages and codes of `PaymentTokenError`")
    func complete() throws {
        let expected = PaymentTokenError.Stage.allCases.flatMap { stage in
            ["## \(stage.rawValue)"]
                + PaymentTokenError.Code.allCases.filter { $0.stage == stage }.map {
                    "`\($0.name)`"
                }
        }
        let file = TestVectors.directory.deletingLastPathComponent()
            .appending(path: "Sources/Core/ApplePayToken/Docs.docc/Refusals.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let listed = lines.dropFirst().compactMap { line -> String? in
            if line.hasPrefix("## "), line != "## Overview" { return String(line) }
            return line.hasPrefix("| `") ? String(line.dropFirst(2).prefix { $0 != " " }) : nil
        }
        #expect(listed == expected)
    }
}
