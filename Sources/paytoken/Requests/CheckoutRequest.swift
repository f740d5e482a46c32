internal import ApplePayGateways
internal import ApplePayToken

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
    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: [
                .secretKey, .keyForm, .orderReference.reference, .capture, .processingChannelID,
                .expiryForm, .idempotencyKey, .subdomain, .test,
            ],
            answer: Checkout.PaymentAnswer.init,
            make: payment
        )
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let (payment, order) = try input.opened()
        var options = Checkout.PaymentOptions()
        options.reference = arguments.text(.orderReference)
        options.capture = try arguments.boolean(.capture)
        options.processingChannelID = arguments.text(.processingChannelID)
        options.expiryForm = try arguments.choice(.expiryForm) ?? .number
        options.idempotencyKey = arguments.text(.idempotencyKey)
        let secretKey = try arguments.secretToSend(.secretKey)
        let keyForm: Checkout.KeyForm =
            try arguments.choice(.keyForm) ?? .bearer
        let subdomain = arguments.text(.subdomain)
        return try refusing(
            try Checkout.createPayment(
                payment, order: order, secretKey: secretKey, keyForm: keyForm, options: options,
                endpoint: arguments.has(.test)
                    ? .sandbox(subdomain: subdomain) : .live(subdomain: subdomain)))
    }
}
