/// The reason why a ``Revocation`` could not be created.
public struct RevocationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reasons for the error.
    public enum Code: String, CaseIterable, Sendable {
        /// A fingerprint is not 64 hexadecimal digits.
        case malformedFingerprint = "malformed-fingerprint"

        /// A hash of a SubjectPublicKeyInfo is not 64 hexadecimal digits.
        case malformedKeyHash = "malformed-key-hash"

        /// A list is neither PEM nor the DER of a certificate revocation list.
        case malformedRevocationList = "malformed-revocation-list"

        /// libcrypto failed, for example because it ran out of memory.
        case libraryFailure = "library-failure"
    }

    /// The reason.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    /// One sentence for people.
    public var description: String {
        switch code {
        case .malformedFingerprint:
            "A certificate to refuse is named by 64 hexadecimal digits, the SHA-256 of its DER."
        case .malformedKeyHash:
            "A key to refuse is named by 64 hexadecimal digits, the SHA-256 of its SubjectPublicKeyInfo in DER."
        case .malformedRevocationList:
            "A certificate revocation list must be PEM (X509 CRL) or DER."
        case .libraryFailure: "libcrypto failed while a certificate revocation list was read."
        }
    }
}
