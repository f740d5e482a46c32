extension AnswerValue {
    /// Returns a decimal number such as `"10.99"` in minor units; nil if it is missing.
    ///
    /// - Parameters:
    ///   - name: The member.
    ///   - currency: The alphabetic code in the answer, in either case; nil if the answer does not contain one.
    /// - Returns: The amount.
    /// - Throws: ``UnreadableJSONError`` with code `wrong-type`, also for more decimals than the currency has, and for
    ///   a number without a currency.
    func minorUnits(_ name: String, in currency: String?) throws(UnreadableJSONError) -> Int64? {
        guard let decimal = try text(name) else { return nil }
        return try DecimalAmount.minorUnits(decimal, of: currency ?? "", name)
    }
}
