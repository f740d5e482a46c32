/// Why a gateway's answer cannot be read; of its bytes only the name of the member at fault is told.
///
/// Nobody knows then whether the payment was made: ask the gateway for its status.
public struct GatewayResponseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The body is not JSON, or longer than 1 MiB.
        case notJSON = "not-json"

        /// A member that every such answer has is missing.
        case missingMember = "missing-member"

        /// A value is of another type or not one of those documented.
        case wrongType = "wrong-type"
    }

    /// What is wrong.
    public let code: Code

    /// The member at fault, its names joined by dots; empty for the whole body.
    public let field: String

    init(_ code: Code, field: String) {
        self.code = code
        self.field = field
    }

    /// One sentence for people.
    public var description: String {
        let subject = field.isEmpty ? "The gateway's answer" : "\(field) of the gateway's answer"
        return switch code {
        case .notJSON: "\(subject) is not JSON."
        case .missingMember: "\(subject) is missing."
        case .wrongType: "\(subject) has another type than documented."
        }
    }
}
