package import ApplePayWire
package import FoundationEssentials

/// Times as JSON answers contain them (RFC 3339 §5.6).
package enum InternetTime {
    /// Returns a time such as `2025-03-28T11:47:00Z`, without fractions of a second; nil before 1970 and after 9999.
    package static func text(_ date: Date) -> String? {
        guard let time = CalendarTime(date) else { return nil }
        let (month, day) = (time.date.month, time.date.day)
        return "\(time.date.year)-\(CalendarTime.twoDigits(month))-\(CalendarTime.twoDigits(day))"
            + "T\(time.clock)Z"
    }

    /// Reads a time such as `2025-03-28T11:47:00.123Z` or `2025-03-28T13:47:00+02:00`; returns nil for any other text.
    ///
    /// - Parameter text: A date, `T`, a time with or without a fraction of up to nine digits, and `Z` or
    ///   an offset of hours and minutes.
    /// - Returns: The instant.
    package static func date(_ text: ExactText) -> Date? {
        var rest = text.utf8[...]
        guard let year = number(4, &rest), skip("-", &rest), let month = number(2, &rest),
            skip("-", &rest), let day = number(2, &rest), skip("T", &rest),
            let hour = number(2, &rest), skip(":", &rest), let minute = number(2, &rest),
            skip(":", &rest), let second = number(2, &rest),
            year > 0, let date = CivilDate(year: year, month: month, day: day),
            hour < 24, minute < 60, second < 60,
            let fraction = fraction(&rest), let offset = offset(&rest), rest.isEmpty
        else { return nil }
        let seconds = ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func number(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.count >= count else { return nil }
        let digits = Array(rest.prefix(count))
        guard let number = DecimalDigits.integer(digits.span) else { return nil }
        rest = rest.dropFirst(count)
        return Int(number)
    }

    private static func skip(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads the fraction of a second; returns 0 if there is none.
    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Double? {
        guard skip(".", &rest) else { return 0 }
        let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        guard (1...9).contains(count), let digits = number(count, &rest) else { return nil }
        return Double(digits) / Double((0..<count).reduce(1) { power, _ in power * 10 })
    }

    /// Reads the offset from UTC and returns it in seconds, positive east of Greenwich.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int? {
        if skip("Z", &rest) { return 0 }
        let sign = skip("+", &rest) ? 1 : -1
        guard sign == 1 || skip("-", &rest), let hours = number(2, &rest), skip(":", &rest),
            let minutes = number(2, &rest), hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes) * 60
    }
}
