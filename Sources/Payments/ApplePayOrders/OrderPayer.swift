internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

/// Pays orders: decides whether an order gets an attempt, opens and claims the token, and begins the attempt.
///
/// ``OrderCharge`` sends the payment then.
struct OrderPayer: Sendable {
    let opener: TokenOpener
    let inquirer: OrderInquirer
    let permission: OrderPermission

    var book: OrderBook { inquirer.book }
    var gateway: any PaymentGateway { inquirer.gateway }
    var time: OrderTime { inquirer.time }

    /// Pays an order with a token; see ``OrderPayments/pay(_:for:form:agePolicy:session:again:)``.
    func pay(
        _ text: some Collection<UInt8>, _ form: TokenForm, _ agePolicy: AgePolicy, for order: Order,
        session: ExactText?, again serial: ExactText?
    ) async throws(PaymentError) -> OrderOutcome {
        if let session {
            guard gateway.abilities.takesSessions else {
                throw .gateway(.unsupportedOperation, "session")
            }
            // It comes from the shop's page or app, and is stored before the gateway judges it.
            try FieldLength.check(session, "session", 1...255)
            try FieldCharacters.checkVisible(session, "session")
        }
        var opened: OpenedToken?
        return try await charge(order, session: session, again: serial) {
            () async throws(PaymentError) in
            let token: OpenedToken
            if let opened {
                token = opened
            } else {
                token = try await opener.open(text, form, agePolicy, order)
                opened = token
            }
            return .token(token)
        }
    }

    /// Pays an order with a stored card; see ``OrderPayments/pay(_:for:initiator:again:)``.
    func pay(
        _ card: StoredCard, by initiator: PaymentInitiator, for order: Order,
        again serial: ExactText?
    ) async throws(PaymentError) -> OrderOutcome {
        try card.check(for: initiator, at: gateway)
        return try await charge(order, session: nil, again: serial) {
            () async throws(PaymentError) in .card(card.details, initiator)
        }
    }

    /// Pays an order with what `open` returns, which is called only if the order gets an attempt.
    private func charge(
        _ order: Order, session: ExactText?, again serial: ExactText?,
        _ open: () async throws(PaymentError) -> PaymentMeans
    ) async throws(PaymentError) -> OrderOutcome {
        var isCharged = false
        var outcome = try await makeAttempt(order, again: serial, usesKey: session == nil) {
            start, history throws(PaymentError) in
            let means = try await open()
            let earlier = history.records.last { record in
                means.claim.map { record.contents.transactions.contains($0.transaction) } == true
                    && record.state != .released
            }
            if let earlier { return earlier.outcome.about(means) }
            try permission.claim()
            do throws(PaymentError) {
                switch start {
                case .takeOver(let record):
                    var charge = OrderCharge(self, order, means, record, after: history, nil)
                    let outcome = try await charge.pay().about(means)
                    isCharged = true
                    return outcome
                case .attempt(var attempt, let mayBeLost):
                    attempt.sessionID = session
                    attempt.isAmountSigned = means.isSigned(order)
                    guard let record = try await begin(attempt, means, after: history) else {
                        return nil
                    }
                    var charge = OrderCharge(
                        self, order, means, record, after: history,
                        EarlierPayment(inquirer, record, history, order, mayBeLost))
                    let outcome = try await charge.pay().about(means)
                    isCharged = true
                    return outcome
                }
            } catch {
                throw means.identity.map(error.about) ?? error
            }
        }
        // While an order may have lost its attempts, it has none.
        if !isCharged, outcome.payment != nil { outcome.isRepeated = true }
        return outcome
    }

    /// Creates a page on which the customer pays an order; see ``OrderPayments/page(for:again:)``.
    func createPage(
        for order: Order, again serial: ExactText?
    ) async throws(PaymentError) -> OrderOutcome {
        guard gateway.abilities.hasPages else { throw .gateway(.unsupportedOperation, "page") }
        return try await makeAttempt(order, again: serial, usesKey: false) {
            start, history throws(PaymentError) in
            guard case .attempt(var attempt, let mayBeLost) = start else { return nil }
            attempt.isAmountSigned = false
            _ = try gateway.page(for: order, attempt: attempt)
            try permission.claim()
            guard let record = try await begin(attempt, nil, after: history) else {
                return nil
            }
            return try await createPage(
                for: order, record, EarlierPayment(inquirer, record, history, order, mayBeLost))
        }
    }

    // MARK: Whether an order gets an attempt

    /// How a call pays an order.
    private enum Start {
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
    ///   - pay: Makes the attempt; returns nil if the records have changed, and nothing was done.
    /// - Returns: The state of the order.
    /// - Throws: The errors of `pay`, after those of the ledger and the order.
    private func makeAttempt(
        _ order: Order, again serial: ExactText?, usesKey: Bool,
        _ pay: (Start, OrderHistory) async throws(PaymentError) -> OrderOutcome?
    ) async throws(PaymentError) -> OrderOutcome {
        // Another call can begin an attempt, or release one, between reading and writing; then the records are read again.
        for _ in 0..<4 {
            let history = try await book.history(of: order.reference)
            try history.compare(with: order, at: gateway)
            if let serial, !history.records.contains(where: { $0.row.serial == serial }) {
                throw history.noAttempt(serial, of: order.reference, members: ["again"])
            }
            var start: Start
            switch try await next(history, again: serial, usesKey) {
            case .outcome(let outcome): return outcome
            case .changed: continue
            case .takeOver(let record): start = .takeOver(record)
            case .attempt:
                let attempt = try history.nextAttempt(of: order, at: gateway)
                try gateway.check(order, attempt: attempt)
                if attempt.slot == 1 { try checkLaterReference(of: order) }
                start = .attempt(attempt, mayBeLost: false)
                switch try await book.loss(of: order, after: history) {
                case .none: break
                case .askable: start = .attempt(attempt, mayBeLost: true)
                case .waiting(let end):
                    let text = InternetTime.text(end) ?? ""
                    return OrderOutcome(
                        .pending, nil, "\(OrderOutcome.restored): it can be paid from \(text)")
                }
            }
            do throws(PaymentError) {
                if let outcome = try await pay(start, history) { return outcome }
            } catch {
                guard case .takeOver(let record) = start,
                    ![.alreadyClaimed, .ledgerUnavailable].contains(error.code)
                else {
                    throw error
                }
                return try await unrepeated(record, error)
            }
        }
        throw .recordChanges
    }

    /// Returns the state of an order whose open attempt did not go on with another token: it may be paid, whatever is wrong with
    /// the token.
    private func unrepeated(
        _ record: OrderRecord, _ error: PaymentError
    ) async throws(PaymentError) -> OrderOutcome {
        let history = try await book.history(of: record.attempt.orderReference)
        var outcome = (history.current(record) ?? record).outcome
        outcome.unanswered = error.cause
        return outcome
    }

    /// Checks that the gateway also accepts the reference of a second payment, for a customer whose first card is declined.
    ///
    /// - Throws: Those of `PaymentGateway.check(_:attempt:)`.
    private func checkLaterReference(of order: Order) throws(PaymentError) {
        let later = try PaymentAttempt(order, slot: 2, at: gateway)
        do throws(PaymentError) {
            try gateway.check(order, attempt: later)
        } catch {
            throw error.because(
                "after a refusal the order is paid with the reference \(later.reference)")
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
        _ history: OrderHistory, again serial: ExactText?, _ usesKey: Bool
    ) async throws(PaymentError) -> Next {
        if let second = history.second { return .outcome(second.outcome(in: history)) }
        guard let last = history.deciding else { return .attempt }
        switch last.state {
        case .released, .refused: return .attempt
        case .givenUp:
            guard try await holds(last, history) else {
                // A person has to decide again.
                try await book.open(last)
                return .changed
            }
            // The decision trusted the key.
            guard usesKey || !book.isUnderWay(last) || !book.trustsKey(last) else {
                throw .notSent(
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
            try await book.end(last)
            return .changed
        case .claimed: return .outcome(last.outcome)
        case .sending where !last.isSilent(at: time.now()): return .outcome(last.inProgress)
        case .sending, .open:
            if usesKey, try await canTakeOver(last, history) { return .takeOver(last) }
            return .outcome(try await inquirer.ask(about: last, in: history).outcome)
        }
    }

    /// Returns whether an open attempt of which nothing was heard can go on with another token: the gateway cannot be asked
    /// about it, gives its first answer for the key whatever the request contains, and still remembers it.
    private func canTakeOver(
        _ record: OrderRecord, _ history: OrderHistory
    ) async throws(PaymentError) -> Bool {
        guard gateway.abilities.ignoresRepeatedBody, book.trustsKey(record),
            (try? gateway.status(of: record.attempt)) == nil
        else { return false }
        return book.isKeyRemembered(
            since: record.contents.slotBeginning, latest: try await book.latestTime(history))
    }

    /// Returns whether a person's decision that an attempt made no payment permits another one.
    ///
    /// A decision within the key's time trusts the key, so it holds as long as the gateway remembers it.
    private func holds(
        _ record: OrderRecord, _ history: OrderHistory
    ) async throws(PaymentError) -> Bool {
        guard let decision = record.decision,
            decision.time.timeIntervalSince(record.lastRequest) < Limits.settling
        else { return true }
        return book.isKeyRemembered(
            since: record.contents.slotBeginning, latest: try await book.latestTime(history))
    }

    // MARK: The attempt

    /// Stores an attempt that begins, and claims its transaction; without means the customer pays on a page.
    ///
    /// - Returns: The attempt as it is stored; nil if the records have changed.
    /// - Throws: `replay` with the code of the ledger.
    private func begin(
        _ attempt: PaymentAttempt, _ means: PaymentMeans?, after history: OrderHistory
    ) async throws(PaymentError) -> OrderRecord? {
        // The age of a key that is forgotten begins anew: nothing with it is under way.
        var slotBeginning = history.nextSlotAttempts(at: gateway).last?.contents.slotBeginning
        if let beginning = slotBeginning,
            !book.isKeyRemembered(since: beginning, latest: try await book.latestTime(history))
        {
            slotBeginning = nil
        }
        return try await book.begin(
            attempt, claiming: means?.claim, by: means?.initiator, slotBeginning: slotBeginning,
            after: history)
    }

    /// Creates the page of an attempt, and records it.
    ///
    /// - Returns: The state of the order; nil if the records have changed, and the customer can pay on no page.
    /// - Throws: `gateway/not-sent` if there is no page, `replay/ledger-unavailable` if it is not recorded.
    private func createPage(
        for order: Order, _ record: OrderRecord, _ earlier: EarlierPayment
    ) async throws(PaymentError) -> OrderOutcome? {
        var created = record
        created.row.state = .open
        let outcome: OrderOutcome
        do throws(PaymentError) {
            switch try await earlier.find() {
            case .own(let found, let attempt):
                created.contents.attempt = attempt
                outcome = found
            case .second(let report):
                created.row.state = .released
                created.contents.addSecond(report.paymentID)
                return try await book.replace(record, with: created)?.outcome(in: earlier.history)
            case .none(let attempt):
                created.contents.attempt = attempt
                outcome = try await inquirer.transport.outcome(
                    of: try gateway.page(for: order, attempt: attempt))
                guard !outcome.isUncertain else {
                    // Nobody gets the address of a page that may exist.
                    throw PaymentError(.notSent, reason: outcome.reason?.description)
                }
            }
        } catch {
            _ = try? await book.release(record, byOwner: true)
            throw error
        }
        created.apply(outcome, canReopen: true, at: time.now())
        guard let replaced = try await book.replace(record, with: created) else { return nil }
        return outcome.completed(with: replaced, isAnswered: true)
    }
}

extension OrderOutcome {
    fileprivate func about(_ means: PaymentMeans) -> OrderOutcome {
        var outcome = self
        outcome.token = means.identity
        outcome.hasDeviceNumber = means.hasDeviceNumber
        return outcome
    }
}
