extension String {
    /// This text as one word of a command line, so that a command in a message can be copied into a shell.
    ///
    /// Adds quotation marks only where they are needed, and `./` before a hyphen, so that a file name is not an option. If
    /// the text has characters that are not printable, or a backquote, which ends a command in a message, it is written as
    /// `$'…'`, which bash, ksh and zsh read.
    package var shellWord: String {
        guard utf8.first != UInt8(ascii: "-") || utf8.count == 1 else {
            return "./\(self)".shellWord
        }
        if !isEmpty, utf8.allSatisfy(Self.isPlain) { return self }
        guard unicodeScalars.contains(where: Self.needsEscape) else {
            // Not by characters: a quotation mark with an accent after it is another character, and still ends the word.
            return "'\(unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined())'"
        }
        var word = "$'"
        for scalar in unicodeScalars {
            if Self.needsEscape(scalar) {
                for byte in String(scalar).utf8 {
                    word += (byte < 16 ? #"\x0"# : #"\x"#) + String(byte, radix: 16)
                }
            } else if scalar == "'" || scalar == "\\" {
                word += "\\\(scalar)"
            } else {
                word.unicodeScalars.append(scalar)
            }
        }
        return word + "'"
    }

    /// Returns whether a byte needs no quotation marks anywhere in a word.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: ","):
            true
        default: false
        }
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: scalar == "`"
        }
    }
}
