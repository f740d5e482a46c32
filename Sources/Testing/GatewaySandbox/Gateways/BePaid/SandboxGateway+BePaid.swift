extension SandboxGateway {
    /// bePaid; a repeated `RequestID` receives the first answer, even if the request differs.
    ///
    /// Source: bePaid, *Payment*, *Status query*, *Idempotent requests*, *Asynchronous requests*, *API version 3*;
    /// the Ruby SDK.
    static let bePaid = SandboxGateway(
        name: "bepaid", credentials: .basic,
        account: { ["account": ["shopId": "361"], "credentials": ["secretKey": $0]] },
        publicKey: BePaidForm.publicKey, message: BePaidForm.message,
        idempotency: Idempotency(header: "RequestID", refusesOtherRequests: false),
        rareScenarios: [.chargeback], foreign: BePaidForm.foreign, fault: BePaidForm.answer,
        routes: BePaidForm.kinds.flatMap { kind in
            ["", "/async"].map { prefix in
                .post("\(prefix)\(kind.path)", BePaidForm.members) { call, book in
                    BePaidForm.create(kind.type, isAsynchronous: !prefix.isEmpty, call, &book)
                }
            }
        } + [
            .get("/async/status/*", do: BePaidForm.task(isResult: false)),
            .get("/async/result/*", do: BePaidForm.task(isResult: true)),
            .post("/transactions/captures", operation, do: BePaidForm.perform(.capture)),
            .post("/transactions/voids", operation, do: BePaidForm.perform(.cancel)),
            .post(
                "/transactions/refunds", operation + ["request.reason"],
                do: BePaidForm.perform(.refund)),
            .get("/transactions/*", do: BePaidForm.status),
            .get("/v2/transactions/tracking_id/*", do: BePaidForm.search),
        ] + BePaidForm.checkoutRoutes)

    /// The members of a capture, a void or a refund.
    private static let operation: [RequiredMember] = [
        "request.parent_uid", .amount("request.amount", from: 1),
    ]
}

extension BePaidForm {
    /// Returns a payment of another channel, such as bePaid's card form.
    @Sendable static func foreign(
        _ purchase: Purchase, _ result: Scenario, _ book: inout PaymentBook
    ) -> SandboxPayment? {
        var purchase = purchase
        let type: JSON = purchase.captures ? "payment" : "authorization"
        purchase.details = ["type": type, "test": true]
        return SandboxPayment(id: newID(&book), purchase, result)
    }

    /// Returns the answer to a request that fails: in `response`, or at the top level in version 3.
    @Sendable static func answer(_ fault: Fault, _ request: SandboxRequest) -> SandboxAnswer {
        func answer(_ status: Int, _ message: String, _ errors: JSON = [:]) -> SandboxAnswer {
            let body: JSON = ["message": .string(message), "errors": errors]
            guard request.header("X-API-Version") == "3" else {
                return SandboxAnswer(status, ["response": body])
            }
            let code: JSON = ["code": "E.1025", "friendly_message": .string(message)]
            return SandboxAnswer(status, code.adding(body))
        }
        switch fault {
        case .unauthorized: return answer(401, "Unauthorized")
        case .malformed: return answer(400, "The body is not valid JSON")
        case .missing(let name):
            let reason: JSON =
                name == "request.amount" ? "must be greater than 0" : "can't be blank"
            let member = name.split(separator: ".").last.map(String.init) ?? name
            return answer(422, "\(name) is missing or invalid", [member: [reason]])
        case .reusedKey, .duplicate:
            return answer(422, "Duplicate transaction", ["base": ["Duplicate transaction"]])
        case .notFound where request.method == "POST":
            return answer(
                400, "Parent uid Parent transaction is not found.",
                ["parent_uid": ["Parent transaction is not found"]])
        case .notFound: return SandboxAnswer(404, ["response": ["message": "Record not found"]])
        case .refused(let refusal):
            return answer(422, refusal.rawValue, ["base": [.string(refusal.rawValue)]])
        case .failed(let status): return answer(status, "We're sorry, but something went wrong")
        }
    }
}
