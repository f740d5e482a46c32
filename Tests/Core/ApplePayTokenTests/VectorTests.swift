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

    /// Cases from another source, if the folder next to the checkout exists.
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

    @Test("returns the expected result or stage for every vector", arguments: try own.get().cases)
    func vectors(_ vector: SyntheticCase) throws {
        try Self.own.get().judge(vector)
    }

    @Test("refuses every vector with its expected code")
    func codes() throws {
        let corpus = try Self.own.get()
        var refusals: [String: String] = [:]
        for vector in corpus.cases where vector.expect != .accept {
            refusals[vector.id] = corpus.refusal(of: vector)
        }
        let expected = try TestVectors.syntheticRefusals()
        for (id, refusal) in refusals { #expect(refusal == expected[id], "\(id)") }
        #expect(refusals.count == expected.count)
    }

    @Test("judges every chain in the same way when the verifier has proven the intermediate before")
    func knownIntermediates() throws {
        let corpus = try Corpus(
            cases: TestVectors.syntheticCases(), root: TestVectors.root, keys: TestVectors.keys)
        // The verifier remembers at most 64 chains, so the order is from the special ones to the ordinary one.
        let accepted = corpus.cases.filter { $0.expect == .accept && $0.id.hasPrefix("valid/") }
        for vector in accepted.reversed() { #expect(corpus.refusal(of: vector) == nil) }
        let expected = try TestVectors.syntheticRefusals().filter { $0.value.hasPrefix("chain/") }
        #expect(expected.count > 100)
        for vector in corpus.cases {
            guard let code = expected[vector.id] else { continue }
            #expect(corpus.refusal(of: vector) == code, "\(vector.id)")
        }
    }

    @Test("has a vector for each code with which it can be refused")
    func everyCode() throws {
        let reached = Set(try TestVectors.syntheticRefusals().values)
        let codes = PaymentTokenError.Code.allCases.map(\.rawValue)
        // Other tests cover the first six; a failing device or libcrypto cannot be a vector.
        let others: Set = [
            "json/text-too-long",
            "chain/certificate-not-der", "chain/certificate-revoked",
            "chain/unverified-revocation-list",
            "signature/environment-mismatch", "chain/library-failure",
            "signature/library-failure", "key-agreement/key-unavailable",
            "key-agreement/library-failure", "decrypt/library-failure",
        ]
        #expect(Set(codes).subtracting(reached) == others)
    }

    @Test("refuses a text over the limit, and a certificate that is not DER")
    func withoutVector() throws {
        let corpus = try Self.own.get()
        let vector = try #require(corpus.cases.first { $0.id == "valid/ec" })
        let blanks = [UInt8](repeating: 0x20, count: 256 * 1024 - vector.token.count)
        #expect(corpus.refusal(of: vector.token + blanks, at: vector.now) == nil)
        #expect(
            corpus.refusal(of: vector.token + blanks + [0x20], at: vector.now)
                == "json/text-too-long")

        var token = try #require(
            JSONSerialization.jsonObject(with: Data(vector.token)) as? [String: Any])
        let text = try #require(token["signature"] as? String)
        var signature = try #require(Data(base64Encoded: text))
        // The first `critical TRUE` of the signer's certificate; the only DER encoding of TRUE is
        // FF.
        let critical = try #require(signature.firstRange(of: [0x01, 0x01, 0xFF, 0x04]))
        signature[critical.lowerBound + 2] = 0x01
        token["signature"] = signature.base64EncodedString()
        let changed = try JSONSerialization.data(withJSONObject: token)
        #expect(
            corpus.refusal(of: Array(changed), at: vector.now) == "chain/certificate-not-der")
    }

    @Test(
        "returns the expected result or stage for every case from other projects",
        .enabled(if: foreign != nil, "skipped: ../shared/conformance is not here")
    )
    func casesOfOthers() throws {
        let corpus = try #require(try Self.foreign?.get())
        for vector in corpus.cases { try corpus.judge(vector) }
    }

    @Test("has at least one vector for each stage that can refuse a token")
    func stages() throws {
        let rejected = try Self.own.get().cases.filter { $0.expect == .reject }
        let stages = Set(rejected.flatMap(\.stages))
        #expect(stages == Set(PaymentTokenError.Stage.allCases.map(\.rawValue)))
    }
}

/// Cases with the corresponding decryptor.
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

    /// Returns the stage and code of a refusal; nil if the case is accepted.
    func refusal(of vector: SyntheticCase) -> String? {
        refusal(of: vector.token, at: vector.now)
    }

    func refusal(of token: [UInt8], at time: Date) -> String? {
        do throws(PaymentTokenError) {
            _ = try decryptor.decrypt(token, agePolicy: .received(at: time))
            return nil
        } catch {
            return error.code.rawValue
        }
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
            #expect(vector.expect != .accept, "\(vector.id): \(error.code.rawValue)")
            if vector.expect == .reject {
                #expect(
                    vector.stages.contains(error.stage.rawValue),
                    "\(vector.id): \(error.code.rawValue)")
            }
            for secret in vector.sensitive {
                #expect(!"\(error) \(String(reflecting: error))".contains(secret), "\(vector.id)")
            }
        }
    }
}

extension JSONTree {
    /// Returns whether this object contains all members of `part` with the same values.
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
