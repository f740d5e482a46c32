internal import ApplePayAcceptance
package import ApplePayGateways
internal import ApplePayWire

extension PayPal {
    /// Reads the answer to a payment, success or failure.
    ///
    /// 201 is the answer to a new request and 200 that to a repeated one; both state the order as it is now. A minimal
    /// answer contains no payments.
    ///
    /// Source: PayPal, *Orders v2*, `order` and `error`; *Idempotency*; its official server SDK, `OrderStatus`.
    package static func paymentReport(_ response: GatewayResponse) -> PaymentReport {
        var empty = PaymentReport(gateway: gatewayName)
        empty.isRepeated = response.status == 200
        return PaymentReport.answer(response, empty) {
            answer, report throws(PaymentError) in
            guard response.isAccepted || answer["status"] != nil else {
                return try fillError(&report, answer)
            }
            try fill(&report, answer)
            report.canBeAsked = true
        }
    }

    /// Reads the answer to ``status(of:)``.
    package static func statusReport(_ response: GatewayResponse) -> PaymentReport {
        PaymentReport.statusAnswer(response, PaymentReport(gateway: gatewayName)) {
            answer, report throws(PaymentError) in
            guard response.isAccepted else { return try fillError(&report, answer) }
            try fill(&report, answer)
        }
    }

    /// Fills in an order; `COMPLETED` means only that there are payments, which may be declined.
    private static func fill(
        _ report: inout PaymentReport, _ order: AnswerValue
    ) throws(PaymentError) {
        report.paymentID = try order.mandatoryText("id")
        report.status = try order.mandatoryText("status")
        switch report.status {
        case "COMPLETED": report.meaning = .booked
        case "CREATED", "SAVED", "APPROVED": report.meaning = .undecided
        case "PAYER_ACTION_REQUIRED":
            report.meaning = .awaitingCustomer
            let link = try order.objects("links").first {
                ["payer-action", "approve"].contains($0["rel"]?.string ?? "")
            }
            report.setAddress(try link?.text("href"))
        case "VOIDED": report.meaning = .cancelled
        default: return
        }
        let units = try order.objects("purchase_units")
        guard let unit = units.first else { return }
        guard units.count == 1 else {
            report.fault = "The order has \(units.count) purchase units instead of one."
            return
        }
        report.reference = try unit.text("reference_id")
        let amount = try unit.object("amount")
        report.currency = try amount?.text("currency_code")?.uppercasedASCII
        report.ordered = try amount?.minorUnits("value", in: report.currency)
        if let payments = try unit.object("payments") { try fillTotals(&report, payments) }
    }

    /// The effect of one of an order's payments on the amounts.
    private enum Effect {
        case authorized, captureRequested, captured, refundRequested, refunded
        case undecided, disputed, voided, declined, nothing
    }

    /// Returns what a payment did, by its list and its status; nil for a word that is not documented.
    ///
    /// Source: PayPal's official server SDK, `AuthorizationStatus`, `CaptureStatus`, `CaptureIncompleteReason`,
    /// `RefundStatus`.
    private static func effect(_ word: ExactText, _ reason: ExactText?) -> Effect? {
        switch word {
        case "authorizations CREATED", "authorizations PARTIALLY_CAPTURED": .authorized
        case "authorizations CAPTURED", "refunds FAILED", "refunds CANCELLED": .nothing
        case "authorizations PENDING": .undecided
        case "authorizations VOIDED": .voided
        case "captures PENDING":
            switch reason {
            case "BUYER_COMPLAINT", "CHARGEBACK": .disputed
            case "REFUNDED": .undecided
            default: .captureRequested
            }
        case "captures COMPLETED", "captures PARTIALLY_REFUNDED", "captures REFUNDED": .captured
        case "authorizations DENIED", "captures DECLINED", "captures FAILED": .declined
        case "refunds PENDING": .refundRequested
        case "refunds COMPLETED": .refunded
        default: nil
        }
    }

    /// Fills in the totals: the sums of the captures and the refunds, and what is left of the authorizations.
    ///
    /// The amount of an authorization is not reduced by its captures, that of a capture not by its refunds.
    private static func fillTotals(
        _ report: inout PaymentReport, _ payments: AnswerValue
    ) throws(PaymentError) {
        var sums: [Effect: Int64] = [:]
        var words: Set<ExactText> = []
        var isFinal = false
        var code: ExactText?
        for list in ["authorizations", "captures", "refunds"] {
            for payment in try payments.objects(list) {
                let status = try payment.mandatoryText("status")
                let reason = try payment.text("status_details", "reason")
                guard let effect = effect("\(list) \(status)", reason) else {
                    (report.meaning, report.status) = (.undocumented, status)
                    return
                }
                words.insert(status)
                let money = try payment.object("amount")
                let currency = try money?.text("currency_code")?.uppercasedASCII
                report.currency = report.currency ?? currency
                guard let amount = try money?.minorUnits("value", in: currency),
                    currency == report.currency
                else { throw .gateway(.malformed, "\(list).amount") }
                sums[effect, default: 0].add(amount)
                if effect == .declined {
                    code = try payment.text("processor_response", "response_code") ?? code
                } else if try payment.boolean("final_capture") == true {
                    isFinal = true
                }
            }
        }
        report.hasChargeback = sums[.disputed] != nil
        let open: Set<Effect> = [.undecided, .disputed]
        if sums.keys.allSatisfy(open.union([.voided, .declined]).contains) {
            if !open.isDisjoint(with: sums.keys) {
                report.meaning = .undecided
            } else if sums[.voided] != nil {
                report.meaning = .cancelled
            } else if sums[.declined] != nil, report.status == "COMPLETED" {
                report.meaning = .refused
                report.refusal = PaymentReport.Refusal(code: code)
            }
            return
        }
        report.meaning = .booked
        let (captured, requested) = (sums[.captured] ?? 0, sums[.captureRequested] ?? 0)
        let (refunded, refundRequested) = (sums[.refunded] ?? 0, sums[.refundRequested] ?? 0)
        // The totals are not known if a word reports captures or refunds that the answer does not contain.
        if captured == 0, requested == 0, words.contains(where: { $0.hasSuffix("CAPTURED") }) {
            return
        }
        if refunded == 0, refundRequested == 0, words.contains(where: { $0.hasSuffix("REFUNDED") })
        {
            return
        }
        report.authorized = isFinal ? 0 : (sums[.authorized] ?? 0).without(captured, requested)
        report.captureRequested = requested
        report.captured = captured
        report.refundRequested = refundRequested
        report.refunded = refunded
    }

    /// Issues after which money may have been taken, by this request or an earlier one, or can still be taken.
    private static let openIssues: Set<ExactText> = [
        "ORDER_ALREADY_CAPTURED", "ORDER_ALREADY_AUTHORIZED", "ORDER_COMPLETION_IN_PROGRESS",
        "ORDER_IS_PENDING_APPROVAL", "ORDER_NOT_APPROVED", "PAYER_ACTION_REQUIRED",
        "DUPLICATE_INVOICE_ID", "DUPLICATE_REQUEST_ID", "PAYPAL_REQUEST_ID_PREVIOUSLY_USED",
        "PREVIOUS_REQUEST_IN_PROGRESS",
    ]

    /// Issues of the card, or of PayPal's checks for it.
    private static let cardIssues: Set<ExactText> = [
        "INSTRUMENT_DECLINED", "PAYMENT_SOURCE_DECLINED_BY_PROCESSOR", "TRANSACTION_REFUSED",
        "COMPLIANCE_VIOLATION", "CARD_EXPIRED", "PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED",
        "BILLING_ADDRESS_INVALID", "MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED",
        "REDIRECT_PAYER_FOR_ALTERNATE_FUNDING",
    ]

    /// Returns whether an answer is an error of PayPal's, and not that of a proxy: `name` and `message` with issues or
    /// `debug_id`, or the error of an access token.
    ///
    /// Source: PayPal's OpenAPI files, `error`; RFC 6749 §5.2, RFC 6750 §3.1.
    private static func isOwnError(
        _ answer: AnswerValue, hasIssues: Bool
    ) throws(PaymentError) -> Bool {
        let identifiers = [try answer.text("debug_id"), try answer.text("debugId")]
        if try answer.text("name") != nil, try answer.text("message") != nil {
            return hasIssues || identifiers != [nil, nil]
        }
        let error = try answer.text("error") ?? ""
        let text = try answer.text("error_description")
        return ["invalid_token", "invalid_client"].contains(error) && text != nil
    }

    /// Fills in the first issue of an error.
    ///
    /// After `INSTRUMENT_DECLINED`, the customer could approve the order with another card, but nothing here would take the
    /// money, so it is a refusal.
    ///
    /// Source: PayPal's OpenAPI files for Orders v2 and Payments v2; *Handle funding failures*.
    static func fillError(
        _ report: inout PaymentReport, _ answer: AnswerValue
    ) throws(PaymentError) {
        let details = try answer.objects("details")
        var issues: [ExactText] = []
        for detail in details {
            if let issue = try detail.text("issue") { issues.append(issue) }
        }
        let (name, error) = (try answer.text("name"), try answer.text("error"))
        if let issue = (issues + [name].compactMap { $0 }).first(where: openIssues.contains) {
            report.fault = "\(issue): the order is paid already, or can still be paid."
        }
        guard try isOwnError(answer, hasIssues: !issues.isEmpty) else { return }
        let text = details.first?["description"] ?? answer["message"] ?? answer["error_description"]
        let origin: PaymentReport.Refusal.Origin =
            if issues.contains(where: cardIssues.contains) {
                .issuer
            } else {
                issues.contains { $0.hasPrefix("PAYER_") } ? .customer : .operator
            }
        var refusal = PaymentReport.Refusal(
            code: issues.first ?? name ?? error, text: text?.string, origin: origin)
        var members: [ExactText?] = []
        for detail in details { members.append(try detail.text("field")) }
        refusal.blame(members)
        report.refusal = refusal
    }
}
