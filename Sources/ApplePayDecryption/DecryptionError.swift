/// Why a token was not decrypted: one case, whatever the cause.
///
/// A wrong key, a wrong merchant, a wrapped key that does not unwrap and altered data look the same
/// from outside, so that nobody learns from the answer which it was.
public struct DecryptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The only code.
    public enum Code: String, CaseIterable, Sendable {
        /// The content key does not open the data.
        case decryptionFailed = "decryption-failed"
    }

    /// The only code.
    public var code: Code { .decryptionFailed }

    /// Makes the error.
    package init() {}

    /// One sentence for people.
    public var description: String {
        "The data does not decrypt: the key or merchant is another's, or the data was altered."
    }
}
