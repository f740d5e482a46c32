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

    @Sendable func create(_ call: Call, _ book: inout PaymentBook) -> Reply {
        call.pay(purchase(call), id: newID(&book), in: &book) { payment in
            let address = JSON.string(call.customerURL(payment.id))
            let action: JSON = ["actionType": "REDIRECT", "redirectData": ["redirectURL": address]]
            let body: JSON = [
                "creationOutput": ["externalReference": payment.reference],
                "merchantAction": payment.state == .awaitingCustomer ? action : nil,
                "payment": self.payment(payment),
            ]
            guard payment.state == .declined else { return SandboxAnswer(201, body) }
            return SandboxAnswer(402, errors(decline).adding(["paymentResult": body]))
        }
    }

    /// Returns the payment that CreatePayment or CreateHostedCheckout asks for.
    ///
    /// A payment of Connect's that requires an approval is not captured before it.
    func purchase(_ call: Call) -> Purchase {
        let input = call.body["mobilePaymentMethodSpecificInput"]
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
        let card: JSON = [
            "authorisationCode": payment.state == .accepted ? "123456" : nil, "network": "VISA",
            "paymentProductId": 302, "paymentData": ["dpan": "************0492"],
        ]
        let output: JSON = [
            "amountOfMoney": money(amount ?? payment.ordered, payment),
            "references": references(payment),
            "merchantParameters": payment["merchantParameters"],
            "paymentMethod": "mobile", "mobilePaymentMethodSpecificOutput": card,
        ]
        return [
            "id": .string(id ?? payment.id), "status": payment.word(status.name),
            "statusOutput": statusOutput(payment, status),
            "hostedCheckoutSpecificOutput": payment["page"].map { ["hostedCheckoutId": $0] },
            "paymentOutput": output.adding(isDirect ? acquired(payment) : totals(payment)),
        ]
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
