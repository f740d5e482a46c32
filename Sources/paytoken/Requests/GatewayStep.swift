internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

/// Reads an answer of a gateway.
typealias AnswerReader =
    @Sendable (GatewayResponse) throws(UnreadableJSONError) -> any GatewayAnswer

/// One step of a gateway's flow, as the command offers it.
struct GatewayStep {
    /// What a step is made of: nothing, a verified token (`--encrypted`), or an opened one.
    enum Input { case none, verified, opened }

    /// The name; `payment` is the default step.
    let name: String

    /// What the step is made of.
    let input: Input

    /// The step's own options; those of tokens, of the order and of batches go with every step that takes a token.
    let options: [CommandOption]

    /// Reads the gateway's answer to the step; nil for an answer that is not for the merchant.
    let answer: AnswerReader?

    /// Makes the request.
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

    /// The option that says what the merchant calls the order, where the step has one.
    var referenceOption: CommandOption? { options.first(where: \.isReference) }
}

/// What a step may be made of.
struct StepInput {
    /// The opened token.
    let payment: Payment?

    /// The verified token.
    let token: VerifiedToken?

    /// The order, where the token was opened.
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

    /// Returns the order that the token was compared with, or the one of the options for a closed token.
    func order(_ arguments: Arguments) throws(CommandFailure) -> Order {
        if let order { return order }
        return try arguments.statedOrder()
    }
}

extension Arguments {
    /// Returns the order of the options alone, for a step without an opened token.
    func statedOrder() throws(CommandFailure) -> Order {
        if let path = text(.order) { return try OrderFile.order(path) }
        guard let amount = try number(.amount), let currency = try currency(.currency) else {
            let parts: [CommandOption] = [.amount, .currency]
            throw .usage("the order needs \(parts.sentence), or \(CommandOption.order).")
        }
        return Order(amount: amount, currency: currency)
    }

    /// Returns a gateway's answer to the step before, from a file of at most 1 MiB.
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
    /// Returns what was authorized, by `--authorized-amount` and `--currency`.
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
    /// Each step, once for each name and input.
    static var steps: [GatewayStep] { get }
}
