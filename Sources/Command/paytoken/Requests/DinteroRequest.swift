internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

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
    static let steps: [GatewayStep] = [
        GatewayStep(
            name: "payment", input: .verified,
            options: [
                .operationsAnswer.mandatory, .orderReference.mandatory(unless: .order).reference,
                .amount, .currency,
            ],
            answer: .preparation { response throws(UnreadableJSONError) in
                _ = try Dintero.transactionID(response)
            }, make: submitToken),
        GatewayStep(
            name: "access-token",
            options: [
                .accountID.mandatory, .clientID.mandatoryToSend, .clientSecret.mandatoryToSend,
            ],
            answer: .preparation { response throws(UnreadableJSONError) in
                _ = try OAuthCredentials.accessToken(response)
            }, make: accessToken),
        GatewayStep(
            name: "session",
            options: [.accessToken] + CommandOption.wholeOrder(.merchantReference) + [
                .returnURL.mandatory, .callbackURL, .items, .profileID, .generatePaymentToken,
                .expiresAt,
            ],
            answer: .preparation { response throws(UnreadableJSONError) in
                _ = try Dintero.sessionID(response)
            }, make: session),
        GatewayStep(
            name: "operations", options: [.sessionID.mandatory, .forceNew, .emptyObject],
            answer: .preparation { response throws(UnreadableJSONError) in
                _ = try Dintero.submission(response)
            }, make: operations),
        GatewayStep(
            name: "pay", options: [.sessionID.mandatory, .pspTransactionID.mandatory],
            answer: .payment { Dintero.payReport($0) }, make: pay),
        question("get-session", .sessionID) { answer, _ in Dintero.sessionStatusReport(answer) },
        question("get-transaction", .transactionID) { answer, _ in
            Dintero.transactionReport(answer)
        },
        question("find-transactions", .merchantReference) { answer, attempt in
            Dintero.searchReport(answer, attempt.reference)
        },
        operation(.capture, "capture"), operation(.cancellation, "void"),
        operation(.refund, "refund"),
    ]

    private static func question(
        _ name: String,
        _ option: CommandOption,
        _ read: @escaping @Sendable (GatewayResponse, PaymentAttempt) -> PaymentReport
    ) -> GatewayStep {
        .question(name, [.accessToken, option.mandatory], read) {
            arguments throws(CommandFailure) in
            let gateway = try gateway(arguments)
            var attempt = try arguments.anyAttempt(arguments.text(.merchantReference) ?? "any")
            attempt.sessionID = arguments.text(.sessionID)
            attempt.paymentID = arguments.text(.transactionID)
            return try refusing(try gateway.status(of: attempt).request(at: Date()))
        }
    }

    private static func operation(_ kind: PaymentOperation.Kind, _ name: String) -> GatewayStep {
        .operation(
            kind, name: name, id: .transactionID,
            [.accessToken] + (kind == .refund ? [.reason] : []),
            // A void has no reference of its own.
            answer: kind == .cancellation
                ? .operation(kind) { Dintero.operationReport($0, of: kind, key: "") }
                : .listedOperation(kind) { Dintero.operationReport($0, of: kind, key: $1) },
            gateway: { arguments throws(CommandFailure) in try gateway(arguments) })
    }

    /// Reads the answer to the step `operations` from a file (`--operations`), because its address contains a secret,
    /// which must not be on a command line.
    private static func submitToken(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let response = try arguments.answer(.operationsAnswer)
        let name = try arguments.required(.operationsAnswer)
        let submission = try failing(name) { () throws(UnreadableJSONError) in
            try Dintero.submission(response)
        }
        let payment = try input.payment(arguments, .orderReference)
        let gateway = try gateway(arguments)
        let request = try refusing(
            try gateway.paymentRequest(PaymentInput(payment), to: submission))
        // The address is the one of the answer, which names the vendor's host, unless a proxy forwards requests to it.
        return GatewayRequest(
            method: request.method, arguments.text(.origin) ?? request.origin, request.path,
            query: request.query, headers: request.headers, body: request.body)
    }

    private static func accessToken(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let secret = try arguments.secretToSend(.clientSecret)
        var gateway = Dintero(
            accountID: try arguments.required(.accountID),
            credentials: .client(id: arguments.requiredToSend(.clientID), secret: secret))
        if let origin = arguments.text(.origin) { gateway.loginOrigin = origin }
        return try refusing(try gateway.loginRequest())
    }

    private static func session(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        var order = try arguments.order(.merchantReference)
        let token = try arguments.secretToSend(.accessToken)
        let profile = arguments.text(.profileID)
        let generatesToken = arguments.has(.generatePaymentToken)
        guard profile == nil || !generatesToken else {
            let generate = CommandOption.generatePaymentToken
            throw .usage("give only one of \(CommandOption.profileID) and \(generate).")
        }
        order.returnURL = try arguments.required(.returnURL)
        order.notificationURL = arguments.text(.callbackURL)
        order.items = try DinteroItems.items(arguments)
        var gateway = try gateway(arguments)
        gateway.options.settings =
            profile.map { .profile($0) }
            ?? .inApp(generatesPaymentToken: generatesToken)
        gateway.options.expiresAt = arguments.text(.expiresAt)
        let attempt = try arguments.attempt(order)
        let request = try refusing(try gateway.sessionRequest(order, attempt))
        return try refusing(try Dintero.authorize(request, token))
    }

    private static func operations(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let session = try arguments.required(.sessionID)
        var gateway = try gateway(arguments)
        gateway.options.forceNew = arguments.has(.forceNew)
        gateway.options.sendsEmptyObject = arguments.has(.emptyObject)
        return try refusing(try gateway.operationsRequest(sessionID: session))
    }

    private static func pay(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let session = try arguments.required(.sessionID)
        let transaction = try arguments.required(.pspTransactionID)
        let gateway = try gateway(arguments)
        return try refusing(
            try gateway.payRequest(sessionID: session, transactionID: transaction))
    }

    /// Returns an account that only verifies callbacks.
    static func account(_ accountID: String, secret: SensitiveBytes) -> Dintero {
        var gateway = Dintero(accountID: accountID, credentials: .accessToken(secret))
        gateway.callbackSecret = secret
        return gateway
    }

    private static func gateway(_ arguments: Arguments) throws(CommandFailure) -> Dintero {
        var gateway = Dintero(
            accountID: "", credentials: .accessToken(try arguments.secretToSend(.accessToken)))
        if let origin = arguments.text(.origin) { gateway.origin = origin }
        return gateway
    }
}
