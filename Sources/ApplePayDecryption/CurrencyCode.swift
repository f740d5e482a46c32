/// A currency by its ISO 4217 numeric code.
public struct CurrencyCode: Hashable, Sendable, CustomStringConvertible {
    /// Three digits, such as `978` or `036`.
    public let numeric: String

    /// Takes one to three ASCII digits, since the leading zero may be missing; nil for anything else.
    init?(_ bytes: Span<UInt8>) {
        guard (1...3).contains(bytes.count) else { return nil }
        var digits = String(repeating: "0", count: 3 - bytes.count)
        for index in bytes.indices {
            guard (0x30...0x39).contains(bytes[index]) else { return nil }
            digits.append(Character(Unicode.Scalar(bytes[index])))
        }
        numeric = digits
    }

    /// The three digits.
    public var description: String { numeric }
}
