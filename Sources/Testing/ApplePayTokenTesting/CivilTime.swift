package import FoundationEssentials

/// Dates and times of day, always in UTC.
package enum CivilTime {
    /// Returns midnight at the beginning of a day.
    ///
    /// Counts the days with the common algorithm over years that begin in March.
    package static func day(_ year: Int, _ month: Int, _ day: Int) -> Date {
        let shifted = month > 2 ? year : year - 1
        let (era, yearOfEra) = (shifted / 400, shifted % 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Date(timeIntervalSince1970: Double((era * 146_097 + dayOfEra - 719_468) * 86_400))
    }

    /// Returns a date as `YYYY-MM-DDTHH:MM:SSZ`.
    package static func text(_ date: Date) -> String {
        date.formatted(.iso8601)
    }

    /// Returns a date as `YYYYMMDDHHMMSS`.
    package static func digits(of date: Date) -> String {
        text(date).filter(\.isNumber)
    }
}
