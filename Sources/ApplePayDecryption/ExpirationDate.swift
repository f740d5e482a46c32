/// The month after which the account number is no longer good.
public struct ExpirationDate: Hashable, Sendable, CustomStringConvertible {
    /// The year, 2000 to 2099.
    public let year: Int

    /// The month, 1 to 12.
    public let month: Int

    /// The day as Apple wrote it, which has no meaning and may be any two digits.
    private let day: Int

    /// Takes six ASCII digits YYMMDD with a month of 01 to 12; nil for anything else.
    init?(_ text: Span<UInt8>) {
        guard text.count == 6 else { return nil }
        var digits: InlineArray<6, Int> = .init(repeating: 0)
        for index in 0..<6 {
            guard (0x30...0x39).contains(text[index]) else { return nil }
            digits[index] = Int(text[index]) - 0x30
        }
        year = 2000 + digits[0] * 10 + digits[1]
        month = digits[2] * 10 + digits[3]
        day = digits[4] * 10 + digits[5]
        guard (1...12).contains(month) else { return nil }
    }

    /// The six digits YYMMDD as Apple wrote them.
    public var text: String {
        Self.twoDigits(year - 2000) + Self.twoDigits(month) + Self.twoDigits(day)
    }

    /// `YYYY-MM`.
    public var description: String { "\(year)-\(Self.twoDigits(month))" }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
