internal import ApplePayAcceptance

extension Worldline {
    /// Reads the answer to CreatePayment, success or failure.
    ///
    /// The first answer about a new payment states its totals: nothing can have been captured or refunded before. The
    /// answer to a repeated key is of the past, so its amounts are left out.
    ///
    /// Source: the server SDKs, `CreatePaymentResponse`, `PaymentErrorResponse`; Worldline Direct, *Idempotent requests*
    /// (2026-11-22), for 409 and `X-GCS-Idempotence-Request-Timestamp`.
    package static func paymentReport(
        _ response: GatewayResponse, _ platform: Platform
    ) -> PaymentReport {
        PaymentReport.answer(response, empty(platform, response)) {
            answer, report throws(PaymentError) in
            try fillError(&report, answer)
            let result = try answer.object("paymentResult") ?? answer
            guard let payment = try result.object("payment") else {
                if let error = try undecided(answer) { report.fault = error }
                guard response.isAccepted else { return }
                throw .gateway(.missingMember, "payment")
            }
            let state = try PaymentState(payment, platform)
            try state.fill(&report)
            report.canBeAsked = true
            if !report.isRepeated { state.fillFirstAmounts(&report) }
            let action = try result.object("merchantAction", "redirectData")
            report.setAddress(try action?.text("redirectURL"))
            report.card = try state.card(token: result.text("creationOutput", "token"))
        }
    }

    /// Returns an empty report; both platforms mark the answer to a repeated key with the time of the first request.
    private static func empty(
        _ platform: Platform, _ response: GatewayResponse, about: PaymentReport.Subject = .payment
    ) -> PaymentReport {
        var report = PaymentReport(gateway: platform.name, about: about)
        report.isRepeated = response.header("X-GCS-Idempotence-Request-Timestamp") != nil
        return report
    }

    /// Reads the answer to a query: the members of a payment, or the code of an error.
    static func queryReport(
        _ response: GatewayResponse, _ platform: Platform, isSearch: Bool = false,
        _ fill: (AnswerValue, inout PaymentReport) throws(PaymentError) -> Void
    ) -> PaymentReport {
        let empty = PaymentReport(gateway: platform.name)
        return PaymentReport.statusAnswer(response, empty, isSearch: isSearch) {
            answer, report throws(PaymentError) in
            try fillError(&report, answer)
            if response.isAccepted { try fill(answer, &report) }
        }
    }

    /// Reads the answer to GetPayment and to FindPayments' elements of Connect, and to GetPayment of Direct, which does
    /// not state what is captured and refunded.
    ///
    /// Source: the server SDKs, `PaymentResponse`; Connect's `PaymentOutput` for the totals.
    package static func statusReport(
        _ response: GatewayResponse, _ platform: Platform
    ) -> PaymentReport {
        queryReport(response, platform) { answer, report throws(PaymentError) in
            let state = try PaymentState(answer, platform)
            try state.fill(&report)
            report.canBeAsked = platform.isDirect
        }
    }

    /// Reads the answer to a capture, a cancellation or a refund, success or failure.
    ///
    /// Source: the server SDKs, `CaptureResponse`, `CancelPaymentResponse`, `RefundResponse`, `ApprovePaymentResponse`.
    package static func operationReport(
        _ response: GatewayResponse, of kind: PaymentOperation.Kind, _ platform: Platform
    ) -> PaymentReport {
        PaymentReport.answer(response, empty(platform, response, about: kind.subject)) {
            answer, report throws(PaymentError) in
            try fillError(&report, answer)
            let payment = try answer.object("payment")
            if let error = try undecided(answer) { report.fault = error }
            // An operation in an error contradicts it.
            guard response.isAccepted || (payment ?? answer)["id"] != nil else { return }
            try fill(&report, payment ?? answer, kind, platform, isPayment: payment != nil)
            // The acquirer did not answer a void: Connect's status is CANCELLED or REJECTED then.
            let void = try answer.text("cardPaymentMethodSpecificOutput", "voidResponseId")
            if void == "98" { report.fault = "The acquirer did not answer the cancellation." }
        }
    }

    /// Fills in the report about one operation; after a cancellation or an approval the answer is the payment.
    static func fill(
        _ report: inout PaymentReport, _ value: AnswerValue, _ kind: PaymentOperation.Kind,
        _ platform: Platform, isPayment: Bool = false
    ) throws(PaymentError) {
        let state = try PaymentState(value, platform)
        report.status = state.status
        report.operationID = isPayment ? nil : state.id
        if platform.isDirect || isPayment { report.paymentID = state.paymentID }
        report.currency = state.currency
        report.operationAmount = isPayment ? nil : state.operationAmount
        report.mark = state.mark
        if isPayment { report.reference = state.reference }
        report.refusal = state.refusal ?? report.refusal
        report.meaning =
            switch (state.status, kind) {
            case ("PAID", _) where platform.isDirect: .undocumented
            case ("CAPTURED", .capture), ("PAID", .capture), ("REVERSED", .cancellation),
                ("REFUNDED", .refund):
                .booked
            case ("CANCELLED", .cancellation):
                switch state.code {
                case 61, 62: .undecided
                case nil where platform.isDirect: .undecided
                case 63, 64: .refused
                default: .booked
                }
            case ("CAPTURE_REQUESTED", .capture), ("PENDING_CAPTURE", .capture),
                ("REFUND_REQUESTED", .refund), ("PENDING_APPROVAL", .refund), ("CREATED", _):
                .undecided
            case ("REJECTED", _), ("REJECTED_CAPTURE", _), ("CANCELLED", _): .refused
            default: .undocumented
            }
        if report.meaning == .refused { report.refusal = report.refusal ?? .init() }
    }

    /// Reads the answer to CreateHostedCheckout, success or failure.
    ///
    /// Source: the server SDKs, `CreateHostedCheckoutResponse`, `ErrorResponse`.
    package static func pageReport(
        _ response: GatewayResponse, _ platform: Platform
    ) -> PaymentReport {
        PaymentReport.answer(response, PaymentReport(gateway: platform.name)) {
            answer, report throws(PaymentError) in
            try fillError(&report, answer)
            guard response.isAccepted || answer["hostedCheckoutId"] != nil else { return }
            report.sessionID = try answer.mandatoryText("hostedCheckoutId")
            report.meaning = .awaitingCustomer
            report.canBeAsked = true
            let partial = try answer.text("partialRedirectUrl").map {
                ExactText("https://payment.\($0)")
            }
            report.setAddress(try answer.text("redirectUrl") ?? partial)
            report.returnCode = try answer.text("RETURNMAC")
        }
    }

    /// Reads the answer to GetHostedCheckout; the totals of a payment are those of its own query.
    ///
    /// The customer may try several times on a page, so a payment that was declined there is not refused for good.
    /// Connect's `CANCELLED_BY_CONSUMER` replaces `IN_PROGRESS`; Direct's means that the page is closed.
    ///
    /// Source: the server SDKs, `GetHostedCheckoutResponse`, `CreatedPaymentOutput`; Connect, *Statuses*.
    package static func pageStatusReport(
        _ response: GatewayResponse, _ platform: Platform
    ) -> PaymentReport {
        queryReport(response, platform) { answer, report throws(PaymentError) in
            report.status = try answer.mandatoryText("status")
            report.canBeAsked = true
            if let payment = try answer.object("createdPaymentOutput", "payment") {
                try PaymentState(payment, platform).fill(&report)
            }
            let isOver = report.paymentID == nil || [.refused, .cancelled].contains(report.meaning)
            switch try answer.text("status") {
            case "PAYMENT_CREATED" where report.paymentID != nil:
                if report.meaning == .refused { report.meaning = .undecided }
            case "CANCELLED_BY_CONSUMER" where platform.isDirect && isOver:
                report.meaning = .refused
                report.refusal = report.refusal ?? .init(code: report.status, origin: .customer)
            case "IN_PROGRESS", "CANCELLED_BY_CONSUMER",
                "CLIENT_NOT_ELIGIBLE_FOR_SELECTED_PAYMENT_PRODUCT":
                report.meaning = .undecided
            default: report.meaning = .undocumented
            }
        }
    }
}
