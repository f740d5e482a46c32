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

    /// The public key hashes of the keys at hand: base64 of the SHA-256 of SubjectPublicKeyInfo.
    public let availableHashes: [String]

    /// One sentence for people.
    public var description: String {
        let hashes = availableHashes.joined(separator: ", ")
        return switch code {
        case .noKeyWithHash:
            "No key has the publicKeyHash that the token names; at hand: "
                + (hashes.isEmpty ? "none." : "\(hashes).")
        case .keyKindMismatch:
            "The key with the token's publicKeyHash is not of the kind that the token's version uses."
        }
    }
}
