internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

/// The payment that an order may have already when an attempt begins: of an earlier attempt in the same slot, or of one that
/// was lost with the ledger.
struct EarlierPayment {
    private let inquirer: OrderInquirer
    /// The attempt that begins.
    private let record: OrderRecord
    /// The order's earlier attempts.
    let history: OrderHistory
    private let order: Order
    /// Whether attempts of the order may have been lost with the ledger.
    let mayBeLost: Bool

    init(
        _ inquirer: OrderInquirer, _ record: OrderRecord, _ history: OrderHistory, _ order: Order,
        _ mayBeLost: Bool
    ) {
        self.inquirer = inquirer
        self.record = record
        self.history = history
        self.order = order
        self.mayBeLost = mayBeLost
    }

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
    func find() async throws(PaymentError) -> Finding {
        let gateway = inquirer.gateway
        // A key that is remembered prevents a second payment, and a page or session follows only a refused request then.
        let isSlotOpen =
            !history.nextSlotAttempts(at: gateway).isEmpty
            && record.contents.slotBeginning == record.row.beginning
        guard isSlotOpen || mayBeLost else { return .none(record.attempt) }
        // The session or page is new; what may have been paid has the reference.
        var attempt = record.attempt
        attempt.sessionID = nil
        let hasMark = [.field, .reference].contains(gateway.abilities.mark)
        for _ in 0..<Self.slots {
            var asked = record
            asked.contents.attempt = attempt
            let reports = try await inquirer.reports(byReferenceOf: attempt)
            let all = reports.flatMap(\.all)
            if !hasMark, mayBeLost, let open = all.first(where: \.canBeMade)?.paymentID {
                throw .notSent(PaymentReport.canStillBeMade(open))
            }
            let found = reports.map { asked.evidence(in: $0, at: gateway, in: history) }
            if let second = found.flatMap(\.others).first { return .second(second) }
            let own = found.compactMap(\.own).first.map(asked.outcome)
            if let own, own.state != .refused { return .own(own, attempt) }
            // The refused payment may be another channel's: leaving its slot does no harm.
            let isRefused = reports.first?.all.contains { $0.meaning == .refused } ?? false
            guard mayBeLost, isRefused else { break }
            attempt = try PaymentAttempt(order, slot: attempt.slot + 1, at: gateway)
        }
        attempt.sessionID = record.attempt.sessionID
        attempt.isAmountSigned = record.attempt.isAmountSigned
        return .none(attempt)
    }

    /// The greatest number of slots that are asked for.
    private static let slots = 100
}

extension PaymentReport {
    /// Returns the reason why nothing else is done about an order: a payment of it can still be made.
    static func canStillBeMade(_ paymentID: ExactText) -> String {
        "the gateway has the payment \(paymentID), which can still be made; cancel it there, or wait until it ends"
    }
}

extension OrderBook {
    /// Returns whether an order that gets another attempt may have lost some with the ledger.
    ///
    /// - Throws: ``PaymentError``: `replay/ledger-unavailable`; `gateway/not-sent` (`created`) if the gateway cannot be asked,
    ///   and the order states no time at which it had no payment yet.
    func loss(
        of order: Order, after history: OrderHistory
    ) async throws(PaymentError) -> Loss {
        let ledger = try await ledgerHistory()
        // The attempts of an order that is older than the ledger may be in another one.
        let isOlder = order.created.map { $0 < ledger.created } ?? false
        let restored =
            isOlder ? max(ledger.restored ?? ledger.created, ledger.created) : ledger.restored
        guard let time = ledger.canLoseAttempts ? Date.distantFuture : restored else {
            return .none
        }
        let now = self.time.now()
        // A person has looked at the gateway's books since.
        if let decision = history.deciding?.decision, decision.time > time { return .none }
        if let created = order.created {
            guard created.timeIntervalSince(now) <= Limits.afterRestore else {
                throw .notSent(
                    "the order's time is in the future by this machine's clock", "created")
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
            throw .notSent(
                "the ledger was restored, and an earlier payment of this order cannot be asked for; state when the "
                    + "shop stored the order, adopt its payment that the gateway's books contain and give any other one "
                    + "back there, or decide that they contain none", "created")
        }
        return !ledger.canLoseAttempts && age < Limits.settling
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
}
