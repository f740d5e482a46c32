/// A merchant with one payment processing key.
package struct Merchant: Equatable, Sendable {
    /// The name under which the merchant was requested.
    package let name: String

    /// The merchant identifier, as in `merchant.example.one`.
    package let identifier: String

    /// The SHA-256 of the identifier: PartyV of the key derivation, 32 bytes.
    package let identifierHash: [UInt8]

    /// The key and its payment processing certificate.
    package let credential: Credential

    /// The SHA-256 of the SubjectPublicKeyInfo, 32 bytes.
    package let publicKeyHash: [UInt8]

    /// The version of the tokens that Apple encrypts to this key.
    package var version: TokenVersion {
        switch credential.key {
        case .ec: .ec
        case .rsa: .rsa
        }
    }

    /// The private key as PKCS#8 in DER.
    package var keyDER: [UInt8] { credential.key.pkcs8 }

    /// The private key as PKCS#8 in PEM.
    package var keyPEM: String { PEM.text("PRIVATE KEY", keyDER) }

    /// The certificate in DER.
    package var certificateDER: [UInt8] { credential.certificate.der }

    /// The certificate in PEM.
    package var certificatePEM: String { credential.certificate.pem }
}
