/// Why a message to the merchant is not accepted as a gateway's.
///
/// Answer the message with an HTTP error and ignore its contents. The error does not contain any value of the message.
public struct GatewayMessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reasons.
    public enum Code: String, CaseIterable, Sendable {
        /// The message lacks a header or a parameter that every such message has.
        case missingMember = "missing-member"
        /// A header or a parameter occurs twice, or does not have the documented form.
        case malformed
        /// The message names a key that the caller did not give.
        case unknownKey = "unknown-key"
        /// The caller's key is not an RSA public key of 2048 bits.
        case invalidKey = "invalid-key"
        /// The signature was not made with the given key over this message: the message is forged or altered.
        case wrongSignature = "wrong-signature"
        /// The message was signed too long ago, or in the future.
        case outsideWindow = "outside-window"
        /// The signature is valid, but the message is for another account or another version of the API.
        case otherAccount = "other-account"
        /// The signature is valid, but the contents cannot be read.
        case unreadable
        /// The signature could not be computed, for example because memory ran out.
        case libraryFailure = "library-failure"
        /// The gateway's messages are not supported, or no key for them is configured.
        case unsupported
    }

    /// The reason.
    public let code: Code
    /// The header, parameter or member at fault; empty if the whole message is.
    public let field: String

    /// Creates an error, also for a gateway that you write.
    public init(_ code: Code, _ field: String = "") {
        self.code = code
        self.field = field
    }

    /// Creates the error for contents that cannot be read.
    init(_ error: UnreadableJSONError) { self.init(.unreadable, error.field) }

    /// One sentence that describes the error to people.
    public var description: String {
        let subject = field.isEmpty ? "The message" : "\(field) of the message"
        return switch code {
        case .missingMember: "\(subject) is missing."
        case .malformed:
            "\(subject) occurs twice or does not have the form that the gateway documents."
        case .unknownKey: "\(subject) names a key that you did not give."
        case .invalidKey: "The key for \(field) is not an RSA public key of 2048 bits."
        case .wrongSignature:
            "\(subject) is not a valid signature of this message under the given key."
        case .outsideWindow: "\(subject) is more than 5 minutes away from now."
        case .otherAccount: "\(subject) is that of another account or version of the API."
        case .unsupported:
            "Messages of this gateway cannot be verified: no key for them is configured."
        case .unreadable: "\(subject) cannot be read, although the signature is valid."
        case .libraryFailure: "\(subject) could not be verified, for example for lack of memory."
        }
    }
}
