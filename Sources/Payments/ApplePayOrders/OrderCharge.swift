internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

/// The payment of an order by the owner of its attempt: counts and sends each request, asks what the answer leaves open, and
/// records the result.
struct OrderCharge {
    let payer: OrderPayer
    let order: Order
    let means: PaymentMeans
    /// The order's attempts as they were read before this one.
    let history: OrderHistory
    /// The payment that the order may have already; nil for an attempt that is taken over.
    let earlier: EarlierPayment?
    /// The versions of the record that the ledger may have: a change may be stored although it failed.
    private var versions: [OrderRecord]
    /// The answers that no version counts yet.
    private var answers = 0

    init(
        _ payer: OrderPayer, _ order: Order, _ means: PaymentMeans, _ record: OrderRecord,
        after history: OrderHistory, _ earlier: EarlierPayment?
    ) {
        self.payer = payer
        self.order = order
        self.means = means
        self.history = history
        self.earlier = earlier
        versions = [record]
    }

    private var book: OrderBook { payer.book }
    private var abilities: GatewayAbilities { payer.gateway.abilities }

    private var current: OrderRecord { versions[versions.count - 1] }

    private var isTakenOver: Bool { earlier == nil }

    /// Sends the payment.
    ///
    /// - Returns: The state of the order.
    /// - Throws: ``PaymentError``: nothing that can move money was sent by this call; the attempt is released, or stays open
    ///   if it was taken over, or as it is if the ledger fails.
    mutating func pay() async throws(PaymentError) -> OrderOutcome {
        do {
            switch try await earlier?.find() {
            case .own(let outcome, let attempt):
                var found = await payer.inquirer.record(
                    Heard(outcome), in: try await store(attempt, isCounted: false), of: history)
                found.isRepeated = true
                return found
            case .second(let report): return try await stop(at: report)
            case .none(let attempt)?: return try await charge(attempt)
            case nil: return try await charge(current.attempt)
            }
        } catch {
            await giveUp()
            throw error
        }
    }

    /// Charges the payment of an attempt.
    private mutating func charge(
        _ attempt: PaymentAttempt
    ) async throws(PaymentError) -> OrderOutcome {
        // The gateway may repeat its answer to an earlier request with the key, which nobody heard.
        let mayBeOld =
            isTakenOver || earlier?.mayBeLost == true
            || hasUsedKey && history.hasUnansweredRequest(besides: current)
        var call = try call(attempt)
        var first = try await send(call)
        // The answer is about an earlier request, which may be repaired by now: a refusal without a payment that the gateway
        // keeps for the key made none, so another key cannot make a second one.
        if let report = first.report, report.isRepeated, report.meaning == .refused,
            report.paymentID == nil
        {
            var next = attempt
            try? next.useNextKey()
            if let later = try? self.call(next), let answer = try? await send(later) {
                (call, first) = (later, answer)
            }
        }
        return await ask(call, first, mayBeOld: mayBeOld)
    }

    private func call(_ attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        try means.call(for: order, attempt, at: payer.gateway)
    }

    // MARK: Requests

    /// Sends a request; one that can move money is counted before, and not sent with a key that may be forgotten.
    private mutating func send(
        _ call: PaymentCall
    ) async throws(PaymentError) -> OrderOutcome {
        var isSent = false
        let outcome = try await payer.inquirer.transport.outcome(of: call) {
            attempt throws(PaymentError) in
            // It counts from before the look at the key's age and the write, which others may see earlier than this process.
            let start = payer.time.instant() + Limits.start
            guard !hasUsedKey || isKeyRemembered else {
                throw .notSent("the gateway may have forgotten the key")
            }
            _ = try await store(attempt, isCounted: true)
            isSent = true
            return start
        }
        if isSent, let report = outcome.report, report.fault == nil { answers += 1 }
        return outcome
    }

    /// Makes `sending` durable with the identifiers of earlier answers, and counts a request.
    private mutating func store(
        _ attempt: PaymentAttempt?, isCounted: Bool
    ) async throws(PaymentError) -> OrderRecord {
        let current = current
        // Others may release it by now, and a person counts the day of its request from its beginning.
        guard current.state != .claimed || !current.isSilent(at: payer.time.now()) else {
            throw .paused
        }
        var next = current
        next.row.state = .sending
        if let attempt {
            next.contents.attempt = attempt
            next.contents.attempt.paymentID = attempt.paymentID ?? current.attempt.paymentID
            next.contents.attempt.sessionID = attempt.sessionID ?? current.attempt.sessionID
        }
        var claim: ClaimRequest?
        if let request = means.claim, !next.contents.transactions.contains(request.transaction) {
            claim = request
            next.contents.transactions.append(request.transaction)
            next.contents.owner = ThisProcess.name
        }
        if isCounted {
            next.contents.requests.sent += 1
            next.contents.requests.last = payer.time.now()
        }
        next.contents.requests.answered += answers
        answers = 0
        try payer.permission.sending()
        next.schedule(at: payer.time.now())
        next = try book.next(next)
        versions.append(next)
        guard try await book.store(next, after: current, claiming: claim) else {
            throw .notSent("This process paused, and another one ended the attempt")
        }
        return next
    }

    /// Ends an attempt of which this call sent nothing: releases it, unless another call had begun it.
    private func giveUp() async {
        for version in versions.reversed() {
            // The attempt that was taken over is open already.
            guard !isTakenOver || version.state == .sending else { return }
            let isEnded =
                isTakenOver
                ? try? await book.open(version) : try? await book.release(version, byOwner: true)
            if isEnded == true { return }
        }
    }

    /// Ends the attempt because the order has another payment that holds money, and stores that.
    private func stop(at second: PaymentReport) async throws(PaymentError) -> OrderOutcome {
        var stopped = current
        stopped.row.state = .released
        stopped.contents.addSecond(second.paymentID)
        stopped.schedule(at: payer.time.now())
        let replaced = try await book.replace(
            current, with: stopped, freeing: current.contents.transactions)
        guard let replaced else { throw .recordChanges }
        var outcome = replaced.outcome(in: history)
        (outcome.isAnswered, outcome.isRepeated) = (true, true)
        return outcome
    }

    /// Whether a request with the slot's key may have been sent before.
    private var hasUsedKey: Bool {
        abilities.repetition
            && (current.contents.requests.sent > 0
                || current.contents.slotBeginning != current.row.beginning)
    }

    private var isKeyRemembered: Bool {
        book.isKeyRemembered(since: current.contents.slotBeginning, latest: history.latest)
    }

    // MARK: Asking after an answer

    /// Asks until the state is known or the gateway does not state more, and records it.
    private mutating func ask(
        _ call: PaymentCall, _ first: OrderOutcome, mayBeOld: Bool
    ) async -> OrderOutcome {
        var outcome = first
        // In a slot that was used, the first answer for the key may be older than a refund.
        var isOld = mayBeOld && first.holdsMoney
        if outcome.isUncertain || isOld, outcome.report?.paymentID != nil {
            // Without its identifier, some gateways cannot be asked after this process has ended.
            var named = current
            named.apply(
                isOld ? Self.pending(outcome) : outcome, canReopen: true, at: payer.time.now())
            if let replaced = try? await book.replace(current, with: named) {
                versions.append(replaced)
            }
        }
        let isRepeatable = abilities.repetition && current.attempt.sessionID == nil
        var isAnswer = true
        // The gateway does not have the payment, as far as is known, so the request may be lost.
        var isAbsent = false
        for pause in Limits.pauses where outcome.isUncertain || isOld {
            await payer.time.sleep(pause)
            let query = query(after: outcome.report ?? first.report)
            let isRepeated = !isOld && (query == nil || isAbsent) && isRepeatable
            guard let next = isRepeated ? call : query else { break }
            guard let reply = try? await send(next), let stated = reply.report else { continue }
            let answer: OrderOutcome
            if isRepeated {
                answer = reply
            } else {
                // The question may have found another payment with this reference.
                let own = current.evidence(in: stated, at: payer.gateway, in: history).own
                isAbsent = stated.fault == nil && own == nil
                guard let own else { continue }
                answer = current.outcome(of: own)
            }
            guard answer.report?.fault == nil,
                // A refusal of the repetition, such as of its credentials, states nothing about the first request.
                !isRepeated || answer.report?.meaning != .refused || answer.report?.paymentID != nil
                    || answer.report?.isRepeated == true
            else { continue }
            // The query that follows may not name the card.
            if let report = answer.report, report.meaning != .refused, let card = report.card {
                versions[versions.count - 1].contents.card = card
            }
            (outcome, isAnswer) = (answer, isRepeated)
            isOld = isRepeated && mayBeOld && outcome.holdsMoney
        }
        let heard = Heard(
            isOld ? Self.pending(outcome) : outcome, answers: answers, isAnswer: isAnswer)
        return await payer.inquirer.record(heard, in: current, of: history)
    }

    /// Returns a question for the payment, as far as it is known; nil if the gateway cannot be asked.
    private func query(after report: PaymentReport?) -> PaymentCall? {
        var attempt = current.attempt
        attempt.paymentID = report?.paymentID ?? attempt.paymentID
        attempt.sessionID = report?.sessionID ?? attempt.sessionID
        return try? payer.gateway.status(of: attempt)
    }

    /// Returns the outcome of an answer that may be older than a refund.
    private static func pending(_ outcome: OrderOutcome) -> OrderOutcome {
        // Its amounts are left out, because the record would state `paid` by them.
        var report = outcome.report
        report?.meaning = .undecided
        report?.status = nil
        report?.authorized = nil
        report?.captureRequested = nil
        report?.captured = nil
        report?.refundRequested = nil
        report?.refunded = nil
        return OrderOutcome(
            .pending, report,
            "The gateway may have repeated an answer to an earlier attempt; it has to be asked.")
    }
}
