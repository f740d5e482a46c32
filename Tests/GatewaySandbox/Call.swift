/// The answer to a request, and the answer to the same request when it is sent again with its idempotency
/// key.
struct Reply: Sendable {
    /// The answer; nil for none, as when a request times out.
    let shown: SandboxAnswer?

    /// The answer for a repeated request; nil if it is processed as a new one.
    let kept: SandboxAnswer?

    /// An answer that repeated requests receive as well.
    static func answer(_ answer: SandboxAnswer) -> Reply { Reply(shown: answer, kept: answer) }

    /// An answer after which the request may be sent again.
    static func passing(_ answer: SandboxAnswer) -> Reply { Reply(shown: answer, kept: nil) }
}

/// A request on its way through a gateway, after its credentials and its body were checked.
struct Call: Sendable {
    /// The gateway.
    let gateway: SandboxGateway

    /// The request.
    let request: SandboxRequest

    /// The segments of the path that stand for `*`, decoded.
    let segments: [String]

    /// The body; an object without members if there is none.
    let body: JSON

    /// The sandbox's own origin, for addresses in answers.
    let origin: String

    /// Returns an error in the gateway's format.
    func fault(_ fault: Fault) -> SandboxAnswer { gateway.fault(fault, request) }

    /// The address at which the customer ends a payment that waits for them.
    func customerURL(_ id: String) -> String { "\(origin)/customer/\(gateway.name)/\(id)" }

    /// Makes a payment, and plays the scenario of its amount.
    ///
    /// - Parameters:
    ///   - purchase: What is charged.
    ///   - id: The payment's identifier.
    ///   - book: Where the payment is kept.
    ///   - answer: Returns the gateway's answer for a payment in any state.
    /// - Returns: The answer, or silence.
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

    /// Returns a payment as a status request finds it: one that was in progress has succeeded.
    func status(_ id: String, in book: inout PaymentBook) -> SandboxPayment? {
        guard var payment = book[payment: id, of: gateway.name] else { return nil }
        if payment.state == .processing {
            payment.succeed()
            book[payment: id, of: gateway.name] = payment
        }
        return payment
    }

    /// Captures, cancels or refunds.
    ///
    /// - Parameters:
    ///   - id: The payment's identifier.
    ///   - book: Where the payment is kept.
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
