package import Foundation

/// Days and clock times, always in UTC.
package enum CivilTime {
    /// Midnight at the beginning of a day.
    ///
    /// The count of days is the usual one over years that begin in March.
    package static func day(_ year: Int, _ month: Int, _ day: Int) -> Date {
        let shifted = month > 2 ? year : year - 1
        let (era, yearOfEra) = (shifted / 400, shifted % 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Date(timeIntervalSince1970: Double((era * 146_097 + dayOfEra - 719_468) * 86_400))
    }

    /// `YYYY-MM-DDTHH:MM:SSZ`.
    package static func text(_ date: Date) -> String {
        date.formatted(.iso8601)
    }

    /// `YYYYMMDDHHMMSS`.
    package static func digits(of date: Date) -> String {
        text(date).filter(\.isNumber)
    }
}
