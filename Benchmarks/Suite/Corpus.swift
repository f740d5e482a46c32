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

    /// Tokens that each have different certificates of the signer and of the intermediate.
    let unseen: [Sample]

    /// Tokens of different signers whose certificates the same intermediate issued.
    let newSigners: [Sample]

    /// Forged tokens whose signer's certificate names two genuine intermediates as its issuer, and neither issued it.
    let forgedSigners: [Sample]

    /// A genuine token for each of these two intermediates.
    let namesakes: [Sample]

    /// Forged tokens with one intermediate that the root did not sign.
    let forgedIntermediates: [Sample]

    /// Forged tokens that cause the most work before the chain is refused: two intermediates that the root did not sign.
    let twoForgedIntermediates: [Sample]

    let costlyTexts: [CostlyText]

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
        func samples(
            _ name: String, _ count: Int, _ change: (UInt8, inout TokenRecipe) throws -> Void
        ) throws -> [Sample] {
            try (0..<count).map { number in
                let token = try pki.token(named: "\(name) \(number)") {
                    $0.chain.leaf.serialNumber = Array(name.utf8.prefix(8)) + [UInt8(number)]
                    try change(UInt8(number), &$0)
                }
                return try Sample(token)
            }
        }
        unseen = try samples("unseen", Self.signerCount) { number, token in
            token.chain.intermediate.serialNumber = [0x43, number]
        }
        newSigners = try samples("new", Self.signerCount) { _, _ in }
        let forger = try pki.key("forger", .ec)
        let genuine = try pki.chain(.ec)
        func identifying(_ key: ApplePayTokenTesting.PrivateKey) throws -> CertificateExtension {
            CertificateExtension(
                .authorityKeyIdentifier,
                .sequence([.context(0, octets: try key.keyIdentifier())]))
        }
        var second = genuine.intermediate
        second.serialNumber = [0x41, 1]
        let namesake = try second.issued(by: genuine.root.key)
        forgedSigners = try samples("forged", 8) { _, token in
            token.chain.leaf.signingKey = forger
            token.chain.leaf.setExtension(try identifying(genuine.intermediate.key))
            token.cms.certificates?.append(.other(namesake))
        }
        namesakes = try samples("namesake", 2) { number, token in
            if number == 1 { token.chain.intermediate.serialNumber = second.serialNumber }
        }
        func forge(_ intermediate: inout CertificateRecipe, _ serialNumber: [UInt8]) throws {
            intermediate.serialNumber = serialNumber
            intermediate.signingKey = forger
            intermediate.setExtension(try identifying(genuine.root.key))
        }
        forgedIntermediates = try samples("authority", 8) { number, token in
            try forge(&token.chain.intermediate, [0x44, number])
        }
        twoForgedIntermediates = try samples("two", 8) { number, token in
            try forge(&token.chain.intermediate, [0x45, number])
            var other = token.chain.intermediate
            try forge(&other, [0x46, number])
            token.cms.certificates?.append(.other(try other.issued(by: genuine.root.key)))
        }
        costlyTexts = CostlyText.all(around: ec[0].text)
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
