internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let shopID = CommandOption("--shop-id", "ID", "the shop")
    static let trackingID = CommandOption(
        "--tracking-id", "TEXT", "what the merchant calls the order")
    static let transactionUID = CommandOption("--uid", "UID", "the transaction")
    static let testTransaction = boolean(test.name, "whether it is a test transaction")
    static let notificationURL = CommandOption(
        "--notification-url", "URL", "where the gateway reports the transaction")
    static let expiry = CommandOption(
        "--expired-at", "TIME", "until when the transaction can be completed")
    static let contract = choice(
        "--contract", of: BePaid.Contract.self, "what the card is stored for"
    ).repeatable
    static let checkoutContract = boolean(contract.name, "the member contract; default: false")
    static let customerIP = CommandOption("--customer-ip", "ADDRESS", "the customer's IP address")
    static let customerEmail = CommandOption(
        "--customer-email", "ADDRESS", "the customer's e-mail address")
    static let billingFirstName = CommandOption(
        "--billing-first-name", "TEXT", "the first name on the bill")
    static let billingLastName = CommandOption(
        "--billing-last-name", "TEXT", "the last name on the bill")
    static let billingCountry = CommandOption(
        "--billing-country", "CODE", "the country on the bill")
    static let billingCity = CommandOption("--billing-city", "TEXT", "the city on the bill")
    static let billingZIP = CommandOption("--billing-zip", "TEXT", "the postal code on the bill")
    static let billingAddress = CommandOption(
        "--billing-address", "TEXT", "street and number on the bill")
    static let apiVersion = choice("--api-version", ["3"], "the version of the API to ask for")
        .inHeader
    static let asynchronous = flag(
        "--async", "ask the gateway to answer before the transaction is done")
    static let paymentDataOnly = flag(
        "--payment-data-only", "send the token's paymentData instead of the whole token")
    static let checkoutToken = secret("--checkout-token-env", "the token of the checkout")
    static let validationURL = CommandOption(
        "--url", "URL", "the address for validation that Apple gave the page")
}

/// `paytoken request bepaid`.
enum BePaidRequest: GatewayRequestCommand {
    private static let address: [CommandOption] = [
        .billingFirstName, .billingLastName, .billingCountry, .billingCity, .billingZIP,
        .billingAddress,
    ]
    private static let transactionOptions: [CommandOption] =
        [
            .shopID.mandatoryToSend, .secretKey, .description.mandatory,
            .trackingID.mandatory(unless: .order).reference,
            .testTransaction, .language, .returnURL, .notificationURL, .expiry, .contract,
            .customerIP, .customerEmail,
        ] + address + [.apiVersion, .asynchronous, .requestID.inHeader]
    private static let shopOptions: [CommandOption] = [.shopID.mandatoryToSend, .secretKey]

    /// The kinds of payments, with the names of their steps.
    private static let kinds: [(name: String, kind: BePaid.Kind)] = [
        ("payment", .payment), ("authorization", .authorization), ("charge", .charge),
    ]

    static let steps: [GatewayStep] =
        kinds.flatMap { name, kind in
            [
                GatewayStep(
                    name: name, input: .opened, options: transactionOptions,
                    answer: .payment { BePaid.paymentReport($0) }
                ) { arguments, input throws(CommandFailure) in
                    try payment(kind, arguments, input)
                },
                GatewayStep(
                    name: name, input: .verified,
                    options: transactionOptions + [.paymentDataOnly, .amount, .currency],
                    answer: .payment { BePaid.paymentReport($0) }
                ) { arguments, input throws(CommandFailure) in
                    try payment(kind, arguments, input)
                },
            ]
        } + [
            GatewayStep(
                name: "checkout-payment", input: .verified,
                options: [.checkoutToken.mandatory, .checkoutContract],
                answer: .payment { BePaid.paymentReport($0) }, make: checkoutPayment),
            GatewayStep(
                name: "validate-merchant",
                options: [.checkoutToken.mandatory, .validationURL.mandatory], answer: nil,
                make: validateMerchant),
            .question(
                "uid", shopOptions + [.transactionUID.mandatory],
                { answer, _ in BePaid.uidReport(answer) },
                make: { arguments throws(CommandFailure) in
                    let uid = try arguments.required(.transactionUID)
                    let gateway = try gateway(arguments)
                    return try refusing(try gateway.statusRequest(uid: uid))
                }),
            .question(
                "status", shopOptions + [.trackingID.mandatory],
                { BePaid.statusReport($0, of: $1) },
                make: { arguments throws(CommandFailure) in
                    let attempt = try arguments.anyAttempt(try arguments.required(.trackingID))
                    let gateway = try gateway(arguments)
                    return try refusing(try gateway.status(of: attempt).request(at: Date()))
                }),
            operation(.capture, "capture"), operation(.cancellation, "void"),
            operation(.refund, "refund"),
        ]

    private static func operation(_ kind: PaymentOperation.Kind, _ name: String) -> GatewayStep {
        .operation(
            kind, name: name, id: .transactionUID,
            shopOptions + [kind == .refund ? .reason.mandatory : .reason],
            answer: .operation(kind) { BePaid.operationReport($0, of: kind) },
            gateway: { arguments throws(CommandFailure) in try gateway(arguments) })
    }

    private static func payment(
        _ kind: BePaid.Kind,
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        var gateway = try gateway(arguments)
        gateway.sendsTest = try arguments.boolean(.testTransaction)
        gateway.options = try options(arguments)
        gateway.options.kind = kind
        let payment = try input.payment(arguments, .trackingID, key: .requestID) {
            order throws(CommandFailure) in
            order.description = arguments.text(.description)
            order.language = arguments.text(.language)
            order.returnURL = arguments.text(.returnURL)
            order.notificationURL = arguments.text(.notificationURL)
            order.customerIP = arguments.text(.customerIP)
            order.customer = customer(arguments)
        }
        return try refusing(try gateway.payment(payment).request(at: Date()))
    }

    private static func checkoutPayment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let token = try input.verified().token
        let secret = try arguments.secret(.checkoutToken)
        let contract = try arguments.boolean(.checkoutContract) ?? false
        return try gateway(arguments).checkoutRequest(token, secret, contract: contract)
    }

    private static func validateMerchant(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let url = try arguments.required(.validationURL)
        let secret = try arguments.secret(.checkoutToken)
        return try gateway(arguments).validateMerchant(validationURL: url, checkoutToken: secret)
    }

    /// Returns a shop that only verifies messages.
    static func account(key: BePaid.NotificationKey) -> BePaid {
        var gateway = BePaid(shopId: "unset", secretKey: SensitiveBytes(copying: "unset".utf8.span))
        gateway.notificationKey = key
        return gateway
    }

    private static func gateway(_ arguments: Arguments) throws(CommandFailure) -> BePaid {
        var gateway = BePaid(
            shopId: arguments.requiredToSend(.shopID),
            secretKey: try arguments.secretToSend(.secretKey))
        if let origin = arguments.text(.origin) {
            (gateway.origin, gateway.checkoutOrigin) = (origin, origin)
        }
        return gateway
    }

    private static func options(_ arguments: Arguments) throws(CommandFailure) -> BePaid.Options {
        var options = BePaid.Options()
        options.expiresAt = arguments.text(.expiry)
        options.tokenForm = arguments.has(.paymentDataOnly) ? .paymentDataOnly : .wholeToken
        options.sendsEncrypted = arguments.has(.encrypted)
        options.isAsynchronous = arguments.has(.asynchronous)
        options.contract = try arguments.choices(.contract)
        if let version = arguments.text(.apiVersion) {
            guard version == "3" else {
                throw .usage("\(CommandOption.apiVersion) takes 3, not \(version).")
            }
            options.asksForVersion3 = true
        }
        return options
    }

    private static func customer(_ arguments: Arguments) -> PaymentContact? {
        guard arguments.hasAny(address + [.customerEmail]) else { return nil }
        var contact = PaymentContact()
        contact.givenName = arguments.text(.billingFirstName)
        contact.familyName = arguments.text(.billingLastName)
        contact.countryCode = arguments.text(.billingCountry)
        contact.locality = arguments.text(.billingCity)
        contact.postalCode = arguments.text(.billingZIP)
        contact.addressLines = arguments.all(.billingAddress)
        contact.emailAddress = arguments.text(.customerEmail)
        return contact
    }
}
