extension SandboxGateway {
    /// Dintero: a session, the address that accepts the token, the token, the payment, and its transaction.
    ///
    /// Source: Dintero, *Apple Pay native app*, *Create session*, *Transaction management*,
    /// *Transaction statuses*; its native iOS example.
    static let dintero = SandboxGateway(
        name: "dintero", fault: { fault, _ in DinteroForm.answer(fault) },
        routes: [
            .post(
                "/v1/sessions", .bearer, .json,
                DinteroForm.members + [RequiredMember("configuration", is: .container)],
                DinteroForm.createSession),
            .post(
                "/v1/sessions-profile", .bearer, .json,
                DinteroForm.members + [RequiredMember("profile_id")], DinteroForm.createSession),
            .get("/v1/sessions/*", .bearer, DinteroForm.session),
            .get("/v1/view/*/session", .none, DinteroForm.session),
            .post(
                "/v1/view/*/payments/dintero_psp.applepay", .none, .optionalJSON, [],
                DinteroForm.operations),
            .post(
                "/v1/psp/*/applepay/submit", .sessionToken, .json,
                [RequiredMember("payment_data"), RequiredMember("reference")], DinteroForm.submit),
            .post(
                "/v1/sessions/*/pay", .none, .json,
                [RequiredMember("payment_product_type"), RequiredMember("psp_transaction_id")],
                DinteroForm.pay),
            .get("/v1/transactions", .bearer, DinteroForm.search),
            .get("/v1/transactions/*", .bearer) { call, book in
                guard let payment = call.status(call.segments[0], in: &book) else {
                    return .answer(call.fault(.notFound))
                }
                return .answer(SandboxAnswer(200, DinteroForm.transaction(payment)))
            },
            .post(
                "/v1/transactions/*/capture", .bearer, .json,
                [RequiredMember("amount", is: .amount)]
            ) { call, book in DinteroForm.change(.capture, call, &book) },
            .post("/v1/transactions/*/void", .bearer, .optionalJSON) { call, book in
                DinteroForm.change(.cancel, call, &book)
            },
            .post(
                "/v1/transactions/*/refund", .bearer, .json,
                [RequiredMember("amount", is: .amount)]
            ) { call, book in DinteroForm.change(.refund, call, &book) },
        ])
}

/// The answers of Dintero.
private enum DinteroForm {
    static let members = [
        RequiredMember("url.return_url"), RequiredMember("order.amount", is: .amount),
        RequiredMember("order.currency", is: .currency),
        RequiredMember("order.merchant_reference"),
    ]

    private static func session(_ id: String, _ call: Call, _ book: PaymentBook) -> JSON? {
        book[value: "session \(id)", of: call.gateway.name]
    }

    @Sendable static func createSession(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = "P00000000.\(book.nextUUID())"
        book[value: "session \(id)", of: call.gateway.name] = call.body
        return .answer(
            SandboxAnswer(
                200, ["id": .string(id), "url": .string("\(call.origin)/v1/view/\(id)")]))
    }

    @Sendable static func session(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = call.segments[0]
        guard let session = session(id, call, book) else { return .answer(call.fault(.notFound)) }
        let payment = book.payments(of: call.gateway.name) { $0.note == id }.last
        return .answer(
            SandboxAnswer(
                200,
                [
                    "id": .string(id), "order": session["order"], "url": session["url"],
                    "configuration": session["configuration"],
                    "transaction_id": payment.map { .string($0.id) },
                    "events": .array(
                        payment.map { [["name": .string(status($0))]] } ?? [["name": "INITIATED"]]),
                ]))
    }

    @Sendable static func operations(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = call.segments[0]
        guard session(id, call, book) != nil else { return .answer(call.fault(.notFound)) }
        // The plus sign tests that a client decodes the token exactly once.
        let token = "\(book.nextUUID())+t"
        book[value: "submit token \(id)", of: call.gateway.name] = .string(token)
        let address = "\(call.origin)/v1/psp/\(id)/applepay"
        return .answer(
            SandboxAnswer(
                200,
                [
                    "operations": [
                        [
                            "href": .string("\(address)/validate"), "method": "POST",
                            "rel": "validate-dintero-psp-applepay-merchant",
                        ],
                        [
                            "href": .string(
                                "\(address)/submit?access_token=\(token.dropLast(2))%2Bt"),
                            "method": "POST", "rel": "submit-dintero-psp-applepay",
                            "content_type": "application/json",
                            "supported_networks": ["visa", "masterCard"],
                            "merchant_country": "NO",
                        ],
                    ]
                ]))
    }

    @Sendable static func submit(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let text = call.body["payment_data"]?.string ?? ""
        guard
            let token = JSON(parsing: Array(text.utf8))?["payment.token.paymentData.data"]?.string,
            !token.isEmpty
        else { return .answer(call.fault(.missing("payment_data"))) }
        let transaction = "T00000000.\(book.nextUUID())"
        book[value: "submitted \(call.segments[0])", of: call.gateway.name] = .string(transaction)
        return .answer(
            SandboxAnswer(
                200,
                [
                    "payment_id": .string(book.nextUUID()), "transaction_id": .string(transaction),
                    "type": "APPLE_PAY_AUTHENTICATION",
                ]))
    }

    @Sendable static func pay(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = call.segments[0]
        guard let session = session(id, call, book),
            let transaction = book[value: "submitted \(id)", of: call.gateway.name]?.string,
            call.body["psp_transaction_id"] == .string(transaction)
        else { return .answer(call.fault(.notFound)) }
        guard book[payment: transaction, of: call.gateway.name] == nil else {
            return .answer(call.fault(.duplicate))
        }
        let purchase = Purchase(
            amount: session["order.amount"]?.integer, currency: session["order.currency"]?.string,
            reference: session["order.merchant_reference"]?.string, captures: false, note: id)
        let returnURL = session["url.return_url"]?.string ?? ""
        let mark = returnURL.contains("?") ? "&" : "?"
        return call.pay(purchase, id: transaction, in: &book) { payment in
            let body: JSON =
                switch payment.state {
                case .awaitingCustomer: ["redirect_url": .string(call.customerURL(transaction))]
                // Dintero reports an outcome that is not known yet as `unknown` (*Create session*, `return_url`).
                case .processing: ["return_url": .string("\(returnURL)\(mark)error=unknown")]
                case .declined: ["success": false, "redirect_url": .string(returnURL)]
                default: ["success": true, "redirect_url": .string(returnURL)]
                }
            return SandboxAnswer(200, body)
        }
    }

    private static func status(_ payment: SandboxPayment) -> String {
        let isPartial = payment.capturedAmount < payment.amount ?? 0
        let isRefunded = payment.refundedAmount > 0
        return switch payment.state {
        case .awaitingCustomer, .processing: "INITIATED"
        case .declined: "DECLINED"
        case .authorized: "AUTHORIZED"
        case .captured where isPartial && isRefunded: "PARTIALLY_CAPTURED_REFUNDED"
        case .captured where isPartial: "PARTIALLY_CAPTURED"
        case .captured where isRefunded: "PARTIALLY_REFUNDED"
        case .captured: "CAPTURED"
        case .cancelled: "AUTHORIZATION_VOIDED"
        case .refunded: "REFUNDED"
        }
    }

    static func transaction(_ payment: SandboxPayment) -> JSON {
        let names: [SandboxPayment.FollowUp.Kind: String] = [
            .capture: "CAPTURE", .cancel: "VOID", .refund: "REFUND",
        ]
        let first: [JSON] =
            switch payment.state {
            case .awaitingCustomer, .processing: []
            default:
                [
                    [
                        "id": .string("\(payment.id).0"), "event": "AUTHORIZE",
                        "success": .boolean(payment.state != .declined),
                        "amount": payment.amount.map(JSON.integer),
                    ]
                ]
            }
        let events = payment.followUps.map { followUp -> JSON in
            [
                "id": .string(followUp.id), "event": .optional(names[followUp.kind]),
                "success": true, "amount": .integer(followUp.amount),
            ]
        }
        return [
            "id": .string(payment.id), "session_id": .string(payment.note),
            "amount": payment.amount.map(JSON.integer), "currency": .optional(payment.currency),
            "merchant_reference": .optional(payment.reference),
            "status": .string(status(payment)), "payment_product": "dintero_psp",
            "payment_product_type": "dintero_psp.applepay", "events": .array(first + events),
        ]
    }

    @Sendable static func search(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let query = call.request.query
        let found = book.payments(of: call.gateway.name) { payment in
            (query["session_id"] ?? payment.note) == payment.note
                && (query["merchant_reference"] ?? payment.reference) == payment.reference
        }
        let settled = found.compactMap { call.status($0.id, in: &book) }
        return .answer(
            SandboxAnswer(200, ["transactions": .array(settled.suffix(20).map(transaction))]))
    }

    static func change(
        _ kind: SandboxPayment.FollowUp.Kind,
        _ call: Call,
        _ book: inout PaymentBook
    ) -> Reply {
        let amount = call.body["amount"]?.integer
        let id = book.nextUUID()
        return call.change(call.segments[0], in: &book) { payment throws(SandboxPayment.Refusal) in
            switch kind {
            case .capture: try payment.capture(amount, id: id)
            case .cancel: try payment.cancel(id: id)
            case .refund: try payment.refund(amount, id: id)
            }
        } _: { payment in
            SandboxAnswer(200, transaction(payment))
        }
    }

    static func answer(_ fault: Fault) -> SandboxAnswer {
        func answer(_ status: Int, _ code: String, _ message: String) -> SandboxAnswer {
            SandboxAnswer(
                status, ["error": ["code": .string(code), "message": .string(message)]])
        }
        switch fault {
        case .unauthorized: return answer(401, "UNAUTHORIZED", "Unauthorized")
        case .malformed: return answer(400, "BAD_REQUEST", "The body is not valid JSON")
        case .missing(let name):
            return answer(400, "BAD_REQUEST", "\(name) is missing or invalid")
        case .reusedKey, .duplicate:
            return answer(409, "DUPLICATE", "The payment repeats another one")
        case .notFound: return answer(404, "NOT_FOUND", "There is no such session or transaction")
        case .refused(let refusal): return answer(400, "INVALID_STATE", refusal.rawValue)
        case .failed(let status): return answer(status, "INTERNAL", "Internal error")
        }
    }
}
