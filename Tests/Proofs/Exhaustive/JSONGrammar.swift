/// The JSON texts of a few bytes, made from the grammar, which share no code with the parser.
///
/// Source: RFC 8259 §2 to §7; RFC 3629 §4.
enum JSONGrammar {
    /// The greatest length for which ``texts(_:)`` is complete: from five bytes on, arrays have commas, and from six on,
    /// objects have members.
    static let longest = 4

    /// Returns all texts of a length: a value with white space around it.
    static func texts(_ length: Int) -> Set<[UInt8]> {
        Set(sequence([blanks, value, blanks], length))
    }

    private typealias Rule = @Sendable (Int) -> [[UInt8]]

    /// All ways to write a sequence of rules in a number of bytes.
    private static func sequence(_ rules: [Rule], _ length: Int) -> [[UInt8]] {
        guard let first = rules.first else { return length == 0 ? [[]] : [] }
        return (0...length).flatMap { count in
            let heads = first(count)
            let tails = heads.isEmpty ? [] : sequence(Array(rules.dropFirst()), length - count)
            return heads.flatMap { head in tails.map { head + $0 } }
        }
    }

    /// One of these bytes, as often as the length.
    private static func repeated(_ bytes: some Sequence<UInt8>) -> Rule {
        let bytes = Array(bytes)
        return { length in
            (0..<length).reduce([[]]) { texts, _ in
                texts.flatMap { text in bytes.map { text + [$0] } }
            }
        }
    }

    /// Exactly this text.
    private static func word(_ text: String) -> Rule {
        { length in text.utf8.count == length ? [Array(text.utf8)] : [] }
    }

    private static func optional(_ rule: @escaping Rule) -> Rule {
        { length in length == 0 ? [[]] : rule(length) }
    }

    private static func either(_ rules: Rule...) -> Rule {
        { length in rules.flatMap { $0(length) } }
    }

    private static let blanks = repeated([0x20, 0x09, 0x0A, 0x0D])
    private static let digits: Rule = { length in
        length == 0 ? [] : repeated("0123456789".utf8)(length)
    }

    private static func value(_ length: Int) -> [[UInt8]] {
        guard length > 0 else { return [] }
        return either(
            word("true"), word("false"), word("null"), number, string,
            { sequence([word("["), blanks, word("]")], $0) },
            { sequence([word("["), blanks, value, blanks, word("]")], $0) },
            { sequence([word("{"), blanks, word("}")], $0) }
        )(length)
    }

    private static func number(_ length: Int) -> [[UInt8]] {
        let whole = either(
            word("0"), { sequence([oneOf("123456789"), repeated("0123456789".utf8)], $0) })
        let fraction: Rule = { sequence([word("."), digits], $0) }
        let exponent: Rule = { sequence([oneOf("eE"), optional(oneOf("+-")), digits], $0) }
        return sequence(
            [optional(word("-")), whole, optional(fraction), optional(exponent)], length)
    }

    private static func oneOf(_ characters: String) -> Rule {
        { length in length == 1 ? characters.utf8.map { [$0] } : [] }
    }

    private static func string(_ length: Int) -> [[UInt8]] {
        sequence([word("\""), characters, word("\"")], length)
    }

    /// Characters of a string in up to two bytes: plain ones, those of two bytes, and short escapes.
    private static func characters(_ length: Int) -> [[UInt8]] {
        guard length > 0 else { return [[]] }
        let plain = (UInt8(0x20)...0x7F).filter { $0 != 0x22 && $0 != 0x5C }.map { [$0] }
        let rest = characters(length - 1)
        var texts = plain.flatMap { head in rest.map { head + $0 } }
        guard length > 1 else { return texts }
        var pairs: [[UInt8]] = "\"\\/bfnrt".utf8.map { [0x5C, $0] }
        for first in UInt8(0xC2)...0xDF {
            for second in UInt8(0x80)...0xBF { pairs.append([first, second]) }
        }
        let tails = characters(length - 2)
        texts += pairs.flatMap { head in tails.map { head + $0 } }
        return texts
    }
}
