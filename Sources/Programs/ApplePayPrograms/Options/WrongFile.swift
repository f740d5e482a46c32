package import ApplePayTransport
package import ApplePayWire

/// Names the contents of a file in which something else was expected, for messages.
package enum WrongFile {
    /// Returns a part of a sentence that names the recognized kind of some contents; empty for another kind.
    package static func kind(_ contents: [UInt8]) -> String {
        guard let kind = ContentKind(contents.span) else { return "" }
        return switch kind {
        case .empty: "; it is empty"
        case .utf16: "; it is UTF-16 text, so save it as UTF-8 or ASCII"
        case .byteOrderMark:
            "; it begins with a byte order mark, so remove its first 3 bytes (EF BB BF)"
        case .pem(let label): "; it is PEM with \(name(label))"
        case .json: "; it is JSON"
        case .der: "; it is DER with something else"
        case .base64Lines: "; it is base64 without the lines of PEM"
        }
    }

    /// Returns the end of a sentence about a file that is not JSON: its recognized kind, or where the JSON has a fault.
    package static func fault(_ contents: [UInt8], _ error: JSONError) -> String {
        guard !isForm(contents) else { return "; it has NAME=VALUE, as forms do." }
        let kind = ContentKind(contents.span) == .json ? "" : Self.kind(contents)
        guard kind.isEmpty else { return "\(kind)." }
        return ": \(PaymentTokenError(error, reason: reason(contents, error)))"
    }

    /// Returns what is at the place of a fault, if it is a frequent mistake; nil for another one.
    private static func reason(_ contents: [UInt8], _ error: JSONError) -> String? {
        let byte = contents.dropFirst(error.offset).first
        let found = byte.map(UnicodeScalar.init)
        let (before, isDigit) = (contents.prefix(error.offset).last, byte?.isDigit == true)
        let isInNumber =
            found == "." && before?.isDigit == true || isDigit && before == UInt8(ascii: ",")
        if error.fault == .invalidNumber || error.fault == .unexpectedCharacter && isInNumber {
            return
                "a number that JSON does not have; an amount is a whole number of minor units, such as 1099 for 10.99 EUR"
        }
        switch (error.fault, found) {
        case (.unexpectedCharacter, "'"):
            return "a single quotation mark, where JSON needs a double one"
        case (.unexpectedCharacter, "/"), (.unexpectedCharacter, "#"):
            return "a comment, which JSON does not have"
        case (.unexpectedCharacter, "}"?), (.unexpectedCharacter, "]"?):
            let before = contents.prefix(error.offset).last { !$0.isWhiteSpace }
            return before == UInt8(ascii: ",") ? "a comma before the closing bracket" : nil
        case (.trailingText, "{"): return "a second object begins"
        default: return nil
        }
    }

    /// Returns whether contents begin with the name of a field and `=`.
    private static func isForm(_ contents: [UInt8]) -> Bool {
        let name = contents.prefix(64).prefix { $0.isLetterOrDigit || "_-.[]%".utf8.contains($0) }
        return !name.isEmpty && contents.dropFirst(name.count).first == UInt8(ascii: "=")
    }

    /// The objects that commands take, each with its name for messages.
    package enum Object: String {
        case token = "a payment token"
        case gatewayFile = "a gateway file"
        case order = "an order"
    }

    /// Returns which of these objects a JSON value is; nil for none.
    package static func object(_ value: AnswerValue) -> Object? {
        func has(_ names: String...) -> Bool { names.allSatisfy { value.member($0) != nil } }
        if has("version", "data", "signature", "header") { return .token }
        if has("gateway", "environment") { return .gatewayFile }
        return has("amount", "currency") ? .order : nil
    }

    /// Returns what a PEM block contains, with an article.
    package static func name(_ label: String) -> String {
        switch ExactText(label) {
        case "CERTIFICATE", "X509 CERTIFICATE": "a certificate"
        case "PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY": "a private key"
        case "ENCRYPTED PRIVATE KEY": "an encrypted private key"
        case "PUBLIC KEY": "a public key"
        case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST": "a certificate signing request"
        case "X509 CRL": "a certificate revocation list"
        default: "a block \(label)"
        }
    }
}
