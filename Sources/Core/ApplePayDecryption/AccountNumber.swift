public import ApplePayPrimitives

/// A device account number (DPAN) or the number of a merchant token (MPAN): 12 to 19 digits.
public struct AccountNumber: Sendable, CustomStringConvertible, CustomReflectable {
    /// The ASCII digits; wiped with the last reference.
    public let digits: SensitiveBytes

    /// Creates an account number from 12 to 19 ASCII digits, the first not zero; otherwise returns nil.
    init?(_ digits: SensitiveBytes) {
        let isValid = digits.withRevealedBytes { bytes in
            guard (12...19).contains(bytes.count), bytes[0] != UInt8(ascii: "0") else {
                return false
            }
            for index in bytes.indices where !(0x30...0x39).contains(bytes[index]) { return false }
            return true
        }
        guard isValid else { return nil }
        self.digits = digits
    }

    /// The number with at least half of its digits replaced by dots.
    ///
    /// The last four digits are visible. So are some of the first digits: 2 of 12 or 13 digits, 3 of 14 or
    /// 15, 4 of 16 or 17, and 5 of 18 or 19.
    ///
    /// Source: PCI DSS v4.0, requirement 3.4.1; this mask is stricter.
    public var masked: String {
        digits.withRevealedBytes { digits in
            let leading = digits.count / 2 - 4
            var text = ""
            for index in digits.indices {
                let isShown = index < leading || index >= digits.count - 4
                text.append(isShown ? Character(Unicode.Scalar(digits[index])) : "•")
            }
            return text
        }
    }

    /// Returns all digits in a String, which is never wiped: the caller must protect it.
    ///
    /// - Returns: 12 to 19 ASCII digits.
    public func reveal() -> String { digits.revealText() }

    /// The masked number.
    public var description: String { masked }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
