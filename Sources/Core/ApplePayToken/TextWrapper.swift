internal import ApplePayWire

/// Wrappers around a token's JSON that are not JSON themselves.
enum TextWrapper {
    /// bePaid's prefix before the base64 of a token.
    private static let begateway = Array("$begateway_apple_pay_1_0_0$".utf8)

    /// bePaid's prefix before the base64 of payment data that has already been decrypted.
    private static let begatewayDecrypted = Array("$begateway_apple_pay_decrypted_1_0_0$".utf8)

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
        // Hexadecimal digits are base64, too.
        if !ChangedText.isHexadecimal(trimmed), let inner = decoded(trimmed) {
            let content = self.trimmed(inner)
            if let first = content.first, isJSONStart(first) { return ("base64", inner) }
            if let changed = ChangedText(content) {
                throw PaymentTokenError(
                    changed.isPrinted ? .printedObject : .loneBase64, offset: 0,
                    reason: changed.cause)
            }
            if trimmed.count >= loneDataCount { throw PaymentTokenError(.loneBase64, offset: 0) }
        }
        // A text that ends too early was cut, whatever it begins with.
        guard error.fault != .unexpectedEnd, let changed = ChangedText(trimmed) else {
            throw PaymentTokenError(error)
        }
        guard changed.isPrinted, error.fault == .unexpectedCharacter else {
            throw PaymentTokenError(error, reason: changed.cause)
        }
        throw PaymentTokenError(.printedObject, offset: 0, reason: changed.cause)
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
