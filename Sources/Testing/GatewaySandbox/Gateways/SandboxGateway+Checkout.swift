extension SandboxGateway {
    /// Checkout.com, which keeps only answers of 2xx under an idempotency key.
    ///
    /// It does not document whether, and with which error, it refuses another request with the same key. Source:
    /// Checkout.com, *Pay with a pre-decrypted Apple Pay token*, *Network tokens*, *Idempotency*, *Get payment
    /// details*, *Response codes*; its SDKs' `PaymentResponse` and `Balances`.
    static let checkout = SandboxGateway(
        name: "checkout", credentials: .key,
        account: { ["account": ["identifier": "shop"], "credentials": ["secretKey": $0]] },
        idempotency: Idempotency(
            header: "Cko-Idempotency-Key", refusesOtherRequests: true, keepsFailures: false),
        rareScenarios: [.partlyApproved],
        decimals: { $0.alphabetic == "CLP" ? 2 : $0.decimals },
        foreign: { purchase, result, book in
            SandboxPayment(id: newID(&book), purchase, result)
        },
        fault: { fault, _ in
            func answer(_ status: Int, _ type: String, _ code: String) -> SandboxAnswer {
                let body: JSON = [
                    "request_id": "sandbox-request", "error_type": .string(type),
                    "error_codes": [.string(code)],
                ]
                return SandboxAnswer(status, body)
            }
            switch fault {
            case .unauthorized: return SandboxAnswer(401)
            case .malformed: return answer(422, "request_invalid", "request_body_invalid")
            case .missing(let name):
                let field = name.split(separator: ".").joined(separator: "_")
                return answer(422, "request_invalid", "\(field)_required")
            case .reusedKey: return answer(409, "request_invalid", "idempotency_key_reused")
            case .duplicate: return answer(429, "request_invalid", "duplicate_request")
            case .notFound: return SandboxAnswer(404)
            case .refused: return answer(403, "request_invalid", "action_not_allowed")
            case .failed(let status): return answer(status, "server_error", "internal_error")
            }
        },
        routes: [
            .post(
                "/payments",
                [
                    "source.type", "source.token", "source.token_type", "source.cryptogram",
                    .amount("amount"), .currency("currency"),
                ], do: create),
            .get("/payments/*") { call, book in call.look(call.segments[0], in: &book, details) },
            .get("/payments", do: search),
        ])

    private static func create(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let purchase = Purchase(
            amount: call.body["amount"]?.integer, currency: call.body["currency"]?.string,
            reference: call.body["reference"]?.string,
            captures: call.body["capture"]?.boolean ?? true)
        return call.pay(purchase, id: newID(&book), in: &book) { payment in
            let isOpen = payment.state == .awaitingCustomer || payment.state == .processing
            guard isOpen else { return SandboxAnswer(201, created(payment)) }
            let address: JSON = ["href": .string(call.customerURL(payment.id))]
            let body: JSON = [
                "id": .string(payment.id), "status": .string(status(payment)),
                "reference": payment.reference,
                "_links": payment.state == .awaitingCustomer ? ["redirect": address] : nil,
            ]
            return SandboxAnswer(202, body)
        }
    }

    private static func newID(_ book: inout PaymentBook) -> String {
        let digits = String(book.nextNumber())
        return "pay_sandbox\(String(repeating: "0", count: max(19 - digits.count, 0)))\(digits)"
    }

    /// Returns a payment's status; a sale is authorized first, and found captured by a status query.
    private static func status(_ payment: SandboxPayment) -> String {
        switch payment.state {
        case .awaitingCustomer, .confirmed, .processing: "Pending"
        case .declined: "Declined"
        case .abandoned: "Canceled"
        case .accepted where payment.isCardCheck: "Card Verified"
        case .accepted where payment.released == payment.approved: "Voided"
        case .accepted where payment.refunded > 0 && payment.refundable == 0: "Refunded"
        case .accepted: payment.captured > 0 && !payment.isNew ? "Captured" : "Authorized"
        }
    }

    /// Returns the answer to a payment that the bank decided.
    private static func created(_ payment: SandboxPayment) -> JSON {
        let isDeclined = payment.state == .declined
        let isPart = payment.isPartlyApproved
        return details(payment).adding([
            "action_id": .string("act_\(payment.id.dropFirst(4))"),
            "auth_code": isDeclined ? "000000" : "123456",
            "response_code": isDeclined ? "20005" : isPart ? "10010" : "10000",
            "response_summary": isDeclined ? "Declined - Do Not Honour" : "Approved",
        ])
    }

    /// Returns the details of a payment; a partial approval states the ordered amount besides the approved one.
    private static func details(_ payment: SandboxPayment) -> JSON {
        let isAccepted = payment.state == .accepted
        let isPart = payment.isPartlyApproved
        return [
            "id": .string(payment.id), "status": payment.word(status(payment)),
            "approved": isAccepted || payment.state == .declined ? .boolean(isAccepted) : nil,
            "amount": .integer(payment.approved),
            "amount_requested": isPart ? .integer(payment.ordered) : nil,
            "currency": payment.currency, "reference": payment.reference,
            "balances": isAccepted && !payment.isCardCheck ? balances(payment) : nil,
        ]
    }

    private static func balances(_ payment: SandboxPayment) -> JSON {
        let captured = payment.isNew ? 0 : payment.captured
        let open = payment.approved - payment.released - captured
        return [
            "total_authorized": .integer(payment.approved),
            "total_voided": .integer(payment.released),
            "available_to_void": .integer(open), "total_captured": .integer(captured),
            "available_to_capture": .integer(open), "total_refunded": .integer(payment.refunded),
            "available_to_refund": .integer(captured - payment.refunded),
        ]
    }

    /// Answers the query by reference, newest first.
    private static func search(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let query = call.request.query
        guard let reference = query["reference"], !reference.isEmpty else {
            return .answer(call.fault(.missing("reference")))
        }
        let limit = max(Int(query["limit"] ?? "") ?? 10, 0)
        let skip = max(Int(query["skip"] ?? "") ?? 0, 0)
        let found = book.payments(of: call.gateway.name) { $0.purchase.reference == reference }
        let shown = found.reversed().dropFirst(skip).prefix(limit)
        let payments = shown.compactMap { call.status($0.id, in: &book) }
        return .ok([
            "limit": .integer(Int64(limit)), "skip": .integer(Int64(skip)),
            "total_count": .integer(Int64(found.count)), "data": .array(payments.map(details)),
        ])
    }
}
