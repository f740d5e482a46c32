internal import ApplePayGateways
internal import ApplePayToken

/// `paytoken request cybersource`.
enum CyberSourceRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: [
                "--code", "--capture", "--commerce-indicator", "--bill-to-first-name",
                "--bill-to-last-name", "--bill-to-address1", "--bill-to-locality",
                "--bill-to-administrative-area", "--bill-to-postal-code", "--bill-to-country",
                "--bill-to-email",
            ],
            flags: ["--test"],
            referenceOption: "--code",
            make: payment
        )
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let (payment, order) = try RequestOption.opened(input)
        var options = CyberSource.PaymentOptions()
        options.code = try RequestOption.text(arguments, "--code")
        options.capture = try RequestOption.boolean(arguments, "--capture")
        options.commerceIndicator = try RequestOption.choice(
            arguments, "--commerce-indicator", else: .eci)
        options.billTo = try billTo(arguments)
        return try RequestOption.said { () throws(PaymentTokenError) in
            try CyberSource.createPayment(
                payment, order: order, options: options,
                environment: arguments.has("--test") ? .test : .live)
        }
    }

    private static func billTo(
        _ arguments: Arguments
    ) throws(RequestFailure) -> CyberSource.BillTo? {
        let names = steps[0].options.filter { $0.hasPrefix("--bill-to-") }
        guard names.contains(where: { !arguments.all($0).isEmpty }) else { return nil }
        var address = CyberSource.BillTo()
        address.firstName = try RequestOption.text(arguments, "--bill-to-first-name")
        address.lastName = try RequestOption.text(arguments, "--bill-to-last-name")
        address.address1 = try RequestOption.text(arguments, "--bill-to-address1")
        address.locality = try RequestOption.text(arguments, "--bill-to-locality")
        address.administrativeArea = try RequestOption.text(
            arguments, "--bill-to-administrative-area")
        address.postalCode = try RequestOption.text(arguments, "--bill-to-postal-code")
        address.country = try RequestOption.text(arguments, "--bill-to-country")
        address.email = try RequestOption.text(arguments, "--bill-to-email")
        return address
    }
}
