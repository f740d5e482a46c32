internal import ApplePayGateways
internal import ApplePayToken

/// Creates a gateway's request from the text of one token; several threads may use it at once.
struct RequestMaker: Sendable {
    private enum Means {
        case verifier(PaymentTokenVerifier)
        case decryptor(PaymentTokenDecryptor)
    }

    private let step: GatewayStep
    private let arguments: Arguments
    private let order: StatedOrder
    private let form: TokenForm
    private let agePolicy: AgePolicy
    private let means: Means

    /// Whether tokens are decrypted, so that amount and currency are compared with the order.
    var comparesOrder: Bool {
        if case .decryptor = means { true } else { false }
    }

    /// Reads the options and the keys.
    ///
    /// - Parameters:
    ///   - step: A step that takes a token.
    ///   - arguments: The options of the step and of tokens.
    ///   - options: The options of tokens.
    /// - Throws: A failure of the command line or of the keys.
    init(
        _ step: GatewayStep,
        _ arguments: Arguments,
        _ options: TokenOptions
    ) throws(CommandFailure) {
        self.step = step
        self.arguments = arguments
        order = try StatedOrder(arguments)
        form = options.form
        agePolicy = options.agePolicy
        means =
            step.input == .verified && !arguments.hasAny(KeyOptions.options)
            ? .verifier(try options.verifier()) : .decryptor(try options.decryptor(arguments))
    }

    /// Creates the request for one token.
    ///
    /// - Parameter text: The token's text.
    /// - Returns: The request.
    /// - Throws: The refusal of the token or its payment, or a usage failure that only the step can detect.
    func request(of text: [UInt8]) throws(CommandFailure) -> GatewayRequest {
        try step.request(arguments, try input(of: text, agePolicy, nil))
    }

    /// Returns the answer to a line of a batch.
    ///
    /// A step with a reference needs an envelope with one; a step without refuses it, unless it is that of the order.
    func answer(to line: BatchLine) throws(CommandFailure) -> BatchAnswer {
        var arguments = arguments
        if let option = step.referenceOption {
            guard let reference = line.reference ?? line.order?.reference, !reference.isEmpty else {
                return .refused(
                    BatchLineError(
                        id: line.id, member: "reference",
                        "is missing; each line is another order, with a reference of its own"))
            }
            arguments.replace(option, with: reference)
        } else if line.reference != nil {
            return .refused(
                BatchLineError(
                    id: line.id, member: "reference",
                    "must be left out: the request of this step has no reference"))
        }
        let input = try input(of: line.token, line.receipt ?? agePolicy, line.order)
        let request = try step.make(arguments, input)
        return BatchAnswer(.requested(id: line.id, request), isRefused: false)
    }

    private func input(
        of text: [UInt8],
        _ agePolicy: AgePolicy,
        _ stated: Order?
    ) throws(CommandFailure) -> StepInput {
        switch means {
        case .verifier(let verifier):
            let token = try refusing(
                try verifier.verify(
                    try PaymentToken(parsing: text, form: form), agePolicy: agePolicy))
            return StepInput(payment: nil, token: token, order: stated)
        case .decryptor(let decryptor):
            let payment = try refusing(
                try decryptor.decrypt(text, form: form, agePolicy: agePolicy))
            let order: Order
            if let stated {
                order = stated
            } else {
                order = try refusing(try self.order.order(for: payment))
            }
            try refusing(try order.check(payment))
            return StepInput(payment: payment, token: payment.token, order: order)
        }
    }
}
