internal import ApplePayWire

/// Describes a file without keys and certificates, for the reason of a ``KeyringError``.
enum WrongKeyFile {
    /// Returns the reason for a file in a known format that contains no key and no certificate.
    ///
    /// - Parameter label: The label of the first PEM block, such as `PUBLIC KEY`; nil for another format.
    /// - Returns: The reason, to be read after the path.
    static func reason(withoutKeys label: ExactText?) -> String {
        let missing = "neither a private key nor a certificate"
        let advice = "name the file with the merchant's private key"
        guard let label else { return "contains \(missing); \(advice)" }
        guard label != "OPENSSH PRIVATE KEY" else {
            return "contains a key for SSH, which is none for Apple Pay; \(advice)"
        }
        return "contains a PEM block \(String(label).prefix(64)), but \(missing); \(advice)"
    }

    /// Returns the reason for a file that is not in a known format.
    ///
    /// - Parameters:
    ///   - contents: The bytes of the file, or those that its base64 encodes.
    ///   - isDecoded: Whether the file is base64.
    /// - Returns: The reason, to be read after the path.
    static func reason(unreadable contents: Span<UInt8>, isDecoded: Bool) -> String {
        let formats = "PEM, DER, PKCS#12 or base64 of these"
        // No bytes are base64 of no bytes.
        guard !isDecoded || contents.isEmpty else {
            return "is base64, but not of a key or certificate; give \(formats)"
        }
        guard !isJavaKeystore(contents) else {
            return
                "is a Java keystore; convert it to PKCS#12 with keytool -importkeystore -deststoretype PKCS12, and name that file"
        }
        guard !isQuoted(contents) else {
            return
                "is in quotation marks, as a file of variables or a shell writes them; leave them out of the value"
        }
        return switch ContentKind(contents) {
        case .empty: "is empty; give a file in \(formats)"
        case .utf16: "is UTF-16 text; save it as UTF-8 or ASCII"
        case .json: "is JSON, such as a payment token; name the file with the merchant's key"
        case .byteOrderMark, .pem, .der, .base64Lines, nil:
            "is not a key or certificate in \(formats); name the file with the merchant's key"
        }
    }

    /// Returns whether a file begins as a keystore of Java's own formats, JKS and JCEKS.
    ///
    /// Source: OpenJDK, `sun.security.provider.JavaKeyStore` and `com.sun.crypto.provider.JceKeyStore`.
    private static func isJavaKeystore(_ contents: Span<UInt8>) -> Bool {
        let signs: [[UInt8]] = [[0xFE, 0xED, 0xFE, 0xED], [0xCE, 0xCE, 0xCE, 0xCE]]
        return signs.contains { sign in
            contents.count > 4 && sign.indices.allSatisfy { contents[$0] == sign[$0] }
        }
    }

    /// Returns whether a text begins and ends with the same quotation mark.
    private static func isQuoted(_ contents: Span<UInt8>) -> Bool {
        guard let start = contents.indices.first(where: { !contents[$0].isWhiteSpace }),
            let end = contents.indices.last(where: { !contents[$0].isWhiteSpace }), start < end,
            contents[start] == contents[end]
        else { return false }
        return contents[start] == UInt8(ascii: "\"") || contents[start] == UInt8(ascii: "'")
    }
}
