internal import ApplePayGateways
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let keyForm = choice(
        "--key-form", of: Checkout.KeyForm.self, "how the secret key is sent; default: bearer"
    ).inHeader
    static let processingChannelID = CommandOption(
        "--processing-channel-id", "ID", "the processing channel")
    static let expiryForm = choice(
        "--expiry-form", of: Checkout.ExpiryForm.self,
        "the JSON type of the card's expiry; default: number")
    static let subdomain = CommandOption(
        "--subdomain", "NAME", "the merchant's own subdomain of the server")
}

/// `paytoken request checkout`.
enum CheckoutRequest: GatewayRequestCommand {
    private static let account: [CommandOption] = [.secretKey, .keyForm, .subdomain, .test]

    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: account + [
                .orderReference.mandatory(unless: .order).reference, .capture,
                .processingChannelID, .expiryForm, .idempotencyKey,
            ],
            answer: .charge { Checkout.paymentReport($0, captures: $1 ?? true) },
            make: payment
        ),
        .question(
            "get-payment", account + [.paymentID.mandatory],
            { report, _ in Checkout.statusReport(report) },
            make: { arguments throws(CommandFailure) in
                let gateway = try gateway(arguments)
                var attempt = try arguments.anyAttempt()
                attempt.paymentID = try arguments.required(.paymentID)
                return try refusing(try gateway.status(of: attempt).request(at: Date()))
            }),
        .question(
            "find-payments", account + [.orderReference.mandatory],
            { Checkout.searchReport($0, reference: $1.reference) },
            make: { arguments throws(CommandFailure) in
                let gateway = try gateway(arguments)
                let attempt = try arguments.anyAttempt(try arguments.required(.orderReference))
                return try refusing(try gateway.status(of: attempt).request(at: Date()))
            }),
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        var gateway = try gateway(arguments)
        gateway.options.capture = try arguments.boolean(.capture)
        gateway.options.processingChannelID = arguments.text(.processingChannelID)
        gateway.options.expiryForm = try arguments.choice(.expiryForm) ?? .number
        let payment = try input.payment(arguments, .orderReference, key: .idempotencyKey)
        return try refusing(try gateway.payment(payment).request(at: Date()))
    }

    private static func gateway(_ arguments: Arguments) throws(CommandFailure) -> Checkout {
        let secretKey = try arguments.secretToSend(.secretKey)
        let subdomain = arguments.text(.subdomain)
        var gateway = try refusing(
            try Checkout(
                secretKey: secretKey, environment: arguments.has(.test) ? .sandbox : .live,
                subdomain: subdomain))
        gateway.keyForm = try arguments.choice(.keyForm) ?? .bearer
        if let origin = arguments.text(.origin) { gateway.origin = origin }
        return gateway
    }
}
