internal import ApplePayAcceptance
package import ApplePayGateways
package import ApplePayWire

extension Checkout {
    /// Reads the answer to a payment, success or failure.
    ///
    /// HTTP 201 does not mean success: a declined payment has it too. A payment that was just made has reserved its
    /// `amount`; it will be captured unless the request set `capture` to false. A 401 may have no body or `{}`, which anything
    /// else may have sent as well, so it decides nothing.
    ///
    /// Source: Checkout.com, *Network tokens*, and its official SDKs' `PaymentResponse`.
    package static func paymentReport(
        _ response: GatewayResponse, captures: Bool
    ) -> PaymentReport {
        PaymentReport.answer(response, PaymentReport(gateway: gatewayName), success: 201) {
            answer, report throws(PaymentError) in
            guard response.isAccepted || answer["status"] != nil else {
                return try fillError(&report, answer)
            }
            let amount = try fill(&report, answer)
            report.canBeAsked = true
            guard report.status == "Authorized" else { return }
            let open = report.authorized ?? amount
            report.authorized = captures ? nil : open
            report.captureRequested = captures ? open : nil
        }
    }

    /// Reads the answer to a query by identifier.
    ///
    /// Source: Checkout.com, *Get payment details*; its SDKs, `GetPaymentResponse`.
    package static func statusReport(_ response: GatewayResponse) -> PaymentReport {
        PaymentReport.statusAnswer(response, PaymentReport(gateway: gatewayName)) {
            answer, report throws(PaymentError) in
            guard response.isAccepted else { return try fillError(&report, answer) }
            _ = try fill(&report, answer)
        }
    }

    /// Codes of errors that are about the card.
    private static let cardErrors: Set<ExactText> = ["card_expired", "card_number_invalid"]

    /// Fills in the refusal if the answer is an error of Checkout.com's, whose codes name the members at fault.
    ///
    /// Source: Checkout.com's SDKs, `CheckoutApiException`; *Response codes*.
    private static func fillError(
        _ report: inout PaymentReport, _ answer: AnswerValue
    ) throws(PaymentError) {
        guard let type = try answer.text("error_type"),
            try answer.text("request_id") != nil || answer["error_codes"]?.isArray == true
        else { return }
        let codes = answer["error_codes"]?.elements.compactMap(\.string) ?? []
        let isAboutCard = !codes.isEmpty && codes.allSatisfy(cardErrors.contains)
        var refusal = PaymentReport.Refusal(
            code: codes.first ?? type, text: type, origin: isAboutCard ? .issuer : .operator)
        refusal.blame(Array(codes.dropFirst()))
        report.refusal = refusal
    }

    /// Reads the answer to a query by reference.
    ///
    /// Source: Checkout.com, *Get a list of payments*; its SDKs, `PaymentsQueryResponse`.
    package static func searchReport(
        _ response: GatewayResponse, reference: ExactText
    ) -> PaymentReport {
        let empty = PaymentReport(gateway: gatewayName)
        return PaymentReport.statusAnswer(response, empty, isSearch: true) {
            answer, report throws(PaymentError) in
            guard response.isAccepted else { return try fillError(&report, answer) }
            let data = try answer.objects("data")
            report = try PaymentReport.search(data, with: reference, else: empty) {
                payment, one throws(PaymentError) in _ = try fill(&one, payment)
            }
            if try answer.integer("total_count") != Int64(data.count) {
                report.fault = "The answer does not contain all payments with the reference."
            }
        }
    }

    /// Fills in all that a payment states, with `balances` as the totals, and returns its `amount`.
    ///
    /// `Paid` is the status of a payout. No page explains `Canceled`, which ends scheduled retries, for example; such a
    /// retry is not final. With a partial authorization, `amount` is the approved part.
    ///
    /// Source: Checkout.com's SDKs, `PaymentStatus`, `Balances`; *Configure scheduled retries*; *Response codes*.
    private static func fill(
        _ report: inout PaymentReport, _ payment: AnswerValue
    ) throws(PaymentError) -> Int64? {
        let status = try payment.mandatoryText("status")
        report.status = status
        report.paymentID = try payment.mandatoryText("id")
        report.reference = try payment.text("reference")
        let currency = try payment.text("currency")?.uppercasedASCII
        report.currency = currency
        func units(_ object: AnswerValue?, _ name: String) throws(PaymentError) -> Int64? {
            guard let amount = try object?.integer(name) else { return nil }
            return try scale.minorUnits(amount, of: currency ?? "", name)
        }
        let amount = try units(payment, "amount")
        report.ordered = try units(payment, "amount_requested") ?? amount
        let balances = try payment.object("balances")
        let refunded = try units(balances, "total_refunded")
        // The totals are not known if the status reports a refund that they do not contain.
        if let refunded, refunded > 0 || !status.hasSuffix("Refunded") {
            report.authorized = try units(balances, "available_to_capture")
            report.captured = try units(balances, "total_captured")
            report.refunded = refunded
        }
        switch status {
        case "Authorized", "Captured", "Partially Captured", "Refunded", "Partially Refunded":
            report.meaning = .booked
        case "Card Verified": report.meaning = .verified
        case "Pending", "Accepted", "Requested", "Active", "Authentication Requested",
            "Retry Scheduled":
            report.setAddress(try payment.text("_links", "redirect", "href"))
            report.meaning = report.address == nil ? .undecided : .awaitingCustomer
        case "Declined", "Rejected":
            report.meaning = .refused
            let code = try payment.text("response_code")
            // An invalid merchant; a 3-D Secure authentication that was not completed.
            let origins: [ExactText: PaymentReport.Refusal.Origin] = [
                "20003": .operator, "20152": .customer,
            ]
            report.refusal = PaymentReport.Refusal(
                code: code, text: try payment.text("response_summary"),
                origin: origins[code ?? ""] ?? .issuer)
        case "Canceled", "Voided": report.meaning = .cancelled
        case "Expired": report.meaning = .expired
        default: break
        }
        if report.meaning == .booked || report.meaning == .verified,
            try payment.boolean("approved") != true
        {
            report.fault = "The status is \(status), but the payment is not approved."
        }
        return amount
    }
}
