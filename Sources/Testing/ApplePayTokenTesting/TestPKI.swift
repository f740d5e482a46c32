package import ApplePayTokenTestingPrimitives
package import FoundationEssentials

/// Creates payment tokens in Apple's format under an invented root: valid ones, and ones with
/// exactly the fault that a test examines.
///
/// All keys and random values derive from the seed and from names: the same call creates the same
/// bytes on every machine, and an additional token never changes another one.
///
/// ```swift
/// let pki = TestPKI(seed: "a name")
/// let token = try pki.token(to: pki.merchant("one")) { recipe in
///     recipe.payload.amount = 0
///     recipe.cms.swapCertificates()
///     recipe.afterSigning.transactionId.flipBit(0)
/// }
/// ```
public struct TestPKI: Sendable {
    /// The default signing time of tokens: 2026-05-04T09:29:30Z.
    package static let signingTime = CivilTime.day(2026, 5, 4) + 34_170

    /// A time at which such tokens are recent: half a minute later.
    package static let useTime = signingTime + 30

    /// The name of this PKI, from which its keys are derived.
    package let seed: String

    /// The names in its certificates, and the periods of their validity.
    package let style: Style

    private let merchants = Memo<String, Merchant>()
    private let recipes = Memo<TokenVersion, ChainRecipe>()
    private let chains = Memo<TokenVersion, Chain>()

    /// Creates a PKI; two with the same seed and style create the same tokens.
    package init(seed: String, style: Style = .vectors) {
        self.seed = seed
        self.style = style
    }

    // MARK: Tokens

    /// Creates a token for the merchant "one" (EC_v1) or "two" (RSA_v1).
    ///
    /// - Parameters:
    ///   - version: The version of the token.
    ///   - name: Determines the random parts; two tokens with one name are identical.
    ///   - edit: Changes the token's recipe.
    /// - Returns: The token, its keys and its intermediate values.
    /// - Throws: ``TestingError``, and any error that `edit` throws.
    package func token(
        _ version: TokenVersion = .ec,
        named name: String = "token",
        _ edit: (inout TokenRecipe) throws -> Void = { _ in }
    ) throws -> TestToken {
        let merchant = try merchant(version == .ec ? "one" : "two", version)
        return try token(to: merchant, named: name, edit)
    }

    /// Creates a token for a merchant, whose key determines the version.
    ///
    /// - Parameters: Those of the function below, except that a merchant replaces the recipient.
    /// - Returns: The token, its keys and its intermediate values.
    /// - Throws: ``TestingError``, and any error that `edit` throws.
    package func token(
        to merchant: Merchant,
        named name: String = "token",
        _ edit: (inout TokenRecipe) throws -> Void = { _ in }
    ) throws -> TestToken {
        try token(to: merchant.recipient, named: name, edit)
    }

    /// Creates a token for a recipient, whose key determines the version.
    ///
    /// - Parameters:
    ///   - recipient: The recipient to which the token is encrypted.
    ///   - name: Determines the random parts; two tokens with one name are identical.
    ///   - edit: Changes the token's recipe.
    /// - Returns: The token, its keys and its intermediate values.
    /// - Throws: ``TestingError``, and any error that `edit` throws.
    package func token(
        to recipient: Recipient,
        named name: String = "token",
        _ edit: (inout TokenRecipe) throws -> Void = { _ in }
    ) throws -> TestToken {
        let usual = try chain(recipient.version)
        var recipe = try TokenRecipe(name: name, recipient: recipient, chain: usual, seed: seed)
        try edit(&recipe)
        let version = recipient.version
        let issued =
            recipe.chain == usual
            ? try chains.value(for: version) { () throws(TestingError) in try usual.issued() }
            : try recipe.chain.issued()
        return try recipe.testToken(with: issued)
    }

    // MARK: Merchants

    /// Returns a merchant with a separate key; the same name and version always give the same
    /// merchant.
    package func merchant(
        _ name: String,
        _ version: TokenVersion = .ec
    ) throws(TestingError) -> Merchant {
        try merchants.value(for: "\(name) \(version.rawValue)") { () throws(TestingError) in
            try merchant(name, version) { _ in }
        }
    }

    /// Returns a merchant with a modified certificate.
    package func merchant(
        _ name: String,
        _ version: TokenVersion = .ec,
        certificate edit: (inout CertificateRecipe) -> Void
    ) throws(TestingError) -> Merchant {
        let key = try key("merchant \(name)", version)
        let identifier = "merchant.example.\(name)"
        let issuer = try processingAuthority
        var recipe = try processingCertificate(identifier, key, issuer: issuer)
        edit(&recipe)
        return Merchant(
            name: name,
            identifier: identifier,
            identifierHash: try Digest.sha256.hash(Array(identifier.utf8)),
            credential: Credential(key: key, certificate: try recipe.issued(by: issuer.key)),
            publicKeyHash: try Digest.sha256.hash(key.subjectPublicKeyInfo)
        )
    }

    /// Returns a merchant's merchant identity certificate, with its RSA key.
    package func merchantIdentity(
        _ name: String,
        certificate edit: (inout CertificateRecipe) -> Void = { _ in }
    ) throws(TestingError) -> Credential {
        let key = try rsaKey("identity \(name)", bitCount: 2048)
        let issuer = try processingAuthority
        var recipe = try identityCertificate("merchant.example.\(name)", key, issuer: issuer)
        edit(&recipe)
        return Credential(key: key, certificate: try recipe.issued(by: issuer.key))
    }

    // MARK: Authorities

    /// The root of every chain of this PKI.
    package var root: Credential {
        get throws(TestingError) { try chain(.ec).root }
    }

    /// Returns the recipe of the chain that signs tokens of a version.
    package func chain(_ version: TokenVersion) throws(TestingError) -> ChainRecipe {
        try recipes.value(for: version) { () throws(TestingError) in
            let root = try rootCredential(key: try ecKey("root", .p384))
            let intermediate = try intermediateRecipe(issuer: root.certificate.subject)
            return ChainRecipe(
                root: root,
                intermediate: intermediate,
                leaf: try leafRecipe(version, issuer: intermediate.subject)
            )
        }
    }

    /// Returns a self-signed root with this PKI's name and any key.
    package func rootCredential(key: PrivateKey) throws(TestingError) -> Credential {
        let recipe = try rootRecipe(key: key)
        return Credential(key: key, certificate: try recipe.issued(by: key))
    }

    // MARK: Keys and bytes

    /// Returns the key for a label, of the kind that merchants and signers of a version have.
    package func key(_ label: String, _ version: TokenVersion) throws(TestingError) -> PrivateKey {
        switch version {
        case .ec: try ecKey(label, .p256)
        case .rsa: .rsa(try RSAKey.seeded(seed, label: "key \(label) rsa"))
        }
    }

    /// Returns the RSA key for a label.
    package func rsaKey(_ label: String, bitCount: Int) throws(TestingError) -> PrivateKey {
        .rsa(try RSAKey.seeded(seed, label: "key \(label) rsa", bitCount: bitCount))
    }

    /// Returns the EC key for a label.
    package func ecKey(_ label: String, _ curve: NamedCurve) throws(TestingError) -> PrivateKey {
        var bytes = try SeededBytes(seed: seed, label: "key \(label) \(curve.rawValue)")
        return .ec(try ECKey(curve: curve, from: &bytes))
    }

    /// Returns the bytes for a label.
    package func bytes(_ label: String, _ count: Int) throws(TestingError) -> [UInt8] {
        var bytes = try SeededBytes(seed: seed, label: "bytes \(label)")
        return try bytes.next(count)
    }

    /// Returns the first of a label's keys whose shared secret with a merchant meets a condition.
    package func ephemeralKey(
        _ label: String,
        to merchant: Merchant,
        where fits: ([UInt8]) -> Bool
    ) throws(TestingError) -> ECKey {
        guard case .ec(let recipient) = merchant.credential.key else {
            throw .impossible("a secret shared with an RSA key")
        }
        var bytes = try SeededBytes(seed: seed, label: "ephemeral \(label)")
        while true {
            let key = try ECKey(curve: .p256, from: &bytes)
            if fits(try key.sharedSecret(with: recipient.publicPoint)) { return key }
        }
    }

    /// Returns a serial number of eight bytes: positive, without leading zeros.
    func serialNumber(_ label: String) throws(TestingError) -> [UInt8] {
        var serialNumber = try bytes("serial \(label)", 8)
        serialNumber[0] = serialNumber[0] & 0x3F | 0x40
        return serialNumber
    }
}
