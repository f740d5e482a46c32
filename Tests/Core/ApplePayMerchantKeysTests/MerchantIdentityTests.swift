import ApplePayPrimitives
import ApplePayTokenTesting
import Foundation
import Testing

@testable import ApplePayMerchantKeys

@Suite("A merchant identity certificate among the keys")
struct MerchantIdentityTests {
    private let pki = TestPKI(seed: "merchant identity")

    private func identity() throws -> String {
        let identity = try pki.merchantIdentity("one")
        return identity.key.pem + identity.certificate.pem
    }

    /// Loads files from a folder; returns the hashes of the keys, and the problems.
    private func load(_ files: [String: String]) throws -> ([String], [KeyringError]) {
        try KeyFolder.with(files) { folder in
            let loaded = try MerchantKeyring.load(contentsOf: [folder])
            return (loaded.keyring.publicKeyHashes, loaded.problems)
        }
    }

    @Test("does not keep the other keys from being loaded, and its own key is left out")
    func otherKeys() throws {
        let merchant = try pki.merchant("one")
        let (hashes, problems) = try load([
            "identity.pem": try identity(), "one.pem": merchant.keyPEM + merchant.certificatePEM,
        ])
        #expect(hashes == [Data(merchant.publicKeyHash).base64EncodedString()])
        #expect(problems.map(\.reason) == [Self.refusal])
        let certificate = try #require(problems.first?.identity)
        #expect(certificate.purpose == .merchantIdentity)
        #expect(certificate.kind == .rsa2048)
        #expect(certificate.merchantIdentifier == "merchant.example.one")
    }

    private static let refusal =
        "contains a merchant identity certificate, which is for TLS with Apple's servers; give the payment "
        + "processing certificate, to which tokens are encrypted"

    @Test("is refused as the only one")
    func alone() throws {
        for files in [["a.pem": try identity()], ["a.cer": try certificate()]] {
            let error = #expect(throws: KeyringError.self) { try load(files) }
            #expect(error?.reason == Self.refusal)
        }
    }

    private func certificate() throws -> String {
        try pki.merchantIdentity("one").certificate.pem
    }

    @Test("leaves a key in use that a payment processing certificate certifies as well")
    func sharedKey() throws {
        let merchant = try pki.merchant("two", .rsa)
        let issuer = try pki.processingAuthority
        let identity = try pki.identityCertificate(
            merchant.identifier, merchant.credential.key, issuer: issuer
        ).issued(by: issuer.key)
        let (hashes, problems) = try load([
            "a.cer": identity.pem, "two.pem": merchant.keyPEM + merchant.certificatePEM,
        ])
        #expect(hashes == [Data(merchant.publicKeyHash).base64EncodedString()])
        #expect(problems.count == 1)
    }

    @Test("is one by its key usage, by Apple's extension or by its name, each alone")
    func recognition() throws {
        let name = "Apple Pay Payment Processing:merchant.example.one"
        let certificates = [
            try pki.merchantIdentity("one") {
                $0.subject.commonName = name
                $0.removeExtension(.identityMarker)
            },
            try pki.merchantIdentity("one") {
                $0.subject.commonName = name
                $0.removeExtension(.extendedKeyUsage)
            },
            try pki.merchantIdentity("one") {
                $0.removeExtension(.identityMarker)
                $0.removeExtension(.extendedKeyUsage)
            },
        ]
        for certificate in certificates {
            let file = try KeyFile(
                Array(certificate.certificate.pem.utf8).span, path: "identity.cer")
            let certificate = try MerchantCertificate(
                #require(file.certificates.first), path: "identity.cer")
            #expect(certificate.purpose == .merchantIdentity)
            #expect(certificate.namesMerchant)
        }
    }

    @Test("of a web server, which names no merchant, is a problem of its own")
    func webServer() throws {
        let server = try pki.merchantIdentity("one") {
            $0.subject = DistinguishedName(commonName: "shop.example", organizationalUnit: "Web")
            $0.removeExtension(.merchantIdentifierHash)
            $0.removeExtension(.identityMarker)
        }
        let merchant = try pki.merchant("one")
        let (hashes, problems) = try load([
            "a.cer": server.certificate.pem, "one.pem": merchant.keyPEM + merchant.certificatePEM,
        ])
        #expect(hashes.count == 1)
        #expect(problems.map(\.reason) == [Self.refusal])
        #expect(problems.first?.identity == nil)
    }
}
