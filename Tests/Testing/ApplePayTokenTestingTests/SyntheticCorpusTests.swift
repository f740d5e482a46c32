import Foundation
import TestVectors
import Testing

@testable import ApplePayTokenTesting

@Suite("The synthetic vectors")
struct SyntheticCorpusTests {
    @Test("are, byte for byte, what make-vectors makes")
    func reproduction() throws {
        let files = try SyntheticCorpus.files()
        for (path, bytes) in files {
            let stored = try Data(contentsOf: TestVectors.synthetic.appending(path: path))
            // The comparison alone: a failure shows a name, not megabytes.
            let isSame = stored == Data(bytes)
            #expect(isSame, "run make-vectors: \(path)")
        }
        let keys = try FileManager.default.contentsOfDirectory(atPath: TestVectors.keys.path())
        #expect(Set(keys.map { "keys/\($0)" }) == Set(files.keys.filter { $0.hasPrefix("keys/") }))
    }

    @Test("are read as they were written")
    func loading() throws {
        let book = VectorBook()
        try book.addJSON()
        let cases = try TestVectors.syntheticCases()
        let texts = Dictionary(uniqueKeysWithValues: cases.map { ($0.id, $0.token) })
        for vector in book.vectors {
            #expect(texts[vector.id] == vector.token.json, "\(vector.id)")
        }
    }

    @Test("name a stage exactly when they may be rejected")
    func stages() throws {
        for vector in try TestVectors.syntheticCases() {
            #expect(vector.stages.isEmpty == (vector.expect == .accept), "\(vector.id)")
            #expect(vector.stages.allSatisfy { Stage(rawValue: $0) != nil }, "\(vector.id)")
        }
    }
}
