internal import ApplePayGateways
internal import ApplePayToken

extension CommandOption {
    static let orderCode = CommandOption("--code", "TEXT", "what the merchant calls the order")
    static let commerceIndicator = choice(
        "--commerce-indicator", of: CyberSource.CommerceIndicator.self, orNone: true,
        "the member commerceIndicator, which none leaves out; default: the one of the payment's ECI"
    )
    static let billToFirstName = CommandOption(
        "--bill-to-first-name", "TEXT", "the first name on the bill")
    static let billToLastName = CommandOption(
        "--bill-to-last-name", "TEXT", "the last name on the bill")
    static let billToAddress1 = CommandOption(
        "--bill-to-address1", "TEXT", "street and number on the bill")
    static let billToLocality = CommandOption("--bill-to-locality", "TEXT", "the city on the bill")
    static let billToAdministrativeArea = CommandOption(
        "--bill-to-administrative-area", "TEXT", "the state or province on the bill")
    static let billToPostalCode = CommandOption(
        "--bill-to-postal-code", "TEXT", "the postal code on the bill")
    static let billToCountry = CommandOption(
        "--bill-to-country", "CODE", "the country on the bill")
    static let billToEmail = CommandOption(
        "--bill-to-email", "ADDRESS", "the customer's e-mail address")
}

/// `paytoken request cybersource`.
enum CyberSourceRequest: GatewayRequestCommand {
    /// The options of the customer's address.
    private static let address: [CommandOption] = [
        .billToFirstName, .billToLastName, .billToAddress1, .billToLocality,
        .billToAdministrativeArea, .billToPostalCode, .billToCountry, .billToEmail,
    ]

    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: [.orderCode.reference, .capture, .commerceIndicator] + address + [.test],
            answer: CyberSource.PaymentAnswer.init,
            make: payment
        )
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let (payment, order) = try input.opened()
        var options = CyberSource.PaymentOptions()
        options.code = arguments.text(.orderCode)
        options.capture = try arguments.boolean(.capture)
        options.commerceIndicator = try arguments.choice(.commerceIndicator, else: .eci)
        options.billTo = billTo(arguments)
        return try refusing(
            try CyberSource.createPayment(
                payment, order: order, options: options,
                environment: arguments.has(.test) ? .test : .live))
    }

    private static func billTo(_ arguments: Arguments) -> CyberSource.BillTo? {
        guard arguments.hasAny(address) else { return nil }
        var address = CyberSource.BillTo()
        address.firstName = arguments.text(.billToFirstName)
        address.lastName = arguments.text(.billToLastName)
        address.address1 = arguments.text(.billToAddress1)
        address.locality = arguments.text(.billToLocality)
        address.administrativeArea = arguments.text(.billToAdministrativeArea)
        address.postalCode = arguments.text(.billToPostalCode)
        address.country = arguments.text(.billToCountry)
        address.email = arguments.text(.billToEmail)
        return address
    }
}
