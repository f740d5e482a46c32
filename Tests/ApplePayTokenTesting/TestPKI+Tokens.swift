public import ApplePayToken
internal import ApplePayTokenTestingPrimitives
public import Foundation

/// What a merchant's tests need: a PKI, merchants, and tokens that open or that must be refused.
extension TestPKI {
    /// Creates a PKI with new keys, whose certificates are all called `TEST ONLY`.
    public init() {
        self.init(testSeed: Self.randomSeed())
    }

    /// Creates the PKI that belongs to a seed; every key follows from it.
    ///
    /// - Parameter testSeed: Any text. Whoever knows it can sign tokens of this PKI.
    public init(testSeed: String) {
        self.init(seed: testSeed, style: .tests)
    }

    /// Returns the merchant of a name, with a key and a payment processing certificate.
    ///
    /// - Parameters:
    ///   - name: Letters, digits, `.` and `-`; the merchant identifier is `merchant.example.` and the name.
    ///   - version: The kind of its key: P-256 for EC_v1, RSA of 2048 bits for RSA_v1, which takes up to a second to make.
    /// - Returns: The merchant; one name and version is always the same merchant.
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

    /// Makes a token, with random parts of its own.
    ///
    /// - Parameters:
    ///   - recipient: To whom it is encrypted; the version follows from the recipient's key.
    ///   - options: What it contains, and when it was signed.
    ///   - fault: What is wrong with it; nil for a token that opens. For a fault of the signing time, the options' time
    ///     is when the token is received.
    /// - Returns: The token's text, UTF-8.
    /// - Throws: ``TestTokenError``, also if tokens of this version cannot have the fault, or if both a fault and a
    ///   wrapper are asked for.
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

    /// Makes a token for a merchant of this PKI.
    ///
    /// - Parameters:
    ///   - merchant: To whom it is encrypted.
    ///   - options: What it contains, and when it was signed.
    ///   - code: The code with which it must be refused; nil for a token that opens.
    /// - Returns: The token's text, UTF-8.
    /// - Throws: ``TestTokenError``, also if a token alone cannot cause the code.
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

    /// Returns a decryptor that trusts this PKI's root alone and has the keys of these merchants.
    ///
    /// - Parameter merchants: Whose tokens it opens; at least one.
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
