/// The answers of PayPal about orders.
enum PayPalForm {
    @Sendable static func login(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let token = "A21\(book.nextUUID())"
        book[value: Credentials.tokenName(token), of: call.gateway.name] = .boolean(true)
        return .ok([
            "scope": "sandbox", "access_token": .string(token), "token_type": "Bearer",
            "expires_in": 32_400,
        ])
    }

    /// Makes an order and pays it, unless the customer must act first.
    @Sendable static func create(_ call: Call, _ book: inout PaymentBook) -> Reply {
        guard call.request.header("PayPal-Request-Id")?.isEmpty == false else {
            return .answer(call.fault(.missing("PayPal-Request-Id")))
        }
        let unit = call.body["purchase_units.0"]
        let code = unit?["amount.currency_code"]?.string
        guard let currency = SandboxCurrency(code),
            let amount = unit?["amount.value"]?.units(decimals: currency.decimals)
        else { return .answer(failure(422, unprocessable, "DECIMAL_PRECISION")) }
        let ids = [unit?["reference_id"], unit?["custom_id"], unit?["invoice_id"]]
        let purchase = Purchase(
            amount: amount, currency: code, reference: ids.compactMap { $0?.string }.first,
            captures: call.body["intent"]?.string == "CAPTURE", isCompletedByMerchant: true,
            details: [
                "reference_id": unit?["reference_id"] ?? "default",
                "custom_id": unit?["custom_id"], "invoice_id": unit?["invoice_id"],
            ])
        return call.pay(purchase, id: "SANDBOX\(1_000_000 + book.nextNumber())", in: &book) {
            payment in
            guard payment.state != .declined else { return declined }
            let isOpen = payment.state == .awaitingCustomer
            return SandboxAnswer(isOpen ? 200 : 201, order(payment, call))
        }
    }

    private static let declined = failure(422, unprocessable, "INSTRUMENT_DECLINED")

    /// Captures or authorizes an order that the customer approved; an order allows it once.
    @Sendable static func complete(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = call.segments[0]
        guard var payment = book[payment: id, of: call.gateway.name] else {
            return .answer(call.fault(.notFound))
        }
        func refuse(_ issue: String) -> Reply { .answer(failure(422, unprocessable, issue)) }
        let captures = call.request.path.hasSuffix("/capture")
        guard captures == payment.purchase.captures else {
            return refuse("ACTION_DOES_NOT_MATCH_INTENT")
        }
        switch payment.state {
        case .awaitingCustomer, .abandoned: return refuse("PAYER_ACTION_REQUIRED")
        case .declined: return .answer(declined)
        case .accepted, .processing:
            return refuse(captures ? "ORDER_ALREADY_CAPTURED" : "ORDER_ALREADY_AUTHORIZED")
        case .confirmed: payment.complete()
        }
        book[payment: id, of: call.gateway.name] = payment
        return .answer(
            payment.state == .declined
                ? declined : SandboxAnswer(201, order(payment, call, isAnswer: true)))
    }

    /// Returns the latest state of the order that the first request was about.
    @Sendable static func replay(
        _ kept: PaymentBook.KeptAnswer,
        _ call: Call,
        _ book: inout PaymentBook
    ) -> SandboxAnswer {
        guard (200..<300).contains(kept.answer.status), case .json(let body) = kept.answer.content,
            let id = body["id"]?.string, let payment = call.status(id, in: &book)
        else { return kept.answer }
        return SandboxAnswer(200, order(payment, call))
    }

    /// Returns an order.
    ///
    /// Without `Prefer: return=representation` a new order has no purchase units; in the answer to a capture or an
    /// authorization they have only the payments.
    static func order(_ payment: SandboxPayment, _ call: Call, isAnswer: Bool = false) -> JSON {
        let status =
            switch payment.state {
            case .awaitingCustomer, .abandoned: "PAYER_ACTION_REQUIRED"
            case .confirmed: "APPROVED"
            case .processing, .declined, .accepted: "COMPLETED"
            }
        let isWhole =
            call.request.method == "GET"
            || call.request.header("Prefer") == "return=representation"
        let address: JSON = [
            "rel": "payer-action", "method": "GET", "href": .string(call.customerURL(payment.id)),
        ]
        return [
            "id": .string(payment.id), "status": .string(status),
            "intent": isWhole ? (payment.purchase.captures ? "CAPTURE" : "AUTHORIZE") : nil,
            "purchase_units": isWhole || isAnswer ? [unit(payment, isWhole: isWhole)] : nil,
            "links": payment.state == .awaitingCustomer ? [address] : [],
        ]
    }

    private static func unit(_ payment: SandboxPayment, isWhole: Bool) -> JSON {
        let unit: JSON = [
            "reference_id": payment["reference_id"],
            "amount": isWhole ? money(payment) : nil,
            "custom_id": isWhole ? payment["custom_id"] : nil,
            "invoice_id": isWhole ? payment["invoice_id"] : nil,
        ]
        switch payment.state {
        case .awaitingCustomer, .abandoned, .confirmed: return unit
        case .processing, .declined, .accepted:
            let name = payment.purchase.captures ? "captures" : "authorizations"
            return unit.adding(["payments": [name: [transaction(payment)]]])
        }
    }

    /// Returns the capture or the authorization of an order, whose status decides, and not the order's.
    private static func transaction(_ payment: SandboxPayment) -> JSON {
        let captures = payment.purchase.captures
        let status =
            switch payment.state {
            case .declined: captures ? "DECLINED" : "DENIED"
            case .processing: "PENDING"
            default: captures ? "COMPLETED" : "CREATED"
            }
        let isPending = payment.state == .processing
        let code: JSON = payment.state == .declined ? "5400" : "0000"
        return [
            "id": .string("\(payment.id)T"), "status": payment.word(status),
            "status_details": isPending ? ["reason": "PENDING_REVIEW"] : nil,
            "amount": money(payment), "final_capture": captures ? true : nil,
            "custom_id": payment["custom_id"],
            "invoice_id": payment["invoice_id"],
            "processor_response": ["response_code": code],
        ]
    }

    private static func money(_ payment: SandboxPayment) -> JSON {
        let value = SandboxCurrency(payment.purchase.currency)?.decimal(payment.ordered)
        return ["currency_code": payment.currency, "value": value]
    }
}
