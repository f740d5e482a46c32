public import ApplePayGateways
internal import ApplePayLedger
public import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension OrderPayments {
    /// Charges the reserved amount of an order or a part of it.
    ///
    /// - Parameters:
    ///   - reference: The order.
    ///   - amount: The amount in minor units; nil for all that remains.
    ///   - name: The shop's name of this capture, unique for the order; the same name again sends nothing, and returns
    ///     the outcome of the first call. By default it is the amount, so give names if you capture equal parts.
    ///   - isFinal: Whether nothing more will be captured; nil leaves it to the gateway.
    /// - Returns: The outcome of the capture, which never states that the order is paid.
    /// - Throws: The errors of ``perform(_:on:)``.
    public func capture(
        _ reference: String, amount: Int64? = nil, operation name: String? = nil,
        isFinal: Bool? = nil
    ) async throws(PaymentTokenError) -> OperationOutcome {
        var operation = Self.operation(.capture, amount, name)
        operation.isFinal = isFinal
        return try await perform(operation, on: reference)
    }

    /// Releases the reserved amount of an order.
    ///
    /// - Parameters:
    ///   - reference: The order.
    ///   - amount: The amount in minor units; nil for all that remains.
    ///   - name: The shop's name of this cancellation; see ``capture(_:amount:operation:isFinal:)``.
    /// - Returns: The outcome of the cancellation.
    /// - Throws: The errors of ``perform(_:on:)``.
    public func cancel(
        _ reference: String, amount: Int64? = nil, operation name: String? = nil
    ) async throws(PaymentTokenError) -> OperationOutcome {
        try await perform(Self.operation(.cancellation, amount, name), on: reference)
    }

    /// Gives the captured amount of an order or a part of it back to the customer.
    ///
    /// - Parameters:
    ///   - reference: The order.
    ///   - amount: The amount in minor units; nil for all that remains.
    ///   - name: The shop's name of this refund; see ``capture(_:amount:operation:isFinal:)``.
    ///   - reason: Why, for the gateway's records; bePaid requires it.
    /// - Returns: The outcome of the refund.
    /// - Throws: The errors of ``perform(_:on:)``.
    public func refund(
        _ reference: String, amount: Int64? = nil, operation name: String? = nil,
        reason: String? = nil
    ) async throws(PaymentTokenError) -> OperationOutcome {
        var operation = Self.operation(.refund, amount, name)
        operation.reason = reason
        return try await perform(operation, on: reference)
    }

    /// Returns an operation with the name that the shop gives, or with the standard one: the kind, and the amount if there
    /// is one.
    package static func operation(
        _ kind: PaymentOperation.Kind, _ amount: Int64?, _ name: String?
    ) -> PaymentOperation {
        let standard = amount.map { "\(kind.rawValue)-\($0)" } ?? kind.rawValue
        return PaymentOperation(kind, amount: amount, name: name ?? standard)
    }

    /// Performs an operation on the payment of an order, once for each name.
    ///
    /// The gateway is asked for the payment first, and no more than remains is captured or given back. One operation of
    /// a payment is open at a time.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - reference: The order.
    /// - Returns: The outcome; `isRecorded` is false if the ledger failed after something was sent.
    /// - Throws: ``PaymentTokenError``: `replay/ledger-unavailable`, `order` with codes `no-payment`,
    ///   `reference-changed` if the payment is at another gateway or the name is that of another operation, also on an earlier
    ///   payment of the order, and `operation-open` if the order is being paid, which a payment whose answer was lost counts as
    ///   for a day, another operation of this payment is not decided, or
    ///   money of another payment prevents a capture, then those of `PaymentGateway.perform(_:on:of:)`, and `gateway/not-sent`. Nothing was
    ///   done then.
    public func perform(
        _ operation: PaymentOperation, on reference: String
    ) async throws(PaymentTokenError) -> OperationOutcome {
        for _ in 0..<4 {
            let history = try await history(of: reference)
            // What was given back or released may be the result of this operation.
            guard
                let paid = history.records.last(where: {
                    $0.state.isLive
                        || ($0.state == .returned && $0.contents.contains(operation.name))
                })
            else { throw PaymentTokenError(.noPayment) }
            // The name of an operation on an earlier payment: repeated, it must not change the one that pays the order now.
            guard
                paid.contents.contains(operation.name)
                    || !history.records.contains(where: { $0.contents.contains(operation.name) })
            else {
                throw PaymentTokenError(
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
                throw PaymentTokenError(.operationOpen, reason: "the order is being paid")
            }
            guard operation.kind != .capture || history.second == nil else {
                throw PaymentTokenError(
                    .operationOpen,
                    reason: "a person must decide about another payment of the order")
            }
            let asked = try await asked(about: paid, in: history)
            let record = asked.record
            // Another caller has begun it meanwhile, so its outcome is that caller's.
            if record.contents.contains(operation.name) { continue }
            guard !asked.isUnanswered else {
                throw PaymentTokenError(
                    .notSent, reason: "The gateway did not state how much of the payment remains")
            }
            guard !record.contents.operations.contains(where: \.isOpen),
                record.contents.operations.count < Limits.operations
            else { throw PaymentTokenError(.operationOpen) }
            let report = try known(about: asked)
            // A cancellation must not overtake a payment whose answer was lost.
            guard
                report.fault == nil
                    || time.now().timeIntervalSince(record.lastRequest) >= Limits.settling
            else {
                throw PaymentTokenError(.operationOpen, reason: "the order is being paid")
            }
            let call = try gateway.perform(operation, on: report, of: record.attempt)
            let amount = try operation.amount(on: report, of: record.attempt)
            let now = time.now()
            var begun = record
            var recorded = operation
            recorded.reason = operation.reason?.recorded
            begun.contents.operations.append(
                RecordedOperation(
                    operation: recorded, amount: amount, captured: report.captured ?? 0,
                    refunded: report.givenBack, beginning: now))
            begun.contents.questionCount = 0
            begun.schedule(at: now)
            if let outcome = try await send(call, operation, record, begun) { return outcome }
        }
        throw PaymentTokenError.recordChanges
    }

    /// Returns what is known about a payment; a report with a fault if its answer was lost and nothing was heard of it.
    private func known(about asked: Asked) throws(PaymentTokenError) -> PaymentReport {
        if let report = asked.answer?.report ?? asked.record.contents.report { return report }
        guard asked.record.state == .open else { throw PaymentTokenError(.noPayment) }
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
    ) async throws(PaymentTokenError) -> OperationOutcome? {
        try permission.sending()
        // It counts from before the write, which others may see earlier than this process does.
        let start = time.instant() + Limits.start
        guard let stored = try await replace(record, with: begun) else { return nil }
        var outcome: OperationOutcome
        do {
            outcome = try await transport.outcome(of: call) { _ in start }
        } catch {
            // Nothing was sent, so the name can be used again.
            try? await change(stored) { record in
                record.contents.operations.removeAll { $0.operation.name == operation.name }
            }
            throw error
        }
        do {
            let answered = outcome
            try await change(stored) { record in
                guard
                    let index = record.contents.operations.firstIndex(where: {
                        $0.operation.name == operation.name
                    }), record.contents.operations[index].isOpen
                else { return }
                record.contents.operations[index].outcome = answered.withoutTexts
                record.applyOperations(at: time.now())
            }
            // The totals have changed.
            _ = try await asked(about: stored)
        } catch {
            outcome.isRecorded = false
        }
        return outcome
    }

    /// Returns the outcome of an operation that has begun before; asks for the payment if it is open.
    private func outcome(
        of earlier: RecordedOperation, again operation: PaymentOperation, of record: OrderRecord,
        in history: OrderHistory
    ) async throws(PaymentTokenError) -> OperationOutcome {
        guard earlier.operation.kind == operation.kind, earlier.operation.amount == operation.amount
        else {
            throw PaymentTokenError(
                .referenceChanged,
                reason: "the operation \(operation.name) had another kind or amount")
        }
        var current = earlier
        if earlier.isOpen {
            let asked = try await asked(about: record, in: history).record
            current =
                asked.contents.operations.first { $0.operation.name == operation.name } ?? earlier
        }
        var outcome = current.outcomeOrUnknown
        outcome.isRepeated = true
        return outcome
    }

    /// Records a person's decision about an operation that the gateway does not decide.
    ///
    /// - Parameters:
    ///   - reference: The order.
    ///   - name: The shop's name of the operation.
    ///   - isDone: Whether the person saw it in the gateway's books; false if it is not there, which takes a day.
    ///   - person: The person.
    ///   - reason: The reason. The record has the first 1,000 characters of both, and an ellipsis in place of what may be a
    ///     card's number.
    /// - Returns: The outcome of the operation; the gateway's, if it has decided meanwhile.
    /// - Throws: ``PaymentTokenError``: `replay/ledger-unavailable`, `order` with code `no-payment` if the order has no such open
    ///   operation, `reference-changed` if the payment is at another gateway, `decision-refused` while the request may still be
    ///   under way.
    public func resolve(
        _ reference: String, operation name: String, isDone: Bool, by person: String,
        because reason: String
    ) async throws(PaymentTokenError) -> OperationOutcome {
        let history = try await history(of: reference)
        guard let found = history.records.last(where: { $0.openOperation(name) != nil }) else {
            throw PaymentTokenError(.noPayment)
        }
        let record = try await asked(about: found, in: history).record
        guard let index = record.openOperation(name) else {
            let one = record.contents.operations.first { $0.operation.name == name }
            return one?.outcomeOrUnknown ?? OperationOutcome(unknown: "The operation is gone.")
        }
        let operation = record.contents.operations[index]
        guard isDone || time.now().timeIntervalSince(operation.beginning) >= Limits.settling else {
            throw PaymentTokenError(
                .decisionRefused,
                reason: "its request may still be carried out; decide a day after it began")
        }
        let outcome =
            isDone
            ? OperationOutcome.done(operation.operation, record.attempt, record.row.account.gateway)
            : OperationOutcome(.refused, nil)
        var decided = record
        decided.contents.operations[index].outcome = outcome
        decided.contents.decisions.append(
            RecordedDecision(
                state: record.state, paymentID: nil, operation: name, person: person.recorded,
                reason: reason.recorded, time: time.now()))
        decided.applyOperations(at: time.now())
        decided.schedule(at: time.now())
        guard try await replace(record, with: decided) != nil else {
            throw PaymentTokenError(
                .decisionRefused, reason: "the payment changed meanwhile; look at it again")
        }
        return outcome
    }

    /// Changes the current version of a record.
    private func change(
        _ record: OrderRecord, _ body: (inout OrderRecord) -> Void
    ) async throws(PaymentTokenError) {
        var current = record
        for _ in 0..<8 {
            var changed = current
            body(&changed)
            if try await replace(current, with: changed) != nil { return }
            let history = try await history(of: record.attempt.orderReference)
            guard let read = history.records.first(where: { $0.row.serial == record.row.serial })
            else { break }
            current = read
        }
        throw PaymentTokenError.recordChanges
    }
}

extension OrderRecord {
    /// Returns the index of an open operation with a name.
    fileprivate func openOperation(_ name: String) -> Int? {
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
    fileprivate mutating func applyOperations(at now: Date) {
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
}

extension OrderRecord {
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
        outcome
            ?? OperationOutcome(
                unknown: "The request may have been sent, and its result is not known.")
    }
}

extension OperationOutcome {
    /// Returns the outcome of an operation that the payment's totals show.
    fileprivate static func done(
        _ operation: PaymentOperation, _ attempt: PaymentAttempt, _ gateway: String
    ) -> OperationOutcome {
        var report = PaymentReport(gateway: gateway, about: operation.kind.subject)
        report.meaning = .booked
        return OperationOutcome(report, of: operation.kind, amount: operation.amount, on: attempt)
    }

    /// The outcome without the gateway's text, which may repeat card data.
    fileprivate var withoutTexts: OperationOutcome {
        var outcome = self
        outcome.report?.refusal?.text = nil
        return outcome
    }
}

extension PaymentReport {
    /// The amount that was or will be given back.
    fileprivate var givenBack: Int64 {
        Int64(clamping: Int128(refunded ?? 0) + Int128(refundRequested ?? 0))
    }
}
