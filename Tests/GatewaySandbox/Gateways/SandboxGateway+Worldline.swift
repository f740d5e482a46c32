extension SandboxGateway {
    /// Worldline Direct.
    static let worldlineDirect = worldline("worldline-direct", "v2")

    /// Worldline Connect, whose amounts have two decimals in every currency.
    static let worldlineConnect = worldline("worldline-connect", "v1")

    /// Returns one of the two platforms; a repeated key receives the first answer, even if the request differs.
    ///
    /// Source: Worldline Direct and Connect, *Idempotent requests*; the server SDKs' answer types.
    private static func worldline(_ name: String, _ version: String) -> SandboxGateway {
        let form = WorldlineForm(isDirect: version == "v2")
        let payments = "/\(version)/*/payments"
        let amount: [RequiredMember] = [
            RequiredMember("order.amountOfMoney.amount", is: .amount),
            RequiredMember("order.amountOfMoney.currencyCode", is: .currency),
        ]
        let card = "mobilePaymentMethodSpecificInput"
        let routes: [Route] = [
            .post(
                payments, .worldline, .json,
                amount + [
                    RequiredMember("\(card).paymentProductId", is: .amount),
                    RequiredMember(
                        "\(card).decryptedPaymentData.dpan", "\(card).encryptedPaymentData"),
                    RequiredMember(
                        "\(card).decryptedPaymentData.cryptogram", "\(card).encryptedPaymentData"),
                    RequiredMember(
                        "\(card).decryptedPaymentData.expiryDate", "\(card).encryptedPaymentData"),
                ], form.create),
            .get("\(payments)/*", .worldline) { call, book in
                form.look(call, &book) { form.payment($0) }
            },
            .get("\(payments)/*/captures", .worldline) { call, book in
                form.look(call, &book) { ["captures": .array(form.followUps(.capture, of: $0))] }
            },
            .get("\(payments)/*/refunds", .worldline) { call, book in
                form.look(call, &book) { ["refunds": .array(form.followUps(.refund, of: $0))] }
            },
            .post("\(payments)/*/capture", .worldline, .optionalJSON, [], form.capture),
            .post("\(payments)/*/cancel", .worldline, .optionalJSON, [], form.cancel),
            .post("\(payments)/*/refund", .worldline, .optionalJSON, [], form.refund),
            .post(
                "/\(version)/*/hostedcheckouts", .worldline, .json,
                amount + [RequiredMember("hostedCheckoutSpecificInput.returnUrl")],
                form.createCheckout),
            .get("/\(version)/*/hostedcheckouts/*", .worldline, form.checkout),
        ]
        let details: [Route] =
            form.isDirect
            ? [
                .get("\(payments)/*/details", .worldline) { call, book in
                    form.look(call, &book) {
                        form.payment($0).adding(["Operations": .array(form.operations(of: $0))])
                    }
                }
            ] : []
        return SandboxGateway(
            name: name,
            idempotency: Idempotency(
                header: "X-GCS-Idempotence-Key", refusesOtherRequests: false,
                replayHeader: "X-GCS-Idempotence-Request-Timestamp"),
            fault: { fault, _ in WorldlineForm.answer(fault) }, routes: routes + details)
    }
}

/// The answers of Worldline; the names of states differ between its two APIs.
private struct WorldlineForm: Sendable {
    /// Whether the platform is Direct; otherwise it is Connect.
    let isDirect: Bool

    @Sendable func create(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let input = call.body["mobilePaymentMethodSpecificInput"]
        let purchase = Purchase(
            amount: call.body["order.amountOfMoney.amount"]?.integer,
            currency: call.body["order.amountOfMoney.currencyCode"]?.string,
            reference: call.body["order.references.merchantReference"]?.string,
            captures: input?["authorizationMode"]?.string == "SALE")
        return call.pay(purchase, id: newID(&book), in: &book) { payment in
            guard payment.state == .declined else {
                return SandboxAnswer(201, created(payment, call))
            }
            let body = Self.errors(
                402, code: "30511001", category: "PAYMENT_PLATFORM_ERROR", id: "INVALID_CARD",
                message: "the bank declined the payment")
            return SandboxAnswer(402, body.adding(["paymentResult": created(payment, call)]))
        }
    }

    private func newID(_ book: inout PaymentBook) -> String {
        "\(3_066_000_000 + book.nextNumber())_0"
    }

    private func created(_ payment: SandboxPayment, _ call: Call) -> JSON {
        let action: JSON? =
            payment.state == .awaitingCustomer
            ? [
                "actionType": "REDIRECT",
                "redirectData": ["redirectURL": .string(call.customerURL(payment.id))],
            ] : nil
        return [
            "creationOutput": ["externalReference": .optional(payment.reference)],
            "merchantAction": action, "payment": self.payment(payment),
        ]
    }

    /// Returns a payment as CreatePayment and GetPayment answer it.
    func payment(_ payment: SandboxPayment) -> JSON {
        [
            "id": .string(payment.id), "status": .string(status(payment).name),
            "statusOutput": statusOutput(payment),
            "paymentOutput": [
                "amountOfMoney": money(payment.amount ?? 0, payment),
                "references": ["merchantReference": .optional(payment.reference)],
                "paymentMethod": "mobile",
                "mobilePaymentMethodSpecificOutput": [
                    "authorisationCode": payment.state == .declined ? nil : "123456",
                    "network": "VISA", "paymentProductId": 302,
                    "paymentData": ["dpan": "************0492", "expiryDate": "1225"],
                ],
            ],
        ]
    }

    private func money(_ amount: Int64, _ payment: SandboxPayment) -> JSON {
        ["amount": .integer(amount), "currencyCode": .optional(payment.currency)]
    }

    private func status(
        _ payment: SandboxPayment
    ) -> (name: String, category: String, code: Int64) {
        switch payment.state {
        case .awaitingCustomer: ("REDIRECTED", "PENDING_PAYMENT", isDirect ? 46 : 50)
        case .processing:
            ("AUTHORIZATION_REQUESTED", "PENDING_CONNECT_OR_3RD_PARTY", isDirect ? 51 : 200)
        case .declined: ("REJECTED", "UNSUCCESSFUL", isDirect ? 2 : 100)
        case .authorized: ("PENDING_CAPTURE", "PENDING_MERCHANT", isDirect ? 5 : 800)
        case .captured: (isDirect ? "CAPTURED" : "PAID", "COMPLETED", isDirect ? 9 : 1000)
        case .cancelled: ("CANCELLED", "UNSUCCESSFUL", isDirect ? 6 : 99_999)
        case .refunded: ("REFUNDED", isDirect ? "REFUNDED" : "COMPLETED", isDirect ? 8 : 1800)
        }
    }

    private func statusOutput(_ payment: SandboxPayment) -> JSON {
        let status = status(payment)
        let isAuthorized = payment.state == .authorized
        return [
            "isAuthorized": .boolean(isAuthorized), "isCancellable": .boolean(isAuthorized),
            "isRefundable": .boolean(payment.state == .captured),
            "statusCategory": .string(status.category), "statusCode": .integer(status.code),
            "errors": payment.state == .declined
                ? [["errorCode": "30511001", "id": "INVALID_CARD", "httpStatusCode": 402]] : nil,
        ]
    }

    func look(
        _ call: Call,
        _ book: inout PaymentBook,
        _ body: (SandboxPayment) -> JSON
    ) -> Reply {
        guard let payment = call.status(call.segments[1], in: &book) else {
            return .answer(call.fault(.notFound))
        }
        return .answer(SandboxAnswer(200, body(payment)))
    }

    @Sendable func capture(_ call: Call, _ book: inout PaymentBook) -> Reply {
        change(call, &book, .capture, call.body["amount"]?.integer)
    }

    @Sendable func refund(_ call: Call, _ book: inout PaymentBook) -> Reply {
        change(call, &book, .refund, call.body["amountOfMoney.amount"]?.integer)
    }

    private func change(
        _ call: Call,
        _ book: inout PaymentBook,
        _ kind: SandboxPayment.FollowUp.Kind,
        _ amount: Int64?
    ) -> Reply {
        call.change(call.segments[1], in: &book) { payment throws(SandboxPayment.Refusal) in
            let id = followUpID(payment)
            if kind == .capture {
                try payment.capture(amount, id: id)
            } else {
                try payment.refund(amount, id: id)
            }
        } _: { payment in
            SandboxAnswer(201, followUps(kind, of: payment).last ?? [:])
        }
    }

    @Sendable func cancel(_ call: Call, _ book: inout PaymentBook) -> Reply {
        call.change(call.segments[1], in: &book) { payment throws(SandboxPayment.Refusal) in
            try payment.cancel(id: followUpID(payment))
        } _: { payment in
            SandboxAnswer(200, ["payment": self.payment(payment)])
        }
    }

    private func followUpID(_ payment: SandboxPayment) -> String {
        "\(payment.id.prefix { $0 != "_" })_\(payment.followUps.count + 1)"
    }

    /// Returns the JSON objects of a payment's captures or refunds.
    func followUps(_ kind: SandboxPayment.FollowUp.Kind, of payment: SandboxPayment) -> [JSON] {
        payment.followUps.filter { $0.kind == kind }.map { followUp in
            let isCapture = kind == .capture
            return [
                "id": .string(followUp.id),
                "status": isCapture ? "CAPTURE_REQUESTED" : "REFUND_REQUESTED",
                "statusOutput": [
                    "isAuthorized": false, "isCancellable": false,
                    "statusCategory": "PENDING_CONNECT_OR_3RD_PARTY",
                    "statusCode": .integer(isDirect ? (isCapture ? 91 : 81) : 800),
                ],
                (isCapture ? "captureOutput" : "refundOutput"): [
                    "amountOfMoney": money(followUp.amount, payment),
                    "references": ["merchantReference": .optional(payment.reference)],
                    "paymentMethod": "mobile",
                ],
            ]
        }
    }

    /// Returns the operations of GetPaymentDetails: the payment, then its captures, refunds and cancellations.
    func operations(of payment: SandboxPayment) -> [JSON] {
        let names: [SandboxPayment.FollowUp.Kind: String] = [
            .capture: "CAPTURED", .cancel: "CANCELLED", .refund: "REFUNDED",
        ]
        let first: JSON = [
            "id": .string(payment.id), "amountOfMoney": money(payment.amount ?? 0, payment),
            "status": .string(payment.followUps.isEmpty ? status(payment).name : "PENDING_CAPTURE"),
        ]
        return [first]
            + payment.followUps.map { followUp in
                [
                    "id": .string(followUp.id), "amountOfMoney": money(followUp.amount, payment),
                    "status": .optional(names[followUp.kind]),
                ]
            }
    }
}

extension WorldlineForm {
    @Sendable fileprivate func createCheckout(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let input = call.body["mobilePaymentMethodSpecificInput"]
        let purchase = Purchase(
            amount: call.body["order.amountOfMoney.amount"]?.integer,
            currency: call.body["order.amountOfMoney.currencyCode"]?.string,
            reference: call.body["order.references.merchantReference"]?.string,
            captures: input?["authorizationMode"]?.string == "SALE")
        // The customer pays on the page, so every payment waits for the customer first.
        let payment = SandboxPayment(id: newID(&book), purchase, .customerAction)
        book[payment: payment.id, of: call.gateway.name] = payment
        let address = call.customerURL(payment.id)
        return .answer(
            SandboxAnswer(
                201,
                [
                    "RETURNMAC": .string("mac-\(payment.id)"),
                    "hostedCheckoutId": .string(payment.id), "redirectUrl": .string(address),
                    "partialRedirectUrl": .string(String(address.dropFirst("http://".count))),
                ]))
    }

    @Sendable fileprivate func checkout(_ call: Call, _ book: inout PaymentBook) -> Reply {
        look(call, &book) { payment in
            guard payment.state != .awaitingCustomer else { return ["status": "IN_PROGRESS"] }
            let category =
                switch payment.state {
                case .declined: "REJECTED"
                default: "SUCCESSFUL"
                }
            return [
                "status": "PAYMENT_CREATED",
                "createdPaymentOutput": [
                    "payment": self.payment(payment), "paymentStatusCategory": .string(category),
                ],
            ]
        }
    }

    /// Returns an error: a body whose `errors` has one element.
    fileprivate static func errors(
        _ status: Int64,
        code: String,
        category: String = "DIRECT_PLATFORM_ERROR",
        id: String,
        message: String,
        property: String? = nil
    ) -> JSON {
        [
            "errorId": "sandbox-error",
            "errors": [
                [
                    "category": .string(category), "code": .string(code),
                    "errorCode": .string(code), "httpStatusCode": .integer(status),
                    "id": .string(id), "message": .string(message),
                    "propertyName": .optional(property), "retriable": .boolean(status >= 500),
                ]
            ],
        ]
    }

    fileprivate static func answer(_ fault: Fault) -> SandboxAnswer {
        func answer(
            _ status: Int, _ code: String, _ id: String, _ message: String,
            _ property: String? = nil
        )
            -> SandboxAnswer
        {
            SandboxAnswer(
                status,
                errors(
                    Int64(status), code: code, id: id, message: message, property: property))
        }
        switch fault {
        case .unauthorized:
            return answer(
                403, "9002", "MISSING_OR_INVALID_AUTHORIZATION",
                "MISSING_OR_INVALID_AUTHORIZATION")
        case .malformed: return answer(400, "9000", "INVALID_REQUEST", "the body is not valid JSON")
        case .missing(let name):
            return answer(
                400, "21000020", "PARAMETER_NOT_FOUND_IN_REQUEST",
                "PARAMETER_NOT_FOUND_IN_REQUEST", name)
        case .reusedKey, .duplicate:
            return answer(
                409, "1409", "DUPLICATE_REQUEST_IN_PROGRESS", "DUPLICATE_REQUEST_IN_PROGRESS")
        case .notFound: return answer(404, "1002", "UNKNOWN_PAYMENT_ID", "UNKNOWN_PAYMENT_ID", "id")
        case .refused(let refusal):
            return answer(402, "50001111", "ACTION_NOT_ALLOWED", refusal.rawValue)
        case .failed(let status):
            return answer(status, "9999", "INTERNAL_SERVER_ERROR", "the gateway failed")
        }
    }
}
