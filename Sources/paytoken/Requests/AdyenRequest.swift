internal import ApplePayGateways
internal import ApplePayToken

/// `paytoken request adyen`.
enum AdyenRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: [
                "--api-key-env", "--merchant-account", "--reference", "--brand",
                "--cryptogram-field", "--shopper-reference", "--return-url", "--idempotency-key",
                "--live-prefix",
            ],
            flags: [],
            referenceOption: "--reference",
            headerOptions: ["--idempotency-key"],
            make: payment
        )
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let (payment, order) = try RequestOption.opened(input)
        var options = Adyen.PaymentOptions()
        options.brand = try RequestOption.choice(arguments, "--brand", else: .applePay)
        options.cryptogramField = try RequestOption.choice(arguments, "--cryptogram-field") ?? .cavv
        options.shopperReference = try RequestOption.text(arguments, "--shopper-reference")
        options.returnURL = try RequestOption.text(arguments, "--return-url")
        options.idempotencyKey = try RequestOption.text(arguments, "--idempotency-key")
        let merchantAccount = try RequestOption.mandatory(arguments, "--merchant-account")
        let reference = try RequestOption.mandatory(arguments, "--reference")
        let apiKey = try RequestOption.secret(arguments, "--api-key-env")
        let prefix = try RequestOption.text(arguments, "--live-prefix")
        return try RequestOption.said { () throws(PaymentTokenError) in
            try Adyen.createPayment(
                payment, order: order, merchantAccount: merchantAccount, reference: reference,
                apiKey: apiKey, options: options,
                endpoint: prefix.map { .live(prefix: $0) } ?? .test)
        }
    }
}
