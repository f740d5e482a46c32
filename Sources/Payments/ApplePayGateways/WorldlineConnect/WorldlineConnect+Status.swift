public import ApplePayAcceptance

extension WorldlineConnect {
    /// Creates a GetPayment request (`GET /v1/{merchantId}/payments/{paymentId}`), a FindPayments request
    /// (`GET /v1/{merchantId}/payments?merchantReference=`), or GetHostedCheckout for the payment of a page.
    ///
    /// If the payment's totals are missing, as in the answers of older accounts, they are added up from the payment's
    /// captures (`…/captures`) and refunds (`…/refunds`).
    ///
    /// Source: the server SDKs, `PaymentResponse`, `FindPaymentsParams`, `FindPaymentsResponse`, `CapturesResponse`,
    /// `RefundsResponse`.
    public func status(of attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        guard attempt.paymentID == nil, attempt.sessionID == nil else {
            return try status(
                of: attempt, suffix: "", read: { Worldline.statusReport($0, .connect) },
                conclude: concluded)
        }
        let request = try searchRequest(attempt.reference)
        return call(attempt, canMoveMoney: false, request) { response in
            concluded(Self.searchReport(response, attempt.reference), attempt)
        }
    }

    /// Returns the FindPayments request.
    package func searchRequest(_ reference: ExactText) throws(PaymentError) -> GatewayRequest {
        try get("payments", query: [("merchantReference", String(reference)), ("limit", "100")])
    }

    /// Reads the answer to FindPayments: all payments with this reference.
    package static func searchReport(
        _ response: GatewayResponse, _ reference: ExactText
    ) -> PaymentReport {
        let empty = PaymentReport(gateway: Worldline.Platform.connect.name)
        return Worldline.queryReport(response, .connect, isSearch: true) {
            answer, report throws(PaymentError) in
            let payments = try answer.objects("payments")
            report = try PaymentReport.search(payments, with: reference, else: empty) {
                payment, one throws(PaymentError) in
                try Worldline.PaymentState(payment, .connect).fill(&one)
            }
            if let total = try answer.integer("totalCount"), total > payments.count {
                report.fault = "The gateway has \(total) payments with the reference \(reference)."
            }
        }
    }

    /// Returns the outcome, or the question about the captures of a payment without totals.
    private func concluded(
        _ report: PaymentReport, _ attempt: PaymentAttempt
    ) -> PaymentCall.Reading {
        guard report.meaning == .booked, report.fault == nil, report.authorized == nil,
            report.captureRequested == nil, report.captured == nil, let id = report.paymentID,
            let captures = try? statusRequest(id, suffix: "/captures"),
            let refunds = try? statusRequest(id, suffix: "/refunds")
        else { return .outcome(OrderOutcome(report: report, attempt: attempt)) }
        return .next(
            call(attempt, canMoveMoney: false, captures) { response in
                let captured = Self.capturesReport(response, report)
                guard captured.fault == nil else {
                    return .outcome(OrderOutcome(report: captured, attempt: attempt))
                }
                return .next(
                    call(attempt, canMoveMoney: false, refunds) { response in
                        let report = Self.refundsReport(response, captured)
                        return .outcome(OrderOutcome(report: report, attempt: attempt))
                    })
            })
    }

    /// Adds up the captures of a payment.
    ///
    /// A payment that was captured when it was made can have none: then it is its own capture.
    package static func capturesReport(
        _ response: GatewayResponse, _ payment: PaymentReport
    ) -> PaymentReport {
        add(response, "captures", to: payment) { report, states in
            var (captured, requested, returned, disputed) = (Int64(0), Int64(0), Int64(0), Int64(0))
            for (status, amount) in states {
                switch status {
                case "CREATED", "CAPTURE_REQUESTED": requested.add(amount)
                case "CAPTURED", "PAID": captured.add(amount)
                case "REVERSED", "CHARGEBACKED":
                    captured.add(amount)
                    returned.add(amount)
                case "CHARGEBACK_NOTIFICATION":
                    captured.add(amount)
                    disputed.add(amount)
                case "CANCELLED", "REJECTED_CAPTURE": break
                default: report.fault = "The status \(status) of a capture is not documented."
                }
                if status.hasPrefix("CHARGEBACK") { report.hasChargeback = true }
            }
            let total = report.ordered ?? 0
            switch report.status {
            case "PENDING_CAPTURE", "REJECTED_CAPTURE":
                report.authorized = total.without(captured, requested)
            case "CAPTURE_REQUESTED" where states.isEmpty: requested = total
            case _ where states.isEmpty: captured = total
            default: break
            }
            report.captured = captured
            report.captureRequested = requested
            report.refunded = returned
            report.refundRequested = disputed
        }
    }

    /// Adds up the refunds of a payment.
    package static func refundsReport(
        _ response: GatewayResponse, _ payment: PaymentReport
    ) -> PaymentReport {
        add(response, "refunds", to: payment) { report, states in
            var (returned, requested) = (report.refunded ?? 0, report.refundRequested ?? 0)
            for (status, amount) in states {
                switch status {
                case "REFUNDED": returned.add(amount)
                case "CREATED", "PENDING_APPROVAL", "PENDING_CAPTURE", "REFUND_REQUESTED":
                    requested.add(amount)
                case "REJECTED", "REJECTED_CAPTURE", "CANCELLED": break
                default: report.fault = "The status \(status) of a refund is not documented."
                }
            }
            report.refunded = returned
            report.refundRequested = requested
            let isReturn = ["REFUNDED", "REFUND_REQUESTED", "REVERSED"].contains(report.status)
            if isReturn, returned == 0, requested == 0 {
                report.fault = "The payment was given back, but no list states how much."
            }
        }
    }

    /// Reads a list of captures or refunds, each with its status and its amount in the payment's currency.
    private static func add(
        _ response: GatewayResponse, _ name: String, to payment: PaymentReport,
        _ fill: (inout PaymentReport, [(status: ExactText, amount: Int64)]) -> Void
    ) -> PaymentReport {
        PaymentReport.statusAnswer(response, payment, isSearch: true) {
            answer, report throws(PaymentError) in
            guard response.isAccepted else { return }
            var states: [(status: ExactText, amount: Int64)] = []
            for object in try answer.objects(name) {
                let state = try Worldline.PaymentState(object, .connect)
                guard let amount = state.amount, amount >= 0, state.currency == payment.currency
                else { throw .gateway(.malformed, "amountOfMoney") }
                states.append((state.status, amount))
            }
            fill(&report, states)
        }
    }
}
