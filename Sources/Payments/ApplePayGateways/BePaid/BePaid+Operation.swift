public import ApplePayAcceptance
internal import ApplePayPrimitives
internal import FoundationEssentials

extension BePaid {
    /// Creates a request for a capture, a void or a refund: `POST /transactions/captures`, `/voids` or `/refunds`.
    ///
    /// A refund names a payment or a capture (`parent_uid`). An acquirer may split a payment or a charge into an authorization
    /// and its capture, so a refund begins with a query by reference, which states the type.
    ///
    /// Errors: those of ``PaymentOperation/amount(on:of:)``, then `gateway` with code `unsupported-length`
    /// (`parent_uid`, `reason`, which bePaid requires for a refund), then those of the account.
    ///
    /// Source: bePaid, *Capture*, *Void*, *Refund* (2026-11-22).
    public func perform(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> OperationCall {
        let amount = try amount(of: operation, on: payment, of: attempt)
        let (kind, uid) = (operation.kind, attempt.paymentID ?? payment.paymentID ?? "")
        let request = try operationRequest(operation, amount, parent: uid, of: attempt)
        @Sendable func call(
            _ request: @escaping @Sendable (Date) throws(PaymentError) -> GatewayRequest
        ) -> OperationCall {
            OperationCall(attempt, at: self, kind, amount, request: request) {
                Self.operationReport($0, of: kind)
            }
        }
        guard kind == .refund else { return call { _ in request } }
        let query = try statusRequest(attempt)
        return GatewayCall(
            attempt, at: self, canMoveMoney: false, request: { _ in query },
            read: { response in
                .next(
                    call { _ throws(PaymentError) in
                        let parent = try Self.parent(ofRefund: amount, of: uid, in: response)
                        return try operationRequest(operation, amount, parent: parent, of: attempt)
                    })
            })
    }

    /// Returns the request of ``perform(_:on:of:)`` for the transaction that is captured, voided or refunded.
    package func operationRequest(
        _ operation: PaymentOperation, _ amount: Int64, parent: ExactText,
        of attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        try FieldLength.check(parent, "parent_uid", 1...255)
        let isRefund = operation.kind == .refund
        try FieldLength.check(operation.reason ?? (isRefund ? "" : nil), "reason", 1...255)
        let body = JSONBody.object { body in
            body.object("request") { body in
                body.string("parent_uid", parent)
                body.integer("amount", amount)
                body.string("reason", operation.reason)
            }
        }
        let path =
            switch operation.kind {
            case .capture: "/transactions/captures"
            case .cancellation: "/transactions/voids"
            case .refund: "/transactions/refunds"
            }
        return try post(path, key: try operation.key(of: attempt), body)
    }
}
