internal import ApplePayAcceptance
package import ApplePayGateways
internal import ApplePayWire

extension Adyen {
    /// Reads the answer to a payment, success or failure.
    ///
    /// HTTP 200 does not mean success: the answer to a refused payment has it too. No answer states what is captured.
    /// Many state neither an amount nor the reference; have the account's additional data contain them, because the
    /// outcome of such a payment is unknown.
    ///
    /// Source: Adyen's OpenAPI file for Checkout, `PaymentResponse`, `CheckoutRedirectAction`, `ServiceError`; *Result
    /// codes*.
    package static func paymentReport(_ response: GatewayResponse) -> PaymentReport {
        PaymentReport.answer(response, PaymentReport(gateway: gatewayName), success: 200) {
            answer, report throws(PaymentError) in
            report.paymentID = try answer.text("pspReference")
            let other = try answer.text("additionalData", "merchantReference")
            report.reference = try answer.text("merchantReference") ?? other
            report.status = try answer.text("resultCode")
            switch report.status {
            case "Authorised", "PartiallyAuthorised":
                report.meaning = .booked
                try fillAmount(&report, answer)
            case "Refused", "Cancelled":
                report.meaning = .refused
                report.refusal = PaymentReport.Refusal(
                    code: try answer.text("refusalReasonCode"),
                    text: try answer.text("refusalReason"), origin: try refusalOrigin(answer))
            case "Error":
                report.fault = "Adyen could not process the payment; it may have been made."
            case "Pending", "Received", "AuthenticationFinished", "AuthenticationNotRequired":
                report.meaning = .undecided
            case "RedirectShopper", "ChallengeShopper", "IdentifyShopper", "PresentToShopper":
                report.meaning = .awaitingCustomer
                let action = try answer.object("action")
                // Only Adyen's components can send a form (POST).
                if try action?.text("method") != "POST" {
                    report.setAddress(try action?.text("url"))
                }
            case nil: try fillError(&report, answer)
            default: break
            }
        }
    }

    /// Fills in the authorized amount, which is `amount` or a member of `additionalData`.
    private static func fillAmount(
        _ report: inout PaymentReport, _ answer: AnswerValue
    ) throws(PaymentError) {
        let (amount, more) = (try answer.object("amount"), try answer.object("additionalData"))
        var (value, currency) = (try amount?.integer("value"), try amount?.text("currency"))
        if value == nil {
            value = try more?.integer("authorisedAmountValue")
            currency = try more?.text("authorisedAmountCurrency")
        }
        guard let value else { return }
        report.authorized = try scale.minorUnits(value, of: currency ?? "", "amount")
        report.currency = currency?.uppercasedASCII
    }

    /// Returns who can do something about a refusal.
    ///
    /// Source: Adyen, *Refusal reasons*.
    private static func refusalOrigin(
        _ answer: AnswerValue
    ) throws(PaymentError) -> PaymentReport.Refusal.Origin {
        switch (try answer.text("refusalReasonCode"), try answer.text("resultCode")) {
        // 3D Not Authenticated, Cancelled, Shopper Cancelled, Authentication required.
        case ("11", _), ("15", _), ("16", _), ("38", _), (nil, "Cancelled"): .customer
        // Invalid Amount, Not supported.
        case ("7", _), ("10", _): .operator
        default: .issuer
        }
    }

    /// Fills in the refusal if the answer is an error of Adyen's: `ServiceError`, or that of a server in front of it.
    ///
    /// Source: Adyen's OpenAPI file for Checkout, `ServiceError`; *API idempotency*, for 703 and 704, which can have the HTTP status 422.
    private static func fillError(
        _ report: inout PaymentReport, _ answer: AnswerValue
    ) throws(PaymentError) {
        let code = try answer.text("errorCode")
        if let code, ["703", "704"].contains(code) {
            report.fault = "\(code): the request with this key may be done or in progress."
        }
        let text = try answer.text("message")
        if let code, let text, try answer.text("errorType") != nil {
            report.refusal = PaymentReport.Refusal(code: code, text: text, origin: .operator)
        } else if answer["error", "requested URI"]?.isString == true {
            report.refusal = PaymentReport.Refusal(
                code: try answer.text("error", "code"), text: try answer.text("error", "message"),
                origin: .operator)
        }
    }
}
