/// Why a member of a token is not what it must be; names the member, never what it holds.
public struct FieldError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The text is not an object, or holds no object with the members of a token.
        case notAToken = "not-a-token"

        /// A simulator's token: all members are there and empty.
        case emptyToken = "empty-token"

        /// Payment data that somebody has decrypted, in bePaid's form: nothing in it is signed.
        case alreadyDecrypted = "already-decrypted"

        /// A member that must be there is not.
        case missingMember = "missing-member"

        /// A member has another JSON type than the documented one.
        case wrongType = "wrong-type"

        /// The version is neither EC_v1 nor RSA_v1.
        case unsupportedVersion = "unsupported-version"

        /// The key of the other version is there as well.
        case unexpectedMember = "unexpected-member"

        /// A member is not canonical base64 (RFC 4648 §4).
        case invalidBase64 = "invalid-base64"

        /// A member is not hexadecimal with two digits for each byte.
        case invalidHexadecimal = "invalid-hexadecimal"

        /// A member stands for another number of bytes than it must.
        case wrongLength = "wrong-length"

        /// The ephemeral key is not a P-256 SubjectPublicKeyInfo with an uncompressed point.
        case unsupportedPublicKey = "unsupported-public-key"

        /// The unsigned transactionIdentifier around the token is not the signed transactionId.
        case transactionIdentifierMismatch = "transaction-identifier-mismatch"
    }

    /// What is wrong.
    public let code: Code

    /// The member at fault, with its path; nil when it is the whole.
    public let member: String?

    init(_ code: Code, _ member: String? = nil) {
        self.code = code
        self.member = member
    }

    /// One sentence for people.
    public var description: String {
        let member = member ?? "the token"
        return switch code {
        case .notAToken: "The text is JSON, but not a payment token."
        case .emptyToken:
            "The token is empty, as a simulator makes it; nothing in it can be charged."
        case .alreadyDecrypted:
            "The text is payment data that somebody has decrypted; nothing in it is signed by Apple."
        case .missingMember: "The token lacks \(member)."
        case .wrongType: "In the token \(member) is not of its documented type."
        case .unsupportedVersion: "The token's version is neither EC_v1 nor RSA_v1."
        case .unexpectedMember: "The token has \(member), which does not belong to its version."
        case .invalidBase64: "In the token \(member) is not canonical base64."
        case .invalidHexadecimal: "In the token \(member) is not hexadecimal."
        case .wrongLength: "In the token \(member) has the wrong length."
        case .unsupportedPublicKey:
            "In the token \(member) is not an uncompressed P-256 key of 91 bytes."
        case .transactionIdentifierMismatch:
            "The transactionIdentifier around the token is not the transactionId that is signed."
        }
    }
}
