/// Why a contact cannot be read; of its bytes only the name of the member at fault is told.
public struct PaymentContactError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The bytes are not strict JSON, or more than 1 MiB.
        case notJSON = "not-json"

        /// A value is of another type than the contact's.
        case wrongType = "wrong-type"
    }

    /// What is wrong.
    public let code: Code

    /// The member at fault, its names joined by dots; empty for the whole contact.
    public let field: String

    init(_ code: Code, field: String) {
        self.code = code
        self.field = field
    }

    /// One sentence for people.
    public var description: String {
        let subject = field.isEmpty ? "The contact" : "\(field) of the contact"
        return switch code {
        case .notJSON: "\(subject) is not JSON."
        case .wrongType: "\(subject) has another type than documented."
        }
    }
}
