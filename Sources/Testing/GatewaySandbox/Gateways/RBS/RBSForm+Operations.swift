/// Status queries, deposits, reversals and refunds of RBS.
///
/// Source: BPC, *REST API*, "Order management"; Alfa's OpenAPI file for `depositType`.
extension RBSForm {
    /// Returns the payment of a form; `orderId` has precedence, and a token can name only that.
    private static func payment(_ call: Call, _ book: PaymentBook) -> SandboxPayment? {
        if let id = call.body["orderId"]?.string { return book[payment: id, of: call.gateway.name] }
        guard let number = call.body["orderNumber"], call.body["token"] == nil else { return nil }
        return book.payments(of: call.gateway.name) { $0.reference == number }.last
    }

    /// Answers a status query, which also names the stored card.
    @Sendable static func status(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = payment(call, book)?.id
        if id == nil, let order = registered(call, book) { return .ok(order) }
        return call.look(id, in: &book) { payment in
            guard payment.state == .accepted, let card = payment["binding"] else {
                return orderStatus(payment)
            }
            let information: JSON = [
                "clientId": card["clientId"], "bindingId": card["bindingId"],
            ]
            return orderStatus(payment).adding(["bindingInfo": information])
        }
    }

    /// Captures an amount; 0 is the whole.
    ///
    /// A deposit of a part releases the rest, unless `depositType` is 1, which announces more.
    @Sendable static func deposit(_ call: Call, _ book: inout PaymentBook) -> Reply {
        perform(.capture, isFinal: call.body["depositType"]?.integer != 1, call, &book)
    }

    /// Releases what is held, or once a part of it.
    @Sendable static func reverse(_ call: Call, _ book: inout PaymentBook) -> Reply {
        if let payment = payment(call, book), payment.authorized > 0,
            payment.operations.contains(where: { $0.kind == .cancel })
        {
            let text: JSON = "A part can be reversed only once"
            return .ok(["errorCode": 5, "errorMessage": text])
        }
        return perform(.cancel, isFinal: false, call, &book)
    }

    /// Refunds an amount; 0 is the whole.
    ///
    /// A refund whose `externalRefundId` is known is not made again.
    @Sendable static func refund(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let own = call.body["externalRefundId"]?.string
        if let own, let payment = payment(call, book),
            payment.operations.contains(where: { $0.kind == .refund && $0.reference == own })
        {
            return .answer(success)
        }
        return perform(.refund, isFinal: false, call, &book)
    }

    /// The answer to an operation, which states nothing about the order.
    private static let success = SandboxAnswer(200, ["errorCode": 0, "errorMessage": "Success"])

    private static func perform(
        _ kind: Operation.Kind,
        isFinal: Bool,
        _ call: Call,
        _ book: inout PaymentBook
    ) -> Reply {
        let amount = call.body["amount"]?.integer.flatMap { $0 == 0 ? nil : $0 }
        let id = book.nextUUID()
        return call.perform(on: payment(call, book)?.id ?? "", in: &book) { _ in
            Operation(
                kind: kind, id: id, amount: amount,
                reference: call.body["externalRefundId"]?.string, isFinal: isFinal)
        } _: { _, _ in
            success
        }
    }
}
