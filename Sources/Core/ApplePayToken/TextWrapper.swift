internal import ApplePayWire

/// Wrappers around a token's JSON that are not JSON themselves.
enum TextWrapper {
    /// bePaid's prefix before the base64 of a token.
    private static let begateway = Array("$begateway_apple_pay_1_0_0$".utf8)

    /// bePaid's prefix before the base64 of payment data that has already been decrypted.
    private static let begatewayDecrypted = Array("$begateway_apple_pay_decrypted_1_0_0$".utf8)

    /// What a text contains near its beginning if a program printed an object instead of encoding it, and how.
    ///
    /// Examples: `PaymentData(version=EC_v1, …`, `{version=EC_v1, …`, `Array\n(\n    [version] => EC_v1`,
    /// `array(4) {\n  ["version"]=>`.
    private static let printers: [(sign: String, cause: String?)] = [
        ("version=", nil),
        ("[object Object]", "JavaScript made a string of an object"),
        ("] =>", "PHP's print_r wrote it"), ("]=>", "PHP's var_dump wrote it"),
    ]

    /// How a text begins that was JSON before something changed it on its way.
    private static let changes: [(sign: String, cause: String)] = [
        ("{'", "its quotation marks are single ones, as Python prints them"),
        ("{\\\"", "its quotation marks are preceded by backslashes, as in a string of a program"),
        ("{ version:", "JavaScript's console.log wrote it"),
        ("{\n  version:", "JavaScript's console.log wrote it"),
        ("%7B", "it is URL-encoded; decode it once"), ("%7b", "it is URL-encoded; decode it once"),
        ("%22", "it is URL-encoded; decode it once"),
        ("{\u{201C}", "it has typographic quotation marks, as text editors make them"),
        ("{\u{201E}", "it has typographic quotation marks, as text editors make them"),
        ("{&quot;", "it is escaped for HTML"), ("&quot;", "it is escaped for HTML"),
        ("&#", "it is escaped for HTML"), ("{&#", "it is escaped for HTML"),
    ]

    /// The number of bytes that are searched for a printer's sign: printed objects begin with it.
    private static let printedCount = 256

    /// The length from which lone base64 is assumed to be `data`, which has hundreds of characters.
    ///
    /// A shorter text is more likely a word.
    private static let loneDataCount = 64

    /// Removes one wrapper from a text that is not JSON.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - error: The reason why it is not JSON.
    /// - Returns: The wrapper's name and the text inside.
    /// - Throws: An error that names the kind of text, if that is recognized; otherwise `error`.
    static func unwrap(
        _ text: [UInt8],
        _ error: JSONError
    ) throws(PaymentTokenError) -> (name: String, text: [UInt8]) {
        // A text over the length limit is not examined.
        guard error.fault != .textTooLong else { throw PaymentTokenError(error) }
        let trimmed = trimmed(text)
        guard !trimmed.starts(with: begatewayDecrypted) else {
            throw PaymentTokenError(.alreadyDecrypted)
        }
        if trimmed.starts(with: begateway) {
            guard let inner = decoded(trimmed.dropFirst(begateway.count)) else {
                throw PaymentTokenError(error)
            }
            return ("begateway", inner)
        }
        if let inner = decoded(trimmed) {
            if let first = self.trimmed(inner).first, isJSONStart(first) {
                return ("base64", inner)
            }
            if trimmed.count >= loneDataCount { throw PaymentTokenError(.loneBase64, offset: 0) }
        }
        guard error.fault == .unexpectedCharacter else { throw PaymentTokenError(error) }
        let start = text.prefix(printedCount)
        if let printer = printers.first(where: { start.contains(Array($0.sign.utf8)) }) {
            throw PaymentTokenError(.printedObject, offset: 0, reason: printer.cause)
        }
        let cause = changes.first { trimmed.starts(with: Array($0.sign.utf8)) }?.cause
        throw PaymentTokenError(error, reason: cause)
    }

    /// Returns the text that hexadecimal digits encode, which may be as long as any token.
    static func text(ofHexadecimal digits: [UInt8]) throws(PaymentTokenError) -> [UInt8] {
        let trimmed = trimmed(digits)
        let limit = JSONIndex.Limits().textLength
        let count = Hexadecimal.decodedCount(of: trimmed.span) ?? 0
        guard count <= limit else { throw PaymentTokenError(.textTooLong, offset: 2 * limit) }
        guard let text = Hexadecimal.decoded(trimmed.span) else {
            throw PaymentTokenError(.invalidHexadecimal)
        }
        return text
    }

    /// Returns whether JSON that begins with `byte` is an object or a string, which may contain an object.
    private static func isJSONStart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "\"")
    }

    /// Returns the bytes that base64 of at least one byte encodes.
    private static func decoded(_ base64: ArraySlice<UInt8>) -> [UInt8]? {
        base64.isEmpty ? nil : Base64.decoded(base64.span)
    }

    /// Returns a text without the white space that JSON allows around it.
    private static func trimmed(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        guard let start = text.firstIndex(where: { !isBlank($0) }),
            let end = text.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return text[start...end]
    }
}
