internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

/// `paytoken request paypal`.
enum PayPalRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: [
                "--access-token-env", "--request-id", "--intent", "--reference-id",
                "--description", "--custom-id", "--invoice-id", "--email-address",
            ],
            flags: ["--test"],
            referenceOption: "--custom-id",
            headerOptions: ["--request-id"],
            make: payment
        ),
        GatewayStep(
            name: "access-token", input: .none, options: ["--client-id", "--client-secret-env"],
            flags: ["--test"], make: accessToken),
        GatewayStep(
            name: "get", input: .none, options: ["--access-token-env", "--order-id"],
            flags: ["--test"], make: get),
        GatewayStep(
            name: "capture", input: .none,
            options: ["--access-token-env", "--order-id", "--request-id"], flags: ["--test"],
            make: capture),
        GatewayStep(
            name: "authorize", input: .none,
            options: ["--access-token-env", "--order-id", "--request-id"], flags: ["--test"],
            make: authorize),
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let (payment, order) = try RequestOption.opened(input)
        var options = PayPal.OrderOptions()
        options.intent = try RequestOption.choice(arguments, "--intent") ?? .capture
        options.referenceID = try RequestOption.text(arguments, "--reference-id")
        options.description = try RequestOption.text(arguments, "--description")
        options.customID = try RequestOption.text(arguments, "--custom-id")
        options.invoiceID = try RequestOption.text(arguments, "--invoice-id")
        options.emailAddress = try RequestOption.text(arguments, "--email-address")
        let accessToken = try RequestOption.secret(arguments, "--access-token-env")
        // A batch answers bodies; each of them is sent with a header of its own.
        let requestID =
            arguments.has("--batch")
            ? "batch" : try RequestOption.mandatory(arguments, "--request-id")
        return try RequestOption.said { () throws(PaymentTokenError) in
            try PayPal.createOrder(
                payment, order: order, accessToken: accessToken, requestID: requestID,
                options: options, environment: environment(arguments))
        }
    }

    private static func accessToken(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let clientID = try RequestOption.mandatory(arguments, "--client-id")
        let clientSecret = try RequestOption.secret(arguments, "--client-secret-env")
        return try RequestOption.said { () throws(PaymentTokenError) in
            try PayPal.accessToken(
                clientID: clientID, clientSecret: clientSecret, environment: environment(arguments))
        }
    }

    private static func get(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let id = try RequestOption.mandatory(arguments, "--order-id")
        let accessToken = try RequestOption.secret(arguments, "--access-token-env")
        return try RequestOption.said { () throws(PaymentTokenError) in
            try PayPal.getOrder(
                id, accessToken: accessToken, environment: environment(arguments))
        }
    }

    private static func capture(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        try settle(arguments) { id, accessToken, requestID, environment throws(PaymentTokenError) in
            try PayPal.captureOrder(
                id, accessToken: accessToken, requestID: requestID, environment: environment)
        }
    }

    private static func authorize(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        try settle(arguments) { id, accessToken, requestID, environment throws(PaymentTokenError) in
            try PayPal.authorizeOrder(
                id, accessToken: accessToken, requestID: requestID, environment: environment)
        }
    }

    /// What capturing and authorizing an order take.
    private static func settle(
        _ arguments: Arguments,
        _ make: (String, SensitiveBytes, String, PayPal.Environment) throws(PaymentTokenError)
            -> GatewayRequest
    ) throws(RequestFailure) -> GatewayRequest {
        let id = try RequestOption.mandatory(arguments, "--order-id")
        let accessToken = try RequestOption.secret(arguments, "--access-token-env")
        let requestID = try RequestOption.mandatory(arguments, "--request-id")
        return try RequestOption.said { () throws(PaymentTokenError) in
            try make(id, accessToken, requestID, environment(arguments))
        }
    }

    private static func environment(_ arguments: Arguments) -> PayPal.Environment {
        arguments.has("--test") ? .sandbox : .live
    }
}
