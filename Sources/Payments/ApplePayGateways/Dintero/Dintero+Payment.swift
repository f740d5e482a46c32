public import ApplePayAcceptance
internal import ApplePayPrimitives

extension Dintero {
    /// Creates the requests of a payment, of which only the payment itself can move money: a login unless there is an
    /// access token, a session, its operations, the token, the payment, and queries for the session and its transaction.
    ///
    /// In a session that the shop or its app created (`PaymentAttempt.sessionID`), the session is asked for instead: it must be
    /// this account's and have the order's reference, amount and currency, and no transaction. Errors: those of
    /// ``check(_:attempt:)``, `unsupported-value` (`paymentMethod.network`), then those of the credentials.
    public func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall {
        let input = PaymentInput(accepted)
        let isGiven = input.attempt.sessionID != nil
        let request =
            isGiven
            ? try statusRequest(of: input.attempt) : try sessionRequest(input.order, input.attempt)
        try Self.checkNetwork(input)
        return try credentials.call(
            input.attempt, at: self, login: loginRequest,
            { token throws(PaymentError) in
                guard isGiven else {
                    return .preparation(
                        "session", input.attempt, at: self, try Self.authorize(request, token),
                        read: Self.sessionID
                    ) { session throws(PaymentError) in
                        var attempt = input.attempt
                        attempt.sessionID = session
                        return try submit(input.with(attempt), in: session, token)
                    }
                }
                return .preparation(
                    "session", input.attempt, at: self, try Self.authorize(request, token),
                    read: Self.foundSession
                ) { found throws(PaymentError) in
                    let attempt = try attempt(input.attempt, in: found)
                    return try submit(input.with(attempt), in: found.sessionID ?? "", token)
                }
            })
    }

    /// Creates the requests after the session: its operations, the token and the payment.
    private func submit(
        _ input: PaymentInput, in session: ExactText, _ accessToken: SensitiveBytes
    ) throws(PaymentError) -> PaymentCall {
        let attempt = input.attempt
        let request = try operationsRequest(sessionID: session)
        return .preparation("operations", attempt, at: self, request, read: Self.submission) {
            submission throws(PaymentError) in
            let request = try paymentRequest(input, to: submission)
            return .preparation("token", attempt, at: self, request, read: Self.transactionID) {
                transaction throws(PaymentError) in
                let request = try payRequest(sessionID: session, transactionID: transaction)
                return call(attempt, request, canMoveMoney: true) { response in
                    let report = Self.payReport(response)
                    // Only the transaction states what was paid.
                    guard report.meaning != .refused, report.fault == nil,
                        let query = try? status(of: attempt, accessToken, page: report.address)
                    else { return .outcome(outcome(report, of: attempt)) }
                    return .next(query)
                }
            }
        }
    }

    /// Reads the answer to the query for a session that the shop or its app created.
    private static func foundSession(
        _ response: GatewayResponse
    ) throws(PaymentError) -> PaymentReport {
        let report = sessionStatusReport(response)
        if report.meaning == .absent { return report }
        guard response.isAccepted else { throw .gateway(.notJSON) }
        guard report.fault == nil, report.sessionID != nil else {
            throw .gateway(.missingMember, "id")
        }
        return report
    }

    /// Returns the attempt to pay an order in a session that was found, with the session's reference.
    ///
    /// - Throws: `gateway` with code `unsupported-value` (`session`), with the reason.
    private func attempt(
        _ attempt: PaymentAttempt, in session: PaymentReport
    ) throws(PaymentError) -> PaymentAttempt {
        let references = [attempt.reference, attempt.orderReference]
        guard session.meaning != .absent else { throw .session("there is no such session") }
        guard session.sessionID == attempt.sessionID,
            session.sessionID?.hasPrefix("\(accountID).") == true
        else { throw .session("it is another account's") }
        guard session.paymentID == nil else {
            throw .session("it has a payment already; look at that before you make another session")
        }
        let stated = references.first {
            session.reference?.utf8.elementsEqual($0.utf8) == true
        }
        guard let reference = stated else { throw .session("its order is another one") }
        guard session.ordered == attempt.amount, session.currency == attempt.currency.alphabetic
        else { throw .session("its amount or currency is not the order's") }
        var found = attempt
        found.reference = reference
        return found
    }

    /// Reads the answer to step 4, in either of the two documented forms.
    ///
    /// Dintero's page documents a success as 200 with `return_url`; its example has `success` with `redirect_url`. Both
    /// mean that the amount is authorized or captured, and neither states it. If the query of the address contains
    /// `error`, the payment failed, except after `capture`, which follows an authorization, and `unknown`
    /// (*Create session*, `url.return_url`; 2026-11-22).
    package static func payReport(_ response: GatewayResponse) -> PaymentReport {
        PaymentReport.answer(response, report()) { answer, report throws(PaymentError) in
            report.refusal = try refusal(answer)
            let success = try answer.boolean("success")
            let session = try answer.text("session_id")
            let redirect = try answer.text("redirect_url")
            let returned = try answer.text("return_url")
            guard success != nil || redirect != nil || returned != nil else {
                guard response.isAccepted else { return }
                throw .gateway(.missingMember, "success")
            }
            let query = try? URLQuery(ofTarget: String(redirect ?? returned ?? ""))
            let word = query?.parameters.first { $0.name == "error" && !$0.value.isEmpty }?.value
            report.status = word
            report.canBeAsked = true
            switch (word, success) {
            case ("capture", _), ("unknown", _): report.meaning = .undecided
            // A body with nothing but `success` may be a proxy's.
            case (nil, false)
            where !response.isAccepted && redirect == nil && returned == nil
                && report.refusal == nil && session == nil:
                report.meaning = .undocumented
            case ("cancelled", _), ("authorization", _), ("failed", _), (nil, false):
                report.meaning = .refused
                report.refusal = PaymentReport.Refusal(
                    code: word ?? report.refusal?.code, text: report.refusal?.text,
                    origin: origin(word))
            case (.some, _): report.meaning = .undocumented
            // Only `return_url`, and `redirect_url` with `success`, are documented successes.
            case (nil, nil) where redirect != nil:
                var page = report
                page.setAddress(redirect)
                report.address = page.address
                report.meaning = page.address == nil ? .undecided : .awaitingCustomer
            case (nil, _): report.meaning = .booked
            }
        }
    }

    /// Returns who caused an error of a return address or a callback (*Create session*, `url.return_url`).
    static func origin(_ error: ExactText?) -> PaymentReport.Refusal.Origin {
        error == "cancelled" ? .customer : .issuer
    }
}
