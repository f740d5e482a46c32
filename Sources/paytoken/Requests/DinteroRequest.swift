internal import ApplePayGateways
internal import ApplePayToken

extension CommandOption {
    static let operationsAnswer = CommandOption(
        "--operations", "FILE", "the answer to the step operations", kind: .file)
    static let callbackURL = CommandOption(
        "--callback-url", "URL", "where the gateway reports the session's end")
    static let profileID = CommandOption("--profile-id", "ID", "the profile of the session")
    static let expiresAt = CommandOption("--expires-at", "TIME", "when the session ends")
    static let generatePaymentToken = flag(
        "--generate-payment-token", "ask for a payment token of the gateway's own")
    static let sessionID = CommandOption("--session-id", "ID", "the session")
    static let forceNew = flag("--force-new", "begin anew if the session has operations already")
    static let emptyObject = flag("--empty-object", "send an empty object as the body")
    static let pspTransactionID = CommandOption(
        "--psp-transaction-id", "ID", "the transaction to pay with")
}

/// `paytoken request dintero`: the token's step is the default.
enum DinteroRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "payment", input: .verified,
            options: [.operationsAnswer.mandatory, .orderReference.mandatory.reference],
            make: submitToken),
        GatewayStep(
            name: "session", input: .none,
            options: [
                .amount.mandatory, .currency.mandatory, .accessToken, .returnURL.mandatory,
                .callbackURL, .merchantReference.mandatory, .profileID, .generatePaymentToken,
                .expiresAt, .origin,
            ], make: session),
        GatewayStep(
            name: "operations", input: .none,
            options: [.sessionID.mandatory, .forceNew, .emptyObject, .origin], make: operations),
        GatewayStep(
            name: "pay", input: .none,
            options: [.sessionID.mandatory, .pspTransactionID.mandatory, .origin], make: pay),
    ]

    /// `--operations FILE` is the answer to the step `operations`: its address holds a secret, which
    /// does not belong on a command line.
    private static func submitToken(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let token = try input.verified()
        let reference = try arguments.required(.orderReference)
        let response = try arguments.answer(.operationsAnswer)
        let name = CommandOption.operationsAnswer.name
        let submission = try failing(name) { () throws(UnreadableJSONError) in
            try Dintero.OperationsAnswer(response).submission
        }
        guard let submission else { throw .means("\(name): the gateway refused.") }
        return Dintero.submitToken(token, to: submission, reference: reference)
    }

    private static func session(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let order = try arguments.statedOrder()
        let accessToken = try arguments.secret(.accessToken)
        let origin = origin(arguments)
        let profile = arguments.text(.profileID)
        let generatesToken = arguments.has(.generatePaymentToken)
        guard profile == nil || !generatesToken else {
            let generate = CommandOption.generatePaymentToken
            throw .usage("\(CommandOption.profileID) and \(generate) exclude one another.")
        }
        var session = Dintero.Session(
            returnURL: try arguments.required(.returnURL),
            merchantReference: try arguments.required(.merchantReference))
        session.callbackURL = arguments.text(.callbackURL)
        session.settings =
            profile.map { .profile($0) }
            ?? .inApp(generatesPaymentToken: generatesToken)
        session.expiresAt = arguments.text(.expiresAt)
        return try refusing(
            try Dintero.createSession(
                session, order: order, accessToken: accessToken, origin: origin))
    }

    private static func operations(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let session = try arguments.required(.sessionID)
        let origin = origin(arguments)
        return try refusing(
            try Dintero.operations(
                sessionId: session, forceNew: arguments.has(.forceNew),
                sendsEmptyObject: arguments.has(.emptyObject), origin: origin))
    }

    private static func pay(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let session = try arguments.required(.sessionID)
        let transaction = try arguments.required(.pspTransactionID)
        let origin = origin(arguments)
        return try refusing(
            try Dintero.pay(sessionId: session, transactionId: transaction, origin: origin))
    }

    private static func origin(_ arguments: Arguments) -> String {
        arguments.text(.origin) ?? Dintero.defaultOrigin
    }
}
