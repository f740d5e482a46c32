/// A currency by its ISO 4217 numeric code.
public struct CurrencyCode: Hashable, Sendable, CustomStringConvertible {
    private let number: Int

    /// Takes one to three ASCII digits, since the leading zero may be missing; nil for anything else.
    init?(_ bytes: Span<UInt8>) {
        guard (1...3).contains(bytes.count) else { return nil }
        var number = 0
        for index in bytes.indices {
            guard (0x30...0x39).contains(bytes[index]) else { return nil }
            number = number * 10 + Int(bytes[index]) - 0x30
        }
        self.number = number
    }

    /// Three digits, such as `978` or `036`.
    public var numeric: String {
        String(repeating: "0", count: 3 - "\(number)".utf8.count) + "\(number)"
    }

    /// The three digits.
    public var description: String { numeric }
}
