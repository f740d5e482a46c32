public import ApplePayToken
internal import ApplePayTokenTestingPrimitives
public import FoundationEssentials

/// The API for merchants' tests: a PKI, merchants, and tokens that decrypt or that must be refused.
extension TestPKI {
    /// Creates a PKI with new keys, whose certificates all contain `TEST ONLY` in their names.
    public init() {
        self.init(testSeed: Self.randomSeed())
    }

    /// Creates the PKI of a seed, which determines every key.
    ///
    /// - Parameter testSeed: Any text. Anybody who knows it can sign tokens of this PKI.
    public init(testSeed: String) {
        self.init(seed: testSeed, style: .tests)
    }

    /// Returns the merchant with a name, with a key and a payment processing certificate.
    ///
    /// - Parameters:
    ///   - name: Letters, digits, `.` and `-`; the merchant identifier is `merchant.example.` followed by the name.
    ///   - version: Determines the kind of key: P-256 for EC_v1, or RSA of 2048 bits for RSA_v1, which takes up to a
    ///     second to create.
    /// - Returns: The merchant; the same name and version always give the same merchant.
    /// - Throws: ``TestTokenError`` if libcrypto fails.
    public func testMerchant(
        _ name: String = "one", _ version: TokenVersion = .ec
    ) throws(TestTokenError) -> Merchant {
        do throws(TestingError) {
            return try merchant(name, version)
        } catch {
            throw TestTokenError(error)
        }
    }

    /// The root's certificate in PEM, for `--test-trust-anchor`.
    public var rootPEM: String {
        get throws(TestTokenError) {
            do throws(TestingError) {
                return try root.certificate.pem
            } catch {
                throw TestTokenError(error)
            }
        }
    }

    /// Creates a token with new random parts.
    ///
    /// - Parameters:
    ///   - recipient: The recipient to which the token is encrypted; the recipient's key determines the version.
    ///   - options: The contents and the signing time.
    ///   - fault: The fault of the token; nil for a token that decrypts. If the fault concerns the signing time, the
    ///     options' time is the time of receipt.
    /// - Returns: The token's text, UTF-8.
    /// - Throws: ``TestTokenError``, also if tokens of this version cannot have the fault, or if both a fault and a
    ///   wrapper are requested.
    public func testToken(
        for recipient: Recipient,
        _ options: TestTokenOptions = TestTokenOptions(),
        fault: TokenFault? = nil
    ) throws(TestTokenError) -> Data {
        guard fault == nil || options.wrapper == nil else {
            throw TestTokenError("a token has a fault or a wrapper, not both.")
        }
        guard let vector = fault.map({ $0.vectors[recipient.version] }) ?? "valid/ec" else {
            throw TestTokenError(
                "\(recipient.version.rawValue) tokens cannot have the fault "
                    + "\(fault?.code.rawValue ?? ""); name a certificate for the other kind of key."
            )
        }
        let name = UUID().uuidString
        let time = Date(
            timeIntervalSince1970: (options.signingTime ?? Date()).timeIntervalSince1970.rounded(
                .down))
        let excerpt = VectorBook.Excerpt(
            id: vector, name: name, recipient: recipient, time: time, prepare: options.apply)
        do {
            return Data(try VectorBook.token(excerpt, in: self).json)
        } catch {
            throw TestTokenError(error)
        }
    }

    /// Creates a token for a merchant of this PKI.
    ///
    /// - Parameters:
    ///   - merchant: The merchant to whose key the token is encrypted.
    ///   - options: The contents and the signing time.
    ///   - code: The code with which the token must be refused; nil for a token that decrypts.
    /// - Returns: The token's text, UTF-8.
    /// - Throws: ``TestTokenError``, also if a token by itself cannot cause the code.
    public func testToken(
        for merchant: Merchant,
        _ options: TestTokenOptions = TestTokenOptions(),
        refusedWith code: PaymentTokenError.Code? = nil
    ) throws(TestTokenError) -> Data {
        guard let code else { return try testToken(for: merchant.recipient, options) }
        guard let fault = TokenFault.fault(code) else {
            throw TestTokenError(
                "a token alone cannot cause \(code.rawValue): "
                    + "\(TokenFault.reasonForAbsence(of: code) ?? "").")
        }
        return try testToken(for: merchant.recipient, options, fault: fault)
    }

    /// Returns a decryptor that trusts only this PKI's root and has the keys of these merchants.
    ///
    /// - Parameter merchants: The merchants whose tokens it decrypts; at least one.
    /// - Returns: The decryptor.
    /// - Throws: ``TestTokenError`` if the temporary folder for the keys cannot be written, or libcrypto fails.
    public func decryptor(for merchants: Merchant...) throws(TestTokenError)
        -> PaymentTokenDecryptor
    {
        do {
            let keyring = try KeyFolder.with(merchants) { try MerchantKeyring(contentsOf: [$0]) }
            let anchor = try TrustAnchor(testRootCertificate: Array(rootPEM.utf8))
            return try PaymentTokenDecryptor(keyring: keyring, anchor: anchor)
        } catch {
            throw TestTokenError(error)
        }
    }
}
