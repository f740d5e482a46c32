/// Stored cards of RBS: those that a payment stores, and the payments with them.
///
/// Source: BPC, *REST API*, "Order registration", "Stored-credential payment", "Recurrent payment", "Installment payment";
/// *Stored credentials and transactions types*; Sberbank's OpenAPI file for the errors.
extension RBSForm {
    /// A card with which a payment is made.
    struct StoredCard {
        /// `bindingInfo` of the order.
        let information: JSON
        /// Its state.
        let state: SandboxCard
    }

    /// Returns `bindingInfo` of a card that a payment is to store, and what it is stored for; nil if it is to store none.
    static func newCard(_ call: Call, _ book: inout PaymentBook) -> JSON? {
        guard let kind = call.body["tii"], let client = call.body["clientId"] else { return nil }
        return ["clientId": client, "bindingId": .string(book.nextUUID()), "kind": kind]
    }

    /// Stores the card of a payment that was made.
    static func store(_ card: JSON?, _ call: Call, _ book: inout PaymentBook) {
        guard let card, let identifier = card["bindingId"]?.string else { return }
        book[value: "binding \(identifier)", of: call.gateway.name] = card
        book.change(identifier, to: .usable, at: call.gateway.name)
    }

    /// Returns the card of a request, if it was stored for payments of a kind, and for the customer if one is named.
    private static func card(
        _ kind: JSON, of client: JSON? = nil, _ call: Call, _ book: PaymentBook
    ) -> StoredCard? {
        let identifier = call.body["bindingId"]?.string ?? ""
        guard let information = book[value: "binding \(identifier)", of: call.gateway.name],
            let state = book.card(identifier, at: call.gateway.name), state != .revoked,
            information["kind"] == kind, client == nil || information["clientId"] == client
        else { return nil }
        return StoredCard(information: information, state: state)
    }

    /// Registers an order, which can be paid once; its number is accepted once.
    static func register(isReserved: Bool) -> Route.Action {
        { call, book in
            let number = call.body["orderNumber"]?.string ?? ""
            guard !isUsed(number, book) else {
                let text: JSON =
                    "Order number is duplicated, order with given order number is processed already"
                return .ok(["errorCode": "1", "errorMessage": text])
            }
            let id = book.nextUUID()
            let order = call.body.adding(["isReserved": .boolean(isReserved)])
            book[value: "order \(id)", of: call.gateway.name] = order
            book[value: "number \(number)", of: call.gateway.name] = .string(id)
            return .ok(["orderId": .string(id), "formUrl": .string(call.customerURL(id))])
        }
    }

    /// Returns the state of an order that was registered and not paid; nil if there is none.
    static func registered(_ call: Call, _ book: PaymentBook) -> JSON? {
        let number = book[
            value: "number \(call.body["orderNumber"]?.string ?? "")", of: call.gateway.name]
        guard let id = call.body["orderId"]?.string ?? number?.string,
            let order = book[value: "order \(id)", of: call.gateway.name]
        else { return nil }
        let amounts: JSON = [
            "paymentState": "CREATED", "approvedAmount": 0, "depositedAmount": 0,
            "refundedAmount": 0,
        ]
        return [
            "errorCode": "0", "errorMessage": "Success", "orderNumber": order["orderNumber"],
            "orderStatus": 0, "actionCode": -100, "actionCodeDescription": "",
            "amount": .optional(order["amount"]?.integer), "currency": order["currency"],
            "paymentAmountInfo": amounts,
            "attributes": [["name": "mdOrder", "value": .string(id)]],
            "merchantOrderParams": parameters(order),
        ]
    }

    /// Pays a registered order with a card that was stored for payments of any kind; the answer states no result.
    @Sendable static func payWithBinding(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = call.body["mdOrder"]?.string ?? ""
        guard let order = book[value: "order \(id)", of: call.gateway.name],
            book[payment: id, of: call.gateway.name] == nil
        else { return .answer(call.fault(.notFound)) }
        guard let card = card("CI", of: order["clientId"], call, book) else {
            return .ok(["errorCode": 1, "errorMessage": "The binding is not found."])
        }
        let purchase = Purchase(
            amount: order["amount"]?.integer, currency: order["currency"]?.string,
            reference: order["orderNumber"]?.string,
            captures: order["isReserved"]?.boolean != true, card: card.state,
            details: [
                "merchantOrderParams": parameters(order), "binding": card.information,
                "paymentWay": "APPLE_PAY_BINDING",
            ])
        return call.pay(purchase, id: id, in: &book) { payment in
            let address = JSON.string(call.customerURL(id))
            let isWaiting = payment.state == .awaitingCustomer
            let isDeclined = payment.state == .declined
            return SandboxAnswer(
                200,
                [
                    "errorCode": 0,
                    "info": .string(
                        isDeclined
                            ? "Operation declined. Contact the bank that issued the card. Redirecting..."
                            : "Your order is proceeded, redirecting..."),
                    "redirect": isWaiting ? nil : address, "acsUrl": isWaiting ? address : nil,
                    "paReq": isWaiting ? "sandbox" : nil, "termUrl": isWaiting ? address : nil,
                ])
        }
    }

    /// Makes a recurring payment.
    @Sendable static func payRecurring(_ call: Call, _ book: inout PaymentBook) -> Reply {
        guard let card = card("RI", call, book) else {
            return .answer(failure(1, "The binding is not found."))
        }
        return pay(
            call.body["amount"]?.integer, call.body["currency"]?.string, with: card, call, &book)
    }

    /// Makes a payment by installments.
    @Sendable static func payInstallment(_ call: Call, _ book: inout PaymentBook) -> Reply {
        guard let card = card("II", call, book) else {
            return .ok(["errorCode": 1, "errorMessage": "The binding is not found."])
        }
        return pay(
            call.body["amount"]?.integer, call.body["currency"]?.string, with: card, call, &book)
    }
}
