package import FoundationEssentials

/// A token with its keys and intermediate values.
package struct TestToken: Sendable {
    /// The name under which the token was requested.
    package let name: String

    /// The token's text: the JSON of `paymentData`.
    package let json: [UInt8]

    /// The CMS, exactly as in the token.
    package let signature: [UInt8]

    /// The signed bytes: key, data, transactionId, applicationData.
    package let message: [UInt8]

    /// The ephemeral public key's SubjectPublicKeyInfo or the wrapped key, exactly as in the
    /// token.
    package let keyField: [UInt8]

    /// The ciphertext and tag, exactly as in the token.
    package let data: [UInt8]

    /// The transaction identifier, exactly as in the token.
    package let transactionId: [UInt8]

    /// The applicationData hash, exactly as in the token.
    package let applicationData: [UInt8]?

    /// The hash of the merchant's key, exactly as in the token.
    package let publicKeyHash: [UInt8]

    /// The plaintext of ``data``.
    package let plaintext: [UInt8]

    /// The ECDH secret, for EC_v1.
    package let sharedSecret: [UInt8]?

    /// The AES key.
    package let contentKey: [UInt8]

    /// The requested signing time.
    package let signingTime: Date

    /// The certificates in the token, and the root.
    package let chain: Chain

    /// The recipient to which the token is encrypted.
    package let recipient: Recipient

    /// The payload of the token's recipe.
    package let payload: Payload

    /// Whether the text differs from plain JSON: it was edited, or writes slashes as `\/`.
    package let isTextEdited: Bool

    /// The token's text as a string.
    package var text: String { String(decoding: json, as: UTF8.self) }
}
