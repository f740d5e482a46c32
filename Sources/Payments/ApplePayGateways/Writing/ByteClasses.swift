/// The classes of characters that gateways and addresses distinguish.
extension UInt8 {
    /// Whether the byte is a digit.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte is an ASCII letter or a digit.
    var isLetterOrDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    /// Whether the byte is a visible ASCII character.
    var isVisible: Bool { (0x21...0x7E).contains(self) }

    /// Whether the byte is an unreserved character of an address (RFC 3986 §2.3).
    var isUnreserved: Bool { isLetterOrDigit || "-._~".utf8.contains(self) }
}
