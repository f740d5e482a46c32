/// A day of the Gregorian calendar, in years from 0 to 9999.
///
/// Foundation's calendar would take longer than everything else in reading a token. Tests compare every
/// day from 1950 to 2200 with it, and check the order of all months from 0000 to 9999.
package struct CivilDate: Hashable, Sendable {
    /// From 0 to 9999.
    package let year: Int

    /// From 1 to 12.
    package let month: Int

    /// From 1 to 31.
    package let day: Int

    /// Creates a date; returns nil for one that does not exist in the calendar.
    package init?(year: Int, month: Int, day: Int) {
        guard (0...9999).contains(year), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the date that is this many days after 1970-01-01.
    ///
    /// Returns nil for a negative number, and for a date after the year 9999.
    package init?(daysSince1970: Int) {
        guard (0..<2_932_897).contains(daysSince1970) else { return nil }
        // Days are counted from 1 March of the year 0, so that a leap day is the last day of its year.
        let days = daysSince1970 + Self.daysFromMarchOfYear0
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: Self.daysOf400Years)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = (marchMonth + 2) % 12 + 1
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1970-01-01; negative before it.
    package var daysSince1970: Int {
        // Years begin in March, and 400 are added, so that no intermediate value is negative.
        let year = 400 + (month > 2 ? year : year - 1)
        let daysBeforeMonth = (153 * ((month + 9) % 12) + 2) / 5
        let daysBeforeYear = 365 * year + year / 4 - year / 100 + year / 400
        return daysBeforeYear + daysBeforeMonth + day - 1 - Self.daysFromMarchOfYear0
            - Self.daysOf400Years
    }

    /// The number of days from 1 March of the year 0 to 1 January 1970.
    private static var daysFromMarchOfYear0: Int { 719_468 }

    private static var daysOf400Years: Int { 146_097 }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
