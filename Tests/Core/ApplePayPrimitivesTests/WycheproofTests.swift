import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@testable import ApplePayPrimitives

private enum Wycheproof {
    static let folder = TestVectors.sharedFolder?.appending(path: "wycheproof")
}

/// Runs the vectors of C2SP/wycheproof for the primitives that this library uses, through the
/// library's functions.
@Suite(
    "The primitives",
    .enabled(if: Wycheproof.folder != nil, "skipped: the Wycheproof vectors are not here"))
struct WycheproofTests {
    /// The results for a file's vectors.
    private struct Tally: Equatable {
        var accepted = 0
        var refused = 0
        /// Vectors that this library refuses on purpose although they are valid or acceptable
        /// elsewhere, by reason.
        var stricter: [String: Int] = [:]
        /// Vectors that were not run, by reason.
        var skipped: [String: Int] = [:]
        var wrong: [Int] = []

        /// Counts a verdict.
        mutating func note(_ vector: Vector, isAccepted: Bool, stricter reason: String? = nil) {
            if isAccepted {
                accepted += 1
                if vector.result == "invalid" { wrong.append(vector.tcId) }
            } else if vector.result == "invalid" {
                refused += 1
            } else if let reason {
                stricter[reason, default: 0] += 1
            } else {
                wrong.append(vector.tcId)
            }
        }

        func show(_ name: String) {
            print(
                "wycheproof \(name): \(accepted) accepted, \(refused) refused,",
                "stricter \(stricter.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }),",
                "skipped \(skipped.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }),",
                "wrong \(wrong)")
        }
    }

    private struct Vector: Decodable {
        let tcId: Int
        let flags: [String]
        let result: String
        let msg, sig, ct, tag, iv, aad, key, label, `public`, `private`, shared: String?

        func bytes(_ member: KeyPath<Vector, String?>) -> [UInt8] {
            var digits = self[keyPath: member] ?? ""
            if !digits.count.isMultiple(of: 2) { digits = "0" + digits }
            var bytes: [UInt8] = []
            var rest = digits[...]
            while let byte = UInt8(rest.prefix(2), radix: 16) {
                bytes.append(byte)
                rest = rest.dropFirst(2)
            }
            return bytes
        }
    }

    private struct Group: Decodable {
        struct Key: Decodable { let modulus, publicExponent: String? }

        let tests: [Vector]
        let publicKey: Key?
        let publicKeyDer, privateKeyPkcs8, sha: String?
    }

    private struct File: Decodable { let testGroups: [Group] }

    private func groups(_ name: String) throws -> [Group] {
        let file = try #require(Wycheproof.folder).appending(path: name + ".json")
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).testGroups
    }

    private func bytes(_ hexadecimal: String?) throws -> [UInt8] {
        let text = try #require(hexadecimal)
        return stride(from: 0, to: text.utf8.count, by: 2).compactMap { offset in
            UInt8(text.dropFirst(offset).prefix(2), radix: 16)
        }
    }

    private func digest(_ message: [UInt8]) throws -> Octets32 { try SHA256.hash(message.span) }

    /// Returns the private key from a SEC 1 `ECPrivateKey` without its public half.
    private func privateKey(_ scalar: [UInt8]) throws -> PrivateKey {
        let digits = scalar.drop { $0 == 0 }
        let padded = [UInt8](repeating: 0, count: 32 - digits.count) + digits
        let der: [UInt8] =
            [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + padded
            + [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        return try PrivateKey(der: der.span)
    }

    /// Returns whether the key agreement succeeds and gives the vector's secret.
    private func agrees(_ vector: Vector, _ point: [UInt8]) throws -> Bool {
        let key = try privateKey(vector.bytes(\.private))
        do throws(PrimitivesError) {
            let secret = try SecretBytes(count: 32) { secret throws(PrimitivesError) in
                try key.deriveSharedSecret(with: point.span, into: &secret)
            }
            #expect(secret.array() == vector.bytes(\.shared), "\(vector.tcId)")
            return true
        } catch {
            #expect(error == .invalidPoint)
            return false
        }
    }

    @Test("agree with Wycheproof on ECDH, P-256, the public key as a point")
    func ecdhPoints() throws {
        var tally = Tally()
        for vector in try groups("ecdh_secp256r1_ecpoint_test").flatMap(\.tests) {
            let isCompressed = !Set(vector.flags).isDisjoint(with: [
                "CompressedPoint", "CompressedPublic",
            ])
            tally.note(
                vector, isAccepted: try agrees(vector, vector.bytes(\.public)),
                stricter: isCompressed ? "compressed points" : nil)
        }
        tally.show("ECDH points")
        #expect(tally == Tally(accepted: 330, refused: 24, stricter: ["compressed points": 1]))
    }

    @Test("agree with Wycheproof on ECDH, P-256, the public key as SubjectPublicKeyInfo")
    func ecdhKeys() throws {
        var tally = Tally()
        for vector in try groups("ecdh_secp256r1_test").flatMap(\.tests) {
            let encoded = vector.bytes(\.public)
            // The token parser makes this check before it passes on the point.
            guard P256PublicKey.hasUncompressedForm(encoded.span) else {
                let reason =
                    vector.flags.contains("InvalidAsn")
                    ? "encodings that are not DER of the one form"
                    : vector.flags.contains("UnnamedCurve")
                        ? "explicit parameters" : "compressed points and other forms"
                tally.note(vector, isAccepted: false, stricter: reason)
                continue
            }
            tally.note(
                vector,
                isAccepted: try agrees(vector, Array(encoded[P256PublicKey.pointRange])),
                stricter: vector.flags == ["InvalidAsn"] ? "points off the curve" : nil)
        }
        tally.show("ECDH keys")
        #expect(
            tally
                == Tally(
                    accepted: 330, refused: 52,
                    stricter: [
                        "compressed points and other forms": 1, "explicit parameters": 7,
                        "encodings that are not DER of the one form": 221,
                        "points off the curve": 1,
                    ]))
    }

    @Test("agree with Wycheproof on ECDSA, P-256 with SHA-256")
    func ecdsa() throws {
        var tally = Tally()
        for group in try groups("ecdsa_secp256r1_sha256_test") {
            let der = try bytes(group.publicKeyDer)
            let point = Array(der[P256PublicKey.pointRange])
            let key = try VerificationKey(EVPKey(p256Point: point.span))
            for vector in group.tests {
                let signature = vector.bytes(\.sig)
                tally.note(
                    vector,
                    isAccepted: try key.isValidSignature(
                        signature.span, for: digest(vector.bytes(\.msg))))
            }
        }
        tally.show("ECDSA P-256")
        #expect(tally == Tally(accepted: 174, refused: 310))
    }

    /// The library verifies P-384 signatures only through X509_verify_cert, which takes
    /// certificates rather than messages, so this test makes the same libcrypto call as
    /// X509_verify_cert.
    @Test(
        "agree with Wycheproof on ECDSA, P-384, as path validation verifies",
        arguments: ["sha256", "sha384"])
    func ecdsa384(_ hash: String) throws {
        var tally = Tally()
        for group in try groups("ecdsa_secp384r1_\(hash)_test") {
            let key = try bytes(group.publicKeyDer)
            for vector in group.tests {
                tally.note(
                    vector,
                    isAccepted: ECDSAVerification.isValid(
                        vector.bytes(\.sig), over: vector.bytes(\.msg), publicKey: key,
                        digest: hash == "sha384" ? .sha384 : .sha256))
            }
        }
        tally.show("ECDSA P-384 \(hash)")
        #expect(
            tally
                == (hash == "sha384"
                    ? Tally(accepted: 194, refused: 310) : Tally(accepted: 162, refused: 310)))
    }

    @Test("agree with Wycheproof on RSA signatures, PKCS#1 v1.5 with SHA-256")
    func rsaSignatures() throws {
        var tally = Tally()
        for group in try groups("rsa_signature_2048_sha256_test") {
            let modulus = try bytes(group.publicKey?.modulus)
            let exponent = try bytes(group.publicKey?.publicExponent)
            let key = try VerificationKey(
                EVPKey(modulus: modulus, publicExponent: exponent))
            for vector in group.tests {
                let signature = vector.bytes(\.sig)
                tally.note(
                    vector,
                    isAccepted: try key.isValidSignature(
                        signature.span, for: digest(vector.bytes(\.msg))),
                    stricter: vector.flags == ["MissingNull"] ? "a DigestInfo without NULL" : nil)
            }
        }
        tally.show("RSA signatures")
        #expect(
            tally == Tally(accepted: 9, refused: 249, stricter: ["a DigestInfo without NULL": 1]))
    }

    @Test("agree with Wycheproof on RSAES-OAEP with SHA-256 and MGF1-SHA-256")
    func oaep() throws {
        var tally = Tally()
        for group in try groups("rsa_oaep_2048_sha256_mgf1sha256_test") {
            let der = try bytes(group.privateKeyPkcs8)
            let key = try PrivateKey(der: der.span)
            for vector in group.tests {
                let ciphertext = vector.bytes(\.ct)
                let message = vector.bytes(\.msg)
                var plaintext: [UInt8]?
                do throws(PrimitivesError) {
                    plaintext = try key.unwrap(ciphertext.span, count: message.count).array()
                } catch {
                    #expect(error == .unwrappingFailed)
                }
                if plaintext != nil { #expect(plaintext == message, "\(vector.tcId)") }
                tally.note(
                    vector, isAccepted: plaintext != nil,
                    stricter: vector.bytes(\.label).isEmpty
                        ? nil : "labels, which Apple leaves empty")
            }
        }
        tally.show("RSAES-OAEP")
        #expect(
            tally
                == Tally(
                    accepted: 10, refused: 19, stricter: ["labels, which Apple leaves empty": 8]))
    }

    @Test("agree with Wycheproof on AES-GCM with a zero IV of 16 bytes and no additional data")
    func gcm() throws {
        var tally = Tally()
        for vector in try groups("aes_gcm_test").flatMap(\.tests) {
            let iv = vector.bytes(\.iv)
            let key = vector.bytes(\.key)
            let sealed = vector.bytes(\.ct) + vector.bytes(\.tag)
            var plaintext: [UInt8]?
            do throws(PrimitivesError) {
                plaintext = try AESGCM.open(sealed.span, key: key.span).array()
            } catch {
                #expect(error == .authenticationFailed)
            }
            // The function accepts neither an IV nor additional data, so a vector with other
            // values must not decrypt.
            if iv != [UInt8](repeating: 0, count: 16) || !vector.bytes(\.aad).isEmpty {
                #expect(plaintext == nil, "\(vector.tcId)")
                tally.skipped["another IV or additional data", default: 0] += 1
                continue
            }
            if plaintext != nil { #expect(plaintext == vector.bytes(\.msg), "\(vector.tcId)") }
            tally.note(
                vector, isAccepted: plaintext != nil,
                stricter: key.count == 24 ? "keys of 192 bits" : nil)
        }
        tally.show("AES-GCM")
        #expect(
            tally
                == Tally(
                    accepted: 2, stricter: ["keys of 192 bits": 1],
                    skipped: ["another IV or additional data": 313]))
    }
}
