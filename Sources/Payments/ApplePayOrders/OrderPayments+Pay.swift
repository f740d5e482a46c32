public import ApplePayGateways
internal import ApplePayLedger
public import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension OrderPayments {
    /// Pays an order with a token, once.
    ///
    /// If the order has an attempt already, its state is returned: it was asked again if it was open, and it is `pending` with
    /// the reason `OrderOutcome.inProgress` while another call or process pays. Nothing is sent then, except that a gateway which
    /// gives its first answer for a key whatever the request contains gets the request of an open attempt again, with this
    /// token. Only after an attempt that was released, or refused by the gateway or a person, does the order get another one,
    /// and after one that was returned if `again` says so. It never throws after something that can move money was sent.
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
        return try await attempt(order, again: serial, usesKey: session == nil) {
            begun, history throws(PaymentTokenError) in
            let token: OpenedToken
            if let opened {
                token = opened
            } else {
                token = try await opener.open(text, form, agePolicy, order)
                opened = token
            }
            switch begun {
            case .takeOver(let record):
                return try await pay(order, with: token, takingOver: record, history)
            case .attempt(var attempt, let mayBeLost):
                attempt.sessionID = session
                return try await charge(
                    attempt, of: order, with: token, after: history, mayBeLost)
            }
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
    /// - Throws: ``PaymentTokenError``: `gateway/unsupported-operation` for a gateway without pages; then
    ///   `replay/ledger-unavailable`, `order` with codes `reference-changed` and `invalid-reference`, those of
    ///   `PaymentGateway.page(for:_:)`, and `gateway/not-sent`. The customer can pay on no page then.
    public func page(
        for order: Order, again serial: String? = nil
    ) async throws(PaymentTokenError) -> OrderOutcome {
        guard gateway.abilities.hasPages else { throw .gateway(.unsupportedOperation, "page") }
        return try await attempt(order, again: serial, usesKey: false) {
            begun, history throws(PaymentTokenError) in
            guard case .attempt(var attempt, let mayBeLost) = begun else { return nil }
            attempt.isAmountSigned = false
            _ = try gateway.page(for: order, attempt)
            try permission.claim()
            let record = try await begin(attempt, claiming: nil, after: history)
            guard let record else { return nil }
            let earlier = EarlierPayment(
                payments: self, record: record, history: history, order: order,
                mayBeLost: mayBeLost)
            return try await createPage(for: order, record, earlier)
        }
    }

    /// What a call does to pay an order.
    private enum Beginning {
        /// It begins an attempt; earlier ones may have been lost with the ledger.
        case attempt(PaymentAttempt, mayBeLost: Bool)
        /// It goes on with an open attempt.
        case takeOver(OrderRecord)
    }

    /// Makes an attempt to pay an order, unless it has a payment or gets no other attempt.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - serial: The serial of the last attempt, if the shop wants a returned order paid again.
    ///   - usesKey: Whether the payment is sent with the slot's key: one in a session or on a page is not.
    ///   - body: Makes the attempt; returns nil if the records have changed, and nothing was done.
    /// - Returns: The state of the order.
    /// - Throws: The errors of `body`, after those of the ledger and the order.
    private func attempt(
        _ order: Order, again serial: String?, usesKey: Bool,
        _ body: (Beginning, OrderHistory) async throws(PaymentTokenError) -> OrderOutcome?
    ) async throws(PaymentTokenError) -> OrderOutcome {
        // Another call can begin an attempt, or release one, between reading and writing; then the records are read again.
        for _ in 0..<4 {
            let history = try await history(of: order.reference)
            if let difference = history.difference(from: order, at: gateway) {
                throw PaymentTokenError(
                    .referenceChanged, members: [difference])
            }
            switch try await next(history, again: serial, usesKey) {
            case .outcome(let outcome): return outcome
            case .changed: continue
            case .takeOver(let record):
                if let outcome = try await body(.takeOver(record), history) { return outcome }
                continue
            case .attempt: break
            }
            let attempt = try history.nextAttempt(of: order, at: gateway)
            try gateway.check(order, attempt)
            if attempt.slot == 1 { try checkLaterReference(of: order) }
            let mayBeLost: Bool
            switch try await loss(of: order, after: history) {
            case .none: mayBeLost = false
            case .askable: mayBeLost = true
            case .waiting(let time):
                return OrderOutcome(
                    .pending, nil,
                    "\(OrderOutcome.restored): it can be paid from \(InternetTime.text(time) ?? "")"
                )
            }
            if let outcome = try await body(.attempt(attempt, mayBeLost: mayBeLost), history) {
                return outcome
            }
        }
        throw PaymentTokenError.recordChanges
    }

    /// Checks that the gateway also accepts the reference of a second payment, for a customer whose first card is declined.
    ///
    /// - Throws: Those of `PaymentGateway.check(_:_:)`.
    private func checkLaterReference(of order: Order) throws(PaymentTokenError) {
        let later = try PaymentAttempt(order, slot: 2, at: gateway)
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
        /// The order's attempt goes on with another token.
        case takeOver(OrderRecord)
    }

    /// Decides whether an order gets another attempt.
    private func next(
        _ history: OrderHistory, again serial: String?, _ usesKey: Bool
    ) async throws(PaymentTokenError) -> Next {
        if let second = history.second { return .outcome(second.outcome) }
        guard let last = history.deciding else { return .attempt }
        switch last.state {
        case .released, .refused: return .attempt
        case .givenUp:
            guard try await holds(last, history) else {
                // A person has to decide again.
                try await open(last)
                return .changed
            }
            // The decision trusted the key.
            guard usesKey || !isUnderWay(last) || !trustsKey(last) else {
                throw PaymentTokenError(
                    .notSent,
                    reason:
                        "an earlier request of this order may still be carried out; try again a day after it, or pay "
                        + "with a token and without a session")
            }
            return .attempt
        case .returned:
            let outcome = last.outcome
            let isPermitted = serial == last.row.serial && outcome.returnCause != .chargeback
            return isPermitted ? .attempt : .outcome(outcome)
        case .paid: return .outcome(last.outcome)
        case .claimed where last.isSilent(at: time.now()):
            try await end(last)
            return .changed
        case .claimed: return .outcome(last.outcome)
        case .sending where !last.isSilent(at: time.now()): return .outcome(last.inProgress)
        case .sending, .open:
            if usesKey, try await canTakeOver(last, history) { return .takeOver(last) }
            return .outcome(try await asked(about: last, in: history).outcome)
        }
    }

    /// Returns whether an open attempt of which nothing was heard can go on with another token: the gateway cannot be asked
    /// about it, gives its first answer for the key whatever the request contains, and still remembers it.
    private func canTakeOver(
        _ record: OrderRecord, _ history: OrderHistory
    ) async throws(PaymentTokenError) -> Bool {
        guard gateway.abilities.ignoresRepeatedBody, trustsKey(record),
            (try? gateway.status(of: record.attempt)) == nil
        else { return false }
        return isKeyRemembered(
            since: record.contents.slotBeginning, latest: try await latestTime(history))
    }

    /// Returns whether a person's decision that an attempt made no payment permits another one.
    ///
    /// A decision within the key's time trusts the key, so it holds as long as the gateway remembers it.
    private func holds(
        _ record: OrderRecord, _ history: OrderHistory
    ) async throws(PaymentTokenError) -> Bool {
        guard let decision = record.decision,
            decision.time.timeIntervalSince(record.lastRequest) < Limits.settling
        else { return true }
        return isKeyRemembered(
            since: record.contents.slotBeginning, latest: try await latestTime(history))
    }

    /// Returns whether a request of an attempt may still be under way.
    private func isUnderWay(_ record: OrderRecord) -> Bool {
        time.now().timeIntervalSince(record.lastRequest) < Limits.settling
    }

    /// Returns whether the slot's key, as long as it is remembered, protects an attempt: it was sent, not made in a session or
    /// on a page.
    func trustsKey(_ record: OrderRecord) -> Bool {
        !record.isPage && record.attempt.sessionID == nil && record.isAt(gateway)
    }

    // MARK: The attempt

    /// Claims the order and the token, and charges.
    ///
    /// - Returns: The state of the order; nil if the records have changed, and nothing was done.
    private func charge(
        _ attempt: PaymentAttempt, of order: Order, with opened: OpenedToken,
        after history: OrderHistory, _ mayBeLost: Bool
    ) async throws(PaymentTokenError) -> OrderOutcome? {
        let token = opened.token.identity
        if let earlier = earlier(with: opened, history) { return earlier }
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
        var charge = OrderCharge(
            self, order, opened, record, after: history,
            EarlierPayment(
                payments: self, record: record, history: history, order: order,
                mayBeLost: mayBeLost))
        do throws(PaymentTokenError) {
            return try await charge.outcome().about(token)
        } catch {
            throw error.about(token)
        }
    }

    /// Goes on with an open attempt: claims the token for it, and sends the request again with the slot's key.
    private func pay(
        _ order: Order, with opened: OpenedToken, takingOver record: OrderRecord,
        _ history: OrderHistory
    ) async throws(PaymentTokenError) -> OrderOutcome {
        let token = opened.token.identity
        if let earlier = earlier(with: opened, history) { return earlier }
        try permission.claim()
        var charge = OrderCharge(self, order, opened, record, after: history, nil)
        do throws(PaymentTokenError) {
            let outcome = try await charge.outcome()
            opened.observation?.end()
            return outcome.about(token)
        } catch {
            opened.observation?.end(refusal: error)
            throw error.about(token)
        }
    }

    /// Returns the state of an earlier attempt of the order that has a token's transaction; nil if there is none.
    private func earlier(with opened: OpenedToken, _ history: OrderHistory) -> OrderOutcome? {
        history.records.last {
            $0.contents.transactions.contains(opened.request.transaction) && $0.state != .released
        }?.outcome.about(opened.token.identity)
    }

    /// Stores an attempt that begins, and claims its transaction.
    ///
    /// - Returns: The attempt as it is stored; nil if the records have changed.
    /// - Throws: `replay` with the code of the ledger.
    private func begin(
        _ attempt: PaymentAttempt, claiming request: ClaimRequest?, after history: OrderHistory
    ) async throws(PaymentTokenError) -> OrderRecord? {
        let now = time.now()
        // The age of a key that is forgotten begins anew: nothing with it is under way.
        let beginning = history.nextSlotAttempts(at: gateway).last?.contents.slotBeginning
        var isKept = false
        if let beginning {
            isKept = isKeyRemembered(since: beginning, latest: try await latestTime(history))
        }
        var record = OrderRecord(
            attempt, request?.transaction, at: gateway, owner: OrderOwner.name,
            slotBeginning: isKept ? beginning : nil, at: now)
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
        for order: Order, _ record: OrderRecord, _ earlier: EarlierPayment
    ) async throws(PaymentTokenError) -> OrderOutcome? {
        var created = record
        created.row.state = .open
        let outcome: OrderOutcome
        do throws(PaymentTokenError) {
            switch try await earlier.find() {
            case .own(let found, let attempt):
                created.contents.attempt = attempt
                outcome = found
            case .second(let report):
                created.row.state = .released
                created.contents.addSecond(report.paymentID)
                guard let stored = try await replace(record, with: created) else { return nil }
                return stored.outcome
            case .none(let attempt):
                created.contents.attempt = attempt
                outcome = try await transport.outcome(of: try gateway.page(for: order, attempt))
                guard !outcome.isUncertain else {
                    // Nobody gets the address of a page that may exist.
                    throw PaymentTokenError(.notSent, reason: outcome.reason)
                }
            }
        } catch {
            _ = try? await release(record, byOwner: true)
            throw error
        }
        created.apply(outcome, canReopen: true, at: time.now())
        guard let stored = try await replace(record, with: created) else { return nil }
        return completed(outcome, stored, isAnswered: true)
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
        try await open(record)
        return false
    }

    /// Opens an attempt that ended, or that has not begun, because it may have a payment.
    private func open(_ record: OrderRecord) async throws(PaymentTokenError) {
        var opened = record
        opened.row.state = .open
        opened.schedule(at: time.now())
        _ = try await replace(record, with: opened)
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
