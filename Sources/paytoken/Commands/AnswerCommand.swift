internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

/// `paytoken answer`: reports the meaning of a gateway's answer, or of a message that it sent.
struct AnswerCommand: OptionCommand {
    static let options: [CommandOption] =
        [
            .step.described("the step that was answered; default: \(Gateway.defaultStep)"),
            .amount.described("the order's amount in minor units, compared with the answer's"),
            .currency.described(
                "the order's currency, an ISO 4217 code, compared with the answer's"),
            .order.described("the order as JSON, instead of both"),
        ] + WebhookOptions.options

    /// The kind of input, and how to read it.
    private enum Subject {
        case answer(step: String, AnswerReader)
        case message(WebhookOptions)
    }

    private let gateway: Gateway
    private let subject: Subject
    private let order: Order?
    private let path: String

    init(_ arguments: Arguments) throws(CommandFailure) {
        let gateway = try Gateway.named(arguments.operands.first, for: "answer")
        self.gateway = gateway
        subject = try Self.subject(arguments, gateway)
        guard arguments.operands.count <= 2 else {
            throw .usage("one answer at a time: leave out \(arguments.operands[2]).")
        }
        path = arguments.operands.count == 2 ? arguments.operands[1] : "-"
        let parts: [CommandOption] = [.amount, .currency]
        guard !arguments.has(.order) || !arguments.hasAny(parts) else {
            throw .usage(
                "\(CommandOption.order) states the whole order; leave out \(parts.sentence).")
        }
        order = arguments.hasAny(parts + [.order]) ? try arguments.statedOrder() : nil
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let bytes = try FileContents.bytes(of: path, limit: HTTPText.limit, "an answer")
        let answer =
            switch subject {
            case .answer(let step, let read): outcome(bytes, step, read)
            case .message(let options): outcome(bytes, options)
            }
        return answer.write() ? answer.exit : .means
    }

    private static func subject(
        _ arguments: Arguments,
        _ gateway: Gateway
    ) throws(CommandFailure) -> Subject {
        guard !arguments.has(.webhook) else {
            guard !arguments.has(.step) else {
                let options: [CommandOption] = [.webhook, .step]
                throw .usage("give only one of \(options.sentence).")
            }
            return .message(try WebhookOptions(arguments, gateway))
        }
        if let option = arguments.first(of: WebhookOptions.options) {
            throw .usage("\(option) needs \(CommandOption.webhook).")
        }
        let steps = try gateway.stepsNamed(arguments)
        guard let step = steps.first, let read = step.answer else {
            throw .usage(
                "the answer to the step \(steps[0].name) is for the page in the browser; pass it on unread."
            )
        }
        return .answer(step: step.name, read)
    }

    private func outcome(
        _ bytes: [UInt8],
        _ step: String,
        _ read: AnswerReader
    ) -> OutcomeAnswer {
        guard let response = HTTPText.response(bytes) else {
            let reason =
                bytes.isEmpty
                ? "There is no answer: the request may have timed out."
                : "The answer does not begin with an HTTP status line, as the output of curl -i does."
            return OutcomeAnswer(outcome: .unknown(reason: reason), gateway: gateway, step: step)
        }
        var status: String?
        let outcome = PaymentOutcome(response, order: order) {
            response throws(UnreadableJSONError) in
            let answer = try read(response)
            status = answer.gatewayStatus
            return answer
        }
        return OutcomeAnswer(
            outcome: outcome, gateway: gateway, step: step, status: status,
            httpStatus: response.status)
    }

    /// Returns the outcome of a message; unknown if it is not authentic, because it then proves nothing about a
    /// payment.
    private func outcome(_ bytes: [UInt8], _ options: WebhookOptions) -> OutcomeAnswer {
        guard let message = HTTPText.message(bytes) else {
            let reason = "The message does not begin with a method, a path and a version of HTTP."
            return OutcomeAnswer(outcome: .unknown(reason: reason), gateway: gateway)
        }
        do {
            let event = try options.read(message)
            return OutcomeAnswer(
                outcome: order.map(event.outcome(for:)) ?? event.outcome, gateway: gateway,
                status: event.gatewayStatus, event: event)
        } catch {
            return OutcomeAnswer(
                outcome: .unknown(reason: "\(error)"), gateway: gateway, error: error)
        }
    }
}
