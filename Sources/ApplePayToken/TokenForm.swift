/// In which form a token's text is accepted.
public enum TokenForm: Hashable, Sendable {
    /// In every form in which client libraries send tokens: `paymentData` itself, objects around it
    /// (`paymentData`, `token`, `payment` or `details`), JSON in a JSON string, base64 of JSON, and
    /// bePaid's prefix before that. At most four wrappers are looked through.
    case any

    /// Only `paymentData` itself.
    case paymentData

    /// Hexadecimal of a text in any form.
    case hexadecimal
}
