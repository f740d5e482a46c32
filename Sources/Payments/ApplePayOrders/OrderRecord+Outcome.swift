internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

extension OrderRecord {
    /// The state of the order as it is recorded.
    var outcome: OrderOutcome {
        var outcome = concluded
        outcome.payment = payment
        outcome.isAmountSigned = attempt.isAmountSigned
        return outcome
    }

    /// Returns the state of the order as it is recorded, with the other payments if one does not pay the order.
    func outcome(in history: OrderHistory) -> OrderOutcome {
        var outcome = outcome
        guard let second = contents.seconds.first else { return outcome }
        let all = history.records.filter { $0.row.serial != row.serial } + [self]
        outcome.payment?.otherPaymentIDs =
            all.filter(\.state.isLive).map(\.attempt.paymentID)
            + all.flatMap(\.contents.seconds).map(\.paymentID).filter { !second.isPayment($0) }
        return outcome
    }

    /// Returns the state of the order as it is recorded, or that its payment is sent at a time.
    func outcome(at now: Date, in history: OrderHistory? = nil) -> OrderOutcome {
        guard state != .sending || isSilent(at: now) else { return inProgress }
        return history.map { outcome(in: $0) } ?? outcome
    }

    /// Returns the state of the order by a report about the attempt's payment.
    func outcome(of report: PaymentReport) -> OrderOutcome {
        OrderOutcome(report: report, attempt: attempt, isTest: row.account.mode == .test)
    }

    /// The state of an order whose payment another call or process sends.
    var inProgress: OrderOutcome {
        var outcome = OrderOutcome(.pending, contents.report, OrderOutcome.inProgress)
        outcome.payment = payment
        outcome.isAmountSigned = attempt.isAmountSigned
        return outcome
    }

    /// Returns whether the owner has been silent for so long at a time that others may ask, or its clock was wrong.
    func isSilent(at now: Date) -> Bool {
        let age = now.timeIntervalSince(row.change)
        return age > Limits.lease || age < -Limits.keyMargin
    }

    private var concluded: OrderOutcome {
        guard contents.seconds.isEmpty else {
            return OrderOutcome(.unknown, contents.report, OrderOutcome.secondPayment)
        }
        switch (state, contents.report) {
        case (_, let report) where isDecisionOver && report?.statesMoney != true:
            return OrderOutcome(
                .unknown, report,
                "The decision that no payment was made held as long as the gateway remembered the key; decide again."
            )
        case (.claimed, _), (.released, _):
            return OrderOutcome(.pending, nil, OrderOutcome.inProgress)
        case (.givenUp, var report):
            // The person refused it, not the gateway.
            report?.refusal = nil
            return OrderOutcome(.refused, isSettled: true, report, decision?.reason)
        case (.paid, nil): return OrderOutcome(.paid, isSettled: true, nil, decision?.reason)
        case (.returned, let report):
            return OrderOutcome(.returned, isSettled: true, report, decision?.reason)
        case (_, let report?): return outcome(of: report)
        case (_, nil):
            return OrderOutcome(.unknown, nil, OrderOutcome.resultUnknown)
        }
    }

    /// Records an outcome about the attempt's payment.
    ///
    /// A report that states nothing about the payment replaces none that does, and no person's decision that it is paid. Money
    /// of another payment is that of a second one.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - canReopen: Whether the attempt is the order's last one: an ended attempt before it can no longer be paid, so
    ///     money that is reported for it is that of a second payment.
    ///   - now: The current time.
    mutating func apply(_ outcome: OrderOutcome, canReopen: Bool, at now: Date) {
        let state = self.state
        if let own = attempt.paymentID, let stated = outcome.report?.paymentID,
            own != stated
        {
            if let report = outcome.report, report.holdsMoney {
                contents.addSecond(report.paymentID)
            }
            return
        }
        if let report = outcome.report, report.reference ?? attempt.reference == attempt.reference {
            // A payment on a page that holds no money may be followed by another one there.
            let isLast = !isPage || report.statesMoney
            contents.attempt.paymentID = attempt.paymentID ?? (isLast ? report.paymentID : nil)
            contents.attempt.sessionID = attempt.sessionID ?? report.sessionID
            contents.returnCode = contents.returnCode ?? report.returnCode
            // A gateway keeps no card of a payment that it refused.
            if report.meaning != .refused { contents.card = report.card ?? contents.card }
        }
        let isStated = outcome.state != .unknown || outcome.report?.statesMoney ?? false
        if let report = outcome.report, isStated || (contents.report == nil && decision == nil) {
            contents.report = report.withoutTexts
        }
        switch state {
        case .refused, .released, .givenUp, .returned:
            // Money that contradicts the order is the customer's, too.
            let isContradiction =
                outcome.state == .unknown
                && outcome.report.map { $0.fault == nil && $0.statesMoney } ?? false
            let holdsMoney = outcome.holdsMoney || isContradiction
            if holdsMoney, state == .returned, canReopen {
                row.state = self.state(of: outcome)
            } else if holdsMoney {
                contents.addSecond(outcome.report?.paymentID)
            } else if state == .givenUp, outcome.state == .refused || outcome.state == .returned {
                row.state = self.state(of: outcome)
            }
        // A person may have made the payment of an attempt that has not been sent.
        case .claimed:
            if outcome.holdsMoney { row.state = self.state(of: outcome) }
        case .sending, .open: row.state = self.state(of: outcome)
        case .paid: if isStated { row.state = self.state(of: outcome) }
        }
        if row.state != state { contents.questionCount = 0 }
        schedule(at: now)
    }

    /// Sets when the gateway is asked next.
    mutating func schedule(at now: Date) {
        let isAsked: Bool =
            switch state {
            case .claimed, .sending, .open: true
            case .paid, .returned: contents.operations.contains(where: \.isOpen)
            case .givenUp, .refused:
                !hasLeftSlot && now < row.beginning.addingTimeInterval(Limits.lateCharges)
            case .released: false
            }
        row.question = isAsked ? now.addingTimeInterval(interval) : nil
    }

    /// The seconds until the gateway is asked again: 1, 2, 4 … minutes, at most 6 hours.
    private var interval: Double {
        min(60 * Double(1 << min(contents.questionCount, 12)), Limits.longestInterval)
    }

    /// Returns the state of this record with an outcome.
    func state(of outcome: OrderOutcome) -> AttemptRecord.State {
        switch outcome.state {
        case .paid: .paid
        // The card of an order of 0 is verified, or the rest of an amount was released: nothing more will happen.
        case .authorized, .partlyPaid: outcome.isSettled ? .paid : .open
        // A part was given back on purpose, and nothing else is under way.
        case .partlyReturned:
            outcome.isSettled && !contents.operations.contains(where: \.isOpen) ? .paid : .open
        case .refused: .refused
        case .returned: .returned
        case .partlyAuthorized, .returning, .actionRequired, .pending, .unknown: .open
        }
    }
}

extension OrderOutcome {
    /// Whether the gateway reports money of the customer's that is reserved or captured, and not given back.
    var holdsMoney: Bool {
        switch state {
        case .paid, .authorized, .partlyAuthorized, .partlyPaid, .partlyReturned, .returning: true
        case .returned, .actionRequired, .pending, .refused, .unknown: false
        }
    }

    /// Whether the gateway has to be asked before anybody can rely on it.
    var isUncertain: Bool { state == .unknown || state == .pending }
}

extension PaymentReport {
    /// Whether the report states amounts, although it may contradict itself or the order.
    var statesMoney: Bool {
        meaning == .booked || [authorized, captured].contains { $0 ?? 0 > 0 }
    }

    /// The report without the gateway's text, which may repeat card data, and without what the record has beside it.
    fileprivate var withoutTexts: PaymentReport {
        var report = self
        report.refusal?.text = nil
        report.returnCode = nil
        report.card = nil
        report.others = []
        return report
    }
}

extension OrderOutcome {
    /// The reason where no answer tells what came of a request.
    static let resultUnknown: ExactText =
        "The request may have been sent, and its result is not known."
}
