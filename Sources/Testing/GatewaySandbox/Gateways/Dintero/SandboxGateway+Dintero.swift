extension SandboxGateway {
    /// Dintero: a login, a session, the address that accepts the token, the token, the payment, and its transaction.
    ///
    /// It has no idempotency keys. Source: Dintero, *Apple Pay native app*, *Create session*, *Transaction
    /// management*, *Transaction statuses*; its native iOS example and its Node SDK.
    static let dintero = SandboxGateway(
        name: "dintero", credentials: .bearer,
        account: { secret in
            [
                "account": ["accountId": "T12345678"],
                "credentials": ["clientId": "shop", "clientSecret": secret],
                "webhooks": ["callbackSecret": secret],
            ]
        }, message: DinteroForm.message,
        foreign: DinteroForm.foreign, fault: DinteroForm.answer,
        routes: [
            .post(
                "/v1/accounts/*/auth/token", ["grant_type", "audience"], by: .basic,
                do: DinteroForm.login),
            .post(
                "/v1/sessions",
                DinteroForm.members + [.container("configuration")],
                do: DinteroForm.createSession),
            .post(
                "/v1/sessions-profile", DinteroForm.members + ["profile_id"],
                do: DinteroForm.createSession),
            .post(
                "/v1/sessions/pay",
                [
                    .amount("session.order.amount"), .currency("session.order.currency"),
                    "session.order.merchant_reference",
                    RequiredMember("payment.payment_product_type") { $0 == "dintero_psp.applepay" },
                    RequiredMember("payment.operation") { $0 == "unscheduled_purchase" },
                ], do: DinteroForm.payWithCard),
            .get("/v1/sessions/*", do: DinteroForm.session),
            .get("/v1/view/*/session", by: .open, do: DinteroForm.session),
            .post(
                "/v1/view/*/payments/dintero_psp.applepay", by: .open,
                do: DinteroForm.operations),
            .post(
                "/v1/psp/*/applepay/submit", ["payment_data", "reference"], by: .sessionToken,
                do: DinteroForm.submit),
            .post(
                "/v1/sessions/*/pay", ["payment_product_type", "psp_transaction_id"],
                by: .open,
                do: DinteroForm.pay),
            .get("/v1/transactions", do: DinteroForm.search),
            .get("/v1/transactions/*", do: DinteroForm.status),
            .post(
                "/v1/transactions/*/capture", [.amount("amount")],
                do: DinteroForm.perform(.capture)),
            .post("/v1/transactions/*/void", do: DinteroForm.perform(.cancel)),
            .post(
                "/v1/transactions/*/refund", [.amount("amount")], do: DinteroForm.perform(.refund)),
        ])
}

extension DinteroForm {
    /// Returns a payment of another channel, in a session of its own, for the account of the gateway file.
    @Sendable static func foreign(
        _ purchase: Purchase, _ result: Scenario, _ book: inout PaymentBook
    ) -> SandboxPayment? {
        var sale = purchase
        sale.captures = false
        sale.details = ["session": .string("T12345678.\(book.nextUUID())")]
        var payment = SandboxPayment(id: "T12345678.\(book.nextUUID())", sale, result)
        if purchase.captures {
            try? payment.perform(Operation(kind: .capture, id: book.nextUUID()))
        }
        return payment
    }

    /// Returns the answer to a request that fails; only wrong credentials of a login are 403.
    @Sendable static func answer(_ fault: Fault, _ request: SandboxRequest) -> SandboxAnswer {
        func answer(_ status: Int, _ code: String?, _ message: String) -> SandboxAnswer {
            let error: JSON = ["code": .optional(code), "message": .string(message), "errors": []]
            return SandboxAnswer(status, ["error": error])
        }
        switch fault {
        case .unauthorized where request.path.hasSuffix("/auth/token"):
            return answer(403, nil, "FORBIDDEN")
        case .unauthorized:
            return answer(401, "UNAUTHORIZED", "Access forbidden, invalid JWT token was used")
        case .malformed: return answer(400, nil, "BAD_REQUEST")
        case .missing(let name):
            return answer(400, "INVALID_REQUEST_PARAMETER", "\(name) is missing or invalid")
        case .reusedKey, .duplicate:
            return answer(409, "DUPLICATE", "The payment repeats another one")
        case .notFound: return answer(404, "NOT_FOUND", "There is no such session or transaction")
        case .refused(let refusal):
            return answer(400, "INVALID_REQUEST_PARAMETER", refusal.rawValue)
        case .failed(let status): return answer(status, nil, "Internal error")
        }
    }
}
