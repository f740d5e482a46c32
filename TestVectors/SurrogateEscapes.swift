/// Bytes that are no UTF-8, carried in JSON as lone surrogates U+DC80 to U+DCFF.
///
/// No Swift string can hold those, so they pass through a private use area: U+F780 to U+F7FF.
enum SurrogateEscapes {
    /// Replaces the escapes in a line of JSON.
    static func replaced(in line: Substring) -> String {
        // An escaped backslash is never the beginning of another escape.
        line.split(separator: #"\\"#, omittingEmptySubsequences: false)
            .map { $0.replacing(#"\udc"#, with: #"\uf7"#) }
            .joined(separator: #"\\"#)
    }

    /// The bytes that a decoded string stands for.
    static func bytes(of text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            (0xF780...0xF7FF).contains(scalar.value)
                ? [UInt8(scalar.value - 0xF700)] : Array(String(scalar).utf8)
        }
    }
}
