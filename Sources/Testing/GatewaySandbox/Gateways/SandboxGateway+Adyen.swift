extension SandboxGateway {
    /// Adyen, with the paths of its test servers and its live servers.
    ///
    /// Source: Adyen's OpenAPI file and SDKs, `PaymentResponse` and `ServiceError`; *Result codes*; *API
    /// idempotency*, which documents error 704 for a key in use, but not for another request with the same key.
    static let adyen = SandboxGateway(
        name: "adyen", credentials: .header("X-API-Key"),
        account: { ["account": ["merchantAccount": "Shop"], "credentials": ["apiKey": $0]] },
        idempotency: Idempotency(header: "Idempotency-Key", refusesOtherRequests: true, length: 64),
        rareScenarios: [.partlyApproved],
        decimals: { ["CLP": 2, "CVE": 0, "IDR": 0, "ISK": 2][$0.alphabetic] ?? $0.decimals },
        fault: { fault, _ in failure(fault) },
        routes: ["/v71/payments", "/checkout/v71/payments"].map { path in
            .post(
                path,
                [
                    .amount("amount.value"), .currency("amount.currency"), "merchantAccount",
                    .text("reference", upTo: 80), "returnUrl",
                    "paymentMethod.type", "paymentMethod.number", "paymentMethod.expiryMonth",
                    "paymentMethod.expiryYear", .container("mpiData"),
                ], do: create)
        })

    private static func failure(_ fault: Fault) -> SandboxAnswer {
        func answer(_ status: Int, _ code: String, _ type: String, _ text: String) -> SandboxAnswer
        {
            let body: JSON = [
                "status": .integer(Int64(status)), "errorCode": .string(code),
                "message": .string(text), "errorType": .string(type),
            ]
            return SandboxAnswer(status, body)
        }
        switch fault {
        case .unauthorized:
            return answer(401, "000", "security", "HTTP Status Response - Unauthorized")
        case .malformed, .notFound, .refused:
            return answer(400, "702", "validation", "The body is malformed")
        case .missing("reference"): return answer(422, "130", "validation", "Reference Missing")
        case .missing("returnUrl"):
            return answer(422, "14_030", "validation", "Return URL is missing.")
        case .missing(let name):
            return answer(422, "100", "validation", "Required field '\(name)' is not provided.")
        case .reusedKey, .duplicate:
            return answer(422, "704", "validation", "request already processed or in progress")
        case .failed(503):
            return answer(503, "703", "internal", "required resource temporarily unavailable")
        case .failed(let status): return answer(status, "000", "internal", "Internal error")
        }
    }

    private static func create(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let purchase = Purchase(
            amount: call.body["amount.value"]?.integer,
            currency: call.body["amount.currency"]?.string,
            reference: call.body["reference"]?.string, captures: false)
        let id = "SANDBOX\(100_000_000 + book.nextNumber())"
        return call.pay(purchase, id: id, in: &book) { payment in
            SandboxAnswer(200, result(payment, call))
        }
    }

    /// Returns the result of a payment; its amount is the approved one, and only an approval states it.
    private static func result(_ payment: SandboxPayment, _ call: Call) -> JSON {
        let isPart = payment.isPartlyApproved
        let code =
            switch payment.state {
            case .awaitingCustomer, .confirmed: "RedirectShopper"
            case .processing: "Pending"
            case .declined: "Refused"
            case .abandoned: "Cancelled"
            case .accepted: isPart ? "PartiallyAuthorised" : "Authorised"
            }
        let isDeclined = payment.state == .declined
        let isAccepted = payment.state == .accepted
        let amount: JSON = ["value": .integer(payment.approved), "currency": payment.currency]
        let action: JSON = [
            "type": "redirect", "method": "GET", "paymentMethodType": "scheme",
            "url": .string(call.customerURL(payment.id)),
        ]
        return [
            "pspReference": .string(payment.id), "resultCode": payment.word(code),
            "merchantReference": payment.reference, "refusalReason": isDeclined ? "Refused" : nil,
            "refusalReasonCode": isDeclined ? "2" : nil, "amount": isAccepted ? amount : nil,
            "action": payment.state == .awaitingCustomer ? action : nil,
        ]
    }
}
