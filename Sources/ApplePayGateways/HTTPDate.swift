internal import FoundationEssentials

/// Dates as HTTP writes them (RFC 9110 §5.6.7, IMF-fixdate).
enum HTTPDate {
    private static let daySeconds = 86_400
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sat, 21 Nov 2026 08:30:00 GMT`; nil before 1970 and after 9999.
    static func text(_ date: Date) -> String? {
        let interval = date.timeIntervalSince1970
        guard (0..<253_402_300_800).contains(interval) else { return nil }
        let (day, second) = Int(interval).quotientAndRemainder(dividingBy: daySeconds)
        // Counted from 1 March of the year 0, so that the leap day ends its year.
        let days = day + 719_468
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = (marchMonth + 2) % 12
        let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
        let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits)
        return "\(weekdays[day % 7]), \(twoDigits(dayOfMonth)) \(months[month]) "
            + "\(fourDigits(year)) \(time.joined(separator: ":")) GMT"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    private static func fourDigits(_ number: Int) -> String {
        twoDigits(number / 100) + twoDigits(number % 100)
    }
}
