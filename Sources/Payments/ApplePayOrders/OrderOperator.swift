internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

/// Captures, cancels and refunds payments, and records what people decide.
struct OrderOperator: Sendable {
    let inquirer: OrderInquirer
    let permission: OrderPermission

    var book: OrderBook { inquirer.book }
    var gateway: any PaymentGateway { inquirer.gateway }
    var time: OrderTime { inquirer.time }

    /// Performs an operation on the payment of an order; see ``OrderPayments/perform(_:on:)``.
    func perform(
        _ operation: PaymentOperation, on reference: ExactText
    ) async throws(PaymentError) -> OperationOutcome {
        for _ in 0..<4 {
            let history = try await book.history(of: reference)
            // What was given back or released may be the result of this operation.
            guard
                let paid = history.records.last(where: {
                    $0.state.isLive
                        || ($0.state == .returned && $0.contents.contains(operation.name))
                })
            else { throw unchangeable(history, operation, reference) }
            // The name of an operation on an earlier payment: repeated, it must not change the one that pays the order now.
            guard
                paid.contents.contains(operation.name)
                    || !history.records.contains(where: { $0.contents.contains(operation.name) })
            else {
                throw PaymentError(
                    .referenceChanged,
                    reason: "the operation \(operation.name) was on an earlier payment of the order"
                )
            }
            if let earlier = paid.contents.operations.first(where: {
                $0.operation.name == operation.name
            }) {
                return try await outcome(of: earlier, again: operation, of: paid, in: history)
            }
            guard paid.state == .open || paid.state == .paid else {
                throw PaymentError(.operationOpen, reason: "the order is being paid")
            }
            if operation.kind == .capture, let second = history.second { throw undecided(second) }
            let inquiry = try await inquirer.ask(about: paid, in: history)
            let record = inquiry.record
            // Another caller has begun it meanwhile, so its outcome is that caller's.
            if record.contents.contains(operation.name) { continue }
            guard !inquiry.isUnanswered else {
                throw .notSent(
                    "\(gateway.name) did not state how much of the payment remains: \(inquiry.fault)"
                )
            }
            guard !record.contents.operations.contains(where: \.isOpen),
                record.contents.operations.count < Limits.operations
            else { throw PaymentError(.operationOpen) }
            let report = try lastReport(inquiry, operation)
            // A cancellation must not overtake a payment whose answer was lost.
            guard report.fault == nil || !book.isUnderWay(record) else {
                throw PaymentError(.operationOpen, reason: "the order is being paid")
            }
            let call: OperationCall
            do throws(PaymentError) {
                call = try gateway.perform(operation, on: report, of: record.attempt)
            } catch {
                guard error.code == .unsupportedValue, let reason = error.reason else {
                    throw error
                }
                throw unmade(record, report, error, reason)
            }
            let amount = try operation.amount(on: report, of: record.attempt)
            let now = time.now()
            var begun = record
            var recorded = operation
            recorded.reason = operation.reason?.limitedForRecord
            begun.contents.operations.append(
                RecordedOperation(
                    operation: recorded, amount: amount, captured: report.captured ?? 0,
                    refunded: report.givenBack, beginning: now))
            begun.contents.questionCount = 0
            begun.schedule(at: now)
            if let outcome = try await send(call, operation, record, begun) { return outcome }
        }
        throw .recordChanges
    }

    /// Returns the error for an operation on an order without a payment that can be changed, with the state as the reason.
    private func unchangeable(
        _ history: OrderHistory, _ operation: PaymentOperation, _ reference: ExactText
    ) -> PaymentError {
        if let second = history.second { return undecided(second) }
        guard let record = history.deciding else { return .noPayment(of: reference) }
        let outcome = record.outcome
        let kind = operation.kind.rawValue
        guard record.state == .returned else {
            return PaymentError(
                .noPayment,
                reason: "the order is \(outcome.state.rawValue); there is nothing for a \(kind)")
        }
        let refunded = outcome.returnCause == .refund ? outcome.report?.refunded : nil
        let returned =
            refunded.map { "\($0) of \(record.attempt.amount) minor units were given back" }
            ?? "all of the order was released or returned"
        return PaymentError(
            .unsupportedAmount, members: ["amount"],
            reason: "\(returned); nothing is left for a \(kind)")
    }

    /// Returns the error for an operation before a person decided about a payment that does not pay the order.
    private func undecided(_ second: OrderRecord) -> PaymentError {
        let payment = second.contents.seconds.first?.paymentID.map { "the payment \($0)" }
        return PaymentError(
            .operationOpen,
            reason:
                "a person must decide first about \(payment ?? "a payment"), which holds money and does not pay the order"
        )
    }

    /// Returns the error for an operation on a payment of which the gateway has not reported that it was made.
    private func unmade(
        _ record: OrderRecord, _ report: PaymentReport, _ error: PaymentError, _ reason: String
    ) -> PaymentError {
        let state =
            switch report.meaning {
            case .awaitingCustomer: "the customer has not confirmed the payment yet"
            case .absent: record.absence
            default: reason
            }
        return switch record.state {
        case .open: PaymentError(.operationOpen, reason: state)
        case .refused: PaymentError(.noPayment, reason: "the order is refused")
        default: error.because(state)
        }
    }

    /// Returns what is known about a payment; a report with a fault if its answer was lost and nothing was heard of it.
    private func lastReport(
        _ inquiry: OrderInquirer.Inquiry, _ operation: PaymentOperation
    ) throws(PaymentError) -> PaymentReport {
        if let report = inquiry.statement?.report ?? inquiry.record.contents.report {
            return report
        }
        guard inquiry.record.state == .open else {
            throw PaymentError(
                .unsupportedOperation, members: [operation.kind.rawValue],
                reason: "a person decided about the payment, and the gateway cannot be asked for it"
            )
        }
        var report = PaymentReport(gateway: gateway.name)
        report.fault = "The answer to the payment was lost."
        return report
    }

    /// Sends an operation after it was recorded, and records its outcome.
    ///
    /// - Returns: The outcome; nil if the record has changed, and nothing was sent.
    private func send(
        _ call: OperationCall, _ operation: PaymentOperation, _ record: OrderRecord,
        _ begun: OrderRecord
    ) async throws(PaymentError) -> OperationOutcome? {
        try permission.sending()
        // It counts from before the write, which others may see earlier than this process does.
        let start = time.instant() + Limits.start
        guard let replaced = try await book.replace(record, with: begun) else { return nil }
        var outcome: OperationOutcome
        do {
            outcome = try await inquirer.transport.outcome(of: call) { _ in start }
        } catch {
            // Nothing was sent, so the name can be used again.
            try? await book.change(replaced) { record in
                record.contents.operations.removeAll { $0.operation.name == operation.name }
            }
            throw error
        }
        do {
            let answered = outcome
            try await book.change(replaced) { record in
                guard
                    let index = record.contents.operations.firstIndex(where: {
                        $0.operation.name == operation.name
                    }), record.contents.operations[index].isOpen
                else { return }
                record.contents.operations[index].outcome = answered.withoutTexts
                record.applyOperations(at: time.now())
            }
            // The totals have changed.
            _ = try await inquirer.ask(about: replaced)
        } catch {
            outcome.isRecorded = false
        }
        return outcome
    }

    /// Returns the outcome of an operation that has begun before; asks for the payment if it is open.
    private func outcome(
        of earlier: RecordedOperation, again operation: PaymentOperation, of record: OrderRecord,
        in history: OrderHistory
    ) async throws(PaymentError) -> OperationOutcome {
        guard earlier.operation.kind == operation.kind, earlier.operation.amount == operation.amount
        else {
            throw PaymentError(
                .referenceChanged,
                reason: "the operation \(operation.name) had another kind or amount")
        }
        var current = earlier
        if earlier.isOpen {
            let now = try await inquirer.ask(about: record, in: history).record
            current =
                now.contents.operations.first { $0.operation.name == operation.name } ?? earlier
        }
        var outcome = current.outcomeOrUnknown
        outcome.isRepeated = true
        return outcome
    }
}
