/// Why the content key of a token was not restored.
package enum ContentKeyError: Error, Hashable, Sendable {
    /// The key agreement failed.
    case keyAgreement(KeyAgreementError)

    /// The wrapped key does not unwrap to 16 bytes; to the outside a failed decryption like any other.
    case unwrappingFailed
}
