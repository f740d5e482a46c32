/// Why no merchant key was chosen for a token.
public struct KeySelectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// No key in the keyring has the public key hash that the token names.
        case noKeyWithHash = "no-key-with-hash"

        /// The key with that hash is RSA and the token is EC_v1, or the other way round.
        case keyKindMismatch = "key-kind-mismatch"
    }

    /// What is wrong.
    public let code: Code

    /// The number of keys in the keyring; `MerchantKeyring.publicKeyHashes` lists their hashes.
    ///
    /// A number only: `publicKeyHash` is not signed, so anybody can cause this error as often as they like.
    public let loadedKeyCount: Int

    /// One sentence for people.
    public var description: String {
        switch code {
        case .noKeyWithHash:
            loadedKeyCount == 1
                ? "The one loaded key does not have the publicKeyHash that the token names."
                : "None of the \(loadedKeyCount) loaded keys has the publicKeyHash that the token names."
        case .keyKindMismatch:
            "The key with the token's publicKeyHash is not of the kind that the token's version uses."
        }
    }
}
