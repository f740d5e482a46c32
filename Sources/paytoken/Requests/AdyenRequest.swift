internal import ApplePayGateways
internal import ApplePayToken

extension CommandOption {
    static let merchantAccount = CommandOption(
        "--merchant-account", "NAME", "the merchant account")
    static let brand = choice(
        "--brand", of: Adyen.Brand.self, orNone: true,
        "the member brand, which none leaves out; default: applePay")
    static let cryptogramField = choice(
        "--cryptogram-field", of: Adyen.CryptogramField.self,
        "the member with the cryptogram; default: cavv")
    static let shopperReference = CommandOption(
        "--shopper-reference", "TEXT", "what the merchant calls the customer")
    static let livePrefix = CommandOption(
        "--live-prefix", "PREFIX",
        "the live server's prefix; without it the test server is addressed")
}

/// `paytoken request adyen`.
enum AdyenRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: [
                .apiKey.mandatoryToSend, .merchantAccount.mandatory,
                .orderReference.mandatory.reference, .brand,
                .cryptogramField, .shopperReference, .returnURL, .idempotencyKey, .livePrefix,
            ],
            answer: Adyen.PaymentAnswer.init,
            make: payment
        )
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let (payment, order) = try input.opened()
        var options = Adyen.PaymentOptions()
        options.brand = try arguments.choice(.brand, else: .applePay)
        options.cryptogramField = try arguments.choice(.cryptogramField) ?? .cavv
        options.shopperReference = arguments.text(.shopperReference)
        options.returnURL = arguments.text(.returnURL)
        options.idempotencyKey = arguments.text(.idempotencyKey)
        let merchantAccount = try arguments.required(.merchantAccount)
        let reference = try arguments.required(.orderReference)
        let apiKey = try arguments.secretToSend(.apiKey)
        let prefix = arguments.text(.livePrefix)
        return try refusing(
            try Adyen.createPayment(
                payment, order: order, merchantAccount: merchantAccount, reference: reference,
                apiKey: apiKey, options: options,
                endpoint: prefix.map { .live(prefix: $0) } ?? .test))
    }
}
