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
    /// - Parameters:
    ///   - text: The token's text.
    ///   - receipt: The time of receipt that came with the token; nil to use the options.
    ///   - order: The order that came with the token; nil to use the order of the options.
    ///   - reference: The merchant's reference for the order, which replaces the step's option; nil to use that option.
    /// - Returns: The request.
    /// - Throws: The refusal of the token or its payment, or a usage failure that only the step can detect.
    func request(
        of text: [UInt8],
        receipt: AgePolicy? = nil,
        order: Order? = nil,
        reference: String? = nil
    ) throws(CommandFailure) -> GatewayRequest {
        var arguments = arguments
        if let reference, let option = step.referenceOption {
            arguments.replace(option, with: reference)
        }
        let input = try input(of: text, receipt ?? agePolicy, order)
        if let option = step.referenceOption, option.isMandatory, !arguments.has(option) {
            throw .usage(
                "The envelope's reference is missing; add it, or give \(option.usage) for all lines."
            )
        }
        return try step.make(arguments, input)
    }

    /// Returns the answer to a line of a batch; a step without a reference refuses an envelope with one.
    func answer(to line: BatchLine) throws(CommandFailure) -> BatchAnswer {
        guard line.reference == nil || step.referenceOption != nil else {
            return .refused(
                BatchLineError(
                    id: line.id, member: "reference",
                    "must be left out: the request of this step has no reference"))
        }
        let request = try request(
            of: line.token, receipt: line.receipt, order: line.order, reference: line.reference)
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
