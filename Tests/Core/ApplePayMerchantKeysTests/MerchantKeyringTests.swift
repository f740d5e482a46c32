import ApplePayPrimitives
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import ApplePayWire
import Foundation
import Testing

@testable import ApplePayMerchantKeys

@Suite("A keyring")
struct MerchantKeyringTests {
    private let pki = TestPKI(seed: "keyring")

    /// Loads files with these contents from a temporary folder.
    private func keyring(
        _ files: [String: String],
        merchantIdentifier: String? = nil
    ) throws -> MerchantKeyring {
        try KeyFolder.with(files) { folder in
            do throws(KeyringError) {
                return try MerchantKeyring(
                    contentsOf: [folder], merchantIdentifier: merchantIdentifier)
            } catch {
                // The folder's name changes with every run, so report only the names of files in
                // it.
                let name = URL(filePath: error.path).lastPathComponent
                throw Refusal(
                    file: files[name] == nil ? "" : name,
                    reason: error.reason.replacing("\(folder)/", with: ""))
            }
        }
    }

    private struct Refusal: Error, Equatable {
        let file: String
        let reason: String
    }

    private func hash(_ merchant: Merchant) -> String {
        Data(merchant.publicKeyHash).base64EncodedString()
    }

    @Test("matches keys and certificates by public key, in one file or several")
    func joined() throws {
        let one = try pki.merchant("one")
        let two = try pki.merchant("two", .rsa)
        let keyring = try keyring([
            "one.pem": "Bag Attributes\n  friendlyName: one\n" + one.certificatePEM + one.keyPEM,
            "b.key": two.keyPEM, "c.crt": two.certificatePEM, "notes.txt": "not a key",
        ])
        #expect(keyring.publicKeyHashes == [hash(one), hash(two)].sorted())
        let bytes = one.publicKeyHash
        let octets = Octets32(bytes.span)
        let name = try #require(octets)
        #expect(try keyring.key(withHash: name, kind: .p256).publicKeyHash == name)
        #expect(
            throws: PaymentTokenError(.keyKindMismatch, limit: 2)
        ) { try keyring.key(withHash: name, kind: .rsa2048) }
    }

    @Test(
        "refuses a hash that none of its keys has, with the number of keys and without a hash",
        arguments: [2, 40])
    func unknownHash(_ count: Int) throws {
        let merchants = try (0..<count).map { try pki.merchant("\($0)") }
        let keyring = try keyring(
            Dictionary(
                uniqueKeysWithValues: merchants.map {
                    ("\($0.name).pem", $0.keyPEM + $0.certificatePEM)
                }))
        let zeros = [UInt8](repeating: 0, count: 32)
        let octets = Octets32(zeros.span)
        let name = try #require(octets)
        let error = #expect(throws: PaymentTokenError.self) {
            try keyring.key(withHash: name, kind: .p256)
        }
        let refusal = PaymentTokenError(.noKeyWithHash, limit: count)
        #expect(error == refusal)
        #expect(
            refusal.description
                == "None of the \(count) loaded keys has the publicKeyHash of the token.")
    }

    @Test(
        "loads an RSA key without a certificate, and an EC key only with the merchant's identifier")
    func withoutCertificate() throws {
        let rsa = try pki.merchant("two", .rsa)
        #expect(try keyring(["a.pem": rsa.keyPEM]).publicKeyHashes == [hash(rsa)])
        let one = try pki.merchant("one")
        let named = try keyring(["a.pem": one.keyPEM], merchantIdentifier: one.identifier)
        #expect(named.publicKeyHashes == [hash(one)])
        #expect(
            throws: Refusal(
                file: "a.pem",
                reason: "contains an EC key without its certificate; add the payment processing "
                    + "certificate, or give the merchant identifier")
        ) { try keyring(["a.pem": one.keyPEM]) }
    }

    @Test("throws an error that names the file and the reason")
    func refusals() throws {
        let one = try pki.merchant("one")
        let two = try pki.merchant("two")
        let extensionType: OID = "1.2.840.113635.100.6.32"
        let digits = ASN1Element(0x0C, octets: Array(String(repeating: "A", count: 64).utf8))
        let again = try pki.merchant("one") { recipe in
            recipe.subject = DistinguishedName(
                commonName: "another merchant", organizationalUnit: "Tests")
            recipe.setExtension(CertificateExtension(extensionType, digits))
        }
        #expect(again.publicKeyHash == one.publicKeyHash)
        let encrypted =
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n"
        let broken = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
        let p384 = try PEM.text("PRIVATE KEY", pki.ecKey("p384", .p384).pkcs8)
        let cases: [([String: String], Refusal)] = [
            (
                [:],
                Refusal(
                    file: "",
                    reason:
                        "is a folder without key files (.pem, .key, .cer, .crt, .der, .p12, .pfx); copy the merchant's key and "
                        + "certificate there"
                )
            ),
            (
                ["a.der": "text"],
                Refusal(
                    file: "a.der",
                    reason: "is base64, but not of a key or certificate; "
                        + "give PEM, DER, PKCS#12 or base64 of these"
                )
            ),
            (
                ["a.pem": encrypted],
                Refusal(
                    file: "a.pem",
                    reason: "contains a private key that cannot be read; copy or export it again"
                )
            ),
            (
                ["a.pem": broken],
                Refusal(
                    file: "a.pem",
                    reason: "contains a certificate that cannot be read; download it again")
            ),
            (
                ["a.pem": p384],
                Refusal(
                    file: "a.pem",
                    reason:
                        "contains an EC key on secp384r1; Apple Pay encrypts only to EC keys on P-256 and RSA keys of 2048 bits"
                )
            ),
            (
                ["a.key": one.keyPEM, "b.cer": two.certificatePEM],
                Refusal(
                    file: "b.cer",
                    reason:
                        "contains a certificate whose private key is not in the given files; "
                        + "the key in a.key belongs to another request, so add the key of this certificate's request, or "
                        + "Apple's certificate for that one"
                )
            ),
        ]
        for (files, refusal) in cases {
            #expect(throws: refusal) { try keyring(files) }
        }
        let twice = #expect(throws: Refusal.self) {
            try keyring(["a.pem": one.keyPEM + one.certificatePEM, "b.cer": again.certificatePEM])
        }
        #expect(twice?.file == "b.cer")
        let reason = "contains a certificate for the same private key as "
        #expect(twice?.reason.hasPrefix(reason) == true)
    }

    @Test("uses the certificate that was renewed for the same key, in either order")
    func renewed() throws {
        let one = try pki.merchant("one")
        let renewed = try pki.merchant("one") { $0.notAfter = CivilTime.day(2029, 10, 1) }
        let pair = ["a.pem": one.keyPEM]
        for files in [["b.cer": one, "c.cer": renewed], ["b.cer": renewed, "c.cer": one]] {
            let all = pair.merging(files.mapValues(\.certificatePEM)) { first, _ in first }
            let descriptions = try keyring(all).descriptions
            #expect(descriptions.map(\.notAfter) == [CivilTime.day(2029, 10, 1)])
        }
    }

    @Test("reads the merchant from the certificate's extension or its UID, which must be equal")
    func merchant() throws {
        let extensionType: OID = "1.2.840.113635.100.6.32"
        let plain = try pki.merchant("one") { $0.removeExtension(extensionType) }
        #expect(throws: Never.self) {
            try keyring(["a.pem": plain.keyPEM + plain.certificatePEM])
        }
        let other = try pki.merchant("one") { recipe in
            recipe.setExtension(
                CertificateExtension(
                    extensionType,
                    ASN1Element(0x0C, octets: Array(String(repeating: "A", count: 64).utf8))))
        }
        let error = #expect(throws: Refusal.self) {
            try keyring(["a.pem": other.keyPEM + other.certificatePEM])
        }
        #expect(error?.reason.hasPrefix("does not identify its merchant") == true)
    }

    @Test("refuses a certificate for a key that Apple does not encrypt to")
    func certificateKinds() throws {
        let key = try pki.ecKey("p384", .p384)
        let certificate = try pki.merchant("one") { $0.key = key }.certificatePEM
        #expect(
            throws: Refusal(
                file: "a.cer",
                reason:
                    "contains a certificate for an EC key on secp384r1; Apple Pay encrypts only to EC "
                    + "keys on P-256 and RSA keys of 2048 bits")
        ) { try keyring(["a.cer": certificate]) }
    }
}
