package import FoundationEssentials

extension Date {
    /// Whole seconds since 1970; the nearest that a number can hold.
    package var secondsSince1970: Int64 {
        Int64(exactly: timeIntervalSince1970.rounded(.down))
            ?? (timeIntervalSince1970 > 0 ? .max : .min)
    }
}
