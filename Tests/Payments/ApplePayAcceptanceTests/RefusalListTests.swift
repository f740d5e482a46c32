import ApplePayAcceptance
import Foundation
import TestVectors
import Testing

@Suite("The list of refusals")
struct RefusalListTests {
    @Test("contains exactly the codes of `PaymentTokenError` and `PaymentError`")
    func complete() throws {
        let names =
            PaymentTokenError.Code.allCases.map(\.rawValue)
            + PaymentError.Code.allCases.map(\.rawValue)
        let file = TestVectors.directory.deletingLastPathComponent()
            .appending(path: "Sources/Core/ApplePayToken/Docs.docc/Refusals.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        var stage = ""
        let listed = lines.dropFirst().compactMap { line -> String? in
            if line.hasPrefix("## ") { stage = String(line.dropFirst(3)) }
            return line.hasPrefix("| `")
                ? "\(stage)/\(line.dropFirst(3).prefix { $0 != "`" })" : nil
        }
        #expect(listed == names)
    }
}
