import ApplePayPrimitives
import ApplePayToken
import ApplePayTokenTesting

/// The measured tokens, and the keys that decrypt them.
struct Corpus: Sendable {
    /// The number of different tokens that a run uses in turn.
    static let tokenCount = 64

    /// More different signers than a verifier caches, so that no signer is still cached when it
    /// occurs again.
    static let signerCount = 72

    let ec: [Sample]
    let rsa: [Sample]

    /// Tokens that each have a different signer's certificate.
    let unseen: [Sample]

    /// Forged tokens that cause the most work before the chain is refused: the signer's
    /// certificate names two genuine intermediates as its issuer, and neither issued it.
    let forged: [Sample]

    let keyring: MerchantKeyring
    let anchor: TrustAnchor
    let root: [UInt8]
    let rootPEM: String

    /// Keys and certificates by file name, for the command.
    let keyFiles: [String: String]

    private let merchantKeys: [TokenVersion: [UInt8]]

    static let receipt = AgePolicy.received(at: TestPKI.useTime)

    init() throws {
        let pki = TestPKI(seed: "benchmarks")
        func samples(_ version: TokenVersion) throws -> [Sample] {
            try (0..<Self.tokenCount).map { try Sample(pki.token(version, named: "token \($0)")) }
        }
        ec = try samples(.ec)
        rsa = try samples(.rsa)
        unseen = try (0..<Self.signerCount).map { number in
            let token = try pki.token(named: "unseen \(number)") {
                $0.chain.leaf.serialNumber = [0x41, UInt8(number), 1, 2, 3, 4, 5, 6]
            }
            return try Sample(token)
        }
        let forger = try pki.key("forger", .ec)
        let genuine = try pki.chain(.ec)
        var second = genuine.intermediate
        second.serialNumber = [0x41, 1]
        let namesake = try second.issued(by: genuine.root.key)
        let keyIdentifier = try genuine.intermediate.key.keyIdentifier()
        forged = try (0..<8).map { number in
            let token = try pki.token(named: "forged \(number)") {
                $0.chain.leaf.serialNumber = [0x42, UInt8(number), 1, 2, 3, 4, 5, 6]
                $0.chain.leaf.signingKey = forger
                $0.chain.leaf.setExtension(
                    CertificateExtension(
                        .authorityKeyIdentifier,
                        .sequence([.context(0, octets: keyIdentifier)])))
                $0.cms.certificates?.append(.other(namesake))
            }
            return try Sample(token)
        }
        let merchants = [try pki.merchant("one"), try pki.merchant("two", .rsa)]
        keyFiles = Dictionary(
            uniqueKeysWithValues: merchants.map {
                ("\($0.name).pem", $0.keyPEM + $0.certificatePEM)
            })
        merchantKeys = [.ec: merchants[0].keyDER, .rsa: merchants[1].keyDER]
        keyring = try KeyFolder.with(merchants) { try MerchantKeyring(contentsOf: [$0]) }
        root = try pki.root.certificate.der
        rootPEM = try pki.root.certificate.pem
        anchor = try TrustAnchor(testRootCertificate: root)
    }

    /// Returns libcrypto's operations for the tokens of a version.
    func floor(_ version: TokenVersion) throws -> LibcryptoFloor {
        let sample = version == .ec ? ec[0] : rsa[0]
        let leaf = sample.leaf
        let signer = try X509Certificate(der: leaf.span).subjectPublicKeyInfo()
        return try LibcryptoFloor(
            signer: signer, merchant: merchantKeys[version] ?? [], isRSA: version == .rsa)
    }

    /// Returns the two verifications of a chain.
    func chainFloor() throws -> [CertificateFloor] {
        [
            try CertificateFloor(ec[0].leaf, issuer: ec[0].intermediate),
            try CertificateFloor(ec[0].intermediate, issuer: root),
        ]
    }

    /// Returns a decryptor that has not processed any token.
    func decryptor() throws -> PaymentTokenDecryptor {
        try PaymentTokenDecryptor(keyring: keyring, anchor: anchor)
    }

    /// Returns keys that do not decrypt any token of the corpus.
    func otherKeys(_ count: Int) throws -> MerchantKeyring {
        // Write files of 1,000 keys, because the number of keys in a file is limited.
        var files: [String: String] = [:]
        for number in 0..<count {
            let key = try NewPrivateKey(.p256).pem(passphrase: nil)
            let pem = key.withRevealedBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
            files["\(number / 1000).pem", default: ""] += pem
        }
        return try KeyFolder.with(files) {
            try MerchantKeyring(contentsOf: [$0], merchantIdentifier: "merchant.example.other")
        }
    }

    /// The merchant's EC key, DER.
    var merchantKey: [UInt8] { merchantKeys[.ec] ?? [] }
}
