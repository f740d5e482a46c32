import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@Suite("EC keys of the test PKI")
struct ECKeyTests {
    struct Vector: Decodable, CustomTestStringConvertible {
        let section: String
        let curve: String
        let digest: String
        let message: String
        let key: String
        let r: String
        let s: String

        var testDescription: String { "RFC 6979 \(section) \(digest) \(message)" }
    }

    @Test(
        "sign as RFC 6979 prescribes",
        arguments: try JSONDecoder().decode(
            [Vector].self,
            from: Data(
                contentsOf: TestVectors.directory.appending(path: "rfc6979/ecdsa.json"))
        )
    )
    func signature(_ vector: Vector) throws {
        let curve = try #require(NamedCurve(rawValue: vector.curve))
        let digest = try #require(Digest(rawValue: vector.digest))
        let key = try ECKey(curve: curve, scalar: hexadecimal(vector.key))
        let hash = try digest.hash(Array(vector.message.utf8))
        let (r, s) = try key.sign(hash: hash, digest: digest)
        #expect(r == hexadecimal(vector.r))
        #expect(s == hexadecimal(vector.s))
    }

    @Test("agree on one secret from both sides", arguments: [NamedCurve.p256, .p384])
    func agreement(_ curve: NamedCurve) throws {
        var bytes = try SeededBytes(seed: "agreement", label: curve.rawValue)
        let (one, other) = (
            try ECKey(curve: curve, from: &bytes), try ECKey(curve: curve, from: &bytes)
        )
        let secret = try one.sharedSecret(with: other.publicPoint)
        #expect(secret == (try other.sharedSecret(with: one.publicPoint)))
        #expect(secret.count == curve.byteCount)
    }

    private func hexadecimal(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2)
            .map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
