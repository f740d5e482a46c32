internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayToken

/// Creates a gateway's request from the text of one token; several threads may use it at once.
struct RequestMaker: Sendable {
    private let step: AccountStep
    private let account: GatewayAccount
    private let arguments: Arguments
    private let form: TokenForm
    private let agePolicy: AgePolicy

    /// Verifies the tokens, and decrypts them if there are keys.
    let opener: TokenOpener

    /// Reads the keys.
    ///
    /// - Parameters:
    ///   - step: A step that takes a token.
    ///   - account: The account, which states the form of tokens.
    ///   - arguments: The options of the step and of tokens.
    ///   - options: The options of tokens.
    /// - Throws: A failure of the command line or of the keys.
    init(
        _ step: AccountStep,
        _ account: GatewayAccount,
        _ arguments: Arguments,
        _ options: TokenOptions
    ) throws(CommandFailure) {
        self.step = step
        self.account = account
        self.arguments = arguments
        form = options.form
        agePolicy = options.agePolicy
        opener = try TokenOpener(account.form, arguments, options)
    }

    /// Creates the request for the token of an order.
    ///
    /// - Parameters:
    ///   - text: The token's text.
    ///   - order: The order.
    ///   - receipt: When the token was received, if it differs from the options.
    /// - Returns: The request.
    /// - Throws: The refusal of the token or its payment, or a usage failure that only the step can detect.
    func request(
        of text: [UInt8], for order: Order, receipt: AgePolicy? = nil
    ) throws(CommandFailure) -> GatewayRequest {
        let attempt = try arguments.attempt(order)
        let order = order.referring(to: attempt.orderReference)
        let agePolicy = receipt ?? agePolicy
        var input = try arguments.input(order, attempt)
        try account.check(input.previous, before: step, path: arguments.text(.previous))
        let payment =
            switch opener {
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
        input.payment = payment
        do {
            return try step.request(input)
        } catch {
            throw .refused(error.about(payment.token.identity))
        }
    }

    /// Returns the answer to a line of a batch, which has its own order and reference.
    func answer(to line: BatchLine) throws(CommandFailure) -> BatchAnswer {
        guard let stated = line.order else {
            throw .envelope(member: "order", "is missing")
        }
        let reference = line.reference ?? stated.reference
        guard !reference.isEmpty else {
            throw .envelope(
                member: "reference",
                "is missing; each line is another order, with a reference of its own")
        }
        let request = try request(
            of: line.token, for: stated.referring(to: reference), receipt: line.receipt)
        return BatchAnswer(answer: .requested(request, id: line.id))
    }
}
