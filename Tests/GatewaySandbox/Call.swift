/// The answer to a request, and the answer to a repetition of it with the same idempotency key.
struct Reply: Sendable {
    /// The answer to send; nil if the request times out.
    let shown: SandboxAnswer?

    /// The answer to a repeated request; nil if the repetition is processed as a new request.
    let kept: SandboxAnswer?

    /// Returns a reply whose answer is also sent to repeated requests.
    static func answer(_ answer: SandboxAnswer) -> Reply { Reply(shown: answer, kept: answer) }

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

    /// Returns an error in the gateway's format.
    func fault(_ fault: Fault) -> SandboxAnswer { gateway.fault(fault, request) }

    /// Returns the URL that the customer opens to complete a payment.
    func customerURL(_ id: String) -> String { "\(origin)/customer/\(gateway.name)/\(id)" }

    /// Makes a payment, according to the scenario of its amount.
    ///
    /// - Parameters:
    ///   - purchase: The purchase to charge.
    ///   - id: The payment's identifier.
    ///   - book: The book that stores the payment.
    ///   - answer: Returns the gateway's answer for the payment in its current state.
    /// - Returns: The answer, or a time-out.
    func pay(
        _ purchase: Purchase,
        id: String,
        in book: inout PaymentBook,
        _ answer: (SandboxPayment) -> SandboxAnswer
    ) -> Reply {
        let scenario = Scenario(amount: purchase.amount)
        switch scenario {
        case .lostRequest: return Reply(shown: nil, kept: nil)
        case .serverError: return .passing(fault(.failed(500)))
        case .unavailable:
            var answer = fault(.failed(503))
            answer.headers.append(SandboxAnswer.Header(name: "Retry-After", value: "2"))
            return .passing(answer)
        case .duplicate: return .answer(fault(.duplicate))
        case .success, .pending, .customerAction, .decline, .timeOut, .errorPage: break
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

    /// Returns a payment for a status query; a payment that was in progress has succeeded by then.
    func status(_ id: String, in book: inout PaymentBook) -> SandboxPayment? {
        guard var payment = book[payment: id, of: gateway.name] else { return nil }
        if payment.state == .processing {
            payment.succeed()
            book[payment: id, of: gateway.name] = payment
        }
        return payment
    }

    /// Captures, cancels or refunds a payment.
    ///
    /// - Parameters:
    ///   - id: The payment's identifier.
    ///   - book: The book that stores the payment.
    ///   - change: Changes the payment.
    ///   - answer: Returns the gateway's answer for the changed payment.
    /// - Returns: The answer.
    func change(
        _ id: String,
        in book: inout PaymentBook,
        _ change: (inout SandboxPayment) throws(SandboxPayment.Refusal) -> Void,
        _ answer: (SandboxPayment) -> SandboxAnswer
    ) -> Reply {
        guard var payment = book[payment: id, of: gateway.name] else {
            return .answer(fault(.notFound))
        }
        do throws(SandboxPayment.Refusal) {
            try change(&payment)
        } catch {
            return .answer(fault(.refused(error)))
        }
        book[payment: id, of: gateway.name] = payment
        return .answer(answer(payment))
    }
}
