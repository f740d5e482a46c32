/// Converts bytes that are not UTF-8, which JSON represents as lone surrogates U+DC80 to U+DCFF.
///
/// A Swift string cannot contain these, so they are mapped to a private use area: U+F780 to
/// U+F7FF.
enum SurrogateEscapes {
    /// Returns a line of JSON with the escapes replaced.
    static func replaced(in line: Substring) -> String {
        // An escaped backslash never starts another escape.
        line.split(separator: #"\\"#, omittingEmptySubsequences: false)
            .map { $0.replacing(#"\udc"#, with: #"\uf7"#) }
            .joined(separator: #"\\"#)
    }

    /// Returns the bytes that a decoded string represents.
    static func bytes(of text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            (0xF780...0xF7FF).contains(scalar.value)
                ? [UInt8(scalar.value - 0xF700)] : Array(String(scalar).utf8)
        }
    }
}
