package import ApplePayAcceptance
internal import ApplePayPrimitives
package import ApplePayPrograms
internal import ApplePayTransport
package import ApplePayWire

/// A text that is recognizably not a token.
package struct WrongToken {
    /// A sentence that names the text's contents.
    package let message: String

    /// The next step, in a sentence.
    package let advice: String

    /// Recognizes the kind of a text that cannot be parsed as a token; nil if it is not known.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - path: Its file, which is named, and for which commands are proposed; `-` is standard input, and nil another text.
    ///   - refusal: The first fault of the text.
    package init?(_ text: [UInt8], path: String?, _ refusal: PaymentTokenError) {
        guard [.json, .field].contains(refusal.stage), refusal.code != .textTooLong else {
            return nil
        }
        let file = path == "-" ? nil : path
        let name = file ?? (path == nil ? "The text" : "Standard input")
        /// A command that converts the file to a new one, or how to convert another text.
        func conversion(_ command: String, _ advice: String) -> String {
            guard let file else { return "\(advice)." }
            let new = FileStatus.free("\(file).corrected")
            return
                "`\(command) < \(file.shellWord) > \(new.shellWord)` writes \(new) without this fault."
        }
        switch ContentKind(text.span) {
        case .empty:
            message = "\(name) is empty; a payment token was expected."
            advice = "Give the payment object as the browser or app sent it."
        case .utf16:
            message = "\(name) is UTF-16 text; a payment token must be UTF-8."
            advice = conversion(
                "iconv -f \(Self.encoding(text)) -t UTF-8", "Convert it to UTF-8")
        case .byteOrderMark:
            message = "\(name) begins with a byte order mark, which JSON does not permit."
            advice = conversion("tail -c +4", "Remove its first 3 bytes")
        case .base64Lines:
            message = "\(name) is base64 in several lines; a token in base64 must be one line."
            advice = conversion("tr -d '\\r\\n'", "Remove the line breaks")
        case .pem(let label):
            message = "\(name) is PEM with \(WrongFile.name(label)), not a payment token."
            advice =
                "Give the payment object as the browser or app sent it; keys belong to \(CommandOption.keys)."
        case .der:
            message =
                "\(name) is DER, such as a key, a certificate or a signature, not a payment token."
            advice =
                "Give the payment object as the browser or app sent it; keys belong to \(CommandOption.keys)."
        case .json, nil:
            switch refusal.code {
            case .controlCharacter
            where refusal.offset.map { Self.isLineBreak($0, of: text) } == true:
                message =
                    "\(name) has a line break inside a JSON string, as a terminal, an editor or an e-mail inserts it."
                advice = conversion("tr -d '\\r\\n'", "Remove the line breaks")
            case .unexpectedEnd:
                message = refusal.description
                advice =
                    "The end of \(file ?? "the text") is missing: compare its length, \(text.count) bytes, with that of "
                    + "the text which the client sent. A column of a database, a log or a copy may have cut it."
            case .missingMember, .wrongType, .notAToken:
                guard let other = OtherObject(text, refusal) else { return nil }
                message = "\(name) \(other.contents)."
                advice = other.advice ?? refusal.code.advice
            default: return nil
            }
        }
    }

    private static func isLineBreak(_ offset: Int, of text: [UInt8]) -> Bool {
        text.indices.contains(offset) && [0x0A, 0x0D].contains(text[offset])
    }

    /// Returns the name of a text's encoding for iconv, which takes the byte order from a byte order mark only.
    private static func encoding(_ text: [UInt8]) -> String {
        if text[0] == 0 { return "UTF-16BE" }
        return text[1] == 0 ? "UTF-16LE" : "UTF-16"
    }
}

extension JSONLine {
    /// Returns the answer for a refused text, which names what it is in place of a token if that is recognized.
    ///
    /// - Parameters:
    ///   - error: The refusal.
    ///   - text: The text.
    ///   - isTesting: Whether the root of a test tool is trusted in place of Apple's.
    /// - Returns: The answer.
    package static func refused(
        _ error: PaymentError, _ text: [UInt8], isTesting: Bool = false
    ) -> JSONLine {
        let wrong = error.tokenError.flatMap { WrongToken(text, path: nil, $0) }
        let otherRoot =
            "It was made with another root than the one of \(CommandOption.testTrustAnchor), with which the service was "
            + "started: name the root of the test tool that made it, or leave the option out for tokens of Apple's."
        let isOfOtherRoot = isTesting && error.tokenError?.code == .noPathToAnchor
        return refused(
            error, message: wrong?.message, advice: isOfOtherRoot ? otherRoot : wrong?.advice)
    }
}
