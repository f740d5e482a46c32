import ApplePayKeyAgreement
import ApplePayPrimitives
import ApplePayTokenTesting
import ApplePayWire
import Foundation
import Testing

@testable import ApplePayMerchantKeys

@Suite("A keyring during a rotation")
struct PendingKeyTests {
    private let pki = TestPKI(seed: "pending keys")

    private func hash(_ merchant: Merchant) -> String {
        Data(merchant.publicKeyHash).base64EncodedString()
    }

    private func name(_ path: String) -> String { URL(filePath: path).lastPathComponent }

    /// Returns a certificate signing request for a merchant's key, as `paytoken keys csr` writes
    /// it.
    private func request(_ merchant: Merchant) throws -> String {
        let der = merchant.keyDER
        let subject = CertificateRequest.Subject(
            commonName: "Tests", emailAddress: nil, country: nil)
        let pem = try CertificateRequest.pem(for: subject, signedBy: PrivateKey(der: der.span))
        return pem.withRevealedBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    /// Returns the base64 inside a PEM block.
    private func base64(_ pem: String) -> String {
        pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    }

    @Test("skips requests in every form, and loads a key that awaits its certificate")
    func folder() throws {
        let one = try pki.merchant("one")
        let next = try pki.merchant("next")
        let csr = try request(next)
        let files = [
            "2026.pem": one.keyPEM + one.certificatePEM, "2027.key.pem": next.keyPEM,
            "2027.csr.pem": csr, "2027.req.key": base64(csr),
            "new.pem": csr.replacing("CERTIFICATE REQUEST", with: "NEW CERTIFICATE REQUEST"),
        ]
        try KeyFolder.with(files) { folder in
            let der = try #require(Data(base64Encoded: base64(csr)))
            try der.write(to: URL(filePath: folder).appending(path: "2027.csr.der"))
            let keyring = try MerchantKeyring(contentsOf: [folder])
            let statuses = keyring.descriptions.map { "\($0.publicKeyHash) \($0.status.rawValue)" }
            #expect(
                Set(statuses) == [
                    "\(hash(one)) ready", "\(hash(next)) awaiting-certificate",
                ])
            let (loaded, problems, _) = try MerchantKeyring.load(contentsOf: [folder])
            #expect(problems == [])
            #expect(loaded.publicKeyHashes == keyring.publicKeyHashes)
        }
    }

    @Test("refuses to derive with a key that awaits its certificate")
    func derivation() throws {
        let one = try pki.merchant("one")
        let next = try pki.merchant("next")
        let keyring = try KeyFolder.with([
            "one.pem": one.keyPEM + one.certificatePEM, "next.pem": next.keyPEM,
        ]) { try MerchantKeyring(contentsOf: [$0]) }
        let bytes = next.publicKeyHash
        let octets = Octets32(bytes.span)
        let key = try keyring.key(withHash: #require(octets), kind: .p256)
        let point = one.credential.key.subjectPublicKeyInfo.suffix(65)
        let error = #expect(throws: PaymentTokenError.self) {
            _ = try ContentKey(
                agreeing: key.privateKey, with: point.span,
                merchantIdentifierHash: key.merchantIdentifierHash)
        }
        #expect(error?.code == .keyUnavailable)
        #expect(
            error?.description
                == "The merchant's key cannot be used now: its certificate is not loaded, so its "
                + "merchant identifier is not known.")
    }

    @Test("adds a certificate later, alone or with its key, and keeps it")
    func certified() throws {
        let one = try pki.merchant("one")
        let next = try pki.merchant("next")
        let files = [
            "one.pem": one.keyPEM + one.certificatePEM, "next.key": next.keyPEM,
        ]
        let keyring = try KeyFolder.with(files) { try MerchantKeyring(contentsOf: [$0]) }
        func status() -> MerchantKeyDescription? {
            keyring.descriptions.first { $0.publicKeyHash == hash(next) }
        }
        let added = try KeyFolder.with(["next.cer": next.certificatePEM]) {
            try keyring.add(contentsOf: [$0])
        }
        #expect(added == [hash(next)])
        #expect(status()?.status == .ready)
        #expect(status()?.merchantIdentifier == next.identifier)
        #expect(status().map { name($0.source) } == "next.key")
        // Reading the key again without its certificate does not remove the certificate.
        let again = try KeyFolder.with(["next.key": next.keyPEM]) {
            try keyring.add(contentsOf: [$0])
        }
        #expect(again == added)
        #expect(status()?.status == .ready)
        let stranger = try pki.merchant("stranger")
        let error = #expect(throws: KeyringError.self) {
            try KeyFolder.with(["stranger.cer": stranger.certificatePEM]) {
                try keyring.add(contentsOf: [$0])
            }
        }
        #expect(
            error?.reason
                == "contains a certificate whose private key is not in the given files; add the file with that key"
        )
        #expect(keyring.publicKeyHashes == [hash(one), hash(next)].sorted())
    }

    @Test(
        "keeps the certificate with the later expiry if two of one merchant are added in sequence")
    func renewed() throws {
        let one = try pki.merchant("one")
        let later = try pki.merchant("one") { $0.notAfter = CivilTime.day(2029, 10, 1) }
        let keyring = try KeyFolder.with([one]) { try MerchantKeyring(contentsOf: [$0]) }
        for merchant in [later, one] {
            try KeyFolder.with(["a.cer": merchant.certificatePEM]) {
                _ = try keyring.add(contentsOf: [$0])
            }
            #expect(keyring.descriptions.map(\.notAfter) == [CivilTime.day(2029, 10, 1)])
        }
        let identifier: OID = "1.2.840.113635.100.6.32"
        let other = try pki.merchant("one") { recipe in
            recipe.subject = DistinguishedName(commonName: "other", organizationalUnit: "Tests")
            recipe.setExtension(
                CertificateExtension(
                    identifier,
                    ASN1Element(0x0C, octets: Array(String(repeating: "A", count: 64).utf8))))
        }
        let error = #expect(throws: KeyringError.self) {
            try KeyFolder.with(["a.cer": other.certificatePEM]) {
                _ = try keyring.add(contentsOf: [$0])
            }
        }
        let reason = "contains a certificate for the same private key as "
        #expect(error?.reason.hasPrefix(reason) == true)
        #expect(keyring.descriptions.map(\.merchantIdentifier) == [one.identifier])
    }

    @Test("adds a key that awaits its certificate, and refuses a certificate request alone")
    func added() throws {
        let one = try pki.merchant("one")
        let next = try pki.merchant("next")
        let keyring = try KeyFolder.with([one]) { try MerchantKeyring(contentsOf: [$0]) }
        let csr = try request(next)
        let added = try KeyFolder.with(["2027.key.pem": next.keyPEM, "2027.csr.pem": csr]) {
            try keyring.add(contentsOf: [$0])
        }
        #expect(added == [hash(next)])
        #expect(Set(keyring.descriptions.map(\.status)) == [.ready, .awaitingCertificate])
        let error = #expect(throws: KeyringError.self) {
            try KeyFolder.with(["2027.csr.pem": csr]) { try keyring.add(contentsOf: [$0]) }
        }
        #expect(
            error?.reason
                == "contains only a certificate signing request; add the file with the private key from which it was made"
        )
    }

    @Test("loads nine keys of ten and reports the tenth, for which the strict initializer throws")
    func problems() throws {
        var files: [String: String] = [:]
        for number in 0..<9 {
            let merchant = try pki.merchant("\(number)")
            files["\(number).pem"] = merchant.keyPEM + merchant.certificatePEM
        }
        files["tenth.pem"] =
            "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
        files["cut.csr.pem"] = "-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n"
        files["other.cer"] = try pki.merchant("other").certificatePEM
        try KeyFolder.with(files) { folder in
            let (keyring, problems, _) = try MerchantKeyring.load(contentsOf: [folder, "/nowhere"])
            #expect(keyring.publicKeyHashes.count == 9)
            #expect(
                problems.map { "\(name($0.path)) \($0.reason)" } == [
                    "cut.csr.pem contains a PEM block that is empty, lacks its END line or is not base64; copy or export it again",
                    "tenth.pem contains a private key that cannot be read; copy or export it again",
                    "nowhere cannot be read: No such file or directory",
                    "other.cer contains a certificate whose private key is not in the given files; add the file with that key",
                ])
            let error = #expect(throws: KeyringError.self) {
                try MerchantKeyring(contentsOf: [folder, "/nowhere"])
            }
            #expect(error == problems.first)
            let none = #expect(throws: KeyringError.self) {
                try MerchantKeyring.load(contentsOf: [folder + "/tenth.pem"])
            }
            #expect(
                none?.reason
                    == "contains a private key that cannot be read; copy or export it again")
        }
    }

    @Test("loads keys that all await their certificates only with `load`")
    func allPending() throws {
        let next = try pki.merchant("next")
        try KeyFolder.with(["next.pem": next.keyPEM]) { folder in
            let (keyring, problems, _) = try MerchantKeyring.load(contentsOf: [folder])
            #expect(keyring.descriptions.map(\.status) == [.awaitingCertificate])
            #expect(problems == [])
            let error = #expect(throws: KeyringError.self) {
                try MerchantKeyring(contentsOf: [folder])
            }
            #expect(error.map { name($0.path) } == "next.pem")
            #expect(error?.reason.hasPrefix("contains an EC key without its certificate") == true)
        }
    }

    @Test("throws for the hashes of a file that contains only a certificate request")
    func requestAlone() throws {
        let csr = Array(try request(pki.merchant("next")).utf8)
        let file = try KeyFile(csr.span, path: "next.csr.pem")
        let error = #expect(throws: KeyringError.self) { try file.publicKeyHashes() }
        #expect(
            error?.reason
                == "contains only a certificate signing request, which one uploads to Apple; name the file with its private key, "
                + "or with the certificate that Apple gives back"
        )
    }

    @Test("loads private key files that other users can read or write, with a warning")
    func warnings() throws {
        let one = try pki.merchant("one")
        let files = [
            "a.key": one.keyPEM, "b.key": one.keyPEM, "c.key": one.keyPEM,
            "d.cer": one.certificatePEM,
        ]
        try KeyFolder.with(files) { folder in
            for (file, mode) in [
                ("a.key", 0o600), ("b.key", 0o644), ("c.key", 0o620), ("d.cer", 0o644),
            ] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: mode], ofItemAtPath: folder + "/" + file)
            }
            let (keyring, problems, warnings) = try MerchantKeyring.load(contentsOf: [folder])
            #expect(keyring.publicKeyHashes == [hash(one)])
            // If several files contain the same key, the first one counts.
            #expect(keyring.descriptions.map { name($0.source) } == ["a.key"])
            #expect(problems == [])
            #expect(
                warnings.map { "\(name($0.path)) \($0.reason)" }
                    == [("b.key", "0644"), ("c.key", "0620")].map { name, mode in
                        "\(name) contains a private key and has mode \(mode), so other users can read or change "
                            + "it; take this permission away"
                    })
            #expect(throws: Never.self) { try MerchantKeyring(contentsOf: [folder]) }
        }
    }
}
