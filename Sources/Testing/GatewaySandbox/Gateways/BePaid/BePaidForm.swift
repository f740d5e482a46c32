import FoundationEssentials

/// The answers of bePaid about payments, authorizations and charges.
enum BePaidForm {
    /// The paths of new transactions, with the `type` in the answers.
    static let kinds = [
        (path: "/transactions/payments", type: "payment"),
        (path: "/transactions/authorizations", type: "authorization"),
        (path: "/services/credit_cards/charges", type: "charge"),
    ]

    /// The members of a new transaction; an amount of 0 is refused.
    static let members: [RequiredMember] = [
        .amount("request.amount", from: 1), .currency("request.currency"),
        "request.description", "request.credit_card.token",
    ]

    static func create(
        _ type: String,
        isAsynchronous: Bool,
        _ call: Call,
        _ book: inout PaymentBook
    ) -> Reply {
        let token = call.body["request.credit_card.token"]?.string ?? ""
        let prefixes = ["$begateway_apple_pay_1_0_0$", "$begateway_apple_pay_decrypted_1_0_0$"]
        let isAppleToken = prefixes.contains(where: token.hasPrefix)
        let card = book.card(token, at: call.gateway.name)
        guard isAppleToken || card != nil && card != .revoked else {
            return .answer(unknownCard)
        }
        let isStored = call.body["request.additional_data.contract"] != nil
        let stored: JSON? =
            isAppleToken
            ? isStored ? .string(book.nextUUID() + book.nextUUID()) : nil : .string(token)
        let test = JSON.boolean(call.body["request.test"]?.boolean ?? false)
        let purchase = Purchase(
            amount: call.body["request.amount"]?.integer,
            currency: call.body["request.currency"]?.string,
            reference: call.body["request.tracking_id"]?.string,
            captures: type != "authorization", card: card ?? .usable,
            details: [
                "type": .string(type), "test": test, "returnURL": call.body["request.return_url"],
                "card": stored,
            ])
        if call.body["request.duplicate_check"]?.boolean != false,
            isDuplicate(purchase, token, call, &book)
        {
            return .answer(call.fault(.duplicate))
        }
        let id = newID(&book)
        let task = book.nextUUID()
        let reply = call.pay(purchase, id: id, in: &book) { payment in
            let body = wrapped(transaction(payment, call), call)
            return SandboxAnswer(200, isAsynchronous ? processing(task, call) : body)
        }
        if isAppleToken, let stored, book[payment: id, of: call.gateway.name] != nil {
            book.change(stored.string ?? "", to: .usable, at: call.gateway.name)
        }
        if isAsynchronous {
            book[value: "task \(task)", of: call.gateway.name] = ["payment": .string(id)]
        }
        return reply
    }

    /// Returns whether the same token was used for the same amount within 30 seconds; bePaid refuses that unless
    /// `duplicate_check` is false.
    ///
    /// The newest pages no longer have this check for captures and voids, so the sandbox does not make it there.
    private static func isDuplicate(
        _ purchase: Purchase,
        _ token: String,
        _ call: Call,
        _ book: inout PaymentBook
    ) -> Bool {
        let currency = purchase.currency ?? ""
        let name = "charge \(token.hashValue) \(purchase.amount ?? 0) \(currency)"
        let now = Int64(Date().timeIntervalSince1970)
        let last = book[value: name, of: call.gateway.name]
        guard now - (last?.integer ?? 0) >= 30 else { return true }
        let failures: [Scenario] = [.lostRequest, .serverError, .unavailable, .decline, .late]
        let isDelayed = !call.isLate && book.isDelayed(purchase.reference)
        if !isDelayed, !failures.contains(call.scenario(purchase)) {
            book[value: name, of: call.gateway.name] = .integer(now)
        }
        return false
    }

    /// The answer to a payment with a card token that bePaid does not have.
    private static let unknownCard = SandboxAnswer(
        400,
        [
            "response": [
                "status": "error", "message": "Token does not exist.", "code": "E.1030",
                "errors": ["credit_card": ["Token does not exist."]],
            ]
        ])

    /// Returns a new uid.
    static func newID(_ book: inout PaymentBook) -> String {
        "\(book.nextNumber())-\(book.nextUUID().prefix(10))"
    }

    /// Returns the answer's body: version 3 has the members at the top level, other versions in `transaction`.
    static func wrapped(_ transaction: JSON, _ call: Call) -> JSON {
        call.request.header("X-API-Version") == "3" ? transaction : ["transaction": transaction]
    }

    /// Returns a payment, an authorization or a charge, with the customer's address in the answer to a call.
    static func transaction(_ payment: SandboxPayment, _ call: Call? = nil) -> JSON {
        let (status, code, message) =
            switch payment.state {
            case .awaitingCustomer, .confirmed:
                ("incomplete", "P.9998", "Incomplete transaction")
            case .processing: ("pending", "P.0001", "In progress")
            case .declined where payment.purchase.card == .expired:
                ("failed", "F.0111", "Card expired")
            case .declined: ("failed", "F.0105", "Do not honor")
            case .abandoned: ("failed", "F.0132", "The customer canceled the payment")
            case .accepted: ("successful", "S.0000", "Successfully processed")
            }
        let type = payment["type"]?.string ?? "payment"
        let part: JSON = ["status": .string(status), "message": .string(message)]
        let isWaiting = payment.state == .awaitingCustomer
        return [
            "uid": .string(payment.id), "id": .string(payment.id),
            "status": payment.word(status), "type": .string(type),
            "code": .string(code), "message": .string(message),
            "friendly_message": .string(message), "amount": payment.amount,
            "currency": payment.currency, "tracking_id": payment.reference,
            "test": payment["test"], "payment_method_type": "credit_card",
            "credit_card": [
                "last_4": "0492", "brand": "visa", "exp_month": 12, "exp_year": 2030,
                "token": payment.state == .accepted ? payment["card"] : nil,
            ],
            "redirect_url": isWaiting ? .optional(call?.customerURL(payment.id)) : nil,
            type == "authorization" ? type : "payment": part,
        ]
    }

    /// Returns the answer to an asynchronous request, whose `status` is the task's and not the transaction's.
    private static func processing(_ task: String, _ call: Call) -> JSON {
        [
            "status": "processing", "request_id": .string(task),
            "status_url": .string("\(call.origin)/async/status/\(task)"),
            "response_url": .string("\(call.origin)/async/result/\(task)"),
        ]
    }

    /// Returns the action that answers the status or the result of a task; the first query finds it in progress.
    static func task(isResult: Bool) -> Route.Action {
        { call, book in
            let task = call.segments[0]
            let name = "task \(task)"
            guard let found = book[value: name, of: call.gateway.name],
                let payment = book[payment: found["payment"]?.string ?? "", of: call.gateway.name]
            else {
                let body: JSON = ["status": "unknown", "request_id": .string(task)]
                return .answer(SandboxAnswer(404, body))
            }
            book[value: name, of: call.gateway.name] = found.adding(["isCompleted": true])
            guard found["isCompleted"] != nil else {
                return .answer(SandboxAnswer(isResult ? 425 : 200, processing(task, call)))
            }
            guard !isResult else { return .ok(wrapped(transaction(payment, call), call)) }
            let address = "\(call.origin)/async/result/\(task)"
            return .ok([
                "status": "completed", "request_id": .string(task),
                "response_url": .string(address),
            ])
        }
    }
}
