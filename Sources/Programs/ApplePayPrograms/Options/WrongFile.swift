package import ApplePayWire

/// Names the contents of a file in which something else was expected, for messages.
package enum WrongFile {
    /// Returns a part of a sentence that names the recognized kind of some contents; empty for another kind.
    package static func kind(_ contents: [UInt8]) -> String {
        guard let kind = ContentKind(contents.span) else { return "" }
        return switch kind {
        case .empty: "; it is empty"
        case .utf16: "; it is UTF-16 text, so save it as UTF-8 or ASCII"
        case .byteOrderMark: "; it begins with a byte order mark"
        case .pem(let label): "; it is PEM with \(name(label))"
        case .json: "; it is JSON"
        case .der: "; it is DER with something else"
        case .base64Lines: "; it is base64 without the lines of PEM"
        }
    }

    /// Returns the end of a sentence about a file that is not JSON: its recognized kind, or where the JSON has a fault.
    package static func fault(_ contents: [UInt8], _ error: JSONError) -> String {
        let kind = ContentKind(contents.span) == .json ? "" : Self.kind(contents)
        return kind.isEmpty ? ": \(error)" : "\(kind)."
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
