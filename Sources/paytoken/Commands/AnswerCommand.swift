internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

/// `paytoken answer`: what a gateway's answer means.
struct AnswerCommand: OptionCommand {
    static let options: [CommandOption] = [
        .step.described("the step that was answered; default: \(Gateway.defaultStep)"),
        .amount.described("the order's amount in minor units, compared with the answer's"),
        .currency.described("the order's currency, an ISO 4217 code, compared with the answer's"),
        .order.described("the order as JSON, in place of both"),
    ]

    private let gateway: Gateway
    private let step: String
    private let read: AnswerReader
    private let order: Order?
    private let path: String

    init(_ arguments: Arguments) throws(CommandFailure) {
        gateway = try Gateway.named(arguments.operands.first, for: "answer")
        let steps = try gateway.stepsNamed(arguments)
        guard let step = steps.first, let read = step.answer else {
            throw .usage("the answer to the step \(steps[0].name) is not for the merchant.")
        }
        self.step = step.name
        self.read = read
        guard arguments.operands.count <= 2 else {
            throw .usage("one answer at a time; \(arguments.operands[2]) is one too many.")
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
        let answer = answer(try FileContents.bytes(of: path, limit: CurlOutput.limit))
        return answer.write() ? answer.exit : .means
    }

    private func answer(_ bytes: [UInt8]) -> OutcomeAnswer {
        guard let response = CurlOutput.response(bytes) else {
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
}
