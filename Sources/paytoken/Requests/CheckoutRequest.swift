internal import ApplePayGateways
internal import ApplePayToken

/// `paytoken request checkout`.
enum CheckoutRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: [
                "--secret-key-env", "--key-form", "--reference", "--capture",
                "--processing-channel-id", "--expiry-form", "--idempotency-key", "--subdomain",
            ],
            flags: ["--test"],
            referenceOption: "--reference",
            headerOptions: ["--idempotency-key", "--key-form"],
            make: payment
        )
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let (payment, order) = try RequestOption.opened(input)
        var options = Checkout.PaymentOptions()
        options.reference = try RequestOption.text(arguments, "--reference")
        options.capture = try RequestOption.boolean(arguments, "--capture")
        options.processingChannelID = try RequestOption.text(arguments, "--processing-channel-id")
        options.expiryForm = try RequestOption.choice(arguments, "--expiry-form") ?? .string
        options.idempotencyKey = try RequestOption.text(arguments, "--idempotency-key")
        let secretKey = try RequestOption.secret(arguments, "--secret-key-env")
        let keyForm: Checkout.KeyForm =
            try RequestOption.choice(arguments, "--key-form") ?? .bearer
        let subdomain = try RequestOption.text(arguments, "--subdomain")
        return try RequestOption.said { () throws(PaymentTokenError) in
            try Checkout.createPayment(
                payment, order: order, secretKey: secretKey, keyForm: keyForm, options: options,
                endpoint: arguments.has("--test")
                    ? .sandbox(subdomain: subdomain) : .live(subdomain: subdomain))
        }
    }
}
