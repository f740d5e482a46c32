internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

extension OrderRecord {
    /// Returns the index of an open operation with a name.
    func openOperation(_ name: ExactText) -> Int? {
        contents.operations.firstIndex { $0.operation.name == name && $0.isOpen }
    }

    /// Returns a report with the totals of operations that are done as the least ones: a query may lag, or not contain them.
    func bounded(_ report: PaymentReport) -> PaymentReport {
        func done(_ kind: PaymentOperation.Kind) -> Int64 {
            let amounts = contents.operations.filter {
                $0.operation.kind == kind && $0.outcome?.state == .done
            }
            return Int64(clamping: amounts.reduce(Int128(0)) { $0 + Int128($1.amount) })
        }
        var report = report
        let (captures, refunds) = (done(.capture), done(.refund))
        if let captured = report.captured, captured < captures {
            report.authorized = report.authorized.map { $0.without(captures - captured) }
            report.captured = captures
        }
        if refunds > report.refunded ?? 0 {
            report.refundRequested = report.refundRequested.map {
                $0.without(refunds - (report.refunded ?? 0))
            }
            report.refunded = refunds
        }
        return report
    }

    /// Takes the operations that are done into account in the recorded report.
    mutating func applyOperations(at now: Date) {
        guard let report = contents.report else { return }
        apply(outcome(of: bounded(report)), canReopen: false, at: now)
    }

    /// Concludes operations whose answer was lost from the payment's totals.
    mutating func concludeOperations() {
        guard let report = contents.report, report.fault == nil else { return }
        for index in contents.operations.indices where contents.operations[index].isOpen {
            let one = contents.operations[index]
            let isDone: Bool =
                switch one.operation.kind {
                case .capture:
                    growth(of: report.captured, since: one.captured, index) >= Int128(one.amount)
                case .refund:
                    growth(of: report.refunded, since: one.refunded, index) >= Int128(one.amount)
                // After a partial capture the payment is not cancelled as a whole.
                case .cancellation:
                    report.meaning == .cancelled && report.authorized ?? 0 == 0
                        || report.authorized == 0 && report.captureRequested ?? 0 == 0
                            && report.captured == one.captured && one.captured > 0
                }
            if isDone {
                contents.operations[index].outcome = .done(
                    one.operation, attempt, row.account.gateway)
            }
        }
    }

    /// Returns by how much a total has grown at least because of one operation.
    ///
    /// What the total before it lacked of those that were done earlier counts first. None begins while it is open.
    private func growth(of total: Int64?, since before: Int64, _ index: Int) -> Int128 {
        let kind = contents.operations[index].operation.kind
        let done = contents.operations[..<index]
            .filter { $0.operation.kind == kind && $0.outcome?.state == .done }
            .reduce(Int128(0)) { $0 + Int128($1.amount) }
        return Int128(total ?? 0) - Int128(before) - max(done - Int128(before), 0)
    }
}

extension RecordedOperation {
    /// The outcome; unknown while it is sent, or if its answer was lost.
    var outcomeOrUnknown: OperationOutcome {
        outcome ?? OperationOutcome(unknown: OrderOutcome.resultUnknown)
    }
}

extension OperationOutcome {
    /// Returns the outcome of an operation that the payment's totals show.
    static func done(
        _ operation: PaymentOperation, _ attempt: PaymentAttempt, _ gateway: ExactText
    ) -> OperationOutcome {
        var report = PaymentReport(gateway: gateway, about: operation.kind.subject)
        report.meaning = .booked
        return OperationOutcome(report, of: operation.kind, amount: operation.amount, on: attempt)
    }

    /// The outcome without the gateway's text, which may repeat card data.
    var withoutTexts: OperationOutcome {
        var outcome = self
        outcome.report?.refusal?.text = nil
        return outcome
    }
}

extension PaymentReport {
    /// The amount that was or will be given back.
    var givenBack: Int64 {
        Int64(clamping: Int128(refunded ?? 0) + Int128(refundRequested ?? 0))
    }
}
