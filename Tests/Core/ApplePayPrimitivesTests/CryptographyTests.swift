import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Foundation
import Testing

@testable import ApplePayPrimitives

@Suite("The primitives")
struct CryptographyTests {
    private let pki = TestPKI(seed: "primitives")

    private func hexadecimal(_ octets: Octets32) -> String {
        octets.bytes.map { String(format: "%02x", $0) }.joined()
    }

    @Test("hash as in FIPS 180-4, in one part and in two")
    func sha256() throws {
        let message = Array("abc".utf8)
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(hexadecimal(try SHA256.hash(message.span)) == expected)
        let rest = message.dropFirst()
        #expect(hexadecimal(try SHA256.hash(message[0], then: rest.span)) == expected)
        let empty: [UInt8] = []
        #expect(
            hexadecimal(try SHA256.hash(empty.span))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test("decrypt a ciphertext of the test PKI, and refuse one that differs in a bit")
    func gcm() throws {
        let token = try pki.token()
        let opened = try AESGCM.open(token.data.span, key: token.contentKey.span)
        #expect(opened.array() == token.plaintext)
        for index in [0, token.data.count / 2, token.data.count - 16, token.data.count - 1] {
            var changed = token.data
            changed[index] ^= 1
            #expect(throws: PrimitivesError.authenticationFailed) {
                _ = try AESGCM.open(changed.span, key: token.contentKey.span)
            }
        }
        var key = token.contentKey
        key[31] ^= 1
        #expect(throws: PrimitivesError.authenticationFailed) {
            _ = try AESGCM.open(token.data.span, key: key.span)
        }
        // A context can process the next message after a failure.
        #expect(try AESGCM.open(token.data.span, key: token.contentKey.span).count == opened.count)
    }

    @Test("refuse ciphertexts shorter than a tag, and keys of other lengths")
    func gcmLengths() throws {
        let token = try pki.token()
        for count in [0, 1, 15, 16] {
            let short = Array(token.data.prefix(count))
            #expect(throws: PrimitivesError.authenticationFailed) {
                _ = try AESGCM.open(short.span, key: token.contentKey.span)
            }
        }
        for count in [0, 15, 24, 31] {
            let key = Array(token.contentKey.prefix(count))
            #expect(throws: PrimitivesError.authenticationFailed) {
                _ = try AESGCM.open(token.data.span, key: key.span)
            }
        }
    }

    @Test(
        "derive the test token's shared secret, with its leading zeros, and refuse points off the curve"
    )
    func agreement() throws {
        let token = try pki.token()
        let der = try pki.merchant("one").keyDER
        let key = try PrivateKey(der: der.span)
        #expect(key.publicKey.kind == .p256)
        let spki = key.publicKey.subjectPublicKeyInfo
        #expect(try SHA256.hash(spki.span).bytes == token.recipient.publicKeyHash)

        func secret(_ point: [UInt8]) throws(PrimitivesError) -> [UInt8] {
            try SecretBytes(count: 32) { secret throws(PrimitivesError) in
                try key.deriveSharedSecret(with: point.span, into: &secret)
            }.array()
        }
        let point = Array(token.keyField[P256PublicKey.pointRange])
        #expect(try secret(point) == token.sharedSecret)
        var offCurve = point
        offCurve[64] ^= 1
        var hybrid = point
        hybrid[0] = 0x06 | point[64] & 1
        let compressed = [0x02 | point[64] & 1] + point[1...32]
        let infinity65 = [UInt8](repeating: 0, count: 65)
        for wrong in [offCurve, hybrid, compressed, infinity65, [0x00], [], point + [0]] {
            #expect(throws: PrimitivesError.invalidPoint) { try secret(wrong) }
        }
        #expect(try secret(point) == token.sharedSecret)
    }

    @Test("refuse a wrapped key whose plaintext has another length")
    func unwrapping() throws {
        let token = try pki.token(.rsa)
        let der = try pki.merchant("two", .rsa).keyDER
        let key = try PrivateKey(der: der.span)
        #expect(key.publicKey.kind == .rsa2048)
        #expect(try key.unwrap(token.keyField.span, count: 16).array() == token.contentKey)
        #expect(throws: PrimitivesError.unwrappingFailed) {
            _ = try key.unwrap(token.keyField.span, count: 32)
        }
        let short = Array(token.keyField.dropLast())
        #expect(throws: PrimitivesError.unwrappingFailed) {
            _ = try key.unwrap(short.span, count: 16)
        }
    }

    @Test("read DER private keys of two kinds, and refuse trailing bytes")
    func privateKeys() throws {
        let der = try pki.merchant("one").keyDER
        for wrong in [[], Array(der.dropLast()), der + [0], [0x30, 0x00]] {
            #expect(throws: PrimitivesError.malformedPrivateKey) {
                _ = try PrivateKey(der: wrong.span)
            }
        }
        let p384 = try pki.ecKey("other", .p384).pkcs8
        #expect(throws: PrimitivesError.unsupportedKey("an EC key on secp384r1")) {
            _ = try PrivateKey(der: p384.span)
        }
        let small = try pki.rsaKey("small", bitCount: 1024).pkcs8
        #expect(throws: PrimitivesError.unsupportedKey("an RSA key of 1024 bits")) {
            _ = try PrivateKey(der: small.span)
        }
    }

    @Test("refuse certificates with trailing bytes or a repeated extension")
    func certificates() throws {
        let der = try pki.merchant("one").certificateDER
        #expect(throws: Never.self) { _ = try X509Certificate(der: der.span) }
        for wrong in [[], Array(der.dropLast()), der + [0]] {
            #expect(throws: PrimitivesError.malformedCertificate) {
                _ = try X509Certificate(der: wrong.span)
            }
        }
        let merchant = try pki.merchant("twice") { recipe in
            if let first = recipe.extensions.last { recipe.extensions.append(first) }
        }
        let twice = merchant.certificateDER
        #expect(throws: PrimitivesError.malformedCertificate) {
            _ = try X509Certificate(der: twice.span)
        }
    }

    @Test("find the blocks of a PEM text that contains other text")
    func pem() throws {
        let merchant = try pki.merchant("one")
        let text = Array(
            "Bag Attributes\r\n\n\(merchant.certificatePEM)Key Attributes\n\(merchant.keyPEM)end"
                .utf8)
        let blocks = try PEMBlock.blocks(in: text.span)
        #expect(blocks.map(\.label) == ["CERTIFICATE", "PRIVATE KEY"])
        #expect(
            blocks.first.map { $0.der.withRevealedBytes { SecretBytes(copying: $0).array() } }
                == merchant.certificateDER)
        #expect(blocks.allSatisfy { !$0.hasEncryptionHeaders })
        let none: [UInt8] = [0x30, 0x03]
        #expect(try PEMBlock.blocks(in: none.span).isEmpty)
    }
}
