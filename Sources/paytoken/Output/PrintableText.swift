internal import ApplePayPrimitives

extension String {
    /// Returns the text with the characters escaped that would control a terminal, begin another line or
    /// change the order of what is shown: for words from files, certificates, file names and arguments.
    ///
    /// Escapes controls (C0, DEL, C1), format characters such as bidirectional overrides, and line and
    /// paragraph separators: a backslash and two hexadecimal digits for each byte of UTF-8, as in the names
    /// of certificates (RFC 2253 §2.4).
    var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            guard scalar.isUnprintable else {
                text.unicodeScalars.append(scalar)
                continue
            }
            for byte in String(scalar).utf8 {
                text += (byte < 16 ? "\\0" : "\\") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// What the command reports to people, on standard error.
enum Notice {
    /// Writes one line, whatever the words in it contain.
    static func write(_ sentence: String) {
        StandardStream.error.write("paytoken: \(sentence.printable)\n")
    }
}
