/// Transactions of Dintero: their states, events, operations and queries.
///
/// Source: Dintero's specification, `Transaction` and its `events`; *Transaction statuses*, *Transaction management*.
extension DinteroForm {
    /// Returns the status of a transaction; a part stays `PARTIALLY_CAPTURED` if the rest is released.
    private static func status(_ payment: SandboxPayment) -> String {
        let isPartial = payment.captured < payment.ordered
        return switch payment.state {
        case .awaitingCustomer, .confirmed, .processing: "INITIATED"
        case .declined: "FAILED"
        case .abandoned: "DECLINED"
        case .accepted where payment.captured == 0:
            payment.released == payment.ordered && !payment.isOpenCheck
                ? "AUTHORIZATION_VOIDED" : "AUTHORIZED"
        case .accepted where payment.refunded == 0: isPartial ? "PARTIALLY_CAPTURED" : "CAPTURED"
        case .accepted where isPartial && payment.authorized > 0: "PARTIALLY_CAPTURED_REFUNDED"
        case .accepted: payment.refunded < payment.captured ? "PARTIALLY_REFUNDED" : "REFUNDED"
        }
    }

    /// Returns a transaction; its amount is the ordered one, whatever was captured.
    static func transaction(_ payment: SandboxPayment) -> JSON {
        [
            "id": .string(payment.id), "session_id": payment["session"],
            "amount": payment.amount, "currency": payment.currency,
            "merchant_reference": payment.reference, "merchant_reference_2": payment["mark"],
            "status": .string(status(payment)), "settlement_status": "NOT_SETTLED",
            "payment_product": "dintero_psp", "payment_product_type": "dintero_psp.applepay",
            "events": .array(
                authorization(payment) + payment.operations.flatMap { events($0, payment) }),
        ]
    }

    private static func authorization(_ payment: SandboxPayment) -> [JSON] {
        let initial: JSON = ["event": "INITIALIZE", "success": true]
        switch payment.state {
        case .awaitingCustomer, .confirmed, .processing: return [initial]
        case .accepted:
            return [initial, ["event": "AUTHORIZE", "success": true, "amount": payment.amount]]
        case .declined, .abandoned:
            let type: JSON = payment.purchase.card == .expired ? "EXPIRED_CARD" : "DECLINED"
            let error: JSON = ["message": "The payment was declined", "type": [type]]
            return [initial, ["event": "AUTHORIZE", "success": false, "error": error]]
        }
    }

    /// Returns the events of an operation: a slow one has an event for its request and one for its result.
    private static func events(_ operation: Operation, _ payment: SandboxPayment) -> [JSON] {
        let word =
            switch operation.kind {
            case .capture: "CAPTURE"
            case .cancel: "VOID"
            case .refund, .chargeback: "REFUND"
            }
        let id = JSON.string(operation.id)
        func event(_ word: String, _ members: JSON) -> JSON {
            let common: JSON = [
                "event": .string(word), "amount": .optional(operation.amount),
                "event_reference": .optional(operation.reference),
            ]
            return common.adding(members)
        }
        if operation.progress == .refused {
            let left = JSON.integer(payment.authorized)
            let members: JSON = [
                "success": false, "request_id": id,
                "error": ["message": "The amount is too high", "type": ["INVALID_AMOUNT"]],
                "correction": [
                    "remaining_capture_amount": left, "remaining_void_amount": left,
                    "remaining_refund_amount": .integer(payment.refundable),
                ],
            ]
            return [event(word, members)]
        }
        guard payment.scenario == .slowOperations else {
            return [event(word, ["success": true, "request_id": id])]
        }
        let request = event("INITIATE_\(word)", ["success": true, "request_id": id])
        let result = event(word, ["success": true, "correlation_request_id": id])
        return operation.isDone ? [request, result] : [request]
    }

    /// Answers a status query; `includes=session` adds the session, `includes=card.payment_token` the token of a stored card.
    @Sendable static func status(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = call.segments[0]
        let known = book
        return call.look(sees(id, call, book) ? id : nil, in: &book) { payment in
            if call.request.query["includes"] == "card.payment_token" {
                let card: JSON = [
                    "brand": "Visa", "masked_pan": "476173******0416", "expiry_date": "12/2030",
                    "payment_token": payment.state == .accepted ? payment["card"] : nil,
                ]
                return transaction(payment).adding(["card": card])
            }
            guard call.request.query["includes"]?.contains("session") == true else {
                return transaction(payment)
            }
            let session = session(payment["session"]?.string ?? "", call, known)
            return transaction(payment).adding(["session": session])
        }
    }

    /// Answers a search with a bare array, newest first; the vendor does not document the order.
    @Sendable static func search(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let query = call.request.query
        guard let limit = Int(query["limit"] ?? "10"), (1...100).contains(limit) else {
            return .answer(call.fault(.missing("limit")))
        }
        let known = book
        let found = book.payments(of: call.gateway.name) { payment in
            let values = [
                "id": payment.id, "session_id": payment["session"]?.string,
                "merchant_reference": payment.purchase.reference,
            ]
            return sees(payment.id, call, known)
                && values.allSatisfy { query[$0.key] == nil || query[$0.key] == $0.value }
        }
        let shown = found.reversed().prefix(limit).compactMap { call.status($0.id, in: &book) }
        return .ok(.array(shown.map(transaction)))
    }

    /// Captures or refunds an amount, or releases what remains.
    ///
    /// An amount that is too high is answered with 200, and with an event that failed; a slow operation is answered
    /// with 202. A final capture releases the rest.
    static func perform(_ kind: Operation.Kind) -> Route.Action {
        { call, book in
            let id = call.segments[0]
            guard sees(id, call, book), var payment = book[payment: id, of: call.gateway.name]
            else { return .answer(call.fault(.notFound)) }
            let operation = Operation(
                kind: kind, id: book.nextUUID(),
                amount: kind == .cancel ? nil : call.body["amount"]?.integer,
                reference: call.body["\(kind.rawValue)_reference"]?.string)
            let isFinal = call.body["final_capture"]?.boolean == true
            do throws(SandboxPayment.Refusal) {
                try payment.perform(operation)
                if isFinal, payment.authorized > 0 {
                    try payment.perform(Operation(kind: .cancel, id: book.nextUUID()))
                }
            } catch {
                guard error == .amountTooHigh else { return .answer(call.fault(.refused(error))) }
                payment.refuse(operation)
            }
            book[payment: id, of: call.gateway.name] = payment
            let isSlow = payment.operations.last?.progress == .requested(queries: 2)
            var answer = SandboxAnswer(isSlow ? 202 : 200, transaction(payment))
            if isSlow { answer.headers = [.init(name: "event-request-id", value: operation.id)] }
            return .answer(answer)
        }
    }
}
