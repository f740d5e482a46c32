/// The answers of Worldline about payments; words and members differ between its two platforms.
///
/// Source: the server SDKs, `CreatePaymentResponse`, `PaymentResponse`, `FindPaymentsResponse`; the stubs of the
/// official plugins for Direct.
struct WorldlineForm: Sendable {
    /// Whether the platform is Direct; otherwise it is Connect.
    let isDirect: Bool

    /// The path of payments.
    var payments: String { "/\(isDirect ? "v2" : "v1")/*/payments" }

    /// The path of payment pages.
    var pages: String { "/\(isDirect ? "v2" : "v1")/*/hostedcheckouts" }

    /// Makes a payment with a token of Apple Pay, or with a stored card.
    @Sendable func create(_ call: Call, _ book: inout PaymentBook) -> Reply {
        var purchase = purchase(call)
        if let token = call.body["\(cardInput).token"]?.string {
            guard let card = book.card(token, at: call.gateway.name), card != .revoked else {
                // The vendor publishes no word for it.
                return .answer(call.fault(.missing("\(cardInput).token")))
            }
            purchase.card = card
            purchase.details = purchase.details.adding(["token": .string(token), "isCard": true])
        } else if storesCard(call) {
            let token = JSON.string(book.nextUUID())
            purchase.details = purchase.details.adding(["token": token, "isNewToken": true])
        }
        let id = newID(&book)
        let reply = call.pay(purchase, id: id, in: &book) { payment in
            let address = JSON.string(call.customerURL(payment.id))
            let action: JSON = ["actionType": "REDIRECT", "redirectData": ["redirectURL": address]]
            let token = token(payment)
            let body: JSON = [
                "creationOutput": [
                    "externalReference": payment.reference, "token": token,
                    "isNewToken": token.map { _ in .boolean(payment["isNewToken"] != nil) },
                    "tokenizationSucceeded": token.map { _ in true },
                ],
                "merchantAction": payment.state == .awaitingCustomer ? action : nil,
                "payment": self.payment(payment),
            ]
            guard payment.state == .declined else { return SandboxAnswer(201, body) }
            return SandboxAnswer(402, errors(decline(payment)).adding(["paymentResult": body]))
        }
        if let payment = book[payment: id, of: call.gateway.name], payment["isNewToken"] != nil,
            let token = payment["token"]?.string
        {
            book.change(token, to: .usable, at: call.gateway.name)
        }
        return reply
    }

    /// The object with the token of a stored card.
    var cardInput: String { "\(isDirect ? "card" : "mobile")PaymentMethodSpecificInput" }

    /// Returns whether a payment stores the card: if it asks for that, or is the first of a series.
    private func storesCard(_ call: Call) -> Bool {
        let input = call.body["mobilePaymentMethodSpecificInput"]
        let own = isDirect ? input?["paymentProduct302SpecificInput"] : input
        let sequence = own?["recurring.recurringPaymentSequenceIndicator"]?.string
        return own?["tokenize"]?.boolean == true || sequence == "first"
    }

    /// Returns the token of a payment's card, which only an accepted payment has.
    private func token(_ payment: SandboxPayment) -> JSON? {
        payment.state == .accepted ? payment["token"] : nil
    }

    /// Returns the payment that CreatePayment or CreateHostedCheckout asks for.
    ///
    /// A payment of Connect's that requires an approval is not captured before it.
    func purchase(_ call: Call) -> Purchase {
        let card = isDirect ? call.body["cardPaymentMethodSpecificInput"] : nil
        let input = card ?? call.body["mobilePaymentMethodSpecificInput"]
        let waits = !isDirect && input?["requiresApproval"]?.boolean == true
        return Purchase(
            amount: call.body["order.amountOfMoney.amount"]?.integer,
            currency: call.body["order.amountOfMoney.currencyCode"]?.string,
            reference: call.body["order.references.merchantReference"]?.string,
            captures: input?["authorizationMode"]?.string == "SALE" && !waits,
            details: [
                "merchantId": .optional(call.segments.first), "requiresApproval": .boolean(waits),
                "merchantParameters": isDirect
                    ? call.body["order.references.merchantParameters"] : nil,
            ])
    }

    /// Returns a new identifier: Direct's end with the number of the operation, Connect's have 30 digits.
    func newID(_ book: inout PaymentBook) -> String {
        let number = 3_066_000_000 + book.nextNumber()
        return isDirect ? "\(number)_0" : "0000000000\(number)0000100001"
    }

    /// Returns the identifier of the payment in the path; Direct's pages show it without the number of the operation.
    func paymentID(_ call: Call) -> String {
        let id = call.segments[1]
        return isDirect && !id.contains("_") ? "\(id)_0" : id
    }

    /// Answers FindPayments of Connect, newest first; the vendor does not document the order.
    @Sendable func find(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let query = call.request.query
        let (reference, page) = (query["merchantReference"], query["hostedCheckoutId"])
        guard reference != nil || page != nil, let limit = Int(query["limit"] ?? "10"),
            (1...100).contains(limit), let offset = Int(query["offset"] ?? "0"), offset >= 0
        else { return .answer(call.fault(.missing("merchantReference"))) }
        // The payment of a page exists once the customer acted.
        let found = book.payments(of: call.gateway.name) { payment in
            let own = payment["page"]?.string
            return (reference == nil || payment.purchase.reference == reference)
                && (page == nil || own == page)
                && (own == nil || payment.state != .awaitingCustomer)
        }
        let shown = found.reversed().dropFirst(offset).prefix(limit)
        let payments = shown.compactMap { call.status($0.id, in: &book) }
        return .ok([
            "limit": .integer(Int64(limit)), "offset": .integer(Int64(offset)),
            "totalCount": .integer(Int64(found.count)),
            "payments": .array(payments.map { payment($0) }),
        ])
    }

    /// Returns a payment as CreatePayment and GetPayment answer it, or with another status, identifier or amount.
    func payment(
        _ payment: SandboxPayment, as status: Status? = nil, id: String? = nil,
        amount: Int64? = nil
    ) -> JSON {
        let status = status ?? self.status(payment)
        let isCard = isDirect && payment["isCard"] != nil
        let method = isCard ? "card" : "mobile"
        let output: JSON = [
            "amountOfMoney": money(amount ?? payment.ordered, payment),
            "references": references(payment),
            "merchantParameters": payment["merchantParameters"],
            "paymentMethod": .string(method),
            "\(method)PaymentMethodSpecificOutput": isCard ? card(payment) : mobile(payment),
        ]
        return [
            "id": .string(id ?? payment.id), "status": payment.word(status.name),
            "statusOutput": statusOutput(payment, status),
            "hostedCheckoutSpecificOutput": payment["page"].map { ["hostedCheckoutId": $0] },
            "paymentOutput": output.adding(isDirect ? acquired(payment) : totals(payment)),
        ]
    }

    /// Returns what Direct answers about the card of a payment.
    private func card(_ payment: SandboxPayment) -> JSON {
        [
            "authorisationCode": payment.state == .accepted ? "123456" : nil,
            "paymentProductId": 1, "token": token(payment),
            "card": [
                "cardNumber": "************0492", "expiryDate": "1230", "cardScheme": "Visa",
            ],
            "schemeReferenceData": scheme(payment),
        ]
    }

    /// Returns the answer about Apple Pay; Direct's has neither a token nor the scheme's reference.
    private func mobile(_ payment: SandboxPayment) -> JSON {
        [
            "authorisationCode": payment.state == .accepted ? "123456" : nil, "network": "VISA",
            "paymentProductId": 302,
            "paymentData": ["dpan": "************0492", "expiryDate": "1230"],
            "token": isDirect ? nil : token(payment),
            "schemeTransactionId": isDirect ? nil : scheme(payment),
        ]
    }

    /// Returns the scheme's reference of an accepted payment.
    private func scheme(_ payment: SandboxPayment) -> JSON? {
        payment.state == .accepted ? .string("\(payment.id.filter(\.isNumber).suffix(15))") : nil
    }

    /// Returns an amount with the payment's currency.
    func money(_ amount: Int64, _ payment: SandboxPayment) -> JSON {
        ["amount": .integer(amount), "currencyCode": payment.currency]
    }

    /// Returns the references of a payment.
    func references(_ payment: SandboxPayment) -> JSON {
        [
            "merchantReference": payment.reference,
            "merchantParameters": payment["merchantParameters"],
            "paymentReference": isDirect ? nil : "0",
        ]
    }

    /// Returns `acquiredAmount` of Direct, which is not the captured amount: an authorization has it too.
    private func acquired(_ payment: SandboxPayment) -> JSON {
        let isReleased = payment.authorized == 0 && payment.captured + payment.captureRequested == 0
        return ["acquiredAmount": money(isReleased ? 0 : payment.approved, payment)]
    }

    /// Returns the totals of Connect: integers without a currency.
    private func totals(_ payment: SandboxPayment) -> JSON {
        guard payment.state == .accepted, !payment.isCardCheck else { return [:] }
        return [
            "amountCaptureRequested": .integer(payment.captureRequested),
            "amountCaptured": .integer(payment.captured), "amountPaid": .integer(payment.captured),
            "amountRefundRequested": .integer(payment.refundRequested),
            "amountRefunded": .integer(payment.refunded),
            "amountReversed": .integer(payment.chargedBack),
        ]
    }
}
