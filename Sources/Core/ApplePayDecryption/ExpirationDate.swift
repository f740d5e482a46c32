internal import ApplePayWire

/// The last month in which the account number is valid.
public struct ExpirationDate: Hashable, Sendable, CustomStringConvertible {
    /// The year, 2000 to 2099.
    public let year: Int

    /// The month, 1 to 12.
    public let month: Int

    /// The day as Apple wrote it: any two digits, without meaning.
    private let day: Int

    /// Creates a date from six ASCII digits YYMMDD with a month of 01 to 12; returns nil for anything else.
    init?(_ text: Span<UInt8>) {
        guard text.count == 6,
            let year = DecimalDigits.integer(text.extracting(0..<2)),
            let month = DecimalDigits.integer(text.extracting(2..<4)), (1...12).contains(month),
            let day = DecimalDigits.integer(text.extracting(4..<6))
        else { return nil }
        self.year = 2000 + Int(year)
        self.month = Int(month)
        self.day = Int(day)
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

/// The forms that gateways use; none contains the day.
extension ExpirationDate {
    /// `MM`.
    package var twoDigitMonth: String { Self.twoDigits(month) }
    /// `YY`.
    package var twoDigitYear: String { Self.twoDigits(year - 2000) }
    /// `YYYY`.
    package var fourDigitYear: String { "\(year)" }
    /// `MMYY`.
    package var monthAndYear: String { twoDigitMonth + twoDigitYear }
}
