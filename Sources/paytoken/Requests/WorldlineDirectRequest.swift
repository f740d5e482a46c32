internal import ApplePayGateways
internal import ApplePayToken

/// `paytoken request worldline-direct`.
enum WorldlineDirectRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "payment", input: .opened,
            options: ["--authorization-mode", "--requires-approval", "--merchant-reference"],
            flags: [], make: payment)
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let (payment, order) = try RequestOption.opened(input)
        let options = WorldlineDirect.CreatePaymentOptions(
            authorizationMode: try RequestOption.choice(arguments, "--authorization-mode"),
            requiresApproval: try RequestOption.boolean(arguments, "--requires-approval"),
            merchantReference: try RequestOption.text(arguments, "--merchant-reference"))
        return try RequestOption.said { () throws(PaymentTokenError) in
            try WorldlineDirect.createPayment(payment, order: order, options: options)
        }
    }
}
