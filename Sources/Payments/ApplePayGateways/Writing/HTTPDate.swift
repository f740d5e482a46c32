internal import ApplePayAcceptance
package import ApplePayWire
package import FoundationEssentials

/// Dates in the form of HTTP headers (RFC 9110 §5.6.7, IMF-fixdate).
package enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns a date such as `Sat, 21 Nov 2026 08:30:00 GMT`; nil before 1970 and after 9999.
    package static func text(_ date: Date) -> String? {
        guard let time = CalendarTime(date) else { return nil }
        let day = CalendarTime.twoDigits(time.date.day)
        return "\(weekdays[time.weekday]), \(day) \(months[time.date.month - 1]) \(time.date.year) "
            + "\(time.clock) GMT"
    }

    /// Reads a date that ``text(_:)`` can write; returns nil for any other text.
    package static func date(_ text: ExactText) -> Date? {
        let words = text.utf8.split(separator: UInt8(ascii: " ")).map { ExactText(utf8: $0) }
        guard text.utf8.count == 29, words.count == 6,
            let month = months.firstIndex(where: { ExactText($0) == words[2] }),
            let date = InternetTime.date(
                "\(words[3])-\(CalendarTime.twoDigits(month + 1))-\(words[1])T\(words[4])Z"),
            Self.text(date).map({ ExactText($0) }) == text
        else { return nil }
        return date
    }
}
