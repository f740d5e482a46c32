internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

/// Reads a gateway's answer.
typealias AnswerReader =
    @Sendable (GatewayResponse) throws(UnreadableJSONError) -> any GatewayAnswer

/// One step of a gateway's flow, as a command.
struct GatewayStep {
    /// The token that a step takes: none, a verified one (`--encrypted`), or an opened one.
    enum Input { case none, verified, opened }

    /// The name; `payment` is the default step.
    let name: String

    /// The token that the step takes.
    let input: Input

    /// The step's own options; every step that takes a token also has the options of tokens, of the order and of
    /// batches.
    let options: [CommandOption]

    /// Reads the gateway's answer to the step; nil if the answer is not meant for the merchant.
    let answer: AnswerReader?

    /// Creates the request.
    let make: @Sendable (Arguments, StepInput) throws(CommandFailure) -> GatewayRequest

    /// Declares a step.
    init(
        name: String,
        input: Input,
        options: [CommandOption],
        answer: AnswerReader?,
        make: @escaping @Sendable (Arguments, StepInput) throws(CommandFailure) -> GatewayRequest
    ) {
        self.name = name
        self.input = input
        self.options = options
        self.answer = answer
        self.make = make
    }

    /// The option for the merchant's reference to the order, if the step has one.
    var referenceOption: CommandOption? { options.first(where: \.isReference) }
}

/// The input of a step.
struct StepInput {
    /// The opened token.
    let payment: Payment?

    /// The verified token.
    let token: VerifiedToken?

    /// The order, if the token was opened.
    let order: Order?

    /// Returns the opened token and its order.
    func opened() throws(CommandFailure) -> (Payment, Order) {
        guard let payment, let order else {
            throw .usage("this step decrypts the token; give \(CommandOption.keys.usage).")
        }
        return (payment, order)
    }

    /// Returns the verified token of `--encrypted`.
    func verified() throws(CommandFailure) -> VerifiedToken {
        guard let token else {
            throw .usage("this step sends the encrypted token; add \(CommandOption.encrypted).")
        }
        return token
    }

    /// Returns the order with which the token was compared, or the order of the options if the token was not opened.
    func order(_ arguments: Arguments) throws(CommandFailure) -> Order {
        if let order { return order }
        return try arguments.statedOrder()
    }
}

extension Arguments {
    /// Returns the order of the options, for a step without an opened token.
    func statedOrder() throws(CommandFailure) -> Order {
        if let path = text(.order) { return try OrderFile.order(path) }
        guard let amount = try number(.amount), let currency = try currency(.currency) else {
            let parts: [CommandOption] = [.amount, .currency]
            throw .usage("the order needs \(parts.sentence), or \(CommandOption.order).")
        }
        return Order(amount: amount, currency: currency)
    }

    /// Returns a gateway's answer to the previous step, from a file of at most 1 MiB.
    func answer(_ option: CommandOption) throws(CommandFailure) -> GatewayResponse {
        let body = try FileContents.bytes(of: try required(option), limit: 1 << 20)
        return GatewayResponse(status: 200, body: body)
    }
}

extension GatewayStep {
    /// Returns a step without a token that captures, cancels or refunds.
    static func followUp(
        _ operation: PaymentOperation,
        name: String? = nil,
        _ options: [CommandOption],
        answer: @escaping AnswerReader,
        make: @escaping @Sendable (Arguments) throws(CommandFailure) -> GatewayRequest
    ) -> GatewayStep {
        GatewayStep(
            name: name ?? operation.rawValue, input: .none, options: options, answer: answer
        ) { arguments, _ throws(CommandFailure) in try make(arguments) }
    }
}

extension Arguments {
    /// Returns the authorized amount and its currency, from `--authorized-amount` and `--currency`.
    func authorized() throws(CommandFailure) -> Order {
        guard let amount = try number(.authorizedAmount), let currency = try currency(.currency)
        else {
            let parts: [CommandOption] = [.authorizedAmount, .currency]
            throw .usage("this step needs \(parts.sentence).")
        }
        return Order(amount: amount, currency: currency)
    }
}

/// The steps of a gateway.
protocol GatewayRequestCommand {
    /// The steps, one for each name and input.
    static var steps: [GatewayStep] { get }
}
