/// Why JSON cannot be read: a gateway's answer, or a contact from the customer's device.
///
/// The error names the member at fault and shows no other part of the text. After an answer that cannot be read, the
/// payment may have been made: ask the gateway for its status.
public struct UnreadableJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reasons, one for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The text is not strict JSON, or is longer than 1 MiB.
        case notJSON = "not-json"
        /// The answer lacks a member that every such answer has.
        case missingMember = "missing-member"
        /// A value has another type, or is not one of those documented.
        case wrongType = "wrong-type"
    }

    /// The reason.
    public let code: Code
    /// The member at fault, its names joined by dots; empty for the whole document.
    public let field: String

    init(_ code: Code, field: String) {
        self.code = code
        self.field = field
    }

    /// One sentence that describes the error to people.
    public var description: String {
        let subject = field.isEmpty ? "The JSON" : "The member \(field)"
        return switch code {
        case .notJSON: "The text is not JSON."
        case .missingMember: "\(subject) is missing."
        case .wrongType: "\(subject) does not have the documented type."
        }
    }
}
