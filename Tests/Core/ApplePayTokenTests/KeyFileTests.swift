import ApplePayToken
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("A merchant's key file")
struct KeyFileTests {
    private static let passphrase = Passphrase(Array("apple-pay".utf8).span)

    /// A token for each merchant.
    private static let tokens = Result {
        let cases = try TestVectors.syntheticCases()
        return [
            "one": cases.first { $0.id == "valid/ec" }, "two": cases.first { $0.id == "valid/rsa" },
        ]
        .compactMapValues { $0 }
    }

    private static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: TestVectors.keyFiles.appending(path: folder).path()
        ).sorted()
    }

    /// Returns the decrypted payload of a token of the file's merchant.
    private func payload(
        _ paths: [String],
        merchant: String,
        merchantIdentifier: String? = nil,
        passphrases: [Passphrase]
    ) throws -> [UInt8] {
        let vector = try #require(try Self.tokens.get()[merchant])
        let decryptor = try PaymentTokenDecryptor(
            keyring: MerchantKeyring(
                contentsOf: paths, merchantIdentifier: merchantIdentifier, passphrases: passphrases),
            anchor: TrustAnchor(testRootCertificate: Array(Data(contentsOf: TestVectors.root))))
        let payment = try decryptor.decrypt(vector.token, agePolicy: .received(at: vector.now))
        return payment.rawPayload.withRevealedBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test("decrypts the same token in every supported format", arguments: try names("accepted"))
    func accepted(_ name: String) throws {
        let merchant = String(name.prefix { $0 != "." })
        let keys = TestVectors.keys
        let expected = try payload(
            ["key", "cert"].map { keys.appending(path: "\(merchant).\($0).pem").path() },
            merchant: merchant, passphrases: [])
        let path = TestVectors.keyFiles.appending(path: "accepted/\(name)").path()
        let wrong = Passphrase(Array("not this one".utf8).span)
        #expect(
            try payload([path], merchant: merchant, passphrases: [wrong, Self.passphrase])
                == expected)
    }

    @Test(
        "decrypts tokens without a certificate if the merchant identifier is given",
        arguments: try names("bare"))
    func bare(_ name: String) throws {
        let keys = TestVectors.keys
        let expected = try payload(
            ["key", "cert"].map { keys.appending(path: "one.\($0).pem").path() },
            merchant: "one", passphrases: [])
        let path = TestVectors.keyFiles.appending(path: "bare/\(name)").path()
        #expect(
            try payload(
                [path], merchant: "one", merchantIdentifier: "merchant.example.one",
                passphrases: []) == expected)
    }

    @Test("can be one of several in a folder")
    func together() throws {
        let folder = TestVectors.keyFiles.appending(path: "accepted").path()
        let keyring = try MerchantKeyring(contentsOf: [folder], passphrases: [Self.passphrase])
        #expect(keyring.publicKeyHashes.count == 2)
    }

    private static let kinds =
        "; Apple Pay encrypts only to EC keys on P-256 and RSA keys of 2048 bits"
    private static let identity =
        "contains a merchant identity certificate, which is for TLS with Apple's servers; give the payment "
        + "processing certificate, to which tokens are encrypted"

    private static let refusals = [
        "another-passphrase-sec1.pem":
            "is encrypted, and none of the given passphrases decrypts it",
        "another-passphrase.p12": "is encrypted, and none of the given passphrases decrypts it",
        "another-passphrase.pem": "is encrypted, and none of the given passphrases decrypts it",
        "base64-twice.key":
            "is base64, but not of a key or certificate; give PEM, DER, PKCS#12 or base64 of these",
        "base64-unused-bits.key":
            "is not a key or certificate in PEM, DER, PKCS#12 or base64 of these; name the file with the merchant's key",
        "costly-iterations.pem":
            "derives the key from its passphrase with more iterations than are permitted; encrypt it again with fewer",
        "costly-mac.p12":
            "derives the key from its passphrase with more iterations than are permitted; encrypt it again with fewer",
        "costly-pbmac1.p12":
            "derives the key from its passphrase with more iterations than are permitted; encrypt it again with fewer",
        "costly-scrypt.pem":
            "derives the key from its passphrase with more iterations than are permitted; encrypt it again with fewer",
        "ed25519.pem": "contains a key that is neither EC nor RSA" + kinds,
        "empty.pem":
            "contains a PEM block that is empty, lacks its END line or is not base64; copy or export it again",
        "identity-by-name.cer": identity,
        "identity.cer": identity,
        "identity.pem": identity,
        "not-base64.pem":
            "contains a PEM block that is empty, lacks its END line or is not base64; copy or export it again",
        "p384.pem": "contains an EC key on secp384r1" + kinds,
        "parameters-only.pem":
            "contains a PEM block EC PARAMETERS, but neither a private key nor a certificate; name the file with the merchant's private key",
        "rsa3072.pem": "contains an RSA key of 3072 bits" + kinds,
        "truncated.p12":
            "is DER, but not a whole certificate, private key or PKCS#12; copy or export it again",
        "without-end.pem":
            "contains a PEM block that is empty, lacks its END line or is not base64; copy or export it again",
    ]

    @Test("is refused with one sentence that names it", arguments: try names("refused"))
    func refused(_ name: String) throws {
        let path = TestVectors.keyFiles.appending(path: "refused/\(name)").path()
        let error = #expect(throws: KeyringError.self) {
            try MerchantKeyring(contentsOf: [path], passphrases: [Self.passphrase])
        }
        #expect(error?.path == path)
        #expect(error?.reason == Self.refusals[name])
        #expect(!name.contains("\n") && error?.description == "\(path) \(error?.reason ?? "").")
    }

    @Test("is refused if its encrypted parts together derive keys with too many iterations")
    func manyParts() throws {
        let scrypt = TestVectors.keyFiles.appending(path: "accepted/one.pkcs8-scrypt.pem")
        let block = try String(contentsOf: scrypt, encoding: .utf8)
        try KeyFolder.with(["many.pem": String(repeating: block, count: 62)]) { folder in
            let error = #expect(throws: KeyringError.self) {
                try MerchantKeyring(
                    contentsOf: ["\(folder)/many.pem"], passphrases: [Self.passphrase])
            }
            #expect(error?.reason == Self.refusals["costly-mac.p12"])
        }
    }

    @Test(
        "is refused as encrypted when no passphrase is given",
        arguments: ["one.keychain.p12", "one.pkcs8-aes256.pem", "one.sec1-aes128.pem"])
    func encrypted(_ name: String) throws {
        let path = TestVectors.keyFiles.appending(path: "accepted/\(name)").path()
        let error = #expect(throws: KeyringError.self) { try MerchantKeyring(contentsOf: [path]) }
        #expect(
            error?.reason
                == "is encrypted; give its passphrase"
        )
    }

    @Test("is named if it is a Java keystore, or in quotation marks")
    func named() throws {
        let key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----"
        for (contents, reason) in [
            ([0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2], "is a Java keystore; convert it to PKCS#12"),
            ([0xCE, 0xCE, 0xCE, 0xCE, 0, 0, 0, 2], "is a Java keystore; convert it to PKCS#12"),
            (Array("\"\(key)\"".utf8), "is in quotation marks, as a file of variables"),
            (Array("'\(key)'\n".utf8), "is in quotation marks, as a file of variables"),
            (Array("\"".utf8), "is not a key or certificate in PEM"),
        ] as [([UInt8], String)] {
            let error = #expect(throws: KeyringError.self) {
                try KeyFile(contents.span, path: "env:KEY")
            }
            #expect(error?.reason.hasPrefix(reason) == true)
            #expect(error?.description.contains("PRIVATE KEY") == false)
        }
    }

    @Test("is refused if it contains only an authority's certificate, as is an empty list of files")
    func withoutKeys() throws {
        let root = TestVectors.root.path()
        for paths in [[root], []] {
            let error = #expect(throws: KeyringError.self) {
                try MerchantKeyring(contentsOf: paths)
            }
            #expect(
                error?.reason
                    == "contains no private key; add the file with the merchant's private key")
        }
        let hashes = #expect(throws: KeyringError.self) {
            try KeyFile(root, passphrases: []).publicKeyHashes()
        }
        #expect(
            hashes?.reason
                == "contains only the certificate of a certificate authority; name a key or a merchant's certificate"
        )
    }

    @Test("is refused with a certificate that ends before it begins")
    func validity() throws {
        let merchant = try TestPKI(seed: "validity").merchant("one", .ec) {
            swap(&$0.notBefore, &$0.notAfter)
        }
        let error = #expect(throws: KeyringError.self) {
            try KeyFolder.with([merchant]) { try MerchantKeyring(contentsOf: [$0]) }
        }
        #expect(
            error?.reason
                == "contains a certificate whose validity cannot be read; download it again")
    }

    @Test("is decrypted with the first line of a passphrase file, which no description shows")
    func passphrases() throws {
        let path = TestVectors.keyFiles.appending(path: "accepted/one.keychain.p12").path()
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("apple-pay\r\nsecond line".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let passphrase = try Passphrase(contentsOfFile: file.path())
        #expect(throws: Never.self) {
            try MerchantKeyring(contentsOf: [path], passphrases: [passphrase])
        }
        var dumped = "\(passphrase) \(String(reflecting: passphrase))"
        dump(passphrase, to: &dumped)
        #expect(!dumped.contains("apple-pay"))
        let missing = #expect(throws: KeyringError.self) {
            try Passphrase(environmentVariable: "APPLEPAYTOKEN_TEST_ABSENT")
        }
        #expect(
            missing?.description
                == "the environment variable for the passphrase is not set; set it, or give the name of another one. The given "
                + "name is not repeated here, because it may be the passphrase itself.")
    }
}
