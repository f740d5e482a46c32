internal import ApplePayGateways
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let cyberSourceMerchantID = CommandOption(
        "--cybersource-merchant-id", "ID", "the merchant's identifier; goes with \(apiKeyID)")
    static let sharedSecret = secret(
        "--shared-secret-env", "the shared secret, in base64, that signs; goes with \(apiKeyID)")
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

    /// What signs a request, in headers alone.
    private static let signature: [CommandOption] = [
        .cyberSourceMerchantID.inHeader, .apiKeyID.inHeader, .sharedSecret.inHeader,
        .signingDate.inHeader,
    ]

    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: [.orderCode.reference, .capture, .commerceIndicator] + address + signature
                + [.test],
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
        let request = try refusing(
            try CyberSource.createPayment(
                payment, order: order, options: options,
                environment: arguments.has(.test) ? .test : .live))
        return try signed(arguments, request)
    }

    /// Returns the request, signed for its server if `--api-key-id` is given.
    private static func signed(
        _ arguments: Arguments,
        _ request: GatewayRequest
    ) throws(CommandFailure) -> GatewayRequest {
        let needed: [CommandOption] = [.cyberSourceMerchantID, .apiKeyID, .sharedSecret]
        if arguments.isForCurl { try arguments.require(needed, for: "a request to be sent") }
        guard arguments.hasAny(needed + [.signingDate]) else { return request }
        try arguments.require(needed, for: "what is signed")
        let credentials = CyberSource.Credentials(
            merchantID: try arguments.required(.cyberSourceMerchantID),
            keyID: try arguments.required(.apiKeyID),
            sharedSecret: try arguments.secret(.sharedSecret))
        let date = try arguments.time(.signingDate) ?? Date()
        // The host is signed as well.
        let origin = arguments.text(.origin) ?? request.origin
        return try refusing(
            try CyberSource.authorize(
                try request.replacingOrigin(origin), credentials, date: date))
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
