internal import ApplePayWire
internal import FoundationEssentials

/// The day and the second of an instant, in UTC; Foundation's calendar would take a command longer than
/// the opening of a token.
struct CalendarTime {
    private static let daySeconds = 86_400

    /// The day.
    let date: CivilDate

    /// 0 is a Sunday.
    let weekday: Int

    private let secondOfDay: Int

    /// Takes an instant apart, a fraction of the second left out; nil before 1970 and after 9999.
    init?(_ date: Date) {
        let interval = date.timeIntervalSince1970
        guard (0..<253_402_300_800).contains(interval) else { return nil }
        let (day, second) = Int(interval).quotientAndRemainder(dividingBy: Self.daySeconds)
        guard let date = CivilDate(daysSince1970: day) else { return nil }
        self.date = date
        secondOfDay = second
        weekday = (day + 4) % 7
    }

    /// `08:30:00`.
    var clock: String {
        let (minutes, second) = secondOfDay.quotientAndRemainder(dividingBy: 60)
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(Self.twoDigits(hour)):\(Self.twoDigits(minute)):\(Self.twoDigits(second))"
    }

    /// A number below 100 as months, days and hours are written.
    static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

/// Dates as HTTP writes them (RFC 9110 §5.6.7, IMF-fixdate).
enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sat, 21 Nov 2026 08:30:00 GMT`; nil before 1970 and after 9999.
    static func text(_ date: Date) -> String? {
        guard let time = CalendarTime(date) else { return nil }
        let day = CalendarTime.twoDigits(time.date.day)
        return "\(weekdays[time.weekday]), \(day) \(months[time.date.month - 1]) \(time.date.year) "
            + "\(time.clock) GMT"
    }
}
