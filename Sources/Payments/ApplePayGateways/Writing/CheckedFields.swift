public import ApplePayAcceptance
public import ApplePayPrimitives
public import ApplePayWire

/// Checks of the field lengths that gateways document, in characters (Unicode scalars); no text is truncated.
public enum FieldLength {
    /// Checks that a text has one of the permitted numbers of characters; nil is permitted.
    ///
    /// - Throws: `gateway` with code `unsupported-length`.
    public static func check(
        _ text: String?, _ field: String, _ counts: ClosedRange<Int>
    ) throws(PaymentError) {
        try check(text.map { ExactText($0) }, field, counts)
    }

    /// Checks that a text has one of the permitted numbers of characters; nil is permitted.
    ///
    /// - Throws: `gateway` with code `unsupported-length`.
    public static func check(
        _ text: ExactText?, _ field: String, _ counts: ClosedRange<Int>
    ) throws(PaymentError) {
        guard let text, !counts.contains(text.characterCount) else { return }
        throw unsupported(text.characterCount, field, counts)
    }

    /// Checks that a UTF-8 text has one of the permitted lengths; nil is permitted.
    ///
    /// - Throws: `gateway` with code `unsupported-length`.
    package static func check(
        _ text: SensitiveBytes?, _ field: String, _ counts: ClosedRange<Int>
    ) throws(PaymentError) {
        guard let text, !fits(text, counts) else { return }
        let count = text.withRevealedBytes { ExactText.characterCount(ofUTF8: $0) }
        throw unsupported(count, field, counts)
    }

    /// Returns the error for a text without a permitted number of characters.
    private static func unsupported(
        _ count: Int, _ field: String, _ counts: ClosedRange<Int>
    ) -> PaymentError {
        let (least, most) = (counts.lowerBound, counts.upperBound)
        let range =
            switch most {
            case least: "\(least)"
            case .max: "at least \(least)"
            default: "\(least) to \(most)"
            }
        let fault = count == 0 ? "missing" : count < least ? "too short" : "too long"
        return PaymentError(
            .unsupportedLength, members: [field],
            reason: "it is \(fault), and must have \(range) characters")
    }

    /// Returns whether the number of characters of a UTF-8 text is in a range.
    package static func fits(_ text: SensitiveBytes, _ counts: ClosedRange<Int>) -> Bool {
        counts.contains(text.withRevealedBytes { ExactText.characterCount(ofUTF8: $0) })
    }
}

/// The merchant's label in a gateway's host name.
package enum HostLabel {
    /// Returns the label if it contains only letters, digits and hyphens, so that it cannot name another host (RFC 1123
    /// §2.1).
    ///
    /// - Throws: `gateway` with code `unsupported-length` unless there are 1 to 63 characters, then
    ///   `unsupported-character`.
    package static func checked(_ text: String, _ field: String) throws(PaymentError) -> String {
        try FieldLength.check(text, field, 1...63)
        try FieldCharacters.check(ExactText(text), field) {
            $0.isLetterOrDigit || $0 == UInt8(ascii: "-")
        }
        return text
    }
}

/// Checks of the characters that a gateway accepts.
package enum FieldCharacters {
    /// Checks that a text consists of visible ASCII characters.
    ///
    /// - Throws: `gateway` with code `unsupported-character`.
    package static func checkVisible(_ text: ExactText, _ field: String) throws(PaymentError) {
        try check(text, field) { $0.isVisible }
    }

    /// Checks every byte of a text.
    ///
    /// - Throws: `gateway` with code `unsupported-character`.
    package static func check(
        _ text: ExactText, _ field: String, _ isPermitted: (UInt8) -> Bool
    ) throws(PaymentError) {
        guard text.utf8.allSatisfy(isPermitted) else {
            throw .gateway(.unsupportedCharacter, field)
        }
    }
}

/// An identifier that is sent as one segment of a path.
public enum PathSegment {
    /// Returns the identifier, percent-encoded; the error names the gateway's field.
    ///
    /// - Throws: `gateway` with code `unsupported-length` for an empty one, `unsupported-character` for `.` and `..`.
    public static func encoded(_ text: ExactText, _ field: String) throws(PaymentError) -> String {
        try FieldLength.check(text, field, 1...Int.max)
        guard let segment = PercentEncoding.segment(text) else {
            throw .gateway(.unsupportedCharacter, field)
        }
        return segment
    }
}

/// Headers whose values come from the caller. They are checked because a line break would begin another header.
extension GatewayHeader {
    /// Creates a header that authenticates the merchant: a prefix such as `Bearer `, then visible ASCII, at least one byte.
    ///
    /// - Throws: `gateway` with code `unsupported-length`, then `unsupported-character`.
    public static func checked(
        secret name: String, prefix: String = "", _ value: SensitiveBytes, _ field: String
    ) throws(PaymentError) -> GatewayHeader {
        var text = SecretBuffer()
        text.append(prefix.utf8.span)
        try value.withRevealedBytes { bytes throws(PaymentError) in
            guard !bytes.isEmpty else { throw .gateway(.unsupportedLength, field) }
            for index in bytes.indices where !bytes[index].isVisible {
                throw .gateway(.unsupportedCharacter, field)
            }
            text.append(bytes)
        }
        return GatewayHeader(secret: name, text.sensitiveBytes())
    }

    /// Creates a header with an idempotency key, visible ASCII, with which the gateway recognizes a repeated request.
    ///
    /// - Throws: `gateway` with code `unsupported-length`, then `unsupported-character`; the error's field is the
    ///   header's name.
    public static func checked(
        _ name: String, _ value: ExactText, _ counts: ClosedRange<Int>
    ) throws(PaymentError) -> GatewayHeader {
        try FieldLength.check(value, name, counts)
        try FieldCharacters.checkVisible(value, name)
        return GatewayHeader(name, String(value))
    }
}
