package import ApplePayWire

extension ExactText {
    /// This text with an ellipsis in place of each number of 12 digits or more, also with spaces or hyphens in between.
    ///
    /// A gateway may repeat the number of a card in its message, and a person may type it as part of a reason.
    package var withoutCardNumbers: ExactText {
        var kept: [UInt8] = []
        var rest = utf8[...]
        while let first = rest.first {
            let number = Self.number(at: rest)
            if number.digitCount >= 12 {
                kept += "…".utf8
            } else {
                kept += number.length > 0 ? rest.prefix(number.length) : [first]
            }
            rest = rest.dropFirst(max(number.length, 1))
        }
        return ExactText(utf8: kept)
    }

    /// Returns the digits at the beginning of a text, of which each two may have a space or a hyphen between them.
    private static func number(at text: ArraySlice<UInt8>) -> (length: Int, digitCount: Int) {
        var (length, digitCount) = (0, 0)
        var rest = text
        while let first = rest.first {
            let isSeparated =
                digitCount > 0 && (first == UInt8(ascii: " ") || first == UInt8(ascii: "-"))
            let skipped = isSeparated ? 1 : 0
            guard rest.dropFirst(skipped).first?.isDigit == true else { break }
            length += skipped + 1
            digitCount += 1
            rest = rest.dropFirst(skipped + 1)
        }
        return (length, digitCount)
    }

    /// The first characters of this text, as many as `count`.
    package func prefix(_ count: Int) -> ExactText {
        ExactText(String(String(self).unicodeScalars.prefix(count)))
    }

    /// A person's text as a ledger keeps it: without card numbers, and at most 1,000 characters of it.
    var limitedForRecord: ExactText { withoutCardNumbers.prefix(1_000) }
}
