/// Captures, voids, refunds and chargebacks of bePaid, which are transactions of their own, and the queries.
///
/// Source: bePaid, *Capture*, *Void*, *Refund*, *Chargeback*, *Status query*.
extension BePaidForm {
    /// Returns the action that captures, voids or refunds a part or the whole of a transaction.
    static func perform(_ kind: Operation.Kind) -> Route.Action {
        { call, book in
            let parent = call.body["request.parent_uid"]?.string ?? ""
            let operation = Operation(
                kind: kind, id: newID(&book), amount: call.body["request.amount"]?.integer,
                reference: call.body["request.tracking_id"]?.string, parent: parent)
            let uid = owner(of: parent, call, book) ?? parent
            if let payment = book[payment: uid, of: call.gateway.name], kind == .refund,
                let refusal = refusal(of: operation, on: payment)
            {
                return .answer(call.fault(.refused(refusal)))
            }
            return call.perform(on: uid, in: &book) { _ in
                operation
            } _: { payment, operation in
                SandboxAnswer(200, wrapped(transaction(operation, of: payment), call))
            }
        }
    }

    /// Returns why a refund is refused: it must name a payment or a capture, and not exceed its amount.
    private static func refusal(
        of refund: Operation,
        on payment: SandboxPayment
    ) -> SandboxPayment.Refusal? {
        guard refund.parent != payment.id else { return payment.isSale ? nil : .notCaptured }
        let capture = payment.operations.first { $0.id == refund.parent && $0.kind == .capture }
        guard let capture, capture.isDone else { return .notCaptured }
        let others = payment.operations.filter { $0.kind == .refund && $0.parent == refund.parent }
        let total = others.reduce(refund.amount ?? 0) { $0 + ($1.amount ?? 0) }
        return total <= capture.amount ?? 0 ? nil : .amountTooHigh
    }

    /// Returns the uid of the payment that has an operation; nil if none has it.
    private static func owner(of uid: String, _ call: Call, _ book: PaymentBook) -> String? {
        book.payments(of: call.gateway.name) { $0.operations.contains { $0.id == uid } }.last?.id
    }

    /// Returns an operation as a transaction.
    ///
    /// Its `tracking_id` is its own, or that of the payment. A chargeback has none, but describes the payment.
    static func transaction(_ operation: Operation, of payment: SandboxPayment) -> JSON {
        let type = operation.kind == .cancel ? "void" : operation.kind.rawValue
        let isDone = operation.isDone
        let message: JSON = isDone ? "Successfully processed" : "In progress"
        let status: JSON = isDone ? "successful" : "pending"
        let parent: JSON = [
            "uid": .string(payment.id), "status": "successful", "amount": payment.amount,
            "tracking_id": payment.reference,
        ]
        let isChargeback = operation.kind == .chargeback
        return [
            "uid": .string(operation.id), "id": .string(operation.id),
            "parent_uid": .string(operation.parent ?? payment.id), "status": status,
            "code": isDone ? "S.0000" : "P.0001", "message": message,
            "friendly_message": message, "type": .string(type),
            "amount": .optional(operation.amount), "currency": payment.currency,
            "tracking_id": isChargeback
                ? nil : .optional(operation.reference ?? payment.purchase.reference),
            "parent_transaction": isChargeback ? parent : nil,
            "test": payment["test"],
            type: ["status": status, "message": message],
        ]
    }

    /// Answers the query by uid, which is about one transaction only.
    @Sendable static func status(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let uid = call.segments[0]
        return call.look(owner(of: uid, call, book) ?? uid, in: &book) { payment in
            let found = payment.operations.first { $0.id == uid }
            return wrapped(
                found.map { transaction($0, of: payment) } ?? transaction(payment, call), call)
        }
    }

    /// Answers the search by `tracking_id`: the newest ten transactions, newest first, whatever their type.
    ///
    /// The vendor states the order only for its other API.
    @Sendable static func search(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let wanted = call.segments[0]
        let found = book.payments(of: call.gateway.name) { payment in
            payment.purchase.reference == wanted
                || payment.operations.contains { $0.reference == wanted }
        }
        var transactions: [JSON] = []
        for payment in found.compactMap({ call.status($0.id, in: &book) }) {
            let reference = payment.purchase.reference
            if reference == wanted { transactions.append(transaction(payment, call)) }
            transactions += payment.operations.filter { ($0.reference ?? reference) == wanted }
                .map { transaction($0, of: payment) }
        }
        return .ok(["transactions": .array(transactions.suffix(10).reversed())])
    }
}
