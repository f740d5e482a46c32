internal import ApplePayWire
internal import FoundationEssentials

/// The day and the time of day of an instant, in UTC.
///
/// Computed here because loading Foundation's calendar takes a command longer than decrypting the token.
struct CalendarTime {
    private static let daySeconds = 86_400

    /// The day.
    let date: CivilDate

    /// The day of the week; 0 is Sunday.
    let weekday: Int

    private let secondOfDay: Int

    /// Splits an instant into day and time, without the fraction of a second; nil before 1970 and after 9999.
    init?(_ date: Date) {
        let interval = date.timeIntervalSince1970.rounded(.down)
        guard interval >= 0, let seconds = Int(exactly: interval) else { return nil }
        let (day, second) = seconds.quotientAndRemainder(dividingBy: Self.daySeconds)
        guard let date = CivilDate(daysSince1970: day) else { return nil }
        self.date = date
        secondOfDay = second
        weekday = (day + 4) % 7
    }

    /// The time of day, such as `08:30:00`.
    var clock: String {
        let (minutes, second) = secondOfDay.quotientAndRemainder(dividingBy: 60)
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(Self.twoDigits(hour)):\(Self.twoDigits(minute)):\(Self.twoDigits(second))"
    }

    /// Returns a number below 100 as two digits, as in months, days and hours.
    static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

/// Dates in the form of HTTP headers (RFC 9110 §5.6.7, IMF-fixdate).
enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns a date such as `Sat, 21 Nov 2026 08:30:00 GMT`; nil before 1970 and after 9999.
    static func text(_ date: Date) -> String? {
        guard let time = CalendarTime(date) else { return nil }
        let day = CalendarTime.twoDigits(time.date.day)
        return "\(weekdays[time.weekday]), \(day) \(months[time.date.month - 1]) \(time.date.year) "
            + "\(time.clock) GMT"
    }
}
