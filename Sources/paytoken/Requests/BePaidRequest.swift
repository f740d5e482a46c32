internal import ApplePayGateways
internal import ApplePayToken

/// `paytoken request bepaid`.
enum BePaidRequest: GatewayRequestCommand {
    private static let options: Set = [
        "--shop-id", "--secret-key-env", "--origin", "--description", "--tracking-id", "--test",
        "--language", "--return-url", "--notification-url", "--expired-at", "--contract",
        "--customer-ip", "--customer-email", "--billing-first-name", "--billing-last-name",
        "--billing-country", "--billing-city", "--billing-zip", "--billing-address",
        "--api-version",
    ]

    static let steps: [GatewayStep] =
        BePaid.Operation.allCases.flatMap { operation in
            [
                GatewayStep(
                    name: operation.rawValue, input: .opened, options: options,
                    flags: ["--async"], referenceOption: "--tracking-id",
                    headerOptions: ["--api-version"]
                ) { arguments, input throws(RequestFailure) in
                    let (payment, order) = try RequestOption.opened(input)
                    let shop = try shop(arguments)
                    let options = try options(arguments)
                    return try RequestOption.said { () throws(PaymentTokenError) in
                        try BePaid.transaction(
                            operation, payment, order: order, shop: shop, options: options)
                    }
                },
                GatewayStep(
                    name: operation.rawValue, input: .verified,
                    options: options.union(["--amount", "--currency"]),
                    flags: ["--async", "--payment-data-only"],
                    referenceOption: "--tracking-id", headerOptions: ["--api-version"]
                ) { arguments, input throws(RequestFailure) in
                    let token = try RequestOption.verified(input)
                    let order = try RequestOption.order(arguments, input)
                    let shop = try shop(arguments)
                    let options = try options(arguments)
                    return try RequestOption.said { () throws(PaymentTokenError) in
                        try BePaid.transaction(
                            operation, token, order: order, shop: shop, options: options)
                    }
                },
            ]
        } + [
            GatewayStep(
                name: "checkout-payment", input: .verified,
                options: ["--checkout-token-env", "--contract", "--origin"], flags: [],
                make: checkoutPayment),
            GatewayStep(
                name: "validate-merchant", input: .none,
                options: ["--checkout-token-env", "--url", "--origin"], flags: [],
                make: validateMerchant),
        ]

    private static func checkoutPayment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        BePaid.checkoutPayment(
            try RequestOption.verified(input),
            checkoutToken: try RequestOption.secret(arguments, "--checkout-token-env"),
            contract: try RequestOption.boolean(arguments, "--contract") ?? false,
            origin: try RequestOption.text(arguments, "--origin") ?? BePaid.defaultCheckoutOrigin)
    }

    private static func validateMerchant(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        BePaid.validateMerchant(
            validationURL: try RequestOption.mandatory(arguments, "--url"),
            checkoutToken: try RequestOption.secret(arguments, "--checkout-token-env"),
            origin: try RequestOption.text(arguments, "--origin") ?? BePaid.defaultCheckoutOrigin)
    }

    private static func shop(_ arguments: Arguments) throws(RequestFailure) -> BePaid.Shop {
        BePaid.Shop(
            identifier: try RequestOption.mandatory(arguments, "--shop-id"),
            secretKey: try RequestOption.secret(arguments, "--secret-key-env"),
            origin: try RequestOption.text(arguments, "--origin") ?? BePaid.defaultOrigin)
    }

    private static func options(
        _ arguments: Arguments
    ) throws(RequestFailure) -> BePaid.TransactionOptions {
        var options = BePaid.TransactionOptions(
            description: try RequestOption.mandatory(arguments, "--description"))
        options.trackingId = try RequestOption.text(arguments, "--tracking-id")
        options.isTest = try RequestOption.boolean(arguments, "--test")
        options.language = try RequestOption.text(arguments, "--language")
        options.returnURL = try RequestOption.text(arguments, "--return-url")
        options.notificationURL = try RequestOption.text(arguments, "--notification-url")
        options.expiresAt = try RequestOption.text(arguments, "--expired-at")
        options.tokenForm = arguments.has("--payment-data-only") ? .paymentDataOnly : .wholeToken
        options.isAsynchronous = arguments.has("--async")
        for text in arguments.all("--contract") {
            guard let contract = BePaid.Contract(rawValue: text) else {
                let values = BePaid.Contract.allCases.map(\.rawValue).joined(separator: ", ")
                throw .command(.usage("--contract takes \(values), not \(text)."))
            }
            options.contract.append(contract)
        }
        var customer = BePaid.Customer()
        customer.ip = try RequestOption.text(arguments, "--customer-ip")
        customer.email = try RequestOption.text(arguments, "--customer-email")
        if customer.ip != nil || customer.email != nil { options.customer = customer }
        options.billingAddress = try billingAddress(arguments)
        if let version = try RequestOption.text(arguments, "--api-version") {
            guard version == "3" else {
                throw .command(.usage("--api-version takes 3, not \(version)."))
            }
            options.asksForVersion3 = true
        }
        return options
    }

    private static func billingAddress(
        _ arguments: Arguments
    ) throws(RequestFailure) -> BePaid.BillingAddress? {
        let names = ["first-name", "last-name", "country", "city", "zip", "address"]
        guard names.contains(where: { !arguments.all("--billing-\($0)").isEmpty }) else {
            return nil
        }
        var address = BePaid.BillingAddress()
        address.firstName = try RequestOption.text(arguments, "--billing-first-name")
        address.lastName = try RequestOption.text(arguments, "--billing-last-name")
        address.country = try RequestOption.text(arguments, "--billing-country")
        address.city = try RequestOption.text(arguments, "--billing-city")
        address.zip = try RequestOption.text(arguments, "--billing-zip")
        address.address = try RequestOption.text(arguments, "--billing-address")
        return address
    }
}
