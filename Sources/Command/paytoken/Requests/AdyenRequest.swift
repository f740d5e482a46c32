internal import ApplePayGateways
internal import ApplePayToken
internal import FoundationEssentials

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
                .orderReference.mandatory(unless: .order).reference, .brand,
                .cryptogramField, .shopperReference, .returnURL.mandatory, .idempotencyKey,
                .livePrefix,
            ],
            answer: .payment { Adyen.paymentReport($0) },
            make: payment
        )
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let apiKey = try arguments.secretToSend(.apiKey)
        let merchantAccount = try arguments.required(.merchantAccount)
        let environment: Adyen.Environment =
            arguments.text(.livePrefix).map { .live(prefix: $0) } ?? .test
        var gateway = try refusing(
            try Adyen(apiKey: apiKey, merchantAccount: merchantAccount, environment: environment))
        gateway.options.brand = try arguments.choice(.brand, else: .applePay)
        gateway.options.cryptogramField = try arguments.choice(.cryptogramField) ?? .cavv
        if let origin = arguments.text(.origin) { gateway.origin = origin }
        let payment = try input.payment(arguments, .orderReference, key: .idempotencyKey) {
            order throws(CommandFailure) in
            order.customerReference = arguments.text(.shopperReference)
            order.returnURL = arguments.text(.returnURL)
        }
        return try refusing(try gateway.payment(payment).request(at: Date()))
    }
}
