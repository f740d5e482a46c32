package import Foundation

/// A token, and everything that went into it.
package struct TestToken: Sendable {
    /// The name it was asked for by.
    package let name: String

    /// The token's text: the JSON of `paymentData`.
    package let json: [UInt8]

    /// The CMS, as it stands in the token.
    package let signature: [UInt8]

    /// The signed bytes: key, data, transactionId, applicationData.
    package let message: [UInt8]

    /// The ephemeral public key's SubjectPublicKeyInfo or the wrapped key, as it stands in the token.
    package let keyField: [UInt8]

    /// The ciphertext and tag, as they stand in the token.
    package let data: [UInt8]

    /// The transaction identifier, as it stands in the token.
    package let transactionId: [UInt8]

    /// The applicationData hash, as it stands in the token.
    package let applicationData: [UInt8]?

    /// The hash of the merchant's key, as it stands in the token.
    package let publicKeyHash: [UInt8]

    /// The plaintext of ``data``.
    package let plaintext: [UInt8]

    /// The ECDH secret, for EC_v1.
    package let sharedSecret: [UInt8]?

    /// The AES key.
    package let contentKey: [UInt8]

    /// The signing time that was asked for.
    package let signingTime: Date

    /// The certificates, those that travel and the root.
    package let chain: Chain

    /// To whom it is encrypted.
    package let recipient: Recipient

    /// The payload's members, as they were meant.
    package let payload: Payload

    /// Whether the text is more than the JSON it holds: it was edited, or writes slashes `\/`.
    package let isTextEdited: Bool

    /// The token's text as a string.
    package var text: String { String(decoding: json, as: UTF8.self) }
}
