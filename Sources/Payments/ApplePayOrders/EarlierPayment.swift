internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayToken
internal import FoundationEssentials

/// The payment that an order may have already when an attempt begins: of an earlier attempt in the same slot, or of one that
/// was lost with the ledger.
struct EarlierPayment {
    let payments: OrderPayments
    let record: OrderRecord
    /// The order's earlier attempts.
    let history: OrderHistory
    /// Whether the gateway promises its first answer to a repetition with the same key; not for payments in a session or on a
    /// page, which have no key.
    let isRepeatable: Bool

    /// Whether an earlier attempt may have sent something with the same key and reference.
    var isSlotUsed: Bool { history.nextSlotBeginning != nil }

    /// Asks for a payment that the slot may have, if the ledger cannot exclude one and the key does not prevent a second one.
    ///
    /// - Parameter loss: The seconds since attempts were lost; nil if none were, or long ago.
    /// - Returns: The state by an existing payment; nil to go on.
    /// - Throws: `gateway/not-sent` if it must be known and cannot be asked.
    func outcome(_ loss: Double?) async throws(PaymentTokenError) -> OrderOutcome? {
        guard isSlotUsed || loss != nil else { return nil }
        let abilities = payments.gateway.abilities
        let isProtected = isRepeatable && (isKeyKept || !isSlotUsed)
        if isProtected, loss == nil { return nil }
        // A person may have given up a request with a key at once. The key protects another request with it, and no page or session.
        if !isRepeatable, abilities.repetition, let last = history.givenUpInNextSlot,
            payments.time.now().timeIntervalSince(last.row.beginning) < Limits.settling
        {
            throw refusal(
                "an earlier request of this order may still be carried out; try again a day after it, or pay with a token "
                    + "and without a session")
        }
        if let loss, !isRepeatable, loss > 0, loss < Limits.afterRestore {
            throw refusal(
                "the ledger was restored, and requests from before may still be under way")
        }
        // The session or page is new; what may have been paid has the reference.
        var attempt = record.attempt
        attempt.sessionID = nil
        guard abilities.status.contains(.reference),
            let query = try? payments.gateway.status(of: attempt)
        else {
            // A person has decided that the attempts in this slot made no payment, or the key prevents a second one.
            if isProtected || (loss == nil && !isRepeatable) { return nil }
            throw refusal("an earlier payment of this order is possible, and cannot be asked for")
        }
        let outcome = try await payments.transport.outcome(of: query)
        guard let report = outcome.report, report.fault == nil else {
            throw refusal("the gateway did not answer whether the order has a payment")
        }
        return report.meaning == .absent ? nil : outcome
    }

    /// Whether the gateway keeps the key of the slot.
    var isKeyKept: Bool {
        let hours = Double(payments.gateway.abilities.keyHours)
        return payments.time.now().timeIntervalSince(record.contents.slotBeginning)
            < hours * 3_600 - Limits.keyMargin
    }

    /// Returns the seconds since attempts were lost, if that is not long ago; 0 if they can be lost at any time.
    ///
    /// - Throws: `replay/ledger-unavailable`.
    func loss() async throws(PaymentTokenError) -> Double? {
        guard let time = try await payments.missingBefore() else { return nil }
        let age = max(payments.time.now().timeIntervalSince(time), 0)
        // An order whose attempt was lost may have been paid at any time before. Where that cannot be asked, only requests that may
        // still be under way count.
        let canAsk = payments.gateway.abilities.status.contains(.reference)
        return age < (canAsk ? Limits.restored : Limits.settling) ? age : nil
    }

    private func refusal(_ reason: String) -> PaymentTokenError {
        PaymentTokenError(.notSent, reason: reason)
    }
}
