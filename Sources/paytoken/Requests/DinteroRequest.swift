internal import ApplePayGateways
internal import ApplePayToken

extension CommandOption {
    static let operationsAnswer = CommandOption(
        "--operations", "FILE", "the answer to the step operations", kind: .file)
    static let callbackURL = CommandOption(
        "--callback-url", "URL", "where the gateway reports the session's end")
    static let items = CommandOption(
        "--items", "FILE",
        "the order's lines: a JSON array of objects with id, line_id, description and amount, and if needed "
            + "quantity, vat_amount and vat", kind: .file)
    static let transactionID = CommandOption("--transaction-id", "ID", "the transaction")
    static let profileID = CommandOption("--profile-id", "ID", "the profile of the session")
    static let expiresAt = CommandOption("--expires-at", "TIME", "when the session ends")
    static let generatePaymentToken = flag(
        "--generate-payment-token", "ask for a payment token of Dintero")
    static let sessionID = CommandOption("--session-id", "ID", "the session")
    static let forceNew = flag("--force-new", "begin again if the session already has operations")
    static let emptyObject = flag("--empty-object", "send an empty object as the body")
    static let pspTransactionID = CommandOption(
        "--psp-transaction-id", "ID", "the transaction to pay with")
}

/// `paytoken request dintero`; the default step takes the token.
enum DinteroRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "payment", input: .verified,
            options: [.operationsAnswer.mandatory, .orderReference.mandatory.reference],
            answer: Dintero.SubmissionAnswer.init, make: submitToken),
        GatewayStep(
            name: "session", input: .none,
            options: [
                .amount.mandatory, .currency.mandatory, .accessToken, .returnURL.mandatory,
                .callbackURL, .merchantReference.mandatory, .items, .profileID,
                .generatePaymentToken, .expiresAt,
            ], answer: Dintero.SessionAnswer.init, make: session),
        GatewayStep(
            name: "operations", input: .none,
            options: [.sessionID.mandatory, .forceNew, .emptyObject],
            answer: Dintero.OperationsAnswer.init, make: operations),
        GatewayStep(
            name: "pay", input: .none,
            options: [.sessionID.mandatory, .pspTransactionID.mandatory],
            answer: Dintero.PayAnswer.init, make: pay),
        GatewayStep(
            name: "get-session", input: .none, options: [.accessToken, .sessionID.mandatory],
            answer: Dintero.SessionStatusAnswer.init, make: sessionStatus),
        GatewayStep(
            name: "get-transaction", input: .none,
            options: [.accessToken, .transactionID.mandatory],
            answer: { response throws(UnreadableJSONError) in
                try Dintero.TransactionAnswer(response)
            }, make: transactionStatus),
        followUp(.capture, "capture"), followUp(.cancel, "void"), followUp(.refund, "refund"),
    ]

    private static func sessionStatus(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let session = try arguments.required(.sessionID)
        let accessToken = try arguments.secretToSend(.accessToken)
        return try refusing(
            try Dintero.statusRequest(sessionId: session, accessToken: accessToken))
    }

    private static func transactionStatus(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let transaction = try arguments.required(.transactionID)
        let accessToken = try arguments.secretToSend(.accessToken)
        return try refusing(
            try Dintero.statusRequest(transactionId: transaction, accessToken: accessToken))
    }

    private static func followUp(_ operation: PaymentOperation, _ name: String) -> GatewayStep {
        .followUp(
            operation, name: name,
            [
                .accessToken, .transactionID.mandatory, .authorizedAmount.mandatory,
                .currency.mandatory, .partAmount,
            ] + (operation == .refund ? [.reason] : []),
            answer: { response throws(UnreadableJSONError) in
                try Dintero.TransactionAnswer(response, operation)
            },
            make: { arguments throws(CommandFailure) in
                let transaction = try arguments.required(.transactionID)
                let amount = try arguments.number(.partAmount)
                let authorized = try arguments.authorized()
                let accessToken = try arguments.secretToSend(.accessToken)
                return try refusing(
                    try Dintero.operation(
                        operation, transactionId: transaction, amount: amount,
                        authorized: authorized,
                        reason: arguments.text(.reason), accessToken: accessToken))
            })
    }

    /// Reads the answer to the step `operations` from a file (`--operations`), because its address contains a secret,
    /// which must not be on a command line.
    private static func submitToken(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let token = try input.verified()
        let reference = try arguments.required(.orderReference)
        let response = try arguments.answer(.operationsAnswer)
        let name = try arguments.required(.operationsAnswer)
        let submission = try failing(name) { () throws(UnreadableJSONError) in
            try Dintero.OperationsAnswer(response).submission
        }
        guard let submission else {
            throw .means("\(name): the gateway refused the step operations; repeat that step.")
        }
        guard let payment = input.payment else {
            return Dintero.submitToken(token, to: submission, reference: reference)
        }
        return try refusing(
            try Dintero.submitToken(payment, to: submission, reference: reference))
    }

    private static func session(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let order = try arguments.statedOrder()
        let accessToken = try arguments.secretToSend(.accessToken)
        let profile = arguments.text(.profileID)
        let generatesToken = arguments.has(.generatePaymentToken)
        guard profile == nil || !generatesToken else {
            let generate = CommandOption.generatePaymentToken
            throw .usage("give only one of \(CommandOption.profileID) and \(generate).")
        }
        var session = Dintero.Session(
            returnURL: try arguments.required(.returnURL),
            merchantReference: try arguments.required(.merchantReference))
        session.callbackURL = arguments.text(.callbackURL)
        session.settings =
            profile.map { .profile($0) }
            ?? .inApp(generatesPaymentToken: generatesToken)
        session.expiresAt = arguments.text(.expiresAt)
        session.items = try DinteroItems.items(arguments)
        return try refusing(
            try Dintero.createSession(session, order: order, accessToken: accessToken))
    }

    private static func operations(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let session = try arguments.required(.sessionID)
        return try refusing(
            try Dintero.operations(
                sessionId: session, forceNew: arguments.has(.forceNew),
                sendsEmptyObject: arguments.has(.emptyObject)))
    }

    private static func pay(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let session = try arguments.required(.sessionID)
        let transaction = try arguments.required(.pspTransactionID)
        return try refusing(
            try Dintero.pay(sessionId: session, transactionId: transaction))
    }
}
