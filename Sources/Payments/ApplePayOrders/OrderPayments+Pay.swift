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
    /// that was released, or refused by the gateway or a person, does the order get another one, and after one that was returned
    /// if `again` says so. It never throws after something that can move money was sent.
    ///
    /// - Parameters:
    ///   - text: The token's UTF-8 JSON, at most 256 KiB.
    ///   - order: The order that the customer was shown.
    ///   - form: The accepted forms of the token.
    ///   - agePolicy: When the token was received; the current time by default.
    ///   - session: The gateway's identifier of the object in which the order is paid, if the shop or its app has created one,
    ///     such as Dintero's session or bePaid's checkout; nil otherwise.
    ///   - serial: The serial of the last attempt, if the shop wants the order paid again after all of it was returned;
    ///     it has no effect after a chargeback.
    /// - Returns: The state of the order, recorded in the ledger unless `isRecorded` is false.
    /// - Throws: ``PaymentTokenError``: `gateway/unsupported-operation` for a session at a gateway without any,
    ///   `gateway/unsupported-length` unless it has 1 to 255 characters, `gateway/unsupported-character` unless these are
    ///   visible ASCII; then `replay/ledger-unavailable`, `order` with codes `reference-changed` and `invalid-reference`,
    ///   those of `PaymentGateway.check(_:_:)`, then that of the first stage of the token that fails, `json` to `replay`, then those of
    ///   `PaymentGateway.payment(_:)`, `gateway/unsupported-value` (`session`) if the order cannot be paid in the session, and
    ///   `gateway/not-sent`. Nothing was charged then.
    public func pay(
        _ text: some Collection<UInt8>, for order: Order, form: TokenForm = .any,
        agePolicy: AgePolicy = .now, session: String? = nil, again serial: String? = nil
    ) async throws(PaymentTokenError) -> OrderOutcome {
        if let session {
            guard gateway.abilities.takesSessions else {
                throw .gateway(.unsupportedOperation, "session")
            }
            // It comes from the shop's page or app, and is stored before the gateway judges it.
            try FieldLength.check(session, "session", 1...255)
            try FieldCharacters.checkVisible(session, "session")
        }
        var opened: OpenedToken?
        // Nothing is claimed if another call has paid the order meanwhile.
        defer { opened?.observation?.end() }
        return try await attempt(order, again: serial) {
            attempt, history throws(PaymentTokenError) in
            var attempt = attempt
            attempt.sessionID = session
            let token: OpenedToken
            if let opened {
                token = opened
            } else {
                token = try await opener.open(text, form, agePolicy, order)
                opened = token
            }
            return try await charge(attempt, of: order, with: token, after: history)
        }
    }

    /// Creates a page of the gateway on which the customer pays an order, once.
    ///
    /// The order has at most one payment then, too: if it has an attempt already, that attempt's state is returned, with the
    /// page's address as long as the customer may pay there. The address is given only after the page is recorded.
    ///
    /// - Parameters:
    ///   - order: The order; it needs a return address.
    ///   - serial: As in ``pay(_:for:form:agePolicy:session:again:)``.
    /// - Returns: The state of the order: `action-required` with the address that the customer must open, unless the order
    ///   has another attempt or the gateway refuses the page.
    /// - Throws: ``PaymentTokenError``: `replay/ledger-unavailable`, `order` with codes `reference-changed` and
    ///   `invalid-reference`, those of `PaymentGateway.page(for:_:)`, and `gateway/not-sent`. The customer can pay on no page
    ///   then.
    public func page(
        for order: Order, again serial: String? = nil
    ) async throws(PaymentTokenError) -> OrderOutcome {
        guard gateway.abilities.hasPages else { throw .gateway(.unsupportedOperation, "page") }
        return try await attempt(order, again: serial) {
            attempt, history throws(PaymentTokenError) in
            var attempt = attempt
            attempt.isAmountSigned = false
            let call = try gateway.page(for: order, attempt)
            try permission.claim()
            let record = try await begin(attempt, claiming: nil, after: history)
            guard let record else { return nil }
            let earlier = EarlierPayment(
                payments: self, record: record, history: history, isRepeatable: false)
            return try await createPage(with: call, record, earlier)
        }
    }

    /// Makes an attempt to pay an order, unless it has a payment or gets no other attempt.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - serial: The serial of the last attempt, if the shop wants a returned order paid again.
    ///   - body: Makes the attempt; returns nil if the records have changed, and nothing was done.
    /// - Returns: The state of the order.
    /// - Throws: The errors of `body`, after those of the ledger and the order.
    private func attempt(
        _ order: Order, again serial: String?,
        _ body: (PaymentAttempt, OrderHistory) async throws(PaymentTokenError) -> OrderOutcome?
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
            if let outcome = try await body(attempt, history) { return outcome }
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

    // MARK: The attempt

    /// Claims the order and the token, and charges.
    ///
    /// - Returns: The state of the order; nil if the records have changed, and nothing was done.
    private func charge(
        _ attempt: PaymentAttempt, of order: Order, with opened: OpenedToken,
        after history: OrderHistory
    ) async throws(PaymentTokenError) -> OrderOutcome? {
        let (token, transaction) = (opened.token.identity, opened.request.transaction)
        let earlier = history.records.last {
            $0.contents.transactions.contains(transaction) && $0.state != .released
        }
        if let earlier { return earlier.outcome(isTest: gateway.isTest).about(token) }
        var attempt = attempt
        attempt.isAmountSigned = opened.payment?.data.amount == order.amount
        try permission.claim()
        let begun: OrderRecord?
        do throws(PaymentTokenError) {
            begun = try await begin(attempt, claiming: opened.request, after: history)
        } catch {
            opened.observation?.end(refusal: error)
            throw error.about(token)
        }
        guard let record = begun else { return nil }
        opened.observation?.end()
        let charge = OrderCharge(
            payments: self,
            accepted: AcceptedPayment(order, attempt, opened.token, opened.payment),
            record: record,
            earlier: EarlierPayment(
                payments: self, record: record, history: history,
                isRepeatable: gateway.abilities.repetition && attempt.sessionID == nil))
        do throws(PaymentTokenError) {
            return try await charge.outcome().about(token)
        } catch {
            throw error.about(token)
        }
    }

    /// Stores an attempt that begins, and claims its transaction.
    ///
    /// - Returns: The attempt as it is stored; nil if the records have changed.
    /// - Throws: `replay` with the code of the ledger.
    private func begin(
        _ attempt: PaymentAttempt, claiming request: ClaimRequest?, after history: OrderHistory
    ) async throws(PaymentTokenError) -> OrderRecord? {
        let now = time.now()
        var record = OrderRecord(
            attempt, request?.transaction, at: gateway, owner: OrderOwner.name,
            slotBeginning: history.nextSlotBeginning, at: now)
        record.schedule(at: now)
        record.row = try record.encoded()
        let row = record.row
        let isBegun = try await stored { () throws(LedgerError) in
            try await ledger.begin(row, claiming: request, after: history.last?.row)
        }
        return isBegun ? record : nil
    }

    /// Creates the page of an attempt, and records it.
    ///
    /// - Returns: The state of the order; nil if the records have changed, and the customer can pay on no page.
    /// - Throws: `gateway/not-sent` if there is no page, `replay/ledger-unavailable` if it is not recorded.
    private func createPage(
        with call: PaymentCall, _ record: OrderRecord, _ earlier: EarlierPayment
    ) async throws(PaymentTokenError) -> OrderOutcome? {
        let outcome: OrderOutcome
        do throws(PaymentTokenError) {
            if let found = try await earlier.outcome(try await earlier.loss()) {
                outcome = found
            } else {
                outcome = try await transport.outcome(of: call)
                guard !outcome.isUncertain else {
                    // Nobody gets the address of a page that may exist.
                    throw PaymentTokenError(.notSent, reason: outcome.reason)
                }
            }
        } catch {
            _ = try? await release(record, byOwner: true)
            throw error
        }
        var created = record
        created.row.state = .open
        created.apply(outcome, canReopen: true, at: time.now())
        guard let stored = try await replace(record, with: created) else { return nil }
        return completed(outcome, stored)
    }

    /// Ends an attempt whose owner was silent before `sending`: releases it, or opens it if `sending` may be lost.
    ///
    /// - Returns: Whether it is released.
    /// - Throws: `replay/ledger-unavailable`.
    @discardableResult
    func end(_ record: OrderRecord) async throws(PaymentTokenError) -> Bool {
        let missing = try await missingBefore()
        guard let missing, record.row.change <= missing else {
            return try await release(record, byOwner: false)
        }
        var opened = record
        opened.row.state = .open
        opened.schedule(at: time.now())
        _ = try await replace(record, with: opened)
        return false
    }

    /// Releases an attempt of which nothing that can move money was sent.
    ///
    /// - Parameters:
    ///   - record: The attempt.
    ///   - isOwner: Whether the attempt's owner releases it: then its transaction can be claimed again.
    /// - Returns: Whether it is released; otherwise somebody else has changed it.
    /// - Throws: `replay/ledger-unavailable`.
    @discardableResult
    func release(
        _ record: OrderRecord, byOwner isOwner: Bool
    ) async throws(PaymentTokenError) -> Bool {
        var released = record
        released.row.state = .released
        released.schedule(at: time.now())
        return try await replace(
            record, with: released, freeing: isOwner ? record.contents.transactions : []) != nil
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
