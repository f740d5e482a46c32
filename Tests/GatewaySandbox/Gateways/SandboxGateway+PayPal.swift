extension SandboxGateway {
    /// PayPal Orders v2.
    ///
    /// PayPal documents the error for another request with the same key only for its payment tokens, not for orders.
    /// Source: PayPal, *Orders v2*, *Authentication*, *Idempotency*; its server SDK.
    static let payPal = SandboxGateway(
        name: "paypal",
        idempotency: Idempotency(header: "PayPal-Request-Id", refusesOtherRequests: true),
        fault: { fault, request in
            func answer(_ status: Int, _ name: String, _ issue: String, _ field: String? = nil)
                -> SandboxAnswer
            {
                SandboxAnswer(
                    status,
                    [
                        "name": .string(name), "message": "The request cannot be processed.",
                        "debug_id": "sandbox",
                        "details": [["issue": .string(issue), "field": .optional(field)]],
                    ])
            }
            switch fault {
            case .unauthorized:
                let isToken = request.path.hasSuffix("/token")
                return SandboxAnswer(
                    401,
                    [
                        "error": isToken ? "invalid_client" : "invalid_token",
                        "error_description": "Client Authentication failed",
                    ])
            case .malformed: return answer(400, "INVALID_REQUEST", "MALFORMED_REQUEST_JSON")
            case .missing(let name):
                return answer(400, "INVALID_REQUEST", "MISSING_REQUIRED_PARAMETER", name)
            case .reusedKey:
                return answer(422, "UNPROCESSABLE_ENTITY", "PAYPAL_REQUEST_ID_PREVIOUSLY_USED")
            case .duplicate: return answer(422, "UNPROCESSABLE_ENTITY", "DUPLICATE_INVOICE_ID")
            case .notFound: return answer(404, "RESOURCE_NOT_FOUND", "INVALID_RESOURCE_ID")
            case .refused: return answer(422, "UNPROCESSABLE_ENTITY", "ORDER_NOT_APPROVED")
            case .failed(let status):
                return answer(status, "INTERNAL_SERVER_ERROR", "INTERNAL_SERVICE_ERROR")
            }
        },
        routes: [
            .post("/v1/oauth2/token", .basic, .form, [RequiredMember("grant_type")]) { call, book in
                let token = "A21\(book.nextUUID())"
                book[value: Credentials.tokenName(token), of: call.gateway.name] = .boolean(true)
                return .answer(
                    SandboxAnswer(
                        200,
                        [
                            "scope": "sandbox", "access_token": .string(token),
                            "token_type": "Bearer", "expires_in": 32_400,
                        ]))
            },
            .post(
                "/v2/checkout/orders", .bearer, .json,
                [
                    RequiredMember("intent"),
                    RequiredMember("purchase_units.0.amount.currency_code", is: .currency),
                    RequiredMember("purchase_units.0.amount.value", is: .decimal),
                    RequiredMember(
                        "payment_source.apple_pay.decrypted_token.tokenized_card.number"),
                    RequiredMember(
                        "payment_source.apple_pay.decrypted_token.tokenized_card.expiry"),
                    RequiredMember("payment_source.apple_pay.decrypted_token.payment_data_type"),
                ], create),
            .get("/v2/checkout/orders/*", .bearer) { call, book in
                guard let payment = call.status(call.segments[0], in: &book) else {
                    return .answer(call.fault(.notFound))
                }
                return .answer(SandboxAnswer(200, order(payment, call)))
            },
            .post("/v2/checkout/orders/*/capture", .bearer, .optionalJSON, [], finish),
            .post("/v2/checkout/orders/*/authorize", .bearer, .optionalJSON, [], finish),
        ])

    private static func create(_ call: Call, _ book: inout PaymentBook) -> Reply {
        guard call.request.header("PayPal-Request-Id")?.isEmpty == false else {
            return .answer(call.fault(.missing("PayPal-Request-Id")))
        }
        let amount = call.body["purchase_units.0.amount"]
        let purchase = Purchase(
            amount: amount?["value"]?.minorUnits, currency: amount?["currency_code"]?.string,
            reference: call.body["purchase_units.0.reference_id"]?.string,
            captures: call.body["intent"]?.string == "CAPTURE",
            note: amount?["value"]?.string ?? "")
        return call.pay(purchase, id: "SANDBOX\(1_000_000 + book.nextNumber())", in: &book) {
            payment in
            guard payment.state != .declined else {
                return SandboxAnswer(
                    422,
                    [
                        "name": "UNPROCESSABLE_ENTITY",
                        "message": "The requested action could not be performed.",
                        "debug_id": "sandbox", "details": [["issue": "INSTRUMENT_DECLINED"]],
                    ])
            }
            return SandboxAnswer(
                payment.state == .awaitingCustomer ? 200 : 201, order(payment, call))
        }
    }

    /// Returns an order; the payment's `note` is the amount as a decimal.
    private static func order(_ payment: SandboxPayment, _ call: Call) -> JSON {
        let isOpen = payment.state == .awaitingCustomer
        let isDeclined = payment.state == .declined
        let status =
            switch payment.state {
            case .captured, .refunded: "COMPLETED"
            case .processing: "PENDING"
            case .declined: "DECLINED"
            default: payment.captures ? "PENDING" : "CREATED"
            }
        let transaction: JSON = [
            "id": .string("\(payment.id)T"), "status": .string(status),
            "amount": [
                "currency_code": .optional(payment.currency), "value": .string(payment.note),
            ],
            "processor_response": ["response_code": .string(isDeclined ? "5400" : "0000")],
        ]
        let name = payment.captures ? "captures" : "authorizations"
        return [
            "id": .string(payment.id),
            "status": .string(isOpen ? "PAYER_ACTION_REQUIRED" : "COMPLETED"),
            "purchase_units": [
                [
                    "reference_id": .optional(payment.reference),
                    "payments": isOpen
                        ? nil : .object([JSON.Member(name: name, value: [transaction])]),
                ]
            ],
            "links": isOpen
                ? [
                    [
                        "rel": "payer-action", "method": "GET",
                        "href": .string(call.customerURL(payment.id)),
                    ]
                ] : nil,
        ]
    }

    /// Answers a capture or an authorization of an order, which was already done when the order was created.
    private static func finish(_ call: Call, _ book: inout PaymentBook) -> Reply {
        guard let payment = call.status(call.segments[0], in: &book) else {
            return .answer(call.fault(.notFound))
        }
        let wantsCapture = call.request.path.hasSuffix("/capture")
        guard payment.state != .awaitingCustomer, payment.state != .declined,
            wantsCapture == payment.captures
        else { return .answer(call.fault(.refused(.notAuthorized))) }
        return .answer(SandboxAnswer(201, order(payment, call)))
    }
}
