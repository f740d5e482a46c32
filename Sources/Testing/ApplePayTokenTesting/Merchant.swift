/// A merchant with one payment processing key.
public struct Merchant: Equatable, Sendable {
    /// The name under which the merchant was requested.
    public let name: String

    /// The recipient to which tokens for the merchant are encrypted.
    public let recipient: Recipient

    /// The key and its payment processing certificate.
    package let credential: Credential

    /// Creates a merchant from its parts.
    package init(
        name: String,
        identifier: String,
        identifierHash: [UInt8],
        credential: Credential,
        publicKeyHash: [UInt8]
    ) {
        self.name = name
        self.credential = credential
        recipient = Recipient(
            identifier: identifier, identifierHash: identifierHash,
            publicKey: PublicKey(of: credential.key), publicKeyHash: publicKeyHash)
    }

    /// The merchant identifier, as in `merchant.example.one`.
    public var identifier: String { recipient.identifier }

    /// The SHA-256 of the identifier: PartyV of the key derivation, 32 bytes.
    package var identifierHash: [UInt8] { recipient.identifierHash }

    /// The SHA-256 of the SubjectPublicKeyInfo, 32 bytes.
    package var publicKeyHash: [UInt8] { recipient.publicKeyHash }

    /// The version of the tokens for this key.
    public var version: TokenVersion { recipient.version }

    /// The private key as PKCS#8 in DER.
    package var keyDER: [UInt8] { credential.key.pkcs8 }

    /// The private key as PKCS#8 in PEM.
    public var keyPEM: String { credential.key.pem }

    /// The certificate in DER.
    package var certificateDER: [UInt8] { credential.certificate.der }

    /// The certificate in PEM.
    public var certificatePEM: String { credential.certificate.pem }
}

extension PrivateKey {
    /// The key as PKCS#8 in PEM.
    package var pem: String { PEM.text("PRIVATE KEY", pkcs8) }
}
