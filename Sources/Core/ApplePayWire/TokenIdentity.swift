public import FoundationEssentials

/// Names a token in logs, reports and errors, once Apple's signature of it was verified.
///
/// It contains no secret. `publicKeyHash` is not signed, and `transactionId` is proven only once the token is decrypted:
/// with a forged one, decryption fails. Use neither to decide anything.
///
/// Source: Apple, *Payment token format reference*, "Header keys".
public struct TokenIdentity: Hashable, Codable, Sendable {
    /// `header.publicKeyHash`, which names the merchant's key: a SHA-256 in base64, 44 characters.
    public let publicKeyHash: String

    /// `header.transactionId`: 64 lower-case hexadecimal digits.
    public let transactionId: String

    /// When Apple signed the token, to the second.
    public let signingTime: Date

    package init(publicKeyHash: String, transactionId: String, signingTime: Date) {
        self.publicKeyHash = publicKeyHash
        self.transactionId = transactionId
        self.signingTime = signingTime
    }
}
