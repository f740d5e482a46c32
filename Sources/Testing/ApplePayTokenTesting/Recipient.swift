internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayTokenTestingPrimitives

/// The recipient of a token: a merchant, without its private key.
public struct Recipient: Equatable, Sendable {
    /// The merchant identifier, as in `merchant.example.one`; empty if it is not known.
    public let identifier: String

    /// The SHA-256 of the identifier: PartyV of the key derivation, 32 bytes.
    package let identifierHash: [UInt8]

    /// The key.
    package let publicKey: PublicKey

    /// The SHA-256 of the key's SubjectPublicKeyInfo, 32 bytes.
    package let publicKeyHash: [UInt8]

    /// The version of the tokens for this key.
    public var version: TokenVersion { publicKey.version }

    /// Creates a recipient from its parts.
    package init(
        identifier: String,
        identifierHash: [UInt8],
        publicKey: PublicKey,
        publicKeyHash: [UInt8]
    ) {
        self.identifier = identifier
        self.identifierHash = identifierHash
        self.publicKey = publicKey
        self.publicKeyHash = publicKeyHash
    }

    /// Reads the recipient from a payment processing certificate: one of a test PKI, or a merchant's from Apple.
    ///
    /// - Parameter path: A file with one certificate, PEM or DER; 1 MiB at most.
    /// - Throws: ``TestTokenError`` if the file cannot be read, does not contain exactly one certificate, or if the
    ///   certificate is for another kind of key or does not contain a merchant identifier.
    public init(certificatePath path: String) throws(TestTokenError) {
        let file: KeyFile
        do throws(KeyringError) {
            file = try KeyFile(path, passphrases: [])
        } catch {
            throw TestTokenError(error.description)
        }
        guard file.certificates.count == 1 else {
            throw TestTokenError(
                "\(path) has \(file.certificates.count) certificates; it needs one.")
        }
        let certificate = file.certificates[0]
        let encoding: [UInt8]
        let hash: Octets32?
        let identifier: String?
        do throws(PrimitivesError) {
            encoding = try certificate.subjectPublicKeyInfo()
            hash = try MerchantIdentifierHash.of(certificate)
            identifier = try certificate.subjectUserIdentifier()
        } catch {
            throw TestTokenError("\(path) cannot be read as a certificate.")
        }
        guard let publicKey = PublicKey(subjectPublicKeyInfo: encoding) else {
            throw TestTokenError(
                "\(path) is for another key than P-256 or RSA of 2048 bits with the exponent 65537."
            )
        }
        guard let hash else {
            throw TestTokenError(
                "\(path) does not contain a merchant identifier; name a payment processing certificate."
            )
        }
        do throws(TestingError) {
            self.init(
                identifier: identifier ?? "",
                identifierHash: hash.bytes,
                publicKey: publicKey,
                publicKeyHash: try Digest.sha256.hash(encoding)
            )
        } catch {
            throw TestTokenError(error)
        }
    }
}
