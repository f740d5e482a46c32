/// Why decrypted bytes are not payment data; names members, never what they hold.
public struct PaymentDataError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The bytes are not strict JSON, or a name stands twice.
        case invalidJSON = "invalid-json"

        /// A member that must be there is not.
        case missingMember = "missing-member"

        /// A member has another JSON type than the documented one.
        case wrongType = "wrong-type"

        /// A member of the right type holds what it may not hold.
        case invalidValue = "invalid-value"
    }

    /// What is wrong.
    public let code: Code

    /// The first member at fault, with its path; nil when the whole is.
    public let member: String?

    init(_ code: Code, _ member: String? = nil) {
        self.code = code
        self.member = member
    }

    /// One sentence for people.
    public var description: String {
        let member = member ?? "the payload"
        return switch code {
        case .invalidJSON: "The decrypted payload is not strict JSON."
        case .missingMember: "The decrypted payload lacks \(member)."
        case .wrongType: "In the decrypted payload \(member) is not of its documented type."
        case .invalidValue: "In the decrypted payload \(member) has a value that is not allowed."
        }
    }
}
