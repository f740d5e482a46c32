extension SandboxGateway {
    /// bePaid; a repeated `RequestID` receives the first answer, even if the request differs.
    ///
    /// Source: bePaid, *Payment*, *Status query*, *Idempotent requests*, *API version 3*.
    static let bePaid = SandboxGateway(
        name: "bepaid",
        idempotency: Idempotency(header: "RequestID", refusesOtherRequests: false),
        fault: { fault, _ in BePaidForm.answer(fault) },
        routes: ["", "/async"].flatMap { prefix in
            BePaidForm.kinds.map { kind in
                .post("\(prefix)\(kind.path)", .basic, .json, BePaidForm.members) { call, book in
                    BePaidForm.create(kind.type, call, &book)
                }
            }
        } + [
            .post("/transactions/captures", .basic, .json, BePaidForm.followUpMembers) {
                call, book in
                BePaidForm.change(.capture, call, &book)
            },
            .post("/transactions/voids", .basic, .json, BePaidForm.followUpMembers) { call, book in
                BePaidForm.change(.cancel, call, &book)
            },
            .post(
                "/transactions/refunds", .basic, .json,
                BePaidForm.followUpMembers + [RequiredMember("request.reason")]
            ) { call, book in
                BePaidForm.change(.refund, call, &book)
            },
            .get("/transactions/*", .basic, BePaidForm.status),
            .get("/v2/transactions/tracking_id/*", .basic, BePaidForm.search),
            .post(
                "/ctp/api/apple_pay/payment", .none, .json,
                [
                    RequiredMember("request.token.paymentData", is: .container),
                    RequiredMember("token"),
                ]
            ) { call, _ in
                let isKnown = call.body["token"]?.string == Sandbox.secret
                return .answer(
                    isKnown
                        ? SandboxAnswer(
                            200,
                            [
                                "response": [
                                    "uid": "1-sandbox", "status": "successful", "message": "Done",
                                ]
                            ])
                        : SandboxAnswer(
                            422,
                            [
                                "response": [
                                    "status": "error", "message": "Token is invalid", "errors": [:],
                                ]
                            ]))
            },
            .post(
                "/ctp/api/apple_pay/validate", .none, .json,
                [RequiredMember("url"), RequiredMember("token"), RequiredMember("context")]
            ) { _, _ in
                .answer(SandboxAnswer(200, ["epochTimestamp": 1, "domainName": "shop.example"]))
            },
        ])
}

/// The answers of bePaid.
private enum BePaidForm {
    /// The paths of new transactions, with the `type` in the answers.
    static let kinds = [
        (path: "/transactions/payments", type: "payment"),
        (path: "/transactions/authorizations", type: "authorization"),
        (path: "/services/credit_cards/charges", type: "charge"),
    ]

    static let members = [
        RequiredMember("request.amount", is: .amount),
        RequiredMember("request.currency", is: .currency),
        RequiredMember("request.description"), RequiredMember("request.credit_card.token"),
    ]

    static let followUpMembers = [
        RequiredMember("request.parent_uid"), RequiredMember("request.amount", is: .amount),
    ]

    static func create(_ type: String, _ call: Call, _ book: inout PaymentBook) -> Reply {
        let token = call.body["request.credit_card.token"]?.string ?? ""
        let prefixes = ["$begateway_apple_pay_1_0_0$", "$begateway_apple_pay_decrypted_1_0_0$"]
        guard prefixes.contains(where: token.hasPrefix) else {
            return .answer(call.fault(.missing("request.credit_card.token")))
        }
        let purchase = Purchase(
            amount: call.body["request.amount"]?.integer,
            currency: call.body["request.currency"]?.string,
            reference: call.body["request.tracking_id"]?.string,
            captures: type != "authorization", note: type)
        let id = "\(book.nextNumber())-\(book.nextUUID().prefix(10))"
        return call.pay(purchase, id: id, in: &book) { payment in
            SandboxAnswer(
                payment.state == .declined ? 200 : 201, wrapped(transaction(payment, call), call))
        }
    }

    /// Returns the answer's body: version 3 has the members at the top level, other versions in `transaction`.
    private static func wrapped(_ transaction: JSON, _ call: Call) -> JSON {
        call.request.header("X-API-Version") == "3" ? transaction : ["transaction": transaction]
    }

    private static func transaction(_ payment: SandboxPayment, _ call: Call) -> JSON {
        let (status, code, message) =
            switch payment.state {
            case .awaitingCustomer: ("incomplete", "P.4011", "The customer must confirm")
            case .processing: ("pending", "P.1000", "In progress")
            case .declined: ("failed", "P.4001", "The bank declined the payment")
            case .authorized, .captured, .cancelled, .refunded:
                ("successful", "S.0000", "Successfully processed")
            }
        return [
            "uid": .string(payment.id), "status": .string(status), "type": .string(payment.note),
            "code": .string(code), "message": .string(message),
            "friendly_message": .string(message), "amount": payment.amount.map(JSON.integer),
            "currency": .optional(payment.currency), "tracking_id": .optional(payment.reference),
            "payment_method_type": "credit_card",
            "credit_card": ["last_4": "0492", "brand": "visa"],
            "redirect_url": payment.state == .awaitingCustomer
                ? .string(call.customerURL(payment.id)) : nil,
        ]
    }

    private static func followUp(
        _ followUp: SandboxPayment.FollowUp,
        of payment: SandboxPayment
    ) -> JSON {
        [
            "uid": .string(followUp.id), "parent_uid": .string(payment.id),
            "status": "successful", "code": "S.0000", "message": "Successfully processed",
            "type": .string(followUp.kind == .cancel ? "void" : followUp.kind.rawValue),
            "amount": .integer(followUp.amount), "currency": .optional(payment.currency),
            "tracking_id": .optional(payment.reference),
        ]
    }

    static func change(
        _ kind: SandboxPayment.FollowUp.Kind,
        _ call: Call,
        _ book: inout PaymentBook
    ) -> Reply {
        let amount = call.body["request.amount"]?.integer
        let id = "\(book.nextNumber())-\(book.nextUUID().prefix(10))"
        let parent = call.body["request.parent_uid"]?.string ?? ""
        // A refund may name the capture instead of the authorization.
        let owner =
            book.payments(of: call.gateway.name) { payment in
                payment.followUps.contains { $0.id == parent }
            }.last?.id
        return call.change(owner ?? parent, in: &book) { payment throws(SandboxPayment.Refusal) in
            switch kind {
            case .capture: try payment.capture(amount, id: id)
            case .cancel:
                guard amount == payment.amount else { throw .amountTooHigh }
                try payment.cancel(id: id)
            case .refund: try payment.refund(amount, id: id)
            }
        } _: { payment in
            SandboxAnswer(
                201,
                wrapped(payment.followUps.last.map { followUp($0, of: payment) } ?? [:], call))
        }
    }

    @Sendable static func status(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let uid = call.segments[0]
        if let payment = call.status(uid, in: &book) {
            return .answer(SandboxAnswer(200, wrapped(transaction(payment, call), call)))
        }
        for payment in book.payments(of: call.gateway.name, where: { !$0.followUps.isEmpty }) {
            if let found = payment.followUps.first(where: { $0.id == uid }) {
                return .answer(SandboxAnswer(200, wrapped(followUp(found, of: payment), call)))
            }
        }
        return .answer(call.fault(.notFound))
    }

    @Sendable static func search(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let found = book.payments(of: call.gateway.name) { $0.reference == call.segments[0] }
        var transactions: [JSON] = []
        for payment in found.compactMap({ call.status($0.id, in: &book) }) {
            transactions.append(transaction(payment, call))
            transactions += payment.followUps.map { followUp($0, of: payment) }
        }
        return .answer(SandboxAnswer(200, ["transactions": .array(transactions.suffix(10))]))
    }

    static func answer(_ fault: Fault) -> SandboxAnswer {
        func answer(_ status: Int, _ message: String, _ errors: JSON = [:]) -> SandboxAnswer {
            SandboxAnswer(
                status,
                [
                    "response": [
                        "status": "error", "message": .string(message), "errors": errors,
                    ]
                ])
        }
        switch fault {
        case .unauthorized: return answer(401, "Unauthorized")
        case .malformed: return answer(400, "The body is not valid JSON")
        case .missing(let name):
            return answer(
                422, "\(name) is missing or invalid",
                .object([JSON.Member(name: name, value: ["is missing or invalid"])]))
        case .reusedKey, .duplicate: return answer(422, "The transaction is a duplicate")
        case .notFound: return answer(404, "Record not found")
        case .refused(let refusal): return answer(422, refusal.rawValue)
        case .failed(let status): return answer(status, "Internal error")
        }
    }
}
