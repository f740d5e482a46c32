internal import ApplePayGateways
internal import ApplePayToken

/// The steps after a payment or a hosted page, which Worldline Direct and Worldline Connect share.
struct WorldlineFollowUp<Platform: WorldlinePlatform>: Sendable {
    /// The options that select a server.
    let hosts: [CommandOption]

    /// Creates the account from the options.
    let account: @Sendable (Arguments) throws(CommandFailure) -> Worldline.Account<Platform>

    /// Reads the answer to a payment.
    static var paymentAnswer: AnswerReader {
        { response throws(UnreadableJSONError) in
            try Worldline.PaymentAnswer(response, of: Platform.self)
        }
    }

    private static var statusAnswer: AnswerReader {
        { response throws(UnreadableJSONError) in
            try Worldline.PaymentStatusAnswer(response, of: Platform.self)
        }
    }

    private static var pageAnswer: AnswerReader {
        { response throws(UnreadableJSONError) in
            try Worldline.HostedCheckoutStatusAnswer(response, of: Platform.self)
        }
    }

    private static func operationAnswer(_ operation: PaymentOperation) -> AnswerReader {
        { response throws(UnreadableJSONError) in
            try Worldline.OperationAnswer(response, operation, of: Platform.self)
        }
    }

    /// The steps get-payment, get-hosted-checkout, capture, cancel and refund.
    var steps: [GatewayStep] {
        [
            question(
                "get-payment", .paymentID, Self.statusAnswer
            ) { id, account throws(PaymentTokenError) in
                try Platform.getPayment(id, account: account)
            },
            question(
                "get-hosted-checkout", .hostedCheckoutID,
                Self.pageAnswer
            ) { id, account throws(PaymentTokenError) in
                try Platform.getHostedCheckout(id, account: account)
            },
            operation(.capture, [.isFinal]), operation(.cancel, []), operation(.refund, []),
        ]
    }

    /// Returns a step that requests the payment's details, which only one platform offers.
    func details(
        _ make:
            @escaping @Sendable (String, Worldline.Account<Platform>) throws(PaymentTokenError)
            -> GatewayRequest
    ) -> GatewayStep {
        question("get-payment-details", .paymentID, Self.statusAnswer, make)
    }

    private func question(
        _ name: String,
        _ option: CommandOption,
        _ answer: @escaping AnswerReader,
        _ make:
            @escaping @Sendable (String, Worldline.Account<Platform>) throws(PaymentTokenError)
            -> GatewayRequest
    ) -> GatewayStep {
        GatewayStep(
            name: name, input: .none,
            options: WorldlineOption.account + [option.mandatory] + hosts, answer: answer
        ) { arguments, _ throws(CommandFailure) in
            let id = try arguments.required(option)
            let account = try account(arguments)
            return try WorldlineOption.signed(arguments, try make(id, account))
        }
    }

    private func operation(
        _ operation: PaymentOperation,
        _ options: [CommandOption]
    ) -> GatewayStep {
        let money: [CommandOption] =
            operation == .cancel
            ? [] : [.authorizedAmount.mandatory, .currency.mandatory, .partAmount]
        return .followUp(
            operation,
            WorldlineOption.paymentAccount + [.paymentID.mandatory] + money + options + hosts,
            answer: Self.operationAnswer(operation)
        ) { arguments throws(CommandFailure) in
            let id = try arguments.required(.paymentID)
            let key = arguments.text(.idempotenceKey)
            let account = try account(arguments)
            guard operation != .cancel else {
                return try WorldlineOption.signed(
                    arguments, try Platform.cancel(id, idempotenceKey: key, account: account))
            }
            let amount = try arguments.number(.partAmount)
            let authorized = try arguments.authorized()
            let isFinal = try arguments.boolean(.isFinal)
            return try WorldlineOption.signed(
                arguments,
                operation == .capture
                    ? try Platform.capture(
                        id, amount: amount, authorized: authorized, isFinal: isFinal,
                        idempotenceKey: key, account: account)
                    : try Platform.refund(
                        id, amount: amount, authorized: authorized, idempotenceKey: key,
                        account: account))
        }
    }
}
