public import ApplePayGateways
internal import ApplePayLedger
public import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension OrderPayments {
    /// Pays an order with a token, once.
    ///
    /// If the order has an attempt already, nothing is sent, and its state is returned: it was asked again if it was open,
    /// and it is `pending` with the reason `OrderOutcome.inProgress` while another call or process pays. Only after an attempt
    /// that was released or refused by the gateway does the order get another one. It never throws after something that
    /// can move money was sent.
    ///
    /// - Parameters:
    ///   - text: The token's UTF-8 JSON, at most 256 KiB.
    ///   - order: The order that the customer was shown.
    ///   - form: The accepted forms of the token.
    ///   - agePolicy: When the token was received; the current time by default.
    ///   - serial: The serial of the last attempt, if the shop wants the order paid again after all of it was returned;
    ///     it has no effect after a chargeback.
    /// - Returns: The state of the order, recorded in the ledger unless `isRecorded` is false.
    /// - Throws: ``PaymentTokenError``: `replay/ledger-unavailable`, `order` with codes `reference-changed` and
    ///   `invalid-reference`, those of `PaymentGateway.check(_:_:)`, then that of the first stage of the token that
    ///   fails, `json` to `replay`, then those of `PaymentGateway.payment(_:)`, and `gateway/not-sent`. Nothing was
    ///   charged then.
    public func pay(
        _ text: some Collection<UInt8>, for order: Order, form: TokenForm = .any,
        agePolicy: AgePolicy = .now, again serial: String? = nil
    ) async throws(PaymentTokenError) -> OrderOutcome {
        // Another call can begin an attempt, or release one, between reading and writing; then the records are read again.
        for _ in 0..<4 {
            let history = try await history(of: order.reference)
            guard history.isOf(order, at: gateway) else {
                throw PaymentTokenError(.referenceChanged)
            }
            switch try await next(history, again: serial) {
            case .outcome(let outcome): return outcome
            case .changed: continue
            case .attempt: break
            }
            let attempt = try PaymentAttempt(order, slot: history.nextSlot)
            try gateway.check(order, attempt)
            if attempt.slot == 1 { try checkLaterReference(of: order) }
            let beginning = try await acceptor.accept(text, form, agePolicy, order) {
                opened throws(PaymentTokenError) in
                try await begin(attempt, of: order, with: opened, after: history)
            }
            switch beginning {
            case .outcome(let outcome): return outcome
            case .changed: continue
            case .begun(let charge):
                let token = charge.accepted.token.identity
                do throws(PaymentTokenError) {
                    return try await charge.outcome().about(token)
                } catch {
                    throw error.about(token)
                }
            }
        }
        throw PaymentTokenError.recordChanges
    }

    /// Checks that the gateway also accepts the reference of a second payment, for a customer whose first card is declined.
    ///
    /// - Throws: Those of `PaymentGateway.check(_:_:)`.
    private func checkLaterReference(of order: Order) throws(PaymentTokenError) {
        let later = try PaymentAttempt(order, slot: 2)
        do throws(PaymentTokenError) {
            try gateway.check(order, later)
        } catch {
            throw PaymentTokenError(
                error.code, members: error.members,
                reason: "after a refusal the order is paid with the reference \(later.reference)")
        }
    }

    private enum Next {
        /// The order has this state, and gets no attempt.
        case outcome(OrderOutcome)
        /// The records have changed.
        case changed
        /// The order gets an attempt.
        case attempt
    }

    /// Decides whether an order gets another attempt.
    private func next(
        _ history: OrderHistory, again serial: String?
    ) async throws(PaymentTokenError) -> Next {
        if let late = history.lateCharge { return .outcome(late.outcome(isTest: gateway.isTest)) }
        guard let last = history.deciding else { return .attempt }
        switch last.state {
        case .released, .refused, .givenUp: return .attempt
        case .returned:
            let outcome = last.outcome(isTest: gateway.isTest)
            let isPermitted = serial == last.row.serial && outcome.returnCause != .chargeback
            return isPermitted ? .attempt : .outcome(outcome)
        case .paid: return .outcome(last.outcome(isTest: gateway.isTest))
        case .claimed where last.isSilent(at: time.now()):
            try await end(last)
            return .changed
        case .claimed: return .outcome(last.outcome(isTest: gateway.isTest))
        case .sending where !last.isSilent(at: time.now()): return .outcome(last.inProgress)
        case .sending, .open: return .outcome(try await asked(about: last, in: history).outcome)
        }
    }

    private enum Beginning {
        /// The token was used for this order before, which has this state.
        case outcome(OrderOutcome)
        /// The records have changed.
        case changed
        /// The attempt is claimed.
        case begun(OrderCharge)
    }

    /// Claims the order and the token.
    private func begin(
        _ attempt: PaymentAttempt, of order: Order, with opened: OpenedToken,
        after history: OrderHistory
    ) async throws(PaymentTokenError) -> Beginning {
        let transaction = opened.request.transaction
        let earlier = history.records.last {
            $0.row.transaction == transaction && $0.state != .released
        }
        if let earlier {
            return .outcome(earlier.outcome(isTest: gateway.isTest).about(opened.token.identity))
        }
        var attempt = attempt
        attempt.isAmountSigned = opened.payment?.data.amount == order.amount
        let now = time.now()
        var record = OrderRecord(
            attempt, transaction, at: gateway, owner: OrderOwner.name,
            slotBeginning: history.nextSlotBeginning, at: now)
        record.schedule(at: now)
        record.row = try record.encoded()
        try permission.claim()
        let row = record.row
        let isBegun = try await stored { () throws(LedgerError) in
            try await ledger.begin(row, claiming: opened.request, after: history.last?.row)
        }
        guard isBegun else { return .changed }
        let accepted = AcceptedPayment(order, attempt, opened, record.row.claim, in: nil)
        return .begun(
            OrderCharge(
                payments: self, accepted: accepted, record: record,
                isSlotUsed: history.nextSlotBeginning != nil))
    }

    /// Ends an attempt whose owner was silent before `sending`: releases it, or opens it if `sending` may be lost.
    ///
    /// - Returns: Whether it is released.
    /// - Throws: `replay/ledger-unavailable`.
    @discardableResult
    func end(_ record: OrderRecord) async throws(PaymentTokenError) -> Bool {
        let missing = try await missingBefore()
        guard let missing, record.row.change <= missing else { return try await release(record) }
        var opened = record
        opened.row.state = .open
        opened.schedule(at: time.now())
        _ = try await replace(record, with: opened)
        return false
    }

    /// Releases an attempt of which nothing that can move money was sent.
    ///
    /// - Returns: Whether it is released; otherwise somebody else has changed it.
    /// - Throws: `replay/ledger-unavailable`.
    @discardableResult
    func release(_ record: OrderRecord) async throws(PaymentTokenError) -> Bool {
        var released = record
        released.row.state = .released
        released.schedule(at: time.now())
        return try await replace(record, with: released) != nil
    }

    /// Returns the time before which attempts may be missing in the ledger; nil if none is.
    ///
    /// - Throws: `replay/ledger-unavailable`.
    func missingBefore() async throws(PaymentTokenError) -> Date? {
        try await stored { () throws(LedgerError) in try await ledger.attemptsMayBeMissingBefore }
    }
}

extension OrderOutcome {
    fileprivate func about(_ token: TokenIdentity) -> OrderOutcome {
        var outcome = self
        outcome.token = token
        return outcome
    }
}
