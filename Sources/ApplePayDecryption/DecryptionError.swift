/// Why a token was not decrypted: one code, whatever is wrong with the token.
///
/// A wrong key, a wrong merchant, a wrapped key that does not unwrap and altered data look the same
/// from outside, so that nobody learns from the answer which it was.
public struct DecryptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, CaseIterable, Sendable {
        /// The content key does not open the data.
        case decryptionFailed = "decryption-failed"

        /// libcrypto failed, for example because it ran out of memory.
        case libraryFailure = "library-failure"
    }

    /// What is wrong.
    public let code: Code

    /// Makes an error.
    package init(_ code: Code = .decryptionFailed) {
        self.code = code
    }

    /// One sentence for people.
    public var description: String {
        switch code {
        case .decryptionFailed:
            "The data does not decrypt: the key or merchant is another's, or the data was altered."
        case .libraryFailure: "libcrypto failed while the data was decrypted."
        }
    }
}
