internal import ApplePayGateways
internal import ApplePayToken

/// `paytoken request dintero`: the token's step is the default.
enum DinteroRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "payment", input: .verified, options: ["--operations", "--reference"],
            flags: [], referenceOption: "--reference", make: submitToken),
        GatewayStep(
            name: "session", input: .none,
            options: [
                "--amount", "--currency", "--access-token-env", "--return-url", "--callback-url",
                "--merchant-reference", "--profile-id", "--expires-at", "--origin",
            ], flags: ["--generate-payment-token"], make: session),
        GatewayStep(
            name: "operations", input: .none, options: ["--session-id", "--origin"],
            flags: ["--force-new", "--empty-object"], make: operations),
        GatewayStep(
            name: "pay", input: .none,
            options: ["--session-id", "--psp-transaction-id", "--origin"], flags: [], make: pay),
    ]

    /// `--operations FILE` is the answer to the step `operations`: its address holds a secret, which
    /// does not belong on a command line.
    private static func submitToken(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let token = try RequestOption.verified(input)
        let reference = try RequestOption.mandatory(arguments, "--reference")
        let response = try RequestOption.answer(arguments, "--operations")
        do throws(UnreadableJSONError) {
            if let submission = try Dintero.OperationsAnswer(response).submission {
                return Dintero.submitToken(token, to: submission, reference: reference)
            }
        } catch {
            throw .command(.means("--operations: \(error.description)"))
        }
        throw .command(.means("--operations: the gateway refused."))
    }

    private static func session(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let order = try RequestOption.statedOrder(arguments)
        let accessToken = try RequestOption.secret(arguments, "--access-token-env")
        let origin = try origin(arguments)
        let profile = try RequestOption.text(arguments, "--profile-id")
        let generatesToken = arguments.has("--generate-payment-token")
        guard profile == nil || !generatesToken else {
            throw .command(
                .usage("--profile-id and --generate-payment-token exclude one another."))
        }
        var session = Dintero.Session(
            returnURL: try RequestOption.mandatory(arguments, "--return-url"),
            merchantReference: try RequestOption.mandatory(arguments, "--merchant-reference"))
        session.callbackURL = try RequestOption.text(arguments, "--callback-url")
        session.settings =
            profile.map { .profile($0) }
            ?? .inApp(generatesPaymentToken: generatesToken)
        session.expiresAt = try RequestOption.text(arguments, "--expires-at")
        return try RequestOption.said { () throws(PaymentTokenError) in
            try Dintero.createSession(
                session, order: order, accessToken: accessToken, origin: origin)
        }
    }

    private static func operations(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let session = try RequestOption.mandatory(arguments, "--session-id")
        let origin = try origin(arguments)
        return try RequestOption.said { () throws(PaymentTokenError) in
            try Dintero.operations(
                sessionId: session, forceNew: arguments.has("--force-new"),
                sendsEmptyObject: arguments.has("--empty-object"), origin: origin)
        }
    }

    private static func pay(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let session = try RequestOption.mandatory(arguments, "--session-id")
        let transaction = try RequestOption.mandatory(arguments, "--psp-transaction-id")
        let origin = try origin(arguments)
        return try RequestOption.said { () throws(PaymentTokenError) in
            try Dintero.pay(sessionId: session, transactionId: transaction, origin: origin)
        }
    }

    private static func origin(_ arguments: Arguments) throws(RequestFailure) -> String {
        try RequestOption.text(arguments, "--origin") ?? Dintero.defaultOrigin
    }
}
