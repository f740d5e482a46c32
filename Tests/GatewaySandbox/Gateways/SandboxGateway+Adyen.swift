extension SandboxGateway {
    /// Adyen, with the paths of its test servers and its live servers.
    ///
    /// Source: Adyen's SDKs, `PaymentResponse` and `ServiceError`; *Result codes*; *API idempotency*, which documents
    /// error 704 for a key in use. It is not documented whether 704 is also the error for another request with the same
    /// key.
    static let adyen = SandboxGateway(
        name: "adyen",
        idempotency: Idempotency(header: "Idempotency-Key", refusesOtherRequests: true),
        fault: { fault, _ in
            func answer(_ status: Int, _ code: String, _ type: String, _ text: String)
                -> SandboxAnswer
            {
                SandboxAnswer(
                    status,
                    [
                        "status": .integer(Int64(status)), "errorCode": .string(code),
                        "message": .string(text), "errorType": .string(type),
                    ])
            }
            switch fault {
            case .unauthorized:
                return answer(401, "000", "security", "HTTP Status Response - Unauthorized")
            case .malformed: return answer(400, "702", "validation", "The body is malformed")
            case .missing(let name):
                return answer(422, "100", "validation", "Required field '\(name)' is not provided.")
            case .reusedKey, .duplicate:
                return answer(
                    422, "704", "validation", "request already processed or in progress")
            case .notFound: return answer(404, "905", "validation", "There is no such payment")
            case .refused(let refusal): return answer(422, "167", "validation", refusal.rawValue)
            case .failed(let status):
                return answer(status, "905", "internal", "Payment details are not available")
            }
        },
        routes: ["/v71/payments", "/checkout/v71/payments"].map { path in
            .post(
                path, .header("X-API-Key"), .json,
                [
                    RequiredMember("amount.value", is: .amount),
                    RequiredMember("amount.currency", is: .currency),
                    RequiredMember("merchantAccount"), RequiredMember("reference"),
                    RequiredMember("paymentMethod.type"), RequiredMember("paymentMethod.number"),
                    RequiredMember("paymentMethod.expiryMonth"),
                    RequiredMember("paymentMethod.expiryYear"),
                    RequiredMember("mpiData", is: .container),
                ], create)
        })

    private static func create(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let purchase = Purchase(
            amount: call.body["amount.value"]?.integer,
            currency: call.body["amount.currency"]?.string,
            reference: call.body["reference"]?.string, captures: false)
        let id = "SANDBOX\(100_000_000 + book.nextNumber())"
        return call.pay(purchase, id: id, in: &book) { payment in
            let code =
                switch payment.state {
                case .awaitingCustomer: "RedirectShopper"
                case .processing: "Pending"
                case .declined: "Refused"
                default: "Authorised"
                }
            let isDeclined = payment.state == .declined
            return SandboxAnswer(
                200,
                [
                    "pspReference": .string(payment.id), "resultCode": .string(code),
                    "merchantReference": .optional(payment.reference),
                    "refusalReason": isDeclined ? "Refused" : nil,
                    "refusalReasonCode": isDeclined ? "2" : nil,
                    "amount": [
                        "value": payment.amount.map(JSON.integer),
                        "currency": .optional(payment.currency),
                    ],
                    "action": payment.state == .awaitingCustomer
                        ? [
                            "type": "redirect", "method": "GET", "paymentMethodType": "scheme",
                            "url": .string(call.customerURL(payment.id)),
                        ] : nil,
                ])
        }
    }
}
