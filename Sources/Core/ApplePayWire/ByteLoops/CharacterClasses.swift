/// The classes of characters that the texts of protocols distinguish.
extension UInt8 {
    /// Whether the byte is a digit.
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte is an ASCII letter or a digit.
    package var isLetterOrDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    /// The byte in lower case if it is an ASCII letter; otherwise the byte.
    package var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    /// Whether the byte is a visible ASCII character.
    package var isVisible: Bool { (0x21...0x7E).contains(self) }

    /// Whether the byte is a space, a tab or part of a line break.
    package var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// Whether the byte is an unreserved character of an address (RFC 3986 §2.3).
    package var isUnreserved: Bool { isLetterOrDigit || "-._~".utf8.contains(self) }

    /// Whether the byte is a `tchar` of HTTP (RFC 9110 §5.6.2).
    package var isTokenCharacter: Bool {
        isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self)
    }

    /// Whether a field of HTTP may contain the byte: a tab, a blank, a visible character or a byte above ASCII.
    package var isPermittedInField: Bool { self == 0x09 || self >= 0x20 && self != 0x7F }
}

extension ArraySlice<UInt8> {
    /// Returns the bytes without blanks and tabs at both ends.
    package func trimmingBlanks() -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        }
        let text = drop(while: isBlank)
        return text[..<(text.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? text.startIndex)]
    }
}
