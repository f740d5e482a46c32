internal import ApplePayPrimitives
package import ApplePayToken

/// Keeps the reports that it receives.
package final class RecordingObserver: PaymentTokenObserver {
    private let received = Lock<[PaymentTokenReport]>([])

    /// Creates an observer without reports.
    package init() {}

    package func record(_ report: PaymentTokenReport) {
        received.withLock { $0.append(report) }
    }

    /// The reports, in the order of their arrival.
    package var reports: [PaymentTokenReport] { received.withLock { $0 } }

    /// The code of each report; nil for an accepted token.
    package var refusals: [PaymentTokenError.Code?] { reports.map(\.refusal) }

    /// The stages that each report measured, in the order of the checks.
    package var stages: [[PaymentTokenError.Stage]] {
        reports.map { report in
            PaymentTokenError.Stage.allCases.filter { report.durations[$0] != nil }
        }
    }

    /// Returns the stages that the decryption of a token measures until it ends with `last`.
    ///
    /// The members of a token are read in the same step as its JSON.
    package static func stages(
        through last: PaymentTokenError.Stage
    ) -> [PaymentTokenError.Stage] {
        let stages = PaymentTokenError.Stage.allCases.filter { $0 != .field }
        let end = stages.firstIndex(of: last == .field ? .json : last) ?? stages.startIndex
        return Array(stages[...end])
    }
}
