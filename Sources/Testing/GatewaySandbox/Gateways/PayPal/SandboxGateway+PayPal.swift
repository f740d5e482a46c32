extension SandboxGateway {
    /// PayPal Orders v2; a repeated key shows the latest state, with 200 instead of 201.
    ///
    /// PayPal documents the error for another request with the same key only for its payment tokens, not for orders.
    /// Source: PayPal, *Orders v2*, *Authentication*, *Idempotency*; its server SDKs and OpenAPI files.
    static let payPal = SandboxGateway(
        name: "paypal", credentials: .bearer,
        account: {
            [
                "account": ["identifier": "shop"],
                "credentials": ["clientId": "shop", "clientSecret": $0],
            ]
        },
        idempotency: Idempotency(
            header: "PayPal-Request-Id", refusesOtherRequests: true, length: 108, isPerPath: true,
            replay: PayPalForm.replay), fault: PayPalForm.answer,
        routes: [
            .post(
                "/v1/oauth2/token", ["grant_type"], by: .basic, isForm: true, do: PayPalForm.login),
            .post(
                "/v2/checkout/orders",
                [
                    "intent", .currency("purchase_units.0.amount.currency_code"),
                    .decimal("purchase_units.0.amount.value"),
                    "payment_source.apple_pay.decrypted_token.tokenized_card.number",
                    "payment_source.apple_pay.decrypted_token.tokenized_card.expiry",
                    "payment_source.apple_pay.decrypted_token.payment_data_type",
                ], do: PayPalForm.create),
            .get("/v2/checkout/orders/*") { call, book in
                call.look(call.segments[0], in: &book) { PayPalForm.order($0, call) }
            },
            .post("/v2/checkout/orders/*/capture", do: PayPalForm.complete),
            .post("/v2/checkout/orders/*/authorize", do: PayPalForm.complete),
        ])
}

extension PayPalForm {
    /// Returns the answer to a request that fails.
    @Sendable static func answer(_ fault: Fault, _ request: SandboxRequest) -> SandboxAnswer {
        switch fault {
        case .unauthorized:
            let isLogin = request.path.hasSuffix("/token")
            let text: JSON = "Client Authentication failed"
            let error: JSON = isLogin ? "invalid_client" : "invalid_token"
            return SandboxAnswer(401, ["error": error, "error_description": text])
        case .malformed: return failure(400, "INVALID_REQUEST", "MALFORMED_REQUEST_JSON")
        case .missing("PayPal-Request-Id"):
            return failure(400, "INVALID_REQUEST", "PAYPAL_REQUEST_ID_REQUIRED")
        case .missing(let name):
            return failure(400, "INVALID_REQUEST", "MISSING_REQUIRED_PARAMETER", field: name)
        case .reusedKey:
            return failure(422, unprocessable, "PAYPAL_REQUEST_ID_PREVIOUSLY_USED")
        case .duplicate: return failure(422, unprocessable, "DUPLICATE_INVOICE_ID")
        case .notFound: return failure(404, "RESOURCE_NOT_FOUND", "INVALID_RESOURCE_ID")
        case .refused: return failure(422, unprocessable, "ORDER_NOT_APPROVED")
        case .failed(503): return failure(503, "SERVICE_UNAVAILABLE", nil)
        case .failed(let status): return failure(status, "INTERNAL_SERVER_ERROR", nil)
        }
    }

    /// The name of errors of a request that is well-formed.
    static let unprocessable = "UNPROCESSABLE_ENTITY"

    /// Returns an error with one issue.
    static func failure(
        _ status: Int,
        _ name: String,
        _ issue: String?,
        field: String? = nil
    ) -> SandboxAnswer {
        let details: JSON? = issue.map { [["issue": .string($0), "field": .optional(field)]] }
        let body: JSON = [
            "name": .string(name), "message": "The request cannot be processed.",
            "debug_id": "sandbox", "details": details,
        ]
        return SandboxAnswer(status, body)
    }
}
