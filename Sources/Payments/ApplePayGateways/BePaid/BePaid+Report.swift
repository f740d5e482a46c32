package import ApplePayAcceptance

extension BePaid {
    /// Reads the answer to a payment request, success or failure.
    ///
    /// It states no totals: bePaid repeats its first answer to a key for a day, also after a refund.
    ///
    /// Source: bePaid, *Idempotent requests* (2026-11-22).
    package static func paymentReport(_ response: GatewayResponse) -> PaymentReport {
        PaymentReport.answer(response, PaymentReport(gateway: gatewayName), fill)
    }

    /// Reads the answer to a payment in a checkout; after a refusal the customer may pay it with another card.
    package static func checkoutReport(_ response: GatewayResponse) -> PaymentReport {
        var report = paymentReport(response)
        if report.meaning == .refused, report.paymentID != nil { report.meaning = .undecided }
        return report
    }

    /// Reads the answer to a query by `uid`, which states no totals, not even after a refund.
    package static func uidReport(_ response: GatewayResponse) -> PaymentReport {
        PaymentReport.statusAnswer(response, PaymentReport(gateway: gatewayName), fill)
    }

    /// Fills in the report about one payment, without totals.
    private static func fill(
        _ answer: AnswerValue, _ report: inout PaymentReport
    ) throws(PaymentError) {
        report = try Transaction.read(answer).report
        report.canBeAsked = true
    }

    /// Reads the answer to a query by reference: the payment and its totals.
    ///
    /// The answer contains the ten latest transactions, so ten may not be all of them.
    ///
    /// Source: bePaid, *Status query* (2026-11-22).
    package static func statusReport(
        _ response: GatewayResponse, of attempt: PaymentAttempt
    ) -> PaymentReport {
        let empty = PaymentReport(gateway: gatewayName)
        return PaymentReport.statusAnswer(response, empty, isSearch: true) {
            answer, report throws(PaymentError) in
            let all = try transactions(in: answer)
            guard all.count < 10 else {
                report.fault = "The gateway states only the ten latest transactions."
                return
            }
            var found: [PaymentReport] = []
            for var payment in all where payment.report.about == .payment {
                guard payment.parentUID == nil else { continue }
                try payment.fillTotals(from: all)
                found.append(payment.report)
            }
            report = PaymentReport.first(of: found, with: attempt.reference, else: empty)
        }
    }

    /// Reads the list of an answer to a query by reference: all have a type, and parents are in the list.
    private static func transactions(
        in answer: AnswerValue
    ) throws(PaymentError) -> [Transaction] {
        guard answer["transactions"] != nil else {
            throw .gateway(.missingMember, "transactions")
        }
        let list = try answer.objects("transactions")
        // More than the documented ten are not searched.
        guard list.count <= 10 else { throw .gateway(.malformed, "transactions") }
        let transactions = try list.map {
            value throws(PaymentError) in try Transaction(value)
        }
        let uids = transactions.map(\.uid)
        let operations: [PaymentReport.Subject] = [.capture, .cancellation, .refund, .chargeback]
        let isComplete = transactions.allSatisfy { one in
            let isChild = one.parentUID != nil || operations.contains(one.report.about)
            return one.type != nil && (!isChild || one.parentUID.map(uids.contains) == true)
        }
        guard isComplete else { throw .gateway(.missingMember, "transactions.parent_uid") }
        return transactions
    }

    /// Reads the answer to a capture, a void or a refund, success or failure.
    package static func operationReport(
        _ response: GatewayResponse, of kind: PaymentOperation.Kind
    ) -> PaymentReport {
        let empty = PaymentReport(gateway: gatewayName, about: kind.subject)
        return PaymentReport.answer(response, empty) {
            answer, report throws(PaymentError) in
            report = try Transaction.read(answer, about: kind.subject).report
        }
    }

    /// Returns the parent of a refund from the answer to a query by reference: the payment, or an authorization's capture.
    ///
    /// Source: bePaid, *Refund*: `parent_uid` is a payment or a capture.
    static func parent(
        ofRefund amount: Int64, of uid: ExactText, in response: GatewayResponse
    ) throws(PaymentError) -> ExactText {
        guard let answer = try? response.accepted(), let all = try? transactions(in: answer),
            let payment = all.first(where: { $0.uid == uid })
        else { throw PaymentError(.notSent, reason: "The captures are not known") }
        let capture = all.first { child in
            guard child.report.about == .capture, child.report.meaning == .booked,
                child.parentUID == uid, let captured = child.report.operationAmount
            else { return false }
            // A refund without an amount counts as one of everything.
            let returned = all.filter { $0.parentUID == child.uid && $0.report.meaning != .refused }
                .reduce(Int128(0)) { $0 + Int128($1.report.operationAmount ?? captured) }
            return Int128(captured) - returned >= Int128(amount)
        }
        guard let parent = payment.isAuthorization ? capture?.uid : uid else {
            throw .gateway(.unsupportedAmount, "amount")
        }
        return parent
    }
}
