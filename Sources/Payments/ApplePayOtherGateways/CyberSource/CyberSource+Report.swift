internal import ApplePayAcceptance
package import ApplePayGateways
internal import ApplePayWire

extension CyberSource {
    /// Reads the answer to a payment, success or failure.
    ///
    /// HTTP 201 alone does not mean success: a declined payment has it too. The status of a sale (a request with
    /// `capture`) stays `AUTHORIZED`, and the capture is done later.
    ///
    /// Source: CyberSource REST API, `POST /pts/v2/payments`, responses 201, 400 and 502, and its *Transaction response
    /// codes*; the vendor's plugins, which reverse the authorization after `AUTHORIZED_RISK_DECLINED`. `stepUpUrl` of
    /// `PENDING_AUTHENTICATION` takes a form with a token, so the customer cannot open it.
    package static func paymentReport(_ response: GatewayResponse, isSale: Bool) -> PaymentReport {
        PaymentReport.answer(response, PaymentReport(gateway: gatewayName), success: 201) {
            answer, report throws(PaymentError) in
            report.paymentID = try answer.text("id")
            report.reference = try answer.text("clientReferenceInformation", "code")
            let money = try answer.object("orderInformation", "amountDetails")
            report.currency = try money?.text("currency")?.uppercasedASCII
            report.ordered = try money?.minorUnits("totalAmount", in: report.currency)
            let authorized = try money?.minorUnits("authorizedAmount", in: report.currency)
            switch try answer.text("status") {
            case "AUTHORIZED", "PARTIAL_AUTHORIZED":
                report.meaning = .booked
                report.authorized = isSale ? nil : authorized
                report.captureRequested = isSale ? authorized : nil
            case "DECLINED", "AUTHORIZED_RISK_DECLINED", "INVALID_REQUEST":
                report.meaning = .refused
                // An amount that the issuer reserved may still be reserved; it contradicts the refusal.
                report.authorized = authorized
            case "AUTHORIZED_PENDING_REVIEW", "PENDING_REVIEW", "PENDING":
                report.meaning = .undecided
            case "PENDING_AUTHENTICATION": report.meaning = .awaitingCustomer
            default: break
            }
            try fillReason(&report, answer)
        }
    }

    /// Reads the answer to a timeout reversal or a timeout void, success or failure.
    ///
    /// Source: CyberSource, *Timeout Reversals*, *Timeout Voids*; its REST client,
    /// `PtsV2PaymentsReversalsPost201Response`, `PtsV2PaymentsVoidsPost201Response`, which lists `CANCELLED` too,
    /// without its meaning.
    package static func reversalReport(_ response: GatewayResponse) -> PaymentReport {
        PaymentReport.answer(
            response, PaymentReport(gateway: gatewayName, about: .cancellation), success: 201
        ) { answer, report throws(PaymentError) in
            report.operationID = try answer.text("id")
            let reversal = try answer.object("reversalAmountDetails")
            let void = try answer.object("voidAmountDetails")
            report.currency = try (reversal ?? void)?.text("currency")?.uppercasedASCII
            let reversed = try reversal?.minorUnits("reversedAmount", in: report.currency)
            report.operationAmount =
                try void?.minorUnits("voidAmount", in: report.currency) ?? reversed
            switch try answer.text("status") {
            case "REVERSED", "VOIDED": report.meaning = .booked
            case "FAILED", "INVALID_REQUEST": report.meaning = .refused
            default: break
            }
            try fillReason(&report, answer)
        }
    }

    /// Fills in the status, and the reason unless the answer is a success.
    private static func fillReason(
        _ report: inout PaymentReport, _ answer: AnswerValue
    ) throws(PaymentError) {
        let status = try answer.text("status")
        report.status = status
        let error = try answer.object("errorInformation") ?? answer
        let reason = try error.text("reason")
        let (message, rmsg) = (try error.text("message"), try answer.text("response", "rmsg"))
        switch (status, reason) {
        case ("SERVER_ERROR", _), (_, "DUPLICATE_REQUEST"), (_, "SYSTEM_ERROR"),
            (_, "SERVER_TIMEOUT"), (_, "SERVICE_TIMEOUT"):
            report.fault =
                "\(reason ?? "SERVER_ERROR"): this request or an earlier one may be done."
        default: break
        }
        // A proxy's error may have a status and a message.
        let (id, time) = (try answer.text("id"), try answer.text("submitTimeUtc"))
        if report.meaning == .refused, reason == nil, id == nil { report.meaning = .undocumented }
        let isDated = reason != nil && message != nil && time != nil
        let isError = report.meaning == .undocumented && (isDated || rmsg != nil)
        guard report.meaning == .refused || isError else { return }
        let origin: PaymentReport.Refusal.Origin =
            switch (status, reason) {
            case (_, "CONSUMER_AUTHENTICATION_REQUIRED"), (_, "CONSUMER_AUTHENTICATION_FAILED"):
                .customer
            case (_, "INVALID_MERCHANT_CONFIGURATION"), (_, "CARD_TYPE_NOT_ACCEPTED"): .operator
            case ("DECLINED", _), ("AUTHORIZED_RISK_DECLINED", _): .issuer
            default: .operator
            }
        var refusal = PaymentReport.Refusal(code: reason, text: message ?? rmsg, origin: origin)
        var members: [ExactText?] = []
        for detail in try error.objects("details") { members.append(try detail.text("field")) }
        refusal.blame(members)
        report.refusal = refusal
    }
}
