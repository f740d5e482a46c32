package import ApplePayAcceptance
internal import ApplePayPrimitives

extension Worldline.Gateway {
    /// Returns the outcome that a report about a payment leads to, or the next question.
    typealias Conclusion =
        @Sendable (PaymentReport, PaymentAttempt) -> PaymentCall.Reading

    /// Creates a status query for a payment by its identifier, or for the payment of a page.
    ///
    /// `suffix` follows the payment's identifier in the path. Without an identifier it throws
    /// `gateway/unsupported-operation`.
    func status(
        of attempt: PaymentAttempt, suffix: String,
        read: @escaping @Sendable (GatewayResponse) -> PaymentReport,
        conclude: @escaping Conclusion = { .outcome(OrderOutcome(report: $0, attempt: $1)) }
    ) throws(PaymentError) -> PaymentCall {
        if let id = attempt.paymentID {
            let request = try statusRequest(id, suffix: suffix)
            return call(attempt, canMoveMoney: false, request) { response in
                var report = read(response)
                report.sessionID = report.sessionID ?? attempt.sessionID
                return conclude(report, attempt)
            }
        }
        guard let page = attempt.sessionID else { throw .gateway(.unsupportedOperation, "status") }
        let request = try pageStatusRequest(page)
        return call(attempt, canMoveMoney: false, request) { response in
            var report = Worldline.pageStatusReport(response, Self.platform)
            report.sessionID = page
            var known = attempt
            known.paymentID = report.paymentID
            guard report.meaning == .booked, report.fault == nil,
                let next = try? status(of: known, suffix: suffix, read: read, conclude: conclude)
            else { return .outcome(OrderOutcome(report: report, attempt: attempt)) }
            return .next(next)
        }
    }

    /// Returns a query for a payment: `GET /{version}/{merchantId}/payments/{paymentId}` and a suffix.
    package func statusRequest(_ id: ExactText, suffix: String) throws(PaymentError)
        -> GatewayRequest
    {
        try get("payments/\(try PathSegment.encoded(id, "paymentId"))\(suffix)")
    }

    /// Returns a query for a page: `GET /{version}/{merchantId}/hostedcheckouts/{hostedCheckoutId}`.
    package func pageStatusRequest(_ id: ExactText) throws(PaymentError) -> GatewayRequest {
        try get("hostedcheckouts/\(try PathSegment.encoded(id, "hostedCheckoutId"))")
    }

    /// Creates the call of ``perform(_:on:of:)``.
    func performed(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> OperationCall {
        let kind = operation.kind
        let amount = try amount(of: operation, on: payment, of: attempt)
        let request = try operationRequest(operation, amount, on: payment, of: attempt)
        return call(attempt, canMoveMoney: true, request) { response in
            let report = Worldline.operationReport(response, of: kind, Self.platform)
            return .outcome(OperationOutcome(report, of: kind, amount: amount, on: attempt))
        }
    }

    /// Returns `POST /{version}/{merchantId}/payments/{paymentId}/capture`, `/approve`, `/cancel` or `/refund`.
    ///
    /// A capture of the whole order leaves the amount out: the vendor's documents differ on its unit for currencies
    /// without two decimals. `approve` captures a payment of Connect's that allows only one capture. Only Direct can
    /// cancel a part.
    ///
    /// Source: the server SDKs, `CapturePaymentRequest`, `ApprovePaymentRequest`, `CancelPaymentRequest`,
    /// `RefundRequest`.
    package func operationRequest(
        _ operation: PaymentOperation, _ amount: Int64, on payment: PaymentReport,
        of attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        guard let id = attempt.paymentID ?? payment.paymentID else {
            throw .gateway(.unsupportedLength, "paymentId")
        }
        let key = try operation.key(of: attempt)
        let path = "payments/\(try PathSegment.encoded(id, "paymentId"))"
        let units = try Self.platform.scale.amount(amount, of: attempt.currency, "amount")
        let money = JSONBody.object { Worldline.write(units, attempt.currency, into: &$0) }
        switch operation.kind {
        case .capture:
            let isApproval = payment.status == "PENDING_APPROVAL" && !Self.platform.isDirect
            let body = JSONBody.object { body in
                body.integer("amount", amount == attempt.amount ? nil : units)
                if !isApproval { body.boolean("isFinal", operation.isFinal) }
            }
            return try post("\(path)/\(isApproval ? "approve" : "capture")", key: key, body)
        case .cancellation:
            let body = operation.amount == nil || !Self.platform.isDirect ? nil : money
            return try post("\(path)/cancel", key: key, body)
        case .refund: return try post("\(path)/refund", key: key, money)
        }
    }
}
