import ApplePayCMS
import ApplePayPrimitives
import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("A verifier with revoked certificates")
struct RevocationTests {
    private let ec = Result { try vector("valid/ec") }
    private let rsa = Result { try vector("valid/rsa") }

    private static func vector(_ id: String) throws -> SyntheticCase {
        try #require(try TestVectors.syntheticCases().first { $0.id == id })
    }

    /// Returns the stage and code with which a token is refused under a revocation; nil if it is
    /// accepted.
    private func refusal(_ vector: SyntheticCase, _ revocation: Revocation) throws -> String? {
        let verifier = try PaymentTokenVerifier(
            anchor: TrustAnchor(testRootCertificate: Array(Data(contentsOf: TestVectors.root))),
            revocation: revocation)
        let token = try PaymentToken(parsing: vector.token)
        var refusals: [String?] = []
        // Twice, because a cached chain must also be refused if it is revoked.
        for _ in 0..<2 {
            do throws(PaymentTokenError) {
                _ = try verifier.verify(token, agePolicy: .received(at: vector.now))
                refusals.append(nil)
            } catch {
                refusals.append(error.code.rawValue)
            }
        }
        #expect(refusals[0] == refusals[1])
        return refusals[0]
    }

    private func list(_ name: String) throws -> [UInt8] {
        Array(
            try Data(
                contentsOf: TestVectors.synthetic.appending(path: "revocation/\(name).crl.pem")))
    }

    @Test(
        "refuses the certificates that a list of their issuer names, however old the list is",
        arguments: ["leaf", "leaf-in-an-old-list", "intermediate"])
    func listed(_ name: String) throws {
        let revocation = try Revocation(revocationLists: [try list("nothing"), try list(name)])
        #expect(try refusal(ec.get(), revocation) == "chain/certificate-revoked")
    }

    @Test(
        "accepts certificates that no list of their issuer names",
        arguments: [
            "others", "others-with-key", "nothing", "leaf-by-the-root",
            "leaf-by-another-stated-key",
        ])
    func notListed(_ name: String) throws {
        let revocation = try Revocation(revocationLists: [try list(name)])
        #expect(try refusal(ec.get(), revocation) == nil)
    }

    @Test("refuses every token of an issuer whose list is damaged, or signed by another key")
    func damaged() throws {
        let forged = try Revocation(revocationLists: [try list("leaf-by-another-key")])
        #expect(try refusal(ec.get(), forged) == "chain/unverified-revocation-list")
        for name in ["others", "others-with-key", "nothing", "intermediate"] {
            let lines = String(decoding: try list(name), as: UTF8.self)
                .split(separator: "\n").filter { !$0.hasPrefix("-") }
            let der = Array(try #require(Data(base64Encoded: lines.joined())))
            // The last byte belongs to the signature.
            var damaged = der
            damaged[der.count - 1] ^= 1
            let revocation = try Revocation(revocationLists: [damaged])
            #expect(try refusal(ec.get(), revocation) == "chain/unverified-revocation-list")
        }
    }

    @Test("refuses only the revoked leaf, and every leaf of a revoked intermediate")
    func others() throws {
        let leaf = try Revocation(revocationLists: [try list("leaf")])
        #expect(try refusal(rsa.get(), leaf) == nil)
        let intermediate = try Revocation(revocationLists: [try list("intermediate")])
        #expect(try refusal(rsa.get(), intermediate) == "chain/certificate-revoked")
        #expect(try refusal(ec.get(), .none) == nil)
    }

    @Test("refuses a certificate by its fingerprint, the signer's and its issuer's")
    func fingerprints() throws {
        let token = try PaymentToken(parsing: ec.get().token)
        let signedData = try SignedData(parsing: token.signature)
        let certificates = signedData.certificates
        #expect(certificates.count == 2)
        for certificate in certificates {
            let der = Array(signedData[certificate.der])
            let digits = try SHA256.hash(der.span).bytes.map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
            for text in [digits.joined(), digits.joined(separator: ":").uppercased()] {
                let revocation = try Revocation(certificateFingerprints: [text])
                #expect(try refusal(ec.get(), revocation) == "chain/certificate-revoked")
            }
        }
        let other = try Revocation(
            certificateFingerprints: [String(repeating: "ab", count: 32)])
        #expect(try refusal(ec.get(), other) == nil)
    }

    /// Returns the SHA-256 of a certificate's SubjectPublicKeyInfo in hexadecimal; number 0 is the
    /// signer's.
    private func keyHash(_ vector: SyntheticCase, _ number: Int) throws -> String {
        let signedData = try SignedData(parsing: PaymentToken(parsing: vector.token).signature)
        let der = Array(signedData[signedData.certificates[number].der])
        let key = try X509Certificate(der: der.span).subjectPublicKeyInfo()
        return try Self.hexadecimal(SHA256.hash(key.span).bytes)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test("refuses every certificate for a key by the key's hash, but not by another's fingerprint")
    func keys() throws {
        let renewed = try Self.vector("valid/renewed-leaf")
        let signedData = try SignedData(parsing: PaymentToken(parsing: ec.get().token).signature)
        let leaf = Array(signedData[signedData.certificates[0].der])
        let certificate = try Revocation(
            certificateFingerprints: [Self.hexadecimal(SHA256.hash(leaf.span).bytes)])
        #expect(try refusal(ec.get(), certificate) == "chain/certificate-revoked")
        #expect(try refusal(renewed, certificate) == nil)
        let hash = try keyHash(ec.get(), 0)
        #expect(try keyHash(renewed, 0) == hash)
        for text in [hash, hash.uppercased()] {
            let key = try Revocation(subjectPublicKeyInfoHashes: [text])
            #expect(try refusal(ec.get(), key) == "chain/certificate-revoked")
            #expect(try refusal(renewed, key) == "chain/certificate-revoked")
            #expect(try refusal(rsa.get(), key) == nil)
        }
    }

    @Test("refuses every certificate of an intermediate by the hash of its key")
    func intermediateKey() throws {
        let other = String(repeating: "ab", count: 32)
        let revocation = try Revocation(
            subjectPublicKeyInfoHashes: [other, keyHash(ec.get(), 1)])
        for vector in [try ec.get(), try rsa.get()] {
            #expect(try refusal(vector, revocation) == "chain/certificate-revoked")
        }
        let unknown = try Revocation(subjectPublicKeyInfoHashes: [other])
        #expect(try refusal(ec.get(), unknown) == nil)
    }

    @Test("refuses a copy of a revoked certificate whose signature contains n - s instead of s")
    func twins() throws {
        let orders = [
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77a"
                + "ecec196accc52973",
        ]
        let signedData = try SignedData(parsing: PaymentToken(parsing: ec.get().token).signature)
        // The leaf is signed with a P-256 key, and the root signed the intermediate with a P-384
        // key.
        for (certificate, order) in zip(signedData.certificates, orders) {
            let twin = try Self.twin(of: Array(signedData[certificate.der]), order: order)
            let digits = try SHA256.hash(twin.span).bytes.map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
            let revocation = try Revocation(certificateFingerprints: [digits.joined()])
            #expect(try refusal(ec.get(), revocation) == "chain/certificate-revoked")
        }
    }

    @Test(
        "refuses an invalid path with its own code, whatever is revoked",
        arguments: ["chain/leaf-signature-empty", "chain/leaf-signature-zero"])
    func noPath(_ id: String) throws {
        let revocation = try Revocation(
            certificateFingerprints: [String(repeating: "ab", count: 32)])
        #expect(try refusal(Self.vector(id), revocation) == "chain/no-path-to-anchor")
    }

    /// Returns the certificate with n − s instead of s, computed independently of libcrypto.
    private static func twin(of der: [UInt8], order: String) throws -> [UInt8] {
        let start = try #require(
            der.indices.dropLast(5).first { index in
                der[index] == 0x03 && Int(der[index + 1]) == der.count - index - 2
                    && der[index + 2] == 0 && der[index + 3] == 0x30
            })
        let signature = Array(der[(start + 5)...])
        let rEnd = 2 + Int(signature[1])
        var digits = order[...]
        var bytes: [UInt8] = []
        while !digits.isEmpty {
            bytes.append(try #require(UInt8(digits.prefix(2), radix: 16)))
            digits = digits.dropFirst(2)
        }
        let s = Array(signature[(rEnd + 2)...].drop { $0 == 0 })
        let padded = [UInt8](repeating: 0, count: bytes.count - s.count) + s
        var borrow = 0
        for index in bytes.indices.reversed() {
            let difference = Int(bytes[index]) - Int(padded[index]) - borrow
            borrow = difference < 0 ? 1 : 0
            bytes[index] = UInt8(truncatingIfNeeded: difference)
        }
        var other = Array(bytes.drop { $0 == 0 })
        if other[0] >= 0x80 { other.insert(0, at: 0) }
        let numbers = signature[..<rEnd] + [0x02, UInt8(other.count)] + other
        let value = [0x00, 0x30, UInt8(numbers.count)] + numbers
        let body = Array(der[4..<start]) + [0x03, UInt8(value.count)] + value
        return [0x30, 0x82, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }

    @Test("refuses fingerprints without 32 bytes, and lists that cannot be read")
    func malformed() throws {
        for text in [
            "", "ab", String(repeating: "ab", count: 33), String(repeating: "xy", count: 32),
        ] {
            let fingerprint = #expect(throws: RevocationError.self) {
                try Revocation(certificateFingerprints: [text])
            }
            #expect(fingerprint?.code == .malformedFingerprint)
            let keyHash = #expect(throws: RevocationError.self) {
                try Revocation(subjectPublicKeyInfoHashes: [text])
            }
            #expect(keyHash?.code == .malformedKeyHash)
        }
        let pem = try list("leaf")
        for bytes in [[], Array(pem.dropLast(30)), Array("text".utf8), [0x30, 0x00]] {
            let error = #expect(throws: RevocationError.self) {
                try Revocation(revocationLists: [bytes])
            }
            #expect(error?.code == .malformedRevocationList)
        }
    }
}
