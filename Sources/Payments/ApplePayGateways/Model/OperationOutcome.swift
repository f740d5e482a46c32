public import ApplePayAcceptance
public import ApplePayWire

/// The state of one operation, a capture, a cancellation or a refund, which never means that the order is paid.
public struct OperationOutcome: Hashable, GatewayOutcome {
    /// The states.
    public enum State: String, CaseIterable, Sendable {
        /// The gateway has done it.
        case done
        /// The gateway has accepted it, and has not done it yet.
        case pending
        /// The gateway refused it; nothing changed.
        case refused
        /// It is not known whether it was done: ask for the payment before you repeat it.
        case unknown
    }

    /// The state.
    public let state: State
    /// Why the state is unknown: one sentence for people; nil for other states.
    public let reason: ExactText?
    /// The report; nil if there is none.
    public package(set) var report: PaymentReport?
    /// Whether an earlier call began the operation, so that nothing was sent by this one.
    public package(set) var isRepeated = false
    /// Whether the ledger recorded it; false only if it was sent, and the ledger failed afterwards.
    public var isRecorded = true

    package init(_ state: State, _ report: PaymentReport?, _ reason: ExactText? = nil) {
        self.state = state
        self.report = report
        self.reason = reason
    }

    /// Creates the outcome of a request to which no answer is known.
    public init(unknown reason: ExactText, report: PaymentReport? = nil) {
        self.init(.unknown, nil, reason)
    }

    /// Concludes the state of an operation from a report about it.
    ///
    /// `amount` is the requested amount in minor units; nil if the request left it out.
    public init(
        _ report: PaymentReport, of kind: PaymentOperation.Kind, amount: Int64?,
        on attempt: PaymentAttempt
    ) {
        if let fault = report.fault {
            self.init(.unknown, report, fault)
        } else if report.about != kind.subject {
            self.init(.unknown, report, "The report is about a \(report.about.rawValue).")
        } else if !attempt.isOwn(report) {
            self.init(.unknown, report, "The report is about another payment.")
        } else if let stated = report.operationAmount, stated < 0 || stated != amount ?? stated {
            self.init(.unknown, report, "The gateway states another amount: \(stated) minor units.")
        } else {
            switch report.meaning {
            case .booked: self.init(.done, report)
            case .cancelled where kind == .cancellation: self.init(.done, report)
            case .undecided: self.init(.pending, report)
            case .refused: self.init(.refused, report)
            default:
                self.init(
                    .unknown, report,
                    report.status.map {
                        "The status \($0) is not documented for a \(kind.rawValue)."
                    }
                        ?? "The gateway states no status.")
            }
        }
    }
}
