import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@testable import differential

@Suite("This library's verdict, compared with OpenSSL's")
struct DifferentialTests {
    /// Returns the disagreements that are not listed.
    private func unlisted(_ outcomes: [Differential.Outcome: Int]) throws -> Set<
        Differential.Outcome
    > {
        Set(outcomes.keys.filter { !$0.agrees }).subtracting(try Differential.exceptions().keys)
    }

    @Test("differs on vectors and mutants in exactly the listed classes")
    func classes() throws {
        let engine = try Differential(
            cases: TestVectors.syntheticCasesFile, root: TestVectors.root)
        // `make differential` tests a million mutants; with a seventh of these, a frequent class is missing.
        let count = LongTest.step == 1 ? 3_000 : 1_200
        let mutants = engine.mutants(count, seed: 20_261_121)
        #expect(mutants.values.reduce(0, +) == count)
        let outcomes = engine.vectors().merging(mutants, uniquingKeysWith: +)
        #expect(try unlisted(outcomes) == [])
        let frequent = try Differential.exceptions().filter(\.value.isFrequent)
        #expect(Set(frequent.keys).subtracting(outcomes.keys) == [])
        #expect(frequent.values.allSatisfy { !$0.reason.isEmpty })
    }

    @Test(
        "differs on the conformance corpus only in the listed classes",
        .enabled(
            if: TestVectors.sharedFolder != nil, "skipped: the conformance corpus is not here"))
    func conformance() throws {
        let folder = try #require(TestVectors.sharedFolder).appending(path: "conformance")
        let engine = try Differential(
            cases: folder.appending(path: "cases.jsonl"),
            root: folder.appending(path: "pki/root.pem"))
        #expect(try unlisted(engine.vectors()) == [])
    }
}
