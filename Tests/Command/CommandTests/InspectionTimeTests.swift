import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("The times that inspect shows")
struct InspectionTimeTests {
    private static let day = 86_400.0

    /// Inspects a token with an edited recipe, whose chain must end at the root in a file.
    private func inspect(
        _ words: [String], _ edit: (inout TokenRecipe) -> Void
    ) throws -> Inspection {
        let pki = TestPKI(seed: "times of inspect")
        let token = try pki.token { edit(&$0) }
        return try KeyFolder.with(["root.pem": try pki.root.certificate.pem]) { folder in
            let arguments = try Arguments(
                ["--test-trust-anchor", "\(folder)/root.pem"] + words, InspectCommand.options)
            return try Inspection(
                token.json, options: try TokenOptions(arguments, path: "-"), keys: nil,
                merchantIdentifiers: [])
        }
    }

    @Test(
        "relate the signing time to the clock, unless the time of receipt is stated",
        arguments: [
            ([], -100, " ago, at "), ([], 100, " in the future, at "),
            (["--any-age"], -1_000, " ago, at "), (["--any-age"], 1_000, " in the future, at "),
            (["--at", "2030-01-01T00:00:00Z"], 0, " before receipt, at "),
            (["--at", "2020-01-01T00:00:00Z"], 0, " after receipt, at "),
        ] as [([String], Double, String)])
    func relation(_ words: [String], _ seconds: Double, _ text: String) throws {
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
        let inspection = try inspect(words) {
            $0.signingTime = now.addingTimeInterval(seconds)
            $0.chain.leaf.notAfter = now.addingTimeInterval(400 * Self.day)
        }
        let page = inspection.tree(TerminalStyle(width: 200, isColored: false)).text
        let line = page.split(separator: "\n").first { $0.dropFirst(2).hasPrefix("signing-time ") }
        #expect(line?.contains(text) == true, "\(page)")
        let isAnyAge = words == ["--any-age"]
        #expect(line?.hasSuffix("; any age is permitted") == isAnyAge)
        #expect((inspection.receiptTime == nil) == isAnyAge)
        #expect(inspection.isReceivedNow == words.isEmpty)
    }

    @Test(
        "warn of a signer's certificate that ends within 180 days and has not ended",
        arguments: [(-1, false), (0, true), (180 * day, true), (180 * day + 1, false)])
    func warnings(_ rest: Double, _ isWarned: Bool) throws {
        let inspection = try inspect(["--at", "2026-05-05T00:00:00Z"]) {
            $0.signingTime = CivilTime.day(2026, 5, 4)
            $0.chain.leaf.notAfter = CivilTime.day(2026, 5, 5).addingTimeInterval(rest)
        }
        let end = CertificateEnd(
            end: CivilTime.day(2026, 5, 5).addingTimeInterval(rest), now: CivilTime.day(2026, 5, 5))
        let sentence =
            "the signer's certificate \(end.text). Apple renews it, and tokens that its successor signs need no change "
            + "here."
        #expect(inspection.proof != nil)
        #expect(inspection.warnings == (isWarned ? [sentence] : []))
    }

    @Test("warn of an intermediate certificate that ends soon")
    func intermediate() throws {
        let inspection = try inspect(["--at", "2026-05-05T00:00:00Z"]) {
            $0.signingTime = CivilTime.day(2026, 5, 4)
            $0.chain.intermediate.notAfter = CivilTime.day(2026, 5, 7)
        }
        #expect(
            inspection.warnings == [
                "the intermediate certificate ends on 2026-05-07, in 2 days. Apple will replace it; make sure that this "
                    + "version accepts a token that comes with its successor."
            ])
        let page = inspection.tree(TerminalStyle(width: 200, isColored: false)).text
        #expect(page.contains("  └ ! the intermediate certificate ends on 2026-05-07, in 2 days."))
    }
}
