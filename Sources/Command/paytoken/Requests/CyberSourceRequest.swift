internal import ApplePayGateways
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let cyberSourceMerchantID = CommandOption(
        "--cybersource-merchant-id", "ID", "the merchant's identifier")
    static let sharedSecret = secret(
        "--shared-secret-env", "the shared secret, in base64, that signs")
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
        .cyberSourceMerchantID.mandatoryToSend.inHeader, .apiKeyID.mandatoryToSend.inHeader,
        .sharedSecret.mandatoryToSend.inHeader, .signingDate.inHeader,
    ]

    static let steps = [
        GatewayStep(
            name: "payment",
            input: .opened,
            options: [
                .orderCode.mandatory(unless: .order).reference, .capture, .commerceIndicator,
            ] + address + signature + [.test],
            answer: .charge { CyberSource.paymentReport($0, isSale: $1 ?? false) },
            make: payment
        ),
        GatewayStep(
            name: "reversal",
            options: CommandOption.wholeOrder(.orderCode) + [
                .capture.described(
                    "that of the payment; after true, which is a sale, it is voided")
            ] + signature + [.test],
            answer: .operation(.cancellation) { CyberSource.reversalReport($0) },
            make: reversal
        ),
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        var gateway = try gateway(arguments)
        gateway.options.commerceIndicator = try arguments.choice(.commerceIndicator, else: .eci)
        let payment = try input.payment(arguments, .orderCode) {
            order throws(CommandFailure) in order.customer = billTo(arguments)
        }
        return try request(
            arguments, gateway, try refusing(try gateway.paymentRequest(PaymentInput(payment))))
    }

    private static func reversal(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let gateway = try gateway(arguments)
        let attempt = try arguments.attempt(try arguments.order(.orderCode))
        return try request(arguments, gateway, gateway.reversalRequest(attempt))
    }

    private static func gateway(_ arguments: Arguments) throws(CommandFailure) -> CyberSource {
        var gateway = CyberSource(
            credentials: CyberSource.Credentials(
                merchantID: arguments.requiredToSend(.cyberSourceMerchantID),
                keyID: arguments.requiredToSend(.apiKeyID),
                sharedSecret: try arguments.secretToSend(.sharedSecret)),
            environment: arguments.has(.test) ? .test : .live)
        gateway.options.capture = try arguments.boolean(.capture)
        if let origin = arguments.text(.origin) { gateway.origin = origin }
        return gateway
    }

    /// Returns the request, signed if the secret is given; the placeholder for it is not base64.
    private static func request(
        _ arguments: Arguments,
        _ gateway: CyberSource,
        _ request: GatewayRequest
    ) throws(CommandFailure) -> GatewayRequest {
        guard arguments.has(.sharedSecret) else { return request }
        let date = try arguments.time(.signingDate) ?? Date()
        return try refusing(
            try CyberSource.authorize(request, gateway.credentials, date: date))
    }

    private static func billTo(_ arguments: Arguments) -> PaymentContact? {
        guard arguments.hasAny(address) else { return nil }
        var contact = PaymentContact()
        contact.givenName = arguments.text(.billToFirstName)
        contact.familyName = arguments.text(.billToLastName)
        contact.addressLines = arguments.all(.billToAddress1)
        contact.locality = arguments.text(.billToLocality)
        contact.administrativeArea = arguments.text(.billToAdministrativeArea)
        contact.postalCode = arguments.text(.billToPostalCode)
        contact.countryCode = arguments.text(.billToCountry)
        contact.emailAddress = arguments.text(.billToEmail)
        return contact
    }
}
