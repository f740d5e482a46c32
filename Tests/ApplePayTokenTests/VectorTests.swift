import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("Decrypting a token")
struct VectorTests {
    private static let own = Result {
        try Corpus(
            cases: TestVectors.syntheticCases(), root: TestVectors.root, keys: TestVectors.keys)
    }

    /// Cases by somebody else, where the folder beside the checkout is there.
    private static let foreign: Result<Corpus, any Error>? = TestVectors.sharedFolder.map {
        shared in
        Result {
            let folder = shared.appending(path: "conformance")
            return try Corpus(
                cases: TestVectors.cases(in: folder.appending(path: "cases.jsonl")),
                root: folder.appending(path: "pki/root.pem"),
                keys: folder.appending(path: "keys")
            )
        }
    }

    @Test("gives every vector its result and its stage", arguments: try own.get().cases)
    func vectors(_ vector: SyntheticCase) throws {
        try Self.own.get().judge(vector)
    }

    @Test(
        "gives every case of others its result and its stage",
        .enabled(if: foreign != nil, "skipped: ../shared/conformance is not here")
    )
    func casesOfOthers() throws {
        let corpus = try #require(try Self.foreign?.get())
        for vector in corpus.cases { try corpus.judge(vector) }
    }

    @Test("has at least one vector for every stage that a token can fail at")
    func stages() throws {
        let rejected = try Self.own.get().cases.filter { $0.expect == .reject }
        let stages = Set(rejected.flatMap(\.stages))
        let beyondToken: Set<PaymentTokenError.Stage> = [.order, .replay, .gateway]
        let expected = Set(PaymentTokenError.Stage.allCases).subtracting(beyondToken)
        #expect(stages == Set(expected.map(\.rawValue)))
    }
}

/// Cases with the decryptor they are for.
private struct Corpus: Sendable {
    let cases: [SyntheticCase]
    private let decryptor: PaymentTokenDecryptor

    init(cases: [SyntheticCase], root: URL, keys: URL) throws {
        self.cases = cases
        decryptor = try PaymentTokenDecryptor(
            keyring: MerchantKeyring(contentsOf: [keys.path()]),
            anchor: TrustAnchor(testRootCertificate: Array(Data(contentsOf: root)))
        )
    }

    func judge(_ vector: SyntheticCase) throws {
        do throws(PaymentTokenError) {
            let payment = try decryptor.decrypt(vector.token, agePolicy: .received(at: vector.now))
            #expect(vector.expect != .reject, "\(vector.id): \(vector.comment)")
            guard let expected = vector.plaintext else { return }
            let payload = payment.rawPayload.withRevealedBytes { bytes in
                Data(bytes.indices.map { bytes[$0] })
            }
            let actual = try? JSONDecoder().decode(JSONTree.self, from: payload)
            #expect(actual?.contains(expected) == true, "\(vector.id)")
        } catch {
            #expect(vector.expect != .accept, "\(vector.id): \(error.stage.rawValue)/\(error.code)")
            if vector.expect == .reject {
                #expect(
                    vector.stages.contains(error.stage.rawValue),
                    "\(vector.id): \(error.stage.rawValue)/\(error.code)")
            }
            for secret in vector.sensitive {
                #expect(!"\(error) \(String(reflecting: error))".contains(secret), "\(vector.id)")
            }
        }
    }
}

extension JSONTree {
    /// Whether all members that `part` names are here with the same values.
    fileprivate func contains(_ part: JSONTree) -> Bool {
        switch (self, part) {
        case (.object(let members), .object(let named)):
            named.allSatisfy { name, value in
                value == .null
                    ? members[name] ?? .null == .null
                    : members[name]?.contains(value) == true
            }
        case (.array(let elements), .array(let named)):
            elements.count == named.count && zip(elements, named).allSatisfy { $0.contains($1) }
        default: self == part
        }
    }
}
