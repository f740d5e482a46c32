internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

/// `paytoken answer`: reports the meaning of a gateway's answer, or of a message that it sent.
struct AnswerCommand: PreparedCommand {
    /// The name of the step for a message of the gateway.
    static let message = "message"

    static let options: [CommandOption] = [
        .gateway.mandatory, .orderFile,
        .paymentID.described("the payment's identifier, compared with the answer's"),
        .operationName.described(
            "the operation's name in the request; mandatory for a capture or refund of dintero"),
        .partAmount.described(
            "the operation's amount in minor units, compared with the answer's; without it, any amount is done"
        ),
        .receiptTime.described("when a message was received, in ISO 8601; default: now"),
    ]

    private let account: GatewayAccount
    /// The step that was answered; nil for a message.
    private let step: AccountStep?
    private let attempt: PaymentAttempt?
    private let path: String
    private let operation: String?
    private let amount: Int64?
    private let time: Date

    init(_ arguments: Arguments) throws(CommandFailure) {
        guard let name = arguments.operands.first else {
            throw .usage(
                "answer needs the name of a step, or \(Self.message); \(GatewayFile.steps(arguments))"
            )
        }
        guard arguments.operands.count <= 2 else {
            throw .usage("one answer at a time: leave out \(arguments.operands[2]).")
        }
        path = arguments.operands.count == 2 ? arguments.operands[1] : "-"
        account = try GatewayFile.account(arguments)
        operation = arguments.text(.operationName)
        amount = try arguments.number(.partAmount)
        time = try arguments.time(.receiptTime) ?? Date()
        attempt = try Arguments.forOneOrder { () throws(CommandFailure) in
            guard let order = try arguments.orderFromFile() else { return nil }
            return try arguments.attempt(order)
        }
        guard name != Self.message else {
            step = nil
            try account.requireMessages()
            if let option = arguments.first(of: [.paymentID, .operationName, .partAmount]) {
                throw .usage("\(option) is not an option for a message; leave it out.")
            }
            return
        }
        let step = try account.step(name)
        self.step = step
        try Self.check(arguments, step, account.name, hasOrder: attempt != nil)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let bytes = try FileContents.bytes(of: path, limit: HTTPText.limit, "an answer")
        let meaning = step.map { self.meaning(of: bytes, $0) } ?? self.meaning(ofMessage: bytes)
        return meaning.json.write() ? meaning.exit : .means
    }

    /// Refuses options that the answer to the step does not need, and requires those without which it cannot be read.
    private static func check(
        _ arguments: Arguments,
        _ step: AccountStep,
        _ gateway: String,
        hasOrder: Bool
    ) throws(CommandFailure) {
        let name = "the answer to the step \(step.description.name) of \(gateway)"
        var unneeded: [CommandOption] = [.receiptTime]
        var needsOrder = true
        switch step.reader {
        case .operation(_, _, let needsName):
            if needsName { try arguments.require([.operationName], for: name) }
        case .payment: unneeded += [.operationName, .partAmount]
        case .preparation, .card:
            unneeded += [.operationName, .partAmount, .paymentID]
            needsOrder = false
        case .browser:
            throw .usage("\(name) is for the page in the browser; pass it on unread.")
        }
        if let option = arguments.first(of: unneeded) {
            throw .usage("\(option) is not an option for \(name); leave it out.")
        }
        guard hasOrder || !needsOrder else {
            throw .usage(
                "\(name) is compared with the order; give it with \(CommandOption.order.usage).")
        }
    }

    private func meaning(of bytes: [UInt8], _ step: AccountStep) -> AnswerMeaning {
        let name = step.description.name
        guard let response = HTTPText.response(bytes) else {
            let reason =
                bytes.isEmpty
                ? "There is no answer: the request may have timed out."
                : "The answer does not begin with an HTTP status line, as the output of curl -i does."
            return AnswerMeaning(
                conclusion: Self.unreadable(reason, step.reader), gateway: account.name, step: name)
        }
        let conclusion: AnswerMeaning.Conclusion =
            switch (step.reader, attempt) {
            case (.payment(let read), let attempt?): .order(order(read(response, attempt), attempt))
            case (.operation(let kind, let read, _), let attempt?):
                .operation(
                    OperationOutcome(
                        read(response, key(kind, attempt)), of: kind, amount: amount, on: attempt))
            case (.preparation(let read), _): .preparation(Self.failure(read, response, name))
            case (.card(let read), _): .card(read(response))
            default: Self.unreadable("The order is not known.", step.reader)
            }
        return AnswerMeaning(
            conclusion: conclusion, gateway: account.name, step: name,
            httpStatus: response.status)
    }

    private func order(_ report: PaymentReport, _ attempt: PaymentAttempt) -> OrderOutcome {
        OrderOutcome(report, of: attempt, isTest: account.gateway?.isTest)
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

    /// Returns the conclusion from an answer that is missing or cannot be read; a request that only prepares a payment
    /// moves no money, so it failed.
    private static func unreadable(
        _ reason: String,
        _ reader: AnswerReader
    ) -> AnswerMeaning.Conclusion {
        switch reader {
        case .payment: .order(OrderOutcome(unknown: reason))
        case .operation: .operation(OperationOutcome(unknown: reason))
        case .preparation, .browser: .preparation(reason)
        case .card: .card(CardOutcome(unknown: reason))
        }
    }

    /// Returns the meaning of a message; unknown if it is not authentic, because it then proves nothing about a payment.
    private func meaning(ofMessage bytes: [UInt8]) -> AnswerMeaning {
        var meaning = AnswerMeaning(
            conclusion: .order(OrderOutcome(unknown: HTTPText.noMessage)), gateway: account.name)
        guard let message = HTTPText.message(bytes), let gateway = account.gateway else {
            return meaning
        }
        do {
            switch try gateway.read(message, receivedAt: time) {
            case .endpointCheck(let reply): meaning.conclusion = .endpointCheck(reply: reply)
            case .event(let event):
                meaning.event = event
                let unknown = "The message is authentic, and was not compared with an order."
                meaning.conclusion = .order(
                    attempt.map { order(event.report, $0) }
                        ?? OrderOutcome(unknown: unknown, report: event.report))
            }
        } catch {
            meaning.conclusion = .order(OrderOutcome(unknown: "\(error)"))
            meaning.error = error
        }
        return meaning
    }
}
