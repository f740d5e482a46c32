internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayToken

/// Creates a gateway's request from the text of one token; several threads may use it at once.
struct RequestMaker: Sendable {
    private enum Means {
        case verifier(PaymentTokenVerifier)
        case decryptor(PaymentTokenDecryptor)
    }

    private let step: AccountStep
    private let arguments: Arguments
    private let order: Order?
    private let form: TokenForm
    private let agePolicy: AgePolicy
    private let means: Means

    /// Whether tokens are decrypted, so that amount and currency are compared with the order.
    var comparesOrder: Bool {
        if case .decryptor = means { true } else { false }
    }

    /// Reads the keys.
    ///
    /// - Parameters:
    ///   - step: A step that takes a token.
    ///   - account: The account, which states the form of tokens.
    ///   - order: The order; nil in a batch, whose lines have orders.
    ///   - arguments: The options of the step and of tokens.
    ///   - options: The options of tokens.
    /// - Throws: A failure of the command line or of the keys.
    init(
        _ step: AccountStep,
        _ account: GatewayAccount,
        _ order: Order?,
        _ arguments: Arguments,
        _ options: TokenOptions
    ) throws(CommandFailure) {
        self.step = step
        self.arguments = arguments
        self.order = order
        form = options.form
        agePolicy = options.agePolicy
        means =
            account.form == .encrypted && !arguments.hasAny(KeyOptions.options)
            ? .verifier(try options.verifier()) : .decryptor(try options.decryptor(arguments))
    }

    /// Creates the request for one token.
    ///
    /// - Parameter text: The token's text.
    /// - Returns: The request.
    /// - Throws: The refusal of the token or its payment, or a usage failure that only the step can detect.
    func request(of text: [UInt8]) throws(CommandFailure) -> GatewayRequest {
        guard let order else { throw .usage("the order is needed.") }
        return try request(text, agePolicy, order)
    }

    /// Returns the answer to a line of a batch, which is another order with a reference of its own.
    func answer(to line: BatchLine) throws(CommandFailure) -> BatchAnswer {
        guard let stated = line.order else {
            return .refused(BatchLineError(id: line.id, member: "order", "is missing"))
        }
        let reference = line.reference ?? stated.reference
        guard !reference.isEmpty else {
            return .refused(
                BatchLineError(
                    id: line.id, member: "reference",
                    "is missing; each line is another order, with a reference of its own"))
        }
        let request = try request(
            line.token, line.receipt ?? agePolicy, stated.referring(to: reference))
        return BatchAnswer(.requested(id: line.id, request), isRefused: false)
    }

    private func request(
        _ text: [UInt8],
        _ agePolicy: AgePolicy,
        _ order: Order
    ) throws(CommandFailure) -> GatewayRequest {
        var input = try arguments.input(order)
        guard let attempt = input.attempt, let order = input.order else {
            throw .usage("the order is needed.")
        }
        input.payment =
            switch means {
            case .verifier(let verifier):
                try refusing(
                    try AcceptedPayment(
                        unclaimed: verifier.verify(
                            PaymentToken(parsing: text, form: form), agePolicy: agePolicy),
                        order: order, attempt: attempt))
            case .decryptor(let decryptor):
                try refusing(
                    try AcceptedPayment(
                        unclaimed: decryptor.decrypt(text, form: form, agePolicy: agePolicy),
                        order: order, attempt: attempt))
            }
        return try refusing(try step.request(input))
    }
}
