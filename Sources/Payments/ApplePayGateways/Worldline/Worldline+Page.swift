internal import ApplePayAcceptance
internal import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

extension Worldline.Gateway {
    /// Creates the CreateHostedCheckout request, with the members of `pageOptions`.
    func hostedPage(
        _ order: Order, _ attempt: PaymentAttempt
    ) throws(PaymentError) -> PaymentCall {
        let options = pageOptions
        try options.check()
        guard let returnURL = order.returnURL, URL(string: returnURL)?.scheme?.isEmpty == false
        else {
            throw PaymentError(
                .unsupportedValue, members: ["returnUrl"],
                reason: "a page needs the address to which the customer returns")
        }
        let input = try Worldline.OrderInput(
            order, attempt, Self.platform, options.addressIndicator)
        let body = JSONBody.object { body in
            input.write(into: &body)
            body.object("hostedCheckoutSpecificInput") { body in
                body.string("locale", options.locale)
                body.string("returnUrl", returnURL)
                body.boolean("showResultPage", options.showResultPage)
                body.boolean("isRecurring", options.isRecurring)
                let tokens = order.storedCards.joined(separator: ",")
                body.string("tokens", tokens.isEmpty ? nil : tokens)
                body.string("variant", options.variant)
                body.integer("sessionTimeout", options.sessionTimeout)
                body.integer("allowedNumberOfPaymentAttempts", options.allowedPaymentAttempts)
            }
            body.object("mobilePaymentMethodSpecificInput") { body in
                body.string("authorizationMode", options.authorizationMode?.rawValue)
                body.integer("paymentProductId", Worldline.paymentProductId)
                options.applePay?.write(order.currency, into: &body)
            }
        }
        let request = try post("hostedcheckouts", key: nil, body)
        return call(attempt, canMoveMoney: false, request) { response in
            .outcome(
                OrderOutcome(
                    report: Worldline.pageReport(response, Self.platform), attempt: attempt))
        }
    }
}

extension Worldline {
    /// Reads a customer's return from a page: `RETURNMAC` and `hostedCheckoutId` of the query; nil for another request.
    ///
    /// - Throws: `missing-member` for `hostedCheckoutId`, `malformed` for a query that is too long or a parameter that occurs
    ///   twice.
    ///
    /// Source: Worldline Direct, *Hosted Checkout Page*, "RETURNMAC" (2026-11-22).
    static func customerReturn(
        _ message: GatewayMessage
    ) throws(PaymentError) -> GatewayMessageContents? {
        guard ExactText(message.method) == "GET",
            ExactText(message.target).contains("RETURNMAC=")
        else { return nil }
        let query = try URLQuery(ofTarget: message.target)
        return .customerReturn(
            sessionID: try query.value("hostedCheckoutId"), code: try query.value("RETURNMAC"))
    }
}
