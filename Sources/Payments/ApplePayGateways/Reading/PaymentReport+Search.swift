extension PaymentReport {
    /// Returns the report about the one payment among those that a query by reference found.
    ///
    /// A query by reference can return several payments. One that was refused counts only if there is no other. Two of
    /// which money is or may be held contradict the promise of one payment for each attempt.
    ///
    /// - Parameters:
    ///   - reports: The reports about all payments that were found.
    ///   - reference: The reference that was asked for; reports about others are left out.
    ///   - empty: The report without any statement.
    /// - Returns: ``Meaning/absent`` if there is none, a ``fault`` if there are several.
    public static func only(
        of reports: [PaymentReport], with reference: String, else empty: PaymentReport
    ) -> PaymentReport {
        let own = reports.filter { $0.reference == nil || $0.reference == reference }
        let open = own.filter { $0.meaning != .refused || $0.fault != nil }
        var report = empty
        if open.count > 1 {
            report.fault =
                "The gateway has \(open.count) payments with the reference \(reference) that were not refused."
            return report
        }
        if let found = open.first ?? own.first { return found }
        report.meaning = .absent
        return report
    }
}
