internal import ApplePayGateways
internal import ApplePayToken

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
            .shopID.mandatoryToSend, .secretKey, .description.mandatory, .trackingID.reference,
            .testTransaction, .language, .returnURL, .notificationURL, .expiry, .contract,
            .customerIP, .customerEmail,
        ] + address + [.apiVersion, .asynchronous, .requestID.inHeader]
    private static let shopOptions: [CommandOption] = [.shopID.mandatoryToSend, .secretKey]

    static let steps: [GatewayStep] =
        BePaid.Operation.allCases.flatMap { operation in
            [
                GatewayStep(
                    name: operation.rawValue, input: .opened, options: transactionOptions,
                    answer: BePaid.TransactionAnswer.init
                ) { arguments, input throws(CommandFailure) in
                    let (payment, order) = try input.opened()
                    let shop = try shop(arguments)
                    let options = try options(arguments)
                    return try refusing(
                        try BePaid.transaction(
                            operation, payment, order: order, shop: shop, options: options))
                },
                GatewayStep(
                    name: operation.rawValue, input: .verified,
                    options: transactionOptions + [.paymentDataOnly, .amount, .currency],
                    answer: BePaid.TransactionAnswer.init
                ) { arguments, input throws(CommandFailure) in
                    let token = try input.verified()
                    let order = try input.order(arguments)
                    let shop = try shop(arguments)
                    let options = try options(arguments)
                    return try refusing(
                        try BePaid.transaction(
                            operation, token, order: order, shop: shop, options: options))
                },
            ]
        } + [
            GatewayStep(
                name: "checkout-payment", input: .verified,
                options: [.checkoutToken.mandatory, .checkoutContract],
                answer: BePaid.TransactionAnswer.init, make: checkoutPayment),
            GatewayStep(
                name: "validate-merchant", input: .none,
                options: [.checkoutToken.mandatory, .validationURL.mandatory], answer: nil,
                make: validateMerchant),
            GatewayStep(
                name: "status", input: .none,
                options: shopOptions + [
                    .transactionUID.mandatory(unless: .trackingID), .trackingID,
                ], answer: BePaid.StatusAnswer.init, make: status),
            followUp(.capture, "capture"), followUp(.cancel, "void"), followUp(.refund, "refund"),
        ]

    private static func status(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let shop = try shop(arguments)
        guard let uid = arguments.text(.transactionUID) else {
            let trackingID = try arguments.required(.trackingID)
            return try refusing(try BePaid.statusRequest(trackingId: trackingID, shop: shop))
        }
        guard !arguments.has(.trackingID) else {
            throw .usage(
                "give only one of \(CommandOption.transactionUID) and \(CommandOption.trackingID)."
            )
        }
        return try refusing(try BePaid.statusRequest(uid: uid, shop: shop))
    }

    private static func followUp(_ operation: PaymentOperation, _ name: String) -> GatewayStep {
        .followUp(
            operation, name: name,
            shopOptions + [
                .transactionUID.mandatory, .authorizedAmount.mandatory, .currency.mandatory,
                .partAmount, operation == .refund ? .reason.mandatory : .reason,
                .requestID.inHeader,
            ], answer: BePaid.TransactionAnswer.init
        ) { arguments throws(CommandFailure) in
            let uid = try arguments.required(.transactionUID)
            let amount = try arguments.number(.partAmount)
            let authorized = try arguments.authorized()
            let shop = try shop(arguments)
            return try refusing(
                try BePaid.operation(
                    operation, uid: uid, amount: amount, authorized: authorized,
                    reason: arguments.text(.reason), requestID: arguments.text(.requestID),
                    shop: shop))
        }
    }

    private static func checkoutPayment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        BePaid.checkoutPayment(
            try input.verified(),
            checkoutToken: try arguments.secret(.checkoutToken),
            contract: try arguments.boolean(.checkoutContract) ?? false)
    }

    private static func validateMerchant(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        BePaid.validateMerchant(
            validationURL: try arguments.required(.validationURL),
            checkoutToken: try arguments.secret(.checkoutToken))
    }

    private static func shop(_ arguments: Arguments) throws(CommandFailure) -> BePaid.Shop {
        BePaid.Shop(
            identifier: arguments.requiredToSend(.shopID),
            secretKey: try arguments.secretToSend(.secretKey))
    }

    private static func options(
        _ arguments: Arguments
    ) throws(CommandFailure) -> BePaid.TransactionOptions {
        var options = BePaid.TransactionOptions(description: try arguments.required(.description))
        options.trackingId = arguments.text(.trackingID)
        options.isTest = try arguments.boolean(.testTransaction)
        options.language = arguments.text(.language)
        options.returnURL = arguments.text(.returnURL)
        options.notificationURL = arguments.text(.notificationURL)
        options.expiresAt = arguments.text(.expiry)
        options.tokenForm = arguments.has(.paymentDataOnly) ? .paymentDataOnly : .wholeToken
        options.isAsynchronous = arguments.has(.asynchronous)
        options.requestID = arguments.text(.requestID)
        options.contract = try arguments.choices(.contract)
        var customer = BePaid.Customer()
        customer.ip = arguments.text(.customerIP)
        customer.email = arguments.text(.customerEmail)
        if customer.ip != nil || customer.email != nil { options.customer = customer }
        options.billingAddress = billingAddress(arguments)
        if let version = arguments.text(.apiVersion) {
            guard version == "3" else {
                throw .usage("\(CommandOption.apiVersion) takes 3, not \(version).")
            }
            options.asksForVersion3 = true
        }
        return options
    }

    private static func billingAddress(_ arguments: Arguments) -> BePaid.BillingAddress? {
        guard arguments.hasAny(address) else { return nil }
        var address = BePaid.BillingAddress()
        address.firstName = arguments.text(.billingFirstName)
        address.lastName = arguments.text(.billingLastName)
        address.country = arguments.text(.billingCountry)
        address.city = arguments.text(.billingCity)
        address.zip = arguments.text(.billingZIP)
        address.address = arguments.text(.billingAddress)
        return address
    }
}
