internal import ApplePayPrimitives
package import ApplePayWire

extension String {
    /// This text with all characters escaped that could control a terminal, start a new line or
    /// reorder the text.
    ///
    /// Use this for text from files, certificates, file names and arguments. Escapes controls (C0,
    /// DEL, C1), format characters such as bidirectional overrides, and line and paragraph
    /// separators: each byte of their UTF-8 becomes a backslash and two hexadecimal digits, as in
    /// the names of certificates (RFC 2253 §2.4).
    package var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        return replacingUnprintable { text in
            text.utf8.map {
                ($0 < 16 ? "\\0" : "\\") + String($0, radix: 16, uppercase: true)
            }.joined()
        }
    }

    /// Returns this text with each character that ``printable`` escapes replaced.
    private func replacingUnprintable(_ replacement: (String) -> String) -> String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isUnprintable {
                text += replacement(String(scalar))
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension String {
    /// This text as a JSON string, with escapes for all characters that ``printable`` escapes; nil if JSON's own suffice.
    ///
    /// JSON itself requires escapes only for C0 (RFC 8259 §7).
    package var escapedForTerminals: String? {
        guard unicodeScalars.contains(where: { $0.value > 0x7E && $0.isUnprintable }) else {
            return nil
        }
        var (sink, json) = (ByteArraySink(), JSONWriter())
        json.string(self, into: &sink)
        return String(decoding: sink.bytes, as: UTF8.self).jsonForTerminals
    }

    /// This JSON string or number with escapes for all characters that ``printable`` escapes; it has the same value.
    package var jsonForTerminals: String {
        replacingUnprintable { text in
            text.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
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

/// Messages for people on standard error.
package enum Notice {
    /// The program's name, with which each line begins.
    static let program = Lock("paytoken")

    /// Writes one line, whatever characters the text contains.
    package static func write(_ sentence: String) {
        let name = program.withLock { $0 }
        StandardStream.error.write("\(name): \(sentence.printable)\n")
    }

    /// Writes what is read and how to end it, if it is read from a terminal.
    ///
    /// - Parameters:
    ///   - path: The file's path; only `-`, standard input, can be a terminal.
    ///   - contents: The kind of contents, such as `a token`.
    package static func announce(_ path: String, _ contents: String) {
        guard path == "-", StandardStream.isInputTerminal else { return }
        write("Reading \(contents) from the terminal; end it with Ctrl-D.")
    }
}

extension ExactText {
    /// The text for one line, as ``Swift/String/printable``.
    package var printable: String { String(self).printable }
}
