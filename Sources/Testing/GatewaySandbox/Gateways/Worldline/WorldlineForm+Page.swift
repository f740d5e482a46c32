/// The payment pages of Worldline.
///
/// Source: the server SDKs, `CreateHostedCheckoutResponse`, `GetHostedCheckoutResponse`; the plugins' stubs.
extension WorldlineForm {
    /// Creates a page; its identifier is not the payment's, and its address is the sandbox's page for customers.
    ///
    /// The customer returns with the page's identifier and with the code of the answer.
    @Sendable func createPage(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = isDirect ? "\(4_055_000_000 + book.nextNumber())" : book.nextUUID()
        var purchase = purchase(call)
        purchase.details = purchase.details.adding(["page": .string(id)])
        let payment = SandboxPayment(
            id: newID(&book), purchase, call.scenario(purchase), waitsForCustomer: true)
        book[payment: payment.id, of: call.gateway.name] = payment
        let code = book.nextUUID()
        let input = call.body["hostedCheckoutSpecificInput"]
        let returnURL = input?["returnUrl"]?.string ?? ""
        let mark = returnURL.contains("?") ? "&" : "?"
        book[value: SandboxGateway.pageName(id), of: call.gateway.name] = [
            "payment": .string(payment.id),
            "returnURL": .string("\(returnURL)\(mark)RETURNMAC=\(code)&hostedCheckoutId=\(id)"),
            "showsCancellation": .boolean(
                isDirect || input?["returnCancelState"]?.boolean == true),
        ]
        let address = call.customerURL(id)
        let body: JSON = [
            "RETURNMAC": .string(code), "hostedCheckoutId": .string(id),
            "merchantReference": .optional(purchase.reference),
            "partialRedirectUrl": .string(String(address.dropFirst("http://".count))),
            // Connect's answer has only the partial address, which cannot be opened here.
            "redirectUrl": .string(address),
        ]
        return .answer(SandboxAnswer(201, body))
    }

    /// Answers the status of a page.
    ///
    /// Connect shows that the customer canceled only if the request asked for it.
    @Sendable func page(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = call.segments[1]
        guard let page = book[value: SandboxGateway.pageName(id), of: call.gateway.name],
            let payment = call.status(page["payment"]?.string ?? "", in: &book)
        else { return .answer(call.fault(.notFound)) }
        let isCancelled = payment.state == .abandoned
        guard payment.state != .awaitingCustomer,
            !isCancelled || page["showsCancellation"]?.boolean == true
        else { return .ok(["status": "IN_PROGRESS"]) }
        let word: JSON = isCancelled ? "CANCELLED_BY_CONSUMER" : "PAYMENT_CREATED"
        guard !isCancelled || isDirect else { return .ok(["status": word]) }
        let category: JSON = payment.state == .declined || isCancelled ? "REJECTED" : "SUCCESSFUL"
        // Direct leaves out the number of the operation here.
        let number = isDirect ? String(payment.id.prefix { $0 != "_" }) : payment.id
        let shown = self.payment(payment, id: number)
        let output: JSON = ["payment": shown, "paymentStatusCategory": category]
        return .ok(["status": word, "createdPaymentOutput": output])
    }
}
