public import ApplePayAcceptance
internal import ApplePayPrimitives
internal import FoundationEssentials

extension Dintero {
    /// Creates a query for the transaction, for the session and then its transaction, or for the transactions with the
    /// reference, depending on which identifier is known.
    public func status(of attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        try credentials.call(
            attempt, at: self, login: loginRequest,
            { token throws(PaymentError) in try status(of: attempt, token) })
    }

    /// Creates the query; `page` is the address that the customer has to open as long as nothing is decided.
    func status(
        of attempt: PaymentAttempt, _ accessToken: SensitiveBytes, page: URL? = nil
    ) throws(PaymentError) -> PaymentCall {
        let request = try Self.authorize(try statusRequest(of: attempt), accessToken)
        return call(attempt, request) { response in
            var report =
                attempt.paymentID != nil
                ? Self.transactionReport(response)
                : attempt.sessionID != nil
                    ? Self.sessionStatusReport(response)
                    : Self.searchReport(response, attempt.reference)
            var known = attempt
            known.paymentID = report.paymentID
            // A session does not state how its payment ended; its transaction does.
            if attempt.paymentID == nil, attempt.sessionID != nil, report.paymentID != nil,
                report.fault == nil, let next = try? status(of: known, accessToken, page: page)
            {
                return .next(next)
            }
            // A failed query must not lose the address.
            if report.meaning == .undecided || report.fault != nil && response.status >= 400,
                let page
            {
                report.fault = nil
                report.meaning = .awaitingCustomer
                report.address = page
            }
            return .outcome(outcome(report, of: attempt))
        }
    }

    /// Returns the query for what is known, without the access token: `GET /v1/transactions/{id}`,
    /// `GET /v1/sessions/{session_id}`, or `GET /v1/transactions?merchant_reference=`.
    package func statusRequest(
        of attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        if let id = attempt.paymentID {
            let segment = try PathSegment.encoded(id, "transaction_id")
            // The answer contains the token of a stored card only on request.
            let storesCards = options.settings == .inApp(generatesPaymentToken: true)
            return GatewayRequest(
                method: "GET", origin, "/v1/transactions/\(segment)",
                query: storesCards ? [("includes", "card.payment_token")] : [])
        }
        if let id = attempt.sessionID {
            let segment = try PathSegment.encoded(id, "session_id")
            return GatewayRequest(method: "GET", origin, "/v1/sessions/\(segment)")
        }
        return GatewayRequest(
            method: "GET", origin, "/v1/transactions",
            query: [
                ("merchant_reference", String(attempt.reference)), ("limit", "\(Self.searchLimit)"),
            ])
    }

    /// The maximum number of transactions in an answer; the default is 10.
    static let searchLimit = 100

    /// Reads the answer to the query for a session, which contains `transaction_id` once a payment was made.
    ///
    /// A session has no status word, and one `PAY_FAILED` among its events is not the end of it.
    package static func sessionStatusReport(_ response: GatewayResponse) -> PaymentReport {
        PaymentReport.statusAnswer(response, report()) {
            answer, report throws(PaymentError) in
            report.refusal = try questionError(answer)
            guard response.isAccepted else { return }
            report.sessionID = try answer.text("id")
            report.paymentID = try answer.text("transaction_id")
            report.isTest = isTest(report.sessionID)
            report.reference = try answer.text("order", "merchant_reference")
            report.currency = try answer.text("order", "currency")
            report.ordered = try answer.integer("order", "amount")
            // A canceled session may still be paid: nothing documents that it refuses a late payment.
            report.meaning = .undecided
            report.canBeAsked = true
        }
    }

    /// Creates a request for a capture, void or refund: `POST /v1/transactions/{id}/capture`, `/void` or `/refund`.
    ///
    /// The operation's key is sent as its reference: its event is found with it, but it does not prevent a repetition.
    public func perform(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> OperationCall {
        let amount = try amount(of: operation, on: payment, of: attempt)
        let request = try operationRequest(operation, amount, on: payment, of: attempt)
        let key = try operation.key(of: attempt)
        let kind = operation.kind
        return try credentials.call(
            attempt, at: self, login: loginRequest,
            { token throws(PaymentError) in
                let request = try Self.authorize(request, token)
                return OperationCall(attempt, at: self, kind, amount, request: { _ in request }) {
                    Self.operationReport($0, of: kind, key: key)
                }
            })
    }

    /// Returns the request without the access token; a void has no body.
    ///
    /// A final capture releases the rest; a void after a capture is not documented for Dintero's own processing.
    ///
    /// Source: Dintero, *Capture*, *Void*, *Refund* (2026-11-22); the Node SDK, `transactions_id_capture_post`.
    package func operationRequest(
        _ operation: PaymentOperation, _ amount: Int64, on payment: PaymentReport,
        of attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        let id = attempt.paymentID ?? payment.paymentID ?? ""
        let path = "/v1/transactions/\(try PathSegment.encoded(id, "transaction_id"))"
        let key = try operation.key(of: attempt)
        guard operation.kind != .cancellation else { return GatewayRequest(origin, "\(path)/void") }
        let name = operation.kind.rawValue
        let body = JSONBody.object { body in
            body.integer("amount", amount)
            body.string("reason", operation.kind == .refund ? operation.reason : nil)
            body.string("\(name)_reference", key)
            body.boolean("final_capture", operation.kind == .capture ? operation.isFinal : nil)
        }
        return GatewayRequest(origin, "\(path)/\(name)", headers: [.contentType()], body: body)
    }
}
