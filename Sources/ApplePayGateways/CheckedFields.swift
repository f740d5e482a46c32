internal import ApplePayToken
internal import ApplePayWire

/// A merchant's own part of a gateway's host name.
enum HostLabel {
    /// Takes letters, digits and hyphens only, so that no other host can be named (RFC 1123 §2.1).
    ///
    /// - Throws: `gateway` with code `unsupported-length` unless there are 1 to 63 characters, then
    ///   `unsupported-character`.
    static func checked(_ text: String, _ field: String) throws(PaymentTokenError) -> String {
        try FieldLength.check(text, field, 1...63)
        let isLabel = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isLabel else { throw PaymentTokenError(.unsupportedCharacter, member: field) }
        return text
    }
}
