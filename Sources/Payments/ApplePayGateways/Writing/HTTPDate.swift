internal import ApplePayAcceptance
internal import ApplePayWire
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
}
