/// Why JSON from elsewhere cannot be read: a gateway's answer, or a contact from the customer's device.
///
/// It names the member at fault and shows nothing else of the text. After an answer that cannot be read
/// it is unknown whether the payment was made: ask the gateway for its status.
public struct UnreadableJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The text is not strict JSON, or longer than 1 MiB.
        case notJSON = "not-json"

        /// A member that every such answer has is missing.
        case missingMember = "missing-member"

        /// A value is of another type or not one of those documented.
        case wrongType = "wrong-type"
    }

    /// What was to be read, as the description names it.
    enum Document: String {
        case answer = "gateway's answer"
        case contact
    }

    /// The fault.
    public let code: Code

    /// The member at fault, its names joined by dots; empty for the whole document.
    public let field: String

    private let document: Document

    init(_ code: Code, _ document: Document = .answer, field: String) {
        self.code = code
        self.document = document
        self.field = field
    }

    /// One sentence for people.
    public var description: String {
        let name = document.rawValue
        let subject = field.isEmpty ? "The \(name)" : "\(field) of the \(name)"
        return switch code {
        case .notJSON: "\(subject) is not JSON."
        case .missingMember: "\(subject) is missing."
        case .wrongType: "\(subject) does not have the documented type."
        }
    }
}
