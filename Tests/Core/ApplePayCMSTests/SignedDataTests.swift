import ApplePayTokenTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import ApplePayCMS

@Suite("Reading a signature")
struct SignedDataTests {
    private let pki = TestPKI(seed: "cms")

    @Test("returns the same values for Apple's indefinite lengths and for definite lengths")
    func forms() throws {
        for token in [try pki.token(), try pki.token { $0.cms.encoding = .definite }] {
            let signedData = try SignedData(parsing: token.signature)
            #expect(
                signedData.certificates.map { Array(signedData[$0.der]) } == [
                    token.chain.leaf.der, token.chain.intermediate.der,
                ])
            let signer = signedData.signer
            #expect(signer.signatureAlgorithm == .ecdsaWithSHA256)
            #expect(
                Double(signer.signingTime.secondsSince1970)
                    == token.signingTime.timeIntervalSince1970)
            let leaf = signedData.certificates[0]
            #expect(signedData[signer.issuer] == signedData[leaf.issuer])
            #expect(signedData[signer.serialNumber] == signedData[leaf.serialNumber])
            #expect(signedData[signer.signedAttributes].first == 0xA0)
        }
    }

    @Test("throws the code and offset of each fault")
    func offsets() throws {
        let token = try pki.token { $0.cms.encoding = .definite }
        let bytes = token.signature
        #expect(throws: PaymentTokenError(.trailingBytes, offset: bytes.count)) {
            try SignedData(parsing: bytes + [0x05, 0x00])
        }
        #expect(throws: PaymentTokenError(.truncated, offset: 0)) {
            try SignedData(parsing: bytes.dropLast())
        }
        #expect(throws: PaymentTokenError(.truncated, offset: 0)) { try SignedData(parsing: []) }
        var renamed = bytes
        renamed[0] = 0x31
        #expect(throws: PaymentTokenError(.unexpectedTag, offset: 0)) {
            try SignedData(parsing: renamed)
        }
        // 30 82 LL LL 06 09 …: the last octet of id-signedData.
        renamed = bytes
        renamed[14] = 0x03
        #expect(throws: PaymentTokenError(.notSignedData, offset: 4)) {
            try SignedData(parsing: renamed)
        }
        #expect(throws: PaymentTokenError(.invalidLength, offset: 1)) {
            try SignedData(parsing: [0x30, 0x85, 1, 0, 0, 0, 0])
        }
        #expect(throws: PaymentTokenError(.invalidLength, offset: 1)) {
            try SignedData(parsing: [0x30, 0xFE] + [UInt8](repeating: 0xFF, count: 126))
        }
        #expect(throws: PaymentTokenError(.invalidLength, offset: 1)) {
            try SignedData(parsing: [0x30, 0x81, 0x01, 0])
        }
        #expect(throws: PaymentTokenError(.truncated, offset: 0)) {
            try SignedData(parsing: [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF])
        }
        let nested = [UInt8]([0x30, 0x80].cycled(5000))
        #expect(throws: PaymentTokenError(.cmsDepthExceeded, offset: 32)) {
            try SignedData(parsing: nested)
        }
    }

    @Test("accepts as many certificates and attributes as the limits, and refuses one more")
    func limits() throws {
        func code(_ edit: (inout SignedDataRecipe) -> Void) throws -> PaymentTokenError.Code? {
            let signature = try pki.token { edit(&$0.cms) }.signature
            do throws(PaymentTokenError) {
                _ = try SignedData(parsing: signature)
                return nil
            } catch {
                return error.code
            }
        }
        func certificates(_ count: Int) throws -> PaymentTokenError.Code? {
            try code { $0.certificates = Array(repeating: .leaf, count: count) }
        }
        func attributes(_ count: Int) throws -> PaymentTokenError.Code? {
            try code {
                for number in 5...count {
                    let type = OID(stringLiteral: "1.2.3.4.\(number)")
                    $0.signer.attributes?.append(SignedAttribute(type, .null))
                }
            }
        }
        func signature(_ count: Int) throws -> PaymentTokenError.Code? {
            try code {
                $0.signer.signatureValue.replace(with: [UInt8](repeating: 1, count: count))
            }
        }
        #expect(try certificates(8) == nil)
        #expect(try certificates(9) == .tooManyCertificates)
        #expect(try attributes(16) == nil)
        #expect(try attributes(17) == .tooManyAttributes)
        #expect(try signature(1024) == nil)
        #expect(try signature(1025) == .invalidSignatureValue)
    }

    @Test("does not trap on a shortened or altered signature")
    func mutations() throws {
        let text = try Data(
            contentsOf: TestVectors.appleSigned.appending(path: "bepaid-documented.json"))
        let object = try #require(JSONSerialization.jsonObject(with: text) as? [String: Any])
        let paymentData = try #require(object["paymentData"] as? [String: Any])
        let base64 = try #require(paymentData["signature"] as? String)
        let apple = [UInt8](try #require(Data(base64Encoded: base64)))
        #expect(try SignedData(parsing: apple).signer.signingTime.secondsSince1970 == 1_582_100_796)
        var generator = SplitMix(state: 2026)
        for bytes in [apple, try pki.token { $0.cms.encoding = .definite }.signature] {
            for count in bytes.indices {
                #expect(throws: PaymentTokenError.self) {
                    try SignedData(parsing: Array(bytes.prefix(count)))
                }
            }
            for _ in 0..<20_000 {
                var changed = bytes
                for _ in 0...generator.next() % 3 {
                    changed[Int(generator.next() % UInt64(changed.count))] = UInt8(
                        truncatingIfNeeded: generator.next())
                }
                _ = try? SignedData(parsing: changed)
            }
        }
    }
}

/// Generates the same numbers in every run.
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension [UInt8] {
    fileprivate func cycled(_ times: Int) -> [UInt8] {
        (0..<times).flatMap { _ in self }
    }
}
