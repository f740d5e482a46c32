public import ApplePayAcceptance
internal import ApplePayPrimitives
internal import ApplePayWire

extension RBS {
    /// Creates the requests of a payment with a stored card, which need a login; who begins it decides which they are.
    ///
    /// - `recurring`: `POST {prefix}/recurrentPayment.do`, JSON, with a card that was stored for recurring payments (`RI`).
    /// - `instalment`: `POST {prefix}/installmentPayment.do`, JSON, with one that was stored for installments (`II`).
    /// - `customer`, `unscheduled`: `POST {prefix}/rest/register.do`, or `registerPreAuth.do` to reserve the amount, and then
    ///   `paymentOrderBinding.do` with `tii` `F` or `U`, forms, with one that was stored for payments of any kind.
    ///
    /// Registering moves no money, and answers with the gateway's number of the order, which is known before the payment is sent.
    /// Each order number is accepted once. If that of the order is registered already, because a call was interrupted, the order
    /// is paid that has this attempt's mark, amount and currency.
    ///
    /// Errors: `gateway` with the codes of ``check(_:attempt:)``, `unsupported-value` (`preAuth`, `feeInput`), `unsupported-length`
    /// (`clientId`, `returnUrl`, `userName`, `password`), then `unsupported-value` (`prefix`).
    ///
    /// Source: BPC, *REST API*, "Order registration", "Stored-credential payment", "Recurrent payment", "Installment payment"
    /// (2026-07-01); *Stored credentials and transactions types* for the request of each kind of card.
    public func payment(
        with card: PaymentReport.Card, by initiator: PaymentInitiator, for order: Order,
        attempt: PaymentAttempt
    ) throws(PaymentError) -> PaymentCall {
        try check(order, attempt: attempt)
        try Options.checkTexts(order, host.limits)
        guard options.preAuth != true || initiator == .customer else {
            throw PaymentError(
                .unsupportedValue, members: ["preAuth"],
                reason: "payments that the merchant begins are not reserved first")
        }
        switch initiator {
        case .recurring:
            let request = try cardRequest(card, initiator, order, attempt)
            return GatewayCall(attempt, at: self, canMoveMoney: true, request) {
                Self.paymentReport($0, canBeAsked: true)
            }
        case .instalment:
            return GatewayCall(
                attempt, at: self, canMoveMoney: true,
                try cardRequest(card, initiator, order, attempt), report: Self.cardReport)
        case .customer, .unscheduled:
            return try registration(order, attempt) { orderId throws(PaymentError) in
                var known = attempt
                known.paymentID = orderId
                return GatewayCall(
                    known, at: self, canMoveMoney: true,
                    try bindingRequest(card, initiator, orderId), report: Self.cardReport)
            }
        }
    }

    /// Creates the call that registers an order; `pay` creates the next one from the gateway's number of the order.
    private func registration(
        _ order: Order, _ attempt: PaymentAttempt,
        _ pay: @escaping @Sendable (ExactText) throws(PaymentError) -> PaymentCall
    ) throws(PaymentError) -> PaymentCall {
        let query = try statusRequest(attempt)
        return .preparation(
            "registration", attempt, at: self, try registrationRequest(order, attempt),
            read: { response throws(PaymentError) in try response.accepted() },
            { answer throws(PaymentError) in
                switch try Self.errorCode(answer) ?? 0 {
                case 0: return try pay(try answer.mandatoryText("orderId"))
                case 1:
                    return .preparation(
                        "order", attempt, at: self, query,
                        read: { response throws(PaymentError) in Self.statusReport(response) },
                        { found throws(PaymentError) in
                            try pay(try Self.registeredOrder(found, of: attempt))
                        })
                case let code:
                    throw PaymentError(
                        .notSent,
                        reason: "The order was not registered, because of the error \(code)")
                }
            })
    }

    /// Returns the gateway's number of an order that an earlier call registered.
    ///
    /// - Throws: `gateway` with code `not-sent` for another one, which this payment must not pay.
    private static func registeredOrder(
        _ found: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> ExactText {
        guard let orderId = found.paymentID, let mark = found.mark, mark == attempt.mark,
            found.fault == nil, found.ordered == attempt.amount,
            found.currency == attempt.currency.alphabetic
        else {
            throw PaymentError(
                .notSent,
                reason:
                    "The order number \(attempt.reference) is registered already, for another order"
            )
        }
        return orderId
    }

    /// Returns the request for a payment of a series: `recurrentPayment.do` or `installmentPayment.do`.
    package func cardRequest(
        _ card: PaymentReport.Card, _ initiator: PaymentInitiator, _ order: Order,
        _ attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        let isRecurring = initiator == .recurring
        guard isRecurring || order.fee == nil else { throw .gateway(.unsupportedValue, "feeInput") }
        let user = try login()
        let body = JSONBody.object { body in
            user.write(into: &body)
            body.string("orderNumber", attempt.reference)
            body.string("language", order.language)
            body.string("bindingId", card.identifier)
            body.integer("amount", order.amount)
            body.string("currency", currencyCode(order.currency))
            body.string("description", order.description)
            body.boolean("preAuth", false)
            body.integer("feeInput", order.fee)
            write(parameters(of: attempt), into: &body)
        }
        let path = isRecurring ? "/recurrentPayment.do" : "/installmentPayment.do"
        return GatewayRequest(
            host.origin, try host.path(path), headers: [.contentType()], body: body)
    }

    /// Returns the request that registers an order for a payment with a stored card of the customer `clientId`.
    package func registrationRequest(
        _ order: Order, _ attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        try FieldLength.check(order.customerReference ?? "", "clientId", 1...255)
        try FieldLength.check(order.returnURL ?? "", "returnUrl", 1...512)
        var body = FormBody()
        try login().write(into: &body)
        body.parameter("orderNumber", attempt.reference)
        body.parameter("amount", "\(order.amount)")
        body.parameter("currency", currencyCode(order.currency))
        body.parameter("returnUrl", order.returnURL)
        body.parameter("description", order.description)
        body.parameter("language", order.language)
        body.parameter("clientId", order.customerReference)
        let parameters = parameters(of: attempt)
        if !parameters.isEmpty {
            body.secret(
                "jsonParams", JSONBody.object { Self.writeMembers(parameters, into: &$0) })
        }
        body.parameter("feeInput", order.fee.map { "\($0)" })
        body.parameter("email", order.customer?.emailAddress)
        return try form(
            options.preAuth == true ? "/rest/registerPreAuth.do" : "/rest/register.do", body)
    }

    /// Returns the request that pays a registered order with a stored card.
    package func bindingRequest(
        _ card: PaymentReport.Card, _ initiator: PaymentInitiator, _ orderId: ExactText
    ) throws(PaymentError) -> GatewayRequest {
        try FieldLength.check(orderId, "mdOrder", 1...36)
        var body = FormBody()
        try login().write(into: &body)
        body.parameter("mdOrder", orderId)
        body.parameter("bindingId", card.identifier)
        body.parameter("tii", initiator == .customer ? "F" : "U")
        return try form("/rest/paymentOrderBinding.do", body)
    }

    /// Reads the answer to `paymentOrderBinding.do`, which states no result, or to `installmentPayment.do`, which can state it.
    ///
    /// An error other than "Access denied" proves nothing, so the order is asked for. How 3-D Secure is finished is not supported.
    package static func cardReport(_ response: GatewayResponse) -> PaymentReport {
        PaymentReport.answer(response, PaymentReport(gateway: gatewayName)) {
            answer, report throws(PaymentError) in
            // The code may be missing in a success, which has a text about the result.
            guard let code = try errorCode(answer) ?? (answer["info"] == nil ? nil : 0) else {
                throw .gateway(.missingMember, "errorCode")
            }
            report.meaning = .undecided
            report.canBeAsked = true
            guard code == 0 else {
                let text = try answer.text("errorMessage")
                guard code == 5, isDenied(text) else {
                    leaveOpen(&report, "\(code)", text)
                    return
                }
                report.meaning = .refused
                report.refusal = .init(code: "5", text: text, origin: .operator)
                return
            }
            if let order = try answer.object("orderStatus"), try errorCode(order) ?? 0 == 0 {
                try fill(&report, order, isFirst: true)
            }
            let orderId = try answer.text("orderId")
            report.paymentID = report.paymentID ?? orderId
            let isOpen = report.meaning == .undecided || report.meaning == .awaitingCustomer
            guard isOpen, let address = try answer.text("acsUrl") else { return }
            report.meaning = .awaitingCustomer
            report.setAddress(address)
        }
    }
}
