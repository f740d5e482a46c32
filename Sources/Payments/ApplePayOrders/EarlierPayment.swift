internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayToken
internal import FoundationEssentials

/// The payment that an order may have already when an attempt begins: of an earlier attempt in the same slot, or of one that
/// was lost with the ledger.
struct EarlierPayment {
    let payments: OrderPayments
    /// The attempt that begins.
    let record: OrderRecord
    /// The order's earlier attempts.
    let history: OrderHistory
    let order: Order
    /// Whether attempts of the order may have been lost with the ledger.
    let mayBeLost: Bool

    /// What the gateway has of an earlier attempt.
    enum Finding {
        /// Nothing that prevents a payment in this slot.
        case none(PaymentAttempt)
        /// A payment that this library requested, in this slot.
        case own(OrderOutcome, PaymentAttempt)
        /// Another payment that holds money.
        case second(PaymentReport)
    }

    /// Asks for a payment that the order may have.
    ///
    /// In a slot that was used, the gateway decided, or a person, that there is none; it is asked nevertheless where it can be.
    /// After a loss every slot up to the first one without a payment is asked for.
    ///
    /// - Returns: What was found.
    /// - Throws: `gateway/not-sent` if the gateway did not answer.
    func find() async throws(PaymentTokenError) -> Finding {
        // A key that is remembered prevents a second payment, and a page or session follows only a refused request then.
        let isSlotOpen =
            !history.nextSlotAttempts(at: payments.gateway).isEmpty
            && record.contents.slotBeginning == record.row.beginning
        guard isSlotOpen || mayBeLost else { return .none(record.attempt) }
        // The session or page is new; what may have been paid has the reference.
        var attempt = record.attempt
        attempt.sessionID = nil
        let hasMark = [.field, .reference].contains(payments.gateway.abilities.mark)
        for _ in 0..<Self.slots {
            var asked = record
            asked.contents.attempt = attempt
            let reports = try await payments.reports(byReferenceOf: attempt)
            let all = reports.flatMap(\.all)
            if !hasMark, mayBeLost, let open = all.first(where: \.canBeMade)?.paymentID {
                throw PaymentTokenError(.notSent, reason: OrderPayments.canStillBeMade(open))
            }
            let found = reports.map { asked.evidence(in: $0, at: payments.gateway, in: history) }
            if let second = found.flatMap(\.others).first { return .second(second) }
            let own = found.compactMap(\.own).first.map(asked.outcome)
            if let own, own.state != .refused { return .own(own, attempt) }
            // Where the gateway repeats no mark, the refused payment may be another channel's: leaving its slot does no harm.
            let isRefused =
                own != nil
                || !hasMark && reports.first?.all.contains { $0.meaning == .refused } == true
            guard mayBeLost, isRefused else { break }
            attempt = try PaymentAttempt(order, slot: attempt.slot + 1, at: payments.gateway)
        }
        attempt.sessionID = record.attempt.sessionID
        attempt.isAmountSigned = record.attempt.isAmountSigned
        return .none(attempt)
    }

    /// The greatest number of slots that are asked for.
    private static let slots = 100
}

extension OrderPayments {
    /// The questions for the payments in an attempt's slot by reference, and for those of other channels, if these have another
    /// one: their reference is the order's.
    func questions(byReferenceOf attempt: PaymentAttempt) -> [PaymentCall] {
        var own = attempt
        (own.paymentID, own.sessionID) = (nil, nil)
        var bare = own
        bare.reference = attempt.orderReference
        let isSame = own.reference.utf8.elementsEqual(bare.reference.utf8)
        return (isSame ? [own] : [own, bare]).compactMap { try? gateway.status(of: $0) }
    }

    /// Asks for the payments in an attempt's slot by reference, and for those of other channels.
    ///
    /// - Returns: The answers; none if the gateway cannot be asked so.
    /// - Throws: `gateway/not-sent` if the gateway did not answer.
    func reports(
        byReferenceOf attempt: PaymentAttempt
    ) async throws(PaymentTokenError) -> [PaymentReport] {
        var reports: [PaymentReport] = []
        for query in questions(byReferenceOf: attempt) {
            guard let report = try await transport.outcome(of: query).report, report.fault == nil
            else {
                throw PaymentTokenError(
                    .notSent,
                    reason: "the gateway did not answer whether the order has a payment")
            }
            reports.append(report)
        }
        return reports
    }

    /// Returns the reason why nothing else is done about an order: a payment of it can still be made.
    static func canStillBeMade(_ paymentID: String) -> String {
        "the gateway has the payment \(paymentID), which can still be made; cancel it there, or wait until it ends"
    }

    /// Returns the questions by reference that were not asked with the last question, which find other payments than an attempt's.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - asked: The attempt as the gateway was asked for it: the answer to a question by an identifier contains no others.
    /// - Returns: The questions.
    func questionsAboutOthers(
        than attempt: PaymentAttempt, after asked: PaymentAttempt
    ) -> ArraySlice<PaymentCall> {
        let isByReference =
            asked.paymentID == nil && asked.sessionID == nil
            || !gateway.abilities.status.contains(.identifier)
        return questions(byReferenceOf: attempt).dropFirst(isByReference ? 1 : 0)
    }

    /// Returns whether an order that gets another attempt may have lost some with the ledger.
    ///
    /// - Throws: ``PaymentTokenError``: `replay/ledger-unavailable`; `gateway/not-sent` (`created`) if the gateway cannot be asked,
    ///   and the order states no time at which it had no payment yet.
    func loss(
        of order: Order, after history: OrderHistory
    ) async throws(PaymentTokenError) -> Loss {
        let known = try await stored { () async throws(LedgerError) -> LedgerHistory in
            try await ledger.history
        }
        // The attempts of an order that is older than the ledger may be in another one.
        let isOlder = order.created.map { $0 < known.created } ?? false
        let restored =
            isOlder ? max(known.restored ?? known.created, known.created) : known.restored
        guard let time = known.canLoseAttempts ? Date.distantFuture : restored else {
            return .none
        }
        let now = self.time.now()
        // A person has looked at the gateway's books since.
        if let decision = history.deciding?.decision, decision.time > time { return .none }
        if let created = order.created {
            guard created.timeIntervalSince(now) <= Limits.afterRestore else {
                throw PaymentTokenError(
                    .notSent, members: ["created"],
                    reason: "the order's time is in the future")
            }
            if created.timeIntervalSince(time) > Limits.afterRestore { return .none }
            // Attempts can be lost at any time, but the gateway still has the key of each.
            if time > now, gateway.abilities.ignoresRepeatedBody,
                isKeyRemembered(since: created, latest: nil)
            {
                return .none
            }
        }
        let age = now.timeIntervalSince(time)
        guard age < Limits.restored else { return .none }
        guard gateway.abilities.status.contains(.reference) else {
            throw PaymentTokenError(
                .notSent, members: ["created"],
                reason:
                    "the ledger was restored, and an earlier payment of this order cannot be asked for; state when the "
                    + "shop stored the order, adopt the payment that the gateway's books contain, or decide that they "
                    + "contain none"
            )
        }
        return !known.canLoseAttempts && age < Limits.settling
            ? .waiting(until: time.addingTimeInterval(Limits.settling)) : .askable
    }

    /// What an order may have lost with the ledger.
    enum Loss {
        /// Nothing.
        case none
        /// Attempts; the gateway can be asked for them.
        case askable
        /// Attempts, whose requests may still be under way until a time.
        case waiting(until: Date)
    }

    /// Returns the latest time that the ledger stored, of the order and in its newest rows.
    ///
    /// - Throws: `replay/ledger-unavailable`.
    func latestTime(_ history: OrderHistory) async throws(PaymentTokenError) -> Date? {
        let latest = try await stored { () async throws(LedgerError) -> Date? in
            try await ledger.latestTime
        }
        return [latest, history.latest].compactMap(\.self).max()
    }

    /// Returns whether the gateway still remembers a key, by the latest time that is known: a server's clock may be behind.
    ///
    /// - Parameters:
    ///   - beginning: When the first request with the key may have been sent.
    ///   - latest: The latest time that the ledger stored; nil if there is none.
    /// - Returns: Whether it does; false at a gateway without keys.
    func isKeyRemembered(since beginning: Date, latest: Date?) -> Bool {
        guard gateway.abilities.repetition else { return false }
        let now = time.now()
        let latest = latest ?? now
        guard latest.timeIntervalSince(now) <= Limits.keyMargin else { return false }
        return max(now, latest).timeIntervalSince(beginning)
            < Double(gateway.abilities.keyHours) * 3_600 - Limits.keyMargin
    }
}
