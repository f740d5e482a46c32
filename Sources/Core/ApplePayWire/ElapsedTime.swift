/// A length of time in words, for messages: `6 years and 9 months`, `5 minutes`, `24 seconds`.
package enum ElapsedTime {
    /// The units with their lengths in seconds; a year has 365.2425 days, and a month is a twelfth of it.
    private static let units: [(name: String, seconds: Int)] = [
        ("year", 31_556_952), ("month", 2_629_746), ("day", 86_400), ("hour", 3_600),
        ("minute", 60),
        ("second", 1),
    ]

    /// Returns the largest unit that fits and the next smaller one, both rounded down.
    ///
    /// - Parameter seconds: The length; a negative one counts as 0.
    /// - Returns: One or two numbers with their units.
    package static func text(seconds: Int) -> String {
        guard let first = units.firstIndex(where: { $0.seconds <= seconds }) else {
            return "0 seconds"
        }
        var rest = seconds
        var parts: [String] = []
        for unit in units[first...].prefix(2) {
            let (count, remainder) = rest.quotientAndRemainder(dividingBy: unit.seconds)
            rest = remainder
            guard count > 0 else { continue }
            parts.append("\(count) \(unit.name)\(count == 1 ? "" : "s")")
        }
        return parts.joined(separator: " and ")
    }
}
