/// Reads whole numbers from decimal digits, without rounding: amounts, currencies, dates and times.
package enum DecimalDigits {
    /// Returns the number that ASCII digits represent.
    ///
    /// - Parameters:
    ///   - digits: At least one digit; leading zeros are allowed.
    ///   - isNegative: Whether a minus sign precedes them.
    /// - Returns: The number; nil for an empty text, for a character that is not a digit, and for a number
    ///   outside `Int64`.
    package static func integer(_ digits: Span<UInt8>, isNegative: Bool = false) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for index in digits.indices {
            guard (0x30...0x39).contains(digits[index]) else { return nil }
            let digit = Int64(digits[index] - 0x30)
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            // The digits of a negative number are subtracted, so that the smallest Int64 can be read.
            let (sum, carry) = tenfold.addingReportingOverflow(isNegative ? -digit : digit)
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }
}
