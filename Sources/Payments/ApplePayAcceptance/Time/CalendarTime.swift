package import ApplePayWire
package import FoundationEssentials

/// The day and the time of day of an instant, in UTC.
///
/// Computed here because loading Foundation's calendar takes a command longer than decrypting the token.
package struct CalendarTime {
    private static let daySeconds = 86_400

    /// The day.
    package let date: CivilDate
    /// The day of the week; 0 is Sunday.
    package let weekday: Int

    private let secondOfDay: Int

    /// Splits an instant into day and time, without the fraction of a second; nil before 1970 and after 9999.
    package init?(_ date: Date) {
        let interval = date.timeIntervalSince1970.rounded(.down)
        guard interval >= 0, let seconds = Int(exactly: interval) else { return nil }
        let (day, second) = seconds.quotientAndRemainder(dividingBy: Self.daySeconds)
        guard let date = CivilDate(daysSince1970: day) else { return nil }
        self.date = date
        secondOfDay = second
        weekday = (day + 4) % 7
    }

    /// The time of day, such as `08:30:00`.
    package var clock: String {
        let (minutes, second) = secondOfDay.quotientAndRemainder(dividingBy: 60)
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(Self.twoDigits(hour)):\(Self.twoDigits(minute)):\(Self.twoDigits(second))"
    }

    /// Returns a number below 100 as two digits, as in months, days and hours.
    package static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
