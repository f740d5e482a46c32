extension SandboxGateway {
    /// Checkout.com.
    ///
    /// Checkout.com does not document whether, and with which error, it refuses another request with the same key.
    /// Source: Checkout.com, *Pay with a pre-decrypted Apple Pay token*, *Network tokens*; its SDKs'
    /// `PaymentResponse`.
    static let checkout = SandboxGateway(
        name: "checkout",
        idempotency: Idempotency(header: "Cko-Idempotency-Key", refusesOtherRequests: true),
        fault: { fault, _ in
            func answer(_ status: Int, _ type: String, _ code: String) -> SandboxAnswer {
                SandboxAnswer(
                    status,
                    [
                        "request_id": "sandbox-request", "error_type": .string(type),
                        "error_codes": [.string(code)],
                    ])
            }
            switch fault {
            case .unauthorized: return SandboxAnswer(401)
            case .malformed: return answer(422, "request_invalid", "request_body_invalid")
            case .missing(let name):
                let field = name.split(separator: ".").joined(separator: "_")
                return answer(422, "request_invalid", "\(field)_required")
            case .reusedKey: return answer(409, "request_invalid", "idempotency_key_reused")
            case .duplicate: return answer(409, "request_invalid", "payment_duplicate")
            case .notFound: return SandboxAnswer(404)
            case .refused: return answer(403, "request_invalid", "action_not_allowed")
            case .failed(let status): return answer(status, "server_error", "internal_error")
            }
        },
        routes: [
            .post(
                "/payments", .key, .json,
                [
                    RequiredMember("source.type"), RequiredMember("source.token"),
                    RequiredMember("source.token_type"), RequiredMember("source.cryptogram"),
                    RequiredMember("amount", is: .amount),
                    RequiredMember("currency", is: .currency),
                ], create),
            .get("/payments/*", .key) { call, book in
                guard let payment = call.status(call.segments[0], in: &book) else {
                    return .answer(call.fault(.notFound))
                }
                return .answer(SandboxAnswer(200, answer(payment, call)))
            },
        ])

    private static func create(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let purchase = Purchase(
            amount: call.body["amount"]?.integer, currency: call.body["currency"]?.string,
            reference: call.body["reference"]?.string,
            captures: call.body["capture"]?.boolean ?? true)
        let id = "pay_sandbox\(book.nextNumber())"
        return call.pay(purchase, id: id, in: &book) { payment in
            let isOpen = payment.state == .awaitingCustomer || payment.state == .processing
            return SandboxAnswer(isOpen ? 202 : 201, answer(payment, call))
        }
    }

    private static func answer(_ payment: SandboxPayment, _ call: Call) -> JSON {
        let isDeclined = payment.state == .declined
        let isOpen = payment.state == .awaitingCustomer || payment.state == .processing
        let state =
            isOpen
            ? "Pending"
            : isDeclined
                // A sale is authorized first; a later status query finds it captured.
                ? "Declined"
                : payment.state == .captured && call.request.method == "GET"
                    ? "Captured" : "Authorized"
        return [
            "id": .string(payment.id), "status": .string(state),
            "approved": isOpen ? nil : .boolean(!isDeclined),
            "amount": payment.amount.map(JSON.integer), "currency": .optional(payment.currency),
            "response_code": isOpen ? nil : .string(isDeclined ? "20005" : "10000"),
            "response_summary": isOpen ? nil : .string(isDeclined ? "Declined" : "Approved"),
            "reference": .optional(payment.reference), "auth_code": isOpen ? nil : "123456",
            "_links": payment.state == .awaitingCustomer
                ? ["redirect": ["href": .string(call.customerURL(payment.id))]] : nil,
        ]
    }
}
