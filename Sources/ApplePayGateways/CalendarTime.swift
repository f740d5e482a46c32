internal import FoundationEssentials

/// The day and the second of an instant, in UTC; Foundation's calendar would take a command longer than
/// the opening of a token.
struct CalendarTime {
    private static let daySeconds = 86_400

    let year: Int

    /// 1 to 12.
    let month: Int

    /// 1 to 31.
    let day: Int

    /// 0 is a Sunday.
    let weekday: Int

    private let secondOfDay: Int

    /// Takes an instant apart, a fraction of the second left out; nil before 1970 and after 9999.
    init?(_ date: Date) {
        let interval = date.timeIntervalSince1970
        guard (0..<253_402_300_800).contains(interval) else { return nil }
        let (day, second) = Int(interval).quotientAndRemainder(dividingBy: Self.daySeconds)
        secondOfDay = second
        weekday = (day + 4) % 7
        // Counted from 1 March of the year 0, so that the leap day ends its year.
        let days = day + 719_468
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = (marchMonth + 2) % 12 + 1
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
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
        let day = CalendarTime.twoDigits(time.day)
        return "\(weekdays[time.weekday]), \(day) \(months[time.month - 1]) \(time.year) "
            + "\(time.clock) GMT"
    }
}
