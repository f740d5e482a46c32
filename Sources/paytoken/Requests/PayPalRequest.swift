internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension CommandOption {
    static let requestID = CommandOption(
        "--request-id", "ID", "the attempt's identifier, so that a repetition charges once")
    static let intent = choice(
        "--intent", of: PayPal.Intent.self, "what happens to the amount; default: CAPTURE")
    static let referenceID = CommandOption(
        "--reference-id", "TEXT", "what the merchant calls the purchase unit")
    static let customID = CommandOption("--custom-id", "TEXT", "what the merchant calls the order")
    static let invoiceID = CommandOption("--invoice-id", "TEXT", "the invoice's number")
    static let emailAddress = CommandOption(
        "--email-address", "ADDRESS", "the customer's e-mail address")
    static let clientSecret = secret("--client-secret-env", "the client's secret")
}

/// `paytoken request paypal`.
enum PayPalRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: [
                .accessToken, .requestID.mandatory.inHeader, .intent, .referenceID, .description,
                .customID.reference, .invoiceID, .emailAddress, .test,
            ],
            answer: PayPal.OrderAnswer.init,
            make: payment
        ),
        GatewayStep(
            name: "access-token", input: .none,
            options: [.clientID.mandatoryToSend, .clientSecret.mandatoryToSend, .test],
            answer: PayPal.AccessTokenAnswer.init, make: accessToken),
        GatewayStep(
            name: "get", input: .none, options: [.accessToken, .orderID.mandatory, .test],
            answer: PayPal.OrderAnswer.init, make: get),
        GatewayStep(
            name: "capture", input: .none,
            options: [.accessToken, .orderID.mandatory, .requestID.mandatory, .test],
            answer: PayPal.OrderAnswer.init, make: capture),
        GatewayStep(
            name: "authorize", input: .none,
            options: [.accessToken, .orderID.mandatory, .requestID.mandatory, .test],
            answer: PayPal.OrderAnswer.init, make: authorize),
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let (payment, order) = try input.opened()
        var options = PayPal.OrderOptions()
        options.intent = try arguments.choice(.intent) ?? .capture
        options.referenceID = arguments.text(.referenceID)
        options.description = arguments.text(.description)
        options.customID = arguments.text(.customID)
        options.invoiceID = arguments.text(.invoiceID)
        options.emailAddress = arguments.text(.emailAddress)
        let accessToken = try arguments.secretToSend(.accessToken)
        // A batch writes only bodies; the sender adds a different PayPal-Request-Id header to each.
        let requestID =
            arguments.has(.batch)
            ? "batch" : try arguments.required(.requestID)
        return try refusing(
            try PayPal.createOrder(
                payment, order: order, accessToken: accessToken, requestID: requestID,
                options: options, environment: environment(arguments)))
    }

    private static func accessToken(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let clientID = arguments.requiredToSend(.clientID)
        let clientSecret = try arguments.secretToSend(.clientSecret)
        return try refusing(
            try PayPal.accessToken(
                clientID: clientID, clientSecret: clientSecret, environment: environment(arguments))
        )
    }

    private static func get(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let id = try arguments.required(.orderID)
        let accessToken = try arguments.secretToSend(.accessToken)
        return try refusing(
            try PayPal.getOrder(
                id, accessToken: accessToken, environment: environment(arguments)))
    }

    private static func capture(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        try settle(arguments) { id, accessToken, requestID, environment throws(PaymentTokenError) in
            try PayPal.captureOrder(
                id, accessToken: accessToken, requestID: requestID, environment: environment)
        }
    }

    private static func authorize(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        try settle(arguments) { id, accessToken, requestID, environment throws(PaymentTokenError) in
            try PayPal.authorizeOrder(
                id, accessToken: accessToken, requestID: requestID, environment: environment)
        }
    }

    /// Reads the options with which an order is captured or authorized, and creates the request.
    private static func settle(
        _ arguments: Arguments,
        _ make: (String, SensitiveBytes, String, PayPal.Environment) throws(PaymentTokenError)
            -> GatewayRequest
    ) throws(CommandFailure) -> GatewayRequest {
        let id = try arguments.required(.orderID)
        let accessToken = try arguments.secretToSend(.accessToken)
        let requestID = try arguments.required(.requestID)
        return try refusing(
            try make(id, accessToken, requestID, environment(arguments)))
    }

    private static func environment(_ arguments: Arguments) -> PayPal.Environment {
        arguments.has(.test) ? .sandbox : .live
    }
}
