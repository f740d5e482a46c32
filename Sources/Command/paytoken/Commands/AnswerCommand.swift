internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

/// `paytoken answer`: reports the meaning of a gateway's answer, or of a message that it sent.
struct AnswerCommand: OptionCommand {
    static let options: [CommandOption] =
        [
            .step.described("the step that was answered; default: \(Gateway.defaultStep)"),
            .orderReference.described("the order's reference, compared with the answer's"),
            .amount.described("the order's amount in minor units, compared with the answer's"),
            .currency.described(
                "the order's currency, an ISO 4217 code, compared with the answer's"),
            .order.described("the order as JSON, instead of its reference, amount and currency"),
            .operationName.described(
                "the operation's name in the request; mandatory for a capture or refund of dintero"),
            .operationAmount,
            .capture.described("that of the request, for a payment of cybersource or checkout"),
            .test.described(
                "for bepaid and dintero: the payment must be a test; without it, it must not be one"
            ),
        ] + WebhookOptions.options

    private static let orderParts: [CommandOption] = [.orderReference, .amount, .currency]

    /// The kind of input, and how to read it.
    private enum Subject {
        case answer(step: String, AnswerReader, PaymentAttempt?)
        case message(WebhookOptions, PaymentAttempt?)
    }

    private let gateway: Gateway
    private let subject: Subject
    private let path: String
    private let operation: String?
    private let operationAmount: Int64?
    private let captures: Bool?
    private let isTest: Bool?

    init(_ arguments: Arguments) throws(CommandFailure) {
        let gateway = try Gateway.named(arguments.operands.first, for: "answer")
        self.gateway = gateway
        guard arguments.operands.count <= 2 else {
            throw .usage("one answer at a time: leave out \(arguments.operands[2]).")
        }
        path = arguments.operands.count == 2 ? arguments.operands[1] : "-"
        // The reports of other gateways do not state whether a payment is a test.
        let statesTests = gateway == .bePaid || gateway == .dintero
        guard statesTests || !arguments.has(.test) else {
            throw .usage(
                "\(CommandOption.test) is for bepaid and dintero, whose answers state whether a payment is a test; "
                    + "leave it out.")
        }
        isTest = statesTests ? arguments.has(.test) : nil
        subject = try Self.subject(arguments, gateway)
        operation = arguments.text(.operationName)
        operationAmount = try arguments.number(.operationAmount)
        captures = try arguments.boolean(.capture)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let bytes = try FileContents.bytes(of: path, limit: HTTPText.limit, "an answer")
        let answer =
            switch subject {
            case .answer(let step, let reader, let attempt): outcome(bytes, step, reader, attempt)
            case .message(let options, let attempt): outcome(bytes, options, attempt)
            }
        return answer.write() ? answer.exit : .means
    }

    private static func subject(
        _ arguments: Arguments,
        _ gateway: Gateway
    ) throws(CommandFailure) -> Subject {
        guard !arguments.has(.webhook) else {
            let answerOptions: [CommandOption] = [
                .step, .operationName, .operationAmount, .capture,
            ]
            if let option = arguments.first(of: answerOptions) {
                throw .usage("give only one of \([.webhook, option].sentence).")
            }
            let options = try WebhookOptions(arguments, gateway)
            return .message(options, try attempt(arguments))
        }
        if let option = arguments.first(of: WebhookOptions.options) {
            throw .usage("\(option) needs \(CommandOption.webhook).")
        }
        let steps = try gateway.stepsNamed(arguments)
        guard let step = steps.first, let reader = step.answer else {
            throw .usage(
                "the answer to the step \(steps[0].name) is for the page in the browser; pass it on unread."
            )
        }
        try check(arguments, reader, of: step, gateway)
        let attempt = try attempt(arguments)
        guard attempt != nil || !reader.isAboutPayment else {
            throw .usage(
                "the answer is compared with the order: give \(orderParts.sentence), or \(CommandOption.order)."
            )
        }
        return .answer(step: step.name, reader, attempt)
    }

    /// Refuses options that the answer to the step does not need, and requires those without which it cannot be read.
    private static func check(
        _ arguments: Arguments,
        _ reader: AnswerReader,
        of step: GatewayStep,
        _ gateway: Gateway
    ) throws(CommandFailure) {
        var unneeded: [CommandOption] = []
        switch reader {
        case .charge: unneeded = [.operationName, .operationAmount]
        case .operation: unneeded = [.capture]
        case .listedOperation:
            unneeded = [.capture]
            try arguments.require(
                [.operationName], for: "the answer to \(gateway.rawValue) \(step.name)")
        case .payment, .preparation, .card:
            unneeded = [.operationName, .operationAmount, .capture]
        }
        if let option = arguments.first(of: unneeded) {
            throw .usage(
                "\(option) is not an option for the answer to \(gateway.rawValue) \(step.name); leave it out."
            )
        }
    }

    /// Returns the payment of the order that the options state; nil if they state none.
    private static func attempt(_ arguments: Arguments) throws(CommandFailure) -> PaymentAttempt? {
        guard arguments.hasAny(orderParts + [.order]) else { return nil }
        let order = try arguments.order(.orderReference)
        do throws(CommandFailure) {
            return try arguments.attempt(order)
        } catch {
            // The exit status of a refusal would mean that the payment was refused.
            throw error.refusal == nil ? error : .usage(error.explanation)
        }
    }

    private func outcome(
        _ bytes: [UInt8],
        _ step: String,
        _ reader: AnswerReader,
        _ attempt: PaymentAttempt?
    ) -> OutcomeAnswer {
        guard let response = HTTPText.response(bytes) else {
            let reason =
                bytes.isEmpty
                ? "There is no answer: the request may have timed out."
                : "The answer does not begin with an HTTP status line, as the output of curl -i does."
            return OutcomeAnswer(
                conclusion: Self.unreadable(reason, reader), gateway: gateway, step: step)
        }
        let conclusion: OutcomeAnswer.Conclusion =
            switch (reader, attempt) {
            case (.payment(let read), let attempt?): .order(order(read(response, attempt), attempt))
            case (.charge(let read), let attempt?): .order(order(read(response, captures), attempt))
            case (.operation(let kind, let read), let attempt?):
                .operation(
                    OperationOutcome(read(response), of: kind, amount: operationAmount, on: attempt)
                )
            case (.listedOperation(let kind, let read), let attempt?):
                .operation(
                    OperationOutcome(
                        read(response, key(kind, attempt)), of: kind, amount: operationAmount,
                        on: attempt))
            case (.preparation(let read), _): .preparation(Self.failure(read, response, step))
            case (.card(let read), _): .card(read(response))
            case (_, nil): Self.unreadable("The order is not known.", reader)
            }
        return OutcomeAnswer(
            conclusion: conclusion, gateway: gateway, step: step, httpStatus: response.status)
    }

    private func order(_ report: PaymentReport, _ attempt: PaymentAttempt) -> OrderOutcome {
        OrderOutcome(report, of: attempt, isTest: isTest)
    }

    /// Returns the key of the operation that `--operation` names; an empty text, which no operation has, if libcrypto
    /// failed.
    private func key(_ kind: PaymentOperation.Kind, _ attempt: PaymentAttempt) -> String {
        guard let operation else { return "" }
        return (try? PaymentOperation(kind, name: operation).key(of: attempt)) ?? ""
    }

    /// Returns why an answer that prepares a payment cannot be used; nil if it can.
    private static func failure(
        _ read: (GatewayResponse) throws(UnreadableJSONError) -> Void,
        _ response: GatewayResponse,
        _ step: String
    ) -> String? {
        do throws(UnreadableJSONError) {
            try read(response)
            return nil
        } catch {
            return response.failure(of: step, error)
        }
    }

    /// Returns what is concluded if there is no answer that can be read; a request that only prepares a payment moves no
    /// money, so it failed.
    private static func unreadable(
        _ reason: String,
        _ reader: AnswerReader
    ) -> OutcomeAnswer.Conclusion {
        switch reader {
        case .payment, .charge: .order(OrderOutcome(unknown: reason))
        case .operation, .listedOperation: .operation(OperationOutcome(unknown: reason))
        case .preparation: .preparation(reason)
        case .card: .card(CardOutcome(unknown: reason))
        }
    }

    /// Returns the outcome of a message; unknown if it is not authentic, because it then proves nothing about a
    /// payment.
    private func outcome(
        _ bytes: [UInt8],
        _ options: WebhookOptions,
        _ attempt: PaymentAttempt?
    ) -> OutcomeAnswer {
        guard let message = HTTPText.message(bytes) else {
            let reason = "The message does not begin with a method, a path and a version of HTTP."
            return OutcomeAnswer(
                conclusion: .order(OrderOutcome(unknown: reason)), gateway: gateway)
        }
        do {
            switch try options.read(message) {
            case .endpointCheck(let reply):
                return OutcomeAnswer(conclusion: .endpointCheck(reply: reply), gateway: gateway)
            case .event(let event):
                let outcome =
                    attempt.map { order(event.report, $0) }
                    ?? OrderOutcome(
                        unknown: "The message is authentic, and was not compared with an order.",
                        report: event.report)
                return OutcomeAnswer(conclusion: .order(outcome), gateway: gateway, event: event)
            }
        } catch {
            return OutcomeAnswer(
                conclusion: .order(OrderOutcome(unknown: "\(error)")), gateway: gateway,
                error: error)
        }
    }
}
