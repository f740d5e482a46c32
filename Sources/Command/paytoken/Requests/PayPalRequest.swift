internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let requestID = CommandOption(
        "--request-id", "ID",
        "the attempt's identifier, so that a repetition charges once; default: one that is derived from the order's "
            + "reference")
    static let intent = choice(
        "--intent", of: PayPal.Intent.self, "what happens to the amount; default: CAPTURE")
    static let referenceID = CommandOption(
        "--reference-id", "TEXT", "what the merchant calls the order")
    static let customID = CommandOption("--custom-id", "TEXT", "a text for the merchant's reports")
    static let sendInvoiceID = flag(
        "--send-invoice-id", "send the reference as the invoice's number as well")
    static let emailAddress = CommandOption(
        "--email-address", "ADDRESS", "the customer's e-mail address")
    static let clientSecret = secret("--client-secret-env", "the client's secret")
}

/// `paytoken request paypal`.
enum PayPalRequest: GatewayRequestCommand {
    private static let orderOptions: [CommandOption] = [.accessToken, .orderID.mandatory, .test]

    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: [
                .accessToken, .requestID.inHeader, .intent,
                .referenceID.mandatory(unless: .order).reference, .description, .customID,
                .sendInvoiceID, .emailAddress, .test,
            ],
            answer: .payment { PayPal.paymentReport($0) },
            make: payment
        ),
        GatewayStep(
            name: "access-token",
            options: [.clientID.mandatoryToSend, .clientSecret.mandatoryToSend, .test],
            answer: .preparation { response throws(UnreadableJSONError) in
                _ = try OAuthCredentials.accessToken(response)
            }, make: accessToken),
        .question("get", orderOptions, { response, _ in PayPal.statusReport(response) }, make: get),
        finish("capture", .capture), finish("authorize", .authorize),
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        var gateway = try gateway(arguments)
        gateway.options.intent = try arguments.choice(.intent) ?? .capture
        gateway.options.customID = arguments.text(.customID)
        gateway.options.sendsInvoiceID = arguments.has(.sendInvoiceID)
        let payment = try input.payment(arguments, .referenceID, key: .requestID) {
            order throws(CommandFailure) in
            order.description = arguments.text(.description)
            guard let address = arguments.text(.emailAddress) else { return }
            var customer = PaymentContact()
            customer.emailAddress = address
            order.customer = customer
        }
        return try refusing(try gateway.payment(payment).request(at: Date()))
    }

    private static func accessToken(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        var gateway = try gateway(arguments)
        gateway.credentials = .client(
            id: arguments.requiredToSend(.clientID),
            secret: try arguments.secretToSend(.clientSecret))
        return try refusing(try gateway.loginRequest())
    }

    private static func get(_ arguments: Arguments) throws(CommandFailure) -> GatewayRequest {
        let gateway = try gateway(arguments)
        var attempt = try arguments.anyAttempt()
        attempt.paymentID = try arguments.required(.orderID)
        return try refusing(try gateway.status(of: attempt).request(at: Date()))
    }

    /// Returns the step that captures or authorizes an approved order.
    private static func finish(_ name: String, _ intent: PayPal.Intent) -> GatewayStep {
        GatewayStep(
            name: name,
            options: orderOptions + [
                .referenceID.mandatory,
                .requestID.described(
                    "that of the payment, if it had one; this request's is derived from it"
                ),
            ],
            answer: .payment { PayPal.paymentReport($0) }
        ) { arguments, _ throws(CommandFailure) in
            var gateway = try gateway(arguments)
            gateway.options.intent = intent
            var attempt = try arguments.anyAttempt(
                try arguments.required(.referenceID), key: .requestID)
            attempt.paymentID = try arguments.required(.orderID)
            return try refusing(try gateway.finish(unclaimed: attempt).request(at: Date()))
        }
    }

    private static func gateway(_ arguments: Arguments) throws(CommandFailure) -> PayPal {
        var gateway = PayPal(
            credentials: .accessToken(try arguments.secretToSend(.accessToken)),
            environment: arguments.has(.test) ? .sandbox : .live)
        if let origin = arguments.text(.origin) { gateway.origin = origin }
        return gateway
    }
}
