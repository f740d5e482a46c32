/// The answer to a request, and the answer to a repetition of it with the same idempotency key.
struct Reply: Sendable {
    /// The answer to send; nil if the request times out.
    let shown: SandboxAnswer?

    /// The answer to a repeated request; nil if the repetition is processed as a new request.
    let kept: SandboxAnswer?

    /// Returns a reply whose answer is also sent to repeated requests.
    static func answer(_ answer: SandboxAnswer) -> Reply { Reply(shown: answer, kept: answer) }

    /// Returns a reply with HTTP status 200 and a JSON body.
    static func ok(_ body: JSON) -> Reply { answer(SandboxAnswer(200, body)) }

    /// Returns a reply after which a repeated request is processed as a new one.
    static func passing(_ answer: SandboxAnswer) -> Reply { Reply(shown: answer, kept: nil) }
}

/// A request to a gateway whose credentials and body were checked.
struct Call: Sendable {
    /// The gateway.
    let gateway: SandboxGateway

    /// The request.
    let request: SandboxRequest

    /// The decoded segments of the path that match `*`.
    let segments: [String]

    /// The body; an object without members if there is none.
    let body: JSON

    /// The sandbox's origin, for URLs in answers.
    let origin: String

    /// Whether the request was delayed, and is processed now.
    let isLate: Bool

    /// How long after its request a late payment is made.
    let delay: Duration

    /// Returns an error in the gateway's format.
    func fault(_ fault: Fault) -> SandboxAnswer { gateway.fault(fault, request) }

    /// Returns the URL that the customer opens to complete a payment.
    func customerURL(_ id: String) -> String { "\(origin)/customer/\(gateway.name)/\(id)" }

    /// Returns the scenario of a payment at this gateway.
    func scenario(_ purchase: Purchase) -> Scenario {
        let amount = purchase.amount.map { gateway.minorUnits($0, purchase.currency) }
        return Scenario(amount: amount, at: gateway)
    }

    /// Makes a payment, according to its scenario, and answers with the payment in its state then, or with nothing.
    func pay(
        _ purchase: Purchase,
        id: String,
        in book: inout PaymentBook,
        _ answer: (SandboxPayment) -> SandboxAnswer
    ) -> Reply {
        let scenario = scenario(purchase)
        if !isLate {
            let ordered = book.takeDelay(of: purchase.reference)
            if let delay = ordered ?? (scenario == .late ? delay : nil) {
                book.delay(request, purchase.reference, by: delay)
                let page = "<html><head><title>504 Gateway Time-out</title></head></html>\n"
                return .passing(SandboxAnswer(504, .page(page)))
            }
        }
        switch scenario {
        case .lostRequest: return Reply(shown: nil, kept: nil)
        case .serverError: return .passing(fault(.failed(500)))
        case .unavailable:
            var answer = fault(.failed(503))
            answer.headers.append(SandboxAnswer.Header(name: "Retry-After", value: "2"))
            return .passing(answer)
        case .duplicate: return .answer(fault(.duplicate))
        default: break
        }
        let payment = SandboxPayment(id: id, purchase, scenario)
        book[payment: id, of: gateway.name] = payment
        let answer = answer(payment)
        switch scenario {
        case .timeOut: return Reply(shown: nil, kept: answer)
        case .errorPage:
            let page = "<html><head><title>502 Bad Gateway</title></head></html>\n"
            return Reply(shown: SandboxAnswer(502, .page(page)), kept: answer)
        default: return .answer(answer)
        }
    }

    /// Returns a payment for a status query, which counts as one.
    func status(_ id: String, in book: inout PaymentBook) -> SandboxPayment? {
        guard var payment = book[payment: id, of: gateway.name] else { return nil }
        payment.countQuery()
        book[payment: id, of: gateway.name] = payment
        return payment
    }

    /// Answers a status query about one payment.
    func look(_ id: String?, in book: inout PaymentBook, _ body: (SandboxPayment) -> JSON) -> Reply
    {
        guard let id, let payment = status(id, in: &book) else { return .answer(fault(.notFound)) }
        return .ok(body(payment))
    }

    /// Captures, cancels or refunds a payment, and answers with the changed payment and the operation.
    func perform(
        on id: String,
        in book: inout PaymentBook,
        _ operation: (SandboxPayment) -> Operation,
        _ answer: (SandboxPayment, Operation) -> SandboxAnswer
    ) -> Reply {
        guard var payment = book[payment: id, of: gateway.name] else {
            return .answer(fault(.notFound))
        }
        do throws(SandboxPayment.Refusal) {
            try payment.perform(operation(payment))
        } catch {
            return .answer(fault(.refused(error)))
        }
        book[payment: id, of: gateway.name] = payment
        return .answer(answer(payment, payment.operations[payment.operations.count - 1]))
    }
}
