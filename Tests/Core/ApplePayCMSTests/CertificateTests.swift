import ApplePayTokenTesting
import ApplePayWire
import Foundation
import Testing

@testable import ApplePayCMS

@Suite("A certificate before OpenSSL reads it")
struct CertificateTests {
    private let pki = TestPKI(seed: "certificate")

    /// Returns the signer's certificate of a token, and the signature that contains it.
    private func leaf(
        _ edit: (inout CertificateRecipe) -> Void = { _ in },
        bytes: (inout [UInt8]) -> Void = { _ in }
    ) throws -> (certificate: ApplePayCMS.Certificate, signedData: SignedData) {
        let token = try pki.token { edit(&$0.chain.leaf) }
        var signature = token.signature
        bytes(&signature)
        let signedData = try SignedData(parsing: signature)
        return (try #require(signedData.certificates.first), signedData)
    }

    private func commonName(
        _ edit: (inout CertificateRecipe) -> Void = { _ in },
        bytes: (inout [UInt8]) -> Void = { _ in }
    ) throws -> String? {
        let (certificate, signedData) = try leaf(edit, bytes: bytes)
        return certificate.subjectCommonName(in: signedData)
    }

    @Test("has the number of extensions with which it was created", arguments: [0, 1, 8, 65, 300])
    func extensionCount(_ count: Int) throws {
        let (certificate, signedData) = try leaf { recipe in
            recipe.extensions = (0..<count).map {
                .marker(OID(stringLiteral: "1.2.840.113635.100.6.999.\($0)"))
            }
        }
        #expect(certificate.extensionCount(in: signedData.encoding.span) == count)
    }

    @Test(
        "has nil as its number of extensions if they are not exactly one SEQUENCE of elements",
        arguments: [
            [0x31, 0x1C], [0x30, 0x1D], [0x30, 0x1B], [0x30, 0x0E],
        ] as [[UInt8]])
    func malformedExtensions(_ header: [UInt8]) throws {
        // [3] { SEQUENCE { two extensions of 14 bytes each } }; the last header covers one of them.
        let whole: [UInt8] = [0xA3, 0x1E, 0x30, 0x1C]
        let (certificate, signedData) = try leaf { recipe in
            recipe.extensions = [.marker("1.2.840.113635"), .marker("1.2.840.113636")]
        } bytes: { bytes in
            let found = bytes.firstRange(of: whole)
            #expect(found != nil)
            if let found { bytes.replaceSubrange(found, with: [0xA3, 0x1E] + header) }
        }
        #expect(certificate.extensionCount(in: signedData.encoding.span) == nil)
    }

    @Test("returns the first common name of its subject, after any other attributes")
    func commonName() throws {
        #expect(try commonName() == "ecc-smp-broker-sign_UC4-MINT")
        let two = try commonName { recipe in
            let attributes = recipe.subject.attributes
            let name = attributes.filter { $0.type == .commonName }
            let organization = attributes.filter { $0.type == .organizationName }
            recipe.subject.attributes = organization + name + name
            recipe.subject.attributes[1].value = "first"
            recipe.subject.attributes[2].value = "second"
        }
        #expect(two == "first")
        let none = try commonName { recipe in
            recipe.subject.attributes.removeAll { $0.type == .commonName }
        }
        #expect(none == nil)
        #expect(try commonName { $0.subject.attributes = [] } == nil)
    }

    @Test(
        "returns a common name only if it is a UTF8String or PrintableString",
        arguments: [(0x0C, true), (0x13, true), (0x14, false), (0x1E, false), (0x04, false)]
            as [(UInt8, Bool)])
    func stringTypes(_ tag: UInt8, _ isRead: Bool) throws {
        let name = try commonName { _ in
        } bytes: { bytes in
            for range in bytes.ranges(of: [0x06, 0x03, 0x55, 0x04, 0x03, 0x0C]) {
                bytes[range.upperBound - 1] = tag
            }
        }
        #expect(name == (isRead ? "ecc-smp-broker-sign_UC4-MINT" : nil))
    }

    @Test("returns nil for a common name that is not UTF-8")
    func malformedText() throws {
        let name = try commonName { _ in
        } bytes: { bytes in
            for range in bytes.ranges(of: Array("UC4-MINT".utf8)) {
                bytes[range.lowerBound] = 0xFF
            }
        }
        #expect(name == nil)
    }
}
