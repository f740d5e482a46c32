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
