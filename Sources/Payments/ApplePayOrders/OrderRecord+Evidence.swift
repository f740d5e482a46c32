internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire

/// What a gateway states counts only if it is about a payment that this library requested: it answers the attempt's own
/// request, names the payment that such an answer named, or repeats the mark of the slot. All else with the order's reference is
/// another channel's: its refusal proves nothing, and its money is a second payment.
extension OrderRecord {
    /// Returns whether a report that answers no request of this attempt is about its payment.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - mark: The gateway's sign of payments that this library requested.
    /// - Returns: Whether it is.
    func owns(_ report: PaymentReport, by mark: GatewayAbilities.Mark?) -> Bool {
        if let own = attempt.paymentID, let stated = report.paymentID {
            return own == stated
        }
        return isMarked(report, by: mark)
    }

    /// Returns whether a report repeats the mark of this attempt's slot, or its session.
    func isMarked(_ report: PaymentReport, by mark: GatewayAbilities.Mark?) -> Bool {
        func isEqual(_ own: ExactText?, _ stated: ExactText?) -> Bool {
            guard let own, let stated else { return false }
            return own == stated
        }
        if isEqual(attempt.sessionID, report.sessionID) { return true }
        switch mark {
        case .field, .session: return isEqual(attempt.mark, report.mark)
        case .reference:
            // In a session of the shop's, the reference is the shop's.
            return !isEqual(attempt.reference, attempt.orderReference)
                && isEqual(attempt.reference, report.reference)
        case nil: return false
        }
    }

    /// Returns whether nothing that the gateway returns tells this attempt's payment from another one with its reference.
    func isUnmarked(for mark: GatewayAbilities.Mark?) -> Bool {
        switch mark {
        case .field: attempt.mark == nil
        case .reference: attempt.reference == attempt.orderReference
        case .session: false
        case nil: true
        }
    }

    /// Returns the report about this attempt's payment among those of one answer, and the others that hold money.
    ///
    /// Of several with the mark of the slot, the one that holds money is the attempt's. Payments of the order's other attempts
    /// are left out, those with the reference of another order, and those about which a person has decided.
    func evidence(
        in answer: PaymentReport, at gateway: any PaymentGateway, in history: OrderHistory
    ) -> (own: PaymentReport?, others: [PaymentReport]) {
        let all = answer.all.filter { report in
            guard let stated = report.paymentID,
                attempt.paymentID != stated
            else { return true }
            return !history.records.contains {
                $0.state != .released
                    && $0.attempt.paymentID == stated
            }
        }
        let own = all.indices.filter { index in
            // Without keys, an earlier attempt in the slot can have made the refused payment.
            owns(all[index], by: gateway.abilities.mark)
                && !(all[index].meaning == .refused && attempt.paymentID == nil
                    && !gateway.abilities.repetition && history.hasOpenSlot(before: self))
        }
        let main =
            own.first { all[$0].statesMoney } ?? own.first { all[$0].fault != nil }
            ?? own.first { all[$0].meaning != .refused } ?? own.first
        let others = all.indices.filter {
            $0 != main && all[$0].holdsMoney && hasOrder(of: all[$0])
                && !history.isExplained(all[$0].paymentID)
        }
        return (main.map { all[$0] }, others.map { all[$0] })
    }

    /// Returns whether a report may have a reference of this attempt's order.
    func hasOrder(of report: PaymentReport) -> Bool {
        guard let reference = report.reference else { return true }
        return reference == attempt.reference
            || PaymentAttempt.orderReferences(of: reference).contains(attempt.orderReference)
    }

    /// Returns the answer to a request of the attempt as it counts: a refusal without a payment ends nothing as long as another
    /// request in the slot may be carried out, unless the gateway keeps that refusal for the key.
    func counted(_ outcome: OrderOutcome, in history: OrderHistory) -> OrderOutcome {
        guard outcome.state == .refused, let report = outcome.report, report.paymentID == nil,
            !report.isRepeated,
            contents.requests.sent > contents.requests.answered
                || history.hasUnansweredRequest(besides: self)
        else { return outcome }
        let code = report.refusal?.code.map { " (\($0))" } ?? ""
        return OrderOutcome(
            unknown:
                "The gateway refused this request\(code), but an earlier one was not answered, and may be carried out."
        )
    }
}

extension OrderOutcome {
    /// Whether the gateway answered.
    var isAnswer: Bool { report.map { $0.fault == nil } ?? false }
}

extension PaymentReport {
    /// All payments of the answer: this one, if there is one, and the others.
    var all: [PaymentReport] {
        var alone = self
        alone.others = []
        return ([alone] + others).filter { $0.meaning != .absent }
    }

    /// Returns the payment of the answer with an identifier; nil if the answer does not contain it.
    func payment(identifiedBy paymentID: ExactText?) -> PaymentReport? {
        guard let paymentID else { return nil }
        return all.first { $0.paymentID == paymentID }
    }

    /// Whether a total of what is done is smaller than in an earlier report, because the gateway's index lags; an amount of
    /// money that the report states without a number is not.
    func lags(behind earlier: PaymentReport) -> Bool {
        let captured = captured ?? (meaning == .booked ? Int64.max : 0)
        return captured < earlier.captured ?? 0 || refunded ?? 0 < earlier.refunded ?? 0
    }

    /// What the gateway states about the payment, for a message: its word for the status, and the amounts.
    var statement: String {
        guard meaning != .absent else { return "that there is no such payment" }
        let totals = [(authorized, "authorized"), (captured, "captured"), (refunded, "refunded")]
        let word = status.map { "the status \($0.withoutCardNumbers)" } ?? "no status"
        let amounts = totals.compactMap { total, name in
            total.flatMap { $0 == 0 ? nil : "\($0) \(name)" }
        }
        return ([word] + amounts).joined(separator: ", ")
    }

    /// Whether the payment can still be made.
    var canBeMade: Bool { meaning == .undecided || meaning == .awaitingCustomer }

    /// Whether the report states money that was not given back, although it may contradict itself or the order.
    var holdsMoney: Bool {
        guard statesMoney, meaning != .cancelled, meaning != .expired else {
            return captured ?? 0 > refunded ?? 0
        }
        return captured == nil || authorized ?? 0 > 0 || captureRequested ?? 0 > 0
            || captured ?? 0 > refunded ?? 0
    }
}
