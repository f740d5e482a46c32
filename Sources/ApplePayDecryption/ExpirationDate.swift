/// The month after which the account number is no longer good.
public struct ExpirationDate: Hashable, Sendable, CustomStringConvertible {
    /// The year, 2000 to 2099.
    public let year: Int

    /// The month, 1 to 12.
    public let month: Int

    /// The six digits YYMMDD as Apple wrote them; the day has no meaning and may be any two digits.
    public let text: String

    /// Takes six ASCII digits YYMMDD with a month of 01 to 12; nil for anything else.
    init?(_ text: Span<UInt8>) {
        guard text.count == 6 else { return nil }
        var digits: InlineArray<6, Int> = .init(repeating: 0)
        var copy = ""
        for index in 0..<6 {
            guard (0x30...0x39).contains(text[index]) else { return nil }
            digits[index] = Int(text[index]) - 0x30
            copy.append(Character(Unicode.Scalar(text[index])))
        }
        month = digits[2] * 10 + digits[3]
        year = 2000 + digits[0] * 10 + digits[1]
        guard (1...12).contains(month) else { return nil }
        self.text = copy
    }

    /// `YYYY-MM`.
    public var description: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }
}
