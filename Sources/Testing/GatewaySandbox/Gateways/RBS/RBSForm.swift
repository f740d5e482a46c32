import FoundationEssentials

/// The answers of RBS about payments.
///
/// Source: BPC, *REST API*; the OpenAPI file of Sberbank; recordings of Alfa's test gateway for the amounts after a
/// deposit, a refund and a reversal.
enum RBSForm {
    /// Makes a payment; an encrypted token hides the amount, so a description such as `amount 40200` or
    /// `amount 40200 EUR` can state it.
    @Sendable static func pay(_ call: Call, _ book: inout PaymentBook) -> Reply {
        guard let token = plaintext(call), token["data"]?.string != nil else {
            return .answer(call.fault(.missing("paymentToken")))
        }
        let stated = call.body["description"]?.string?
            .wholeMatch(of: /amount ([0-9]+)(?: ([A-Z]{3}))?/)
        let amount = stated.flatMap { Int64($0.1) }
        let currency = stated?.2.flatMap { SandboxCurrency(String($0))?.numeric }
        return pay(amount, currency, call, &book)
    }

    @Sendable static func payDirect(_ call: Call, _ book: inout PaymentBook) -> Reply {
        guard let token = plaintext(call), let amount = token["transactionAmount"]?.integer,
            let currency = token["currencyCode"]?.string,
            token["applicationPrimaryAccountNumber"]?.string != nil
        else { return .answer(call.fault(.missing("paymentToken"))) }
        return pay(amount, currency, call, &book)
    }

    @Sendable static func payWithToken(_ call: Call, _ book: inout PaymentBook) -> Reply {
        pay(call.body["amount"]?.integer, call.body["currency"]?.string, call, &book)
    }

    /// Returns the JSON in `paymentToken`.
    private static func plaintext(_ call: Call) -> JSON? {
        guard let text = call.body["paymentToken"]?.string, text.utf8.count <= 8192 else {
            return nil
        }
        return Data(base64Encoded: text).flatMap { JSON(parsing: Array($0)) }
    }

    /// Makes a payment, and answers it with the state of the order.
    ///
    /// The Apple Pay methods answer a decline with an error alone, so that only the status query shows the decline;
    /// the others add the state.
    static func pay(
        _ amount: Int64?,
        _ currency: String?,
        with card: StoredCard? = nil,
        _ call: Call,
        _ book: inout PaymentBook
    ) -> Reply {
        let number = call.body["orderNumber"]?.string
        guard !isUsed(number, book) else { return .answer(call.fault(.duplicate)) }
        let stored = newCard(call, &book)
        let purchase = Purchase(
            amount: amount, currency: currency, reference: number,
            captures: call.body["preAuth"]?.boolean != true, card: card?.state ?? .usable,
            details: [
                "merchantOrderParams": parameters(call.body),
                "binding": card?.information ?? stored,
                "paymentWay": card == nil ? "APPLE_PAY" : "APPLE_PAY_BINDING",
            ])
        let id = book.nextUUID()
        let reply = call.pay(purchase, id: id, in: &book) { payment in
            guard !call.request.path.hasSuffix("/installmentPayment.do") else {
                let body: JSON = [
                    "errorCode": 0, "errorMessage": "Success", "orderId": .string(id),
                    "orderStatus": orderStatus(payment),
                ]
                return SandboxAnswer(200, body)
            }
            let address = JSON.string(call.customerURL(payment.id))
            if payment.state == .declined {
                let decline = failure(1, "Insufficient amount on card")
                guard !call.request.path.contains("/applepay/"),
                    case .json(let body) = decline.content
                else { return decline }
                return SandboxAnswer(200, body.adding(["orderStatus": orderStatus(payment)]))
            }
            let isWaiting = payment.state == .awaitingCustomer
            let data: JSON = [
                "orderId": .string(payment.id), "redirect": isWaiting ? address : nil,
                "acsUrl": isWaiting ? address : nil, "paReq": isWaiting ? "sandbox" : nil,
                "termUrl": isWaiting ? address : nil,
            ]
            let body: JSON = ["success": true, "data": data, "orderStatus": orderStatus(payment)]
            return SandboxAnswer(200, body)
        }
        if book[payment: id, of: call.gateway.name] != nil { store(stored, call, &book) }
        return reply
    }

    /// Returns whether there is an order with a number, registered or paid.
    static func isUsed(_ number: String?, _ book: PaymentBook) -> Bool {
        guard let number else { return false }
        let name = SandboxGateway.rbs.name
        return book[value: "number \(number)", of: name] != nil
            || !book.payments(of: name) { $0.purchase.reference == number }.isEmpty
    }

    /// Returns the additional parameters of a request as the status repeats them; nil without any.
    ///
    /// In a form they are a text.
    static func parameters(_ body: JSON) -> JSON? {
        let value = body["additionalParameters"] ?? body["jsonParams"]
        let parsed = value?.string.flatMap { JSON(parsing: Array($0.utf8)) }
        guard case .object(let members) = parsed ?? value else { return nil }
        return .array(members.map { ["name": .string($0.name), "value": $0.value] })
    }

    /// Returns the number and the word of a state; 8 means that more deposits may follow.
    private static func state(_ payment: SandboxPayment) -> (Int64, String) {
        switch payment.state {
        case .awaitingCustomer, .confirmed: return (5, "CREATED")
        case .processing: return (7, "CREATED")
        case .declined, .abandoned: return (6, "DECLINED")
        case .accepted: break
        }
        // The number after a refund of a part is not documented; one recording has the word REFUNDED there.
        if payment.refunded > 0 { return (4, "REFUNDED") }
        if payment.captured > 0 {
            return payment.authorized > 0 ? (8, "DEPOSITED") : (2, "DEPOSITED")
        }
        return payment.released == payment.approved && !payment.isOpenCheck
            ? (3, "REVERSED") : (1, "APPROVED")
    }

    /// Returns the code and the text of the bank's decision: an expired card, a series that the customer ended, or any reason.
    private static func action(_ payment: SandboxPayment, isDeclined: Bool) -> (Int64, String) {
        guard isDeclined else { return (0, "") }
        return switch payment.purchase.card {
        case .expired: (101, "The card is expired")
        case .noAgreement: (239, "The issuer requires that the subscription ends")
        case .usable, .revoked: (116, "The bank declined the payment")
        }
    }

    /// Returns the state of an order: `amount` never changes, `depositedAmount` is captured and not refunded.
    static func orderStatus(_ payment: SandboxPayment) -> JSON {
        let (number, word) = state(payment)
        let isReversed = payment.operations.contains { $0.kind == .cancel && $0.isDone }
        let approved = payment.state != .accepted ? 0 : payment.approved
        let amounts: JSON = [
            "approvedAmount": .integer(isReversed ? approved - payment.released : approved),
            "depositedAmount": .integer(payment.captured - payment.refunded),
            "refundedAmount": .integer(payment.refunded),
        ]
        let state: JSON = ["paymentState": .string(word)]
        let (code, text) = action(payment, isDeclined: number == 6)
        return [
            "errorCode": "0", "errorMessage": "Success", "orderNumber": payment.reference,
            "orderStatus": .integer(payment.hasUnknownWord ? 99 : number),
            "actionCode": .integer(code), "actionCodeDescription": .string(text),
            "amount": payment.amount, "currency": payment.currency,
            "cardAuthInfo": ["maskedPan": "476112**0492", "expiration": "202512"],
            "paymentAmountInfo": payment.purchase.amount == nil ? state : state.adding(amounts),
            "partialAuthorization": payment.isPartlyApproved ? "PARTIAL_AMOUNT" : nil,
            "chargeback": .boolean(payment.chargedBack > 0), "paymentWay": payment["paymentWay"],
            "attributes": [["name": "mdOrder", "value": .string(payment.id)]],
            "merchantOrderParams": payment["merchantOrderParams"],
        ]
    }
}
