internal import ApplePayGateways
internal import ApplePayToken

extension CommandOption {
    static let pathPrefix = CommandOption(
        "--prefix", "PATH", "the beginning of the server's paths; default: /payment")
    static let limits = choice(
        "--limits", of: RBS.Limits.self, "whose limits on lengths are applied; default: bpc")
    static let userName = CommandOption("--user-name", "NAME", "the merchant's login")
    static let password = secret("--password-env", "the login's password")
    static let orderNumber = CommandOption(
        "--order-number", "TEXT", "what the merchant calls the order")
    static let merchant = CommandOption("--merchant", "NAME", "the merchant's login for Apple Pay")
    static let preAuth = boolean(
        "--pre-auth", "whether the amount is authorized and deposited later")
    static let storedCredential = choice(
        "--tii", of: RBS.StoredCredential.self, "who begins the transaction, and with which card")
    static let feeInput = number("--fee-input", "MINOR", "the fee in minor units")
    static let additionalParameter = CommandOption(
        "--additional-parameter", "NAME=VALUE", "an additional parameter of the merchant"
    ).repeatable
    static let phone = CommandOption("--phone", "NUMBER", "the customer's telephone number")
    static let autocompletionDate = CommandOption(
        "--autocompletion-date", "TIME", "when the amount is deposited automatically")
    static let autoReverseDate = CommandOption(
        "--auto-reverse-date", "TIME", "when the authorization is reversed automatically")
    static let dynamicCallbackURL = CommandOption(
        "--dynamic-callback-url", "URL", "where the gateway reports the payment")
    static let verifyOnly = flag("--verify", "verify the card without charging it")
    static let userToken = secret("--token-env", "the merchant's token")
    static let merchantLogin = CommandOption(
        "--merchant-login", "NAME", "the merchant of the order")
    static let depositAll = flag("--all", "deposit the whole amount")
}

/// `paytoken request rbs`.
enum RBSRequest: GatewayRequestCommand {
    private static let hostOptions: [CommandOption] = [.pathPrefix, .limits]
    private static let userOptions: [CommandOption] = [.userName.mandatory, .password.mandatory]
    private static let paymentOptions: [CommandOption] = [
        .description, .language, .preAuth, .clientID,
        .email.described("the customer's e-mail address"), .storedCredential, .feeInput,
        .additionalParameter,
    ]
    private static let followUpOptions: [CommandOption] = [
        .orderID.mandatory, .userToken, .userName.mandatory(unless: .userToken),
        .password.mandatory(unless: .userToken),
    ]
    private static let orderOptions: [CommandOption] = [
        .orderID.mandatory(unless: .orderNumber), .orderNumber, .userToken,
        .userName.mandatory(unless: .userToken), .password.mandatory(unless: .userToken),
    ]

    static let steps = [
        GatewayStep(
            name: "payment", input: .verified,
            options: hostOptions + [.merchant.mandatory, .orderNumber.reference] + paymentOptions
                + [.phone, .autocompletionDate, .autoReverseDate, .dynamicCallbackURL],
            answer: RBS.PaymentAnswer.init, make: payment),
        GatewayStep(
            name: "payment", input: .opened,
            options: hostOptions + userOptions + [.orderNumber.mandatory.reference, .merchant]
                + paymentOptions + [.verifyOnly],
            answer: RBS.PaymentAnswer.init, make: paymentDirect),
        GatewayStep(
            name: "token-payment", input: .opened,
            options: hostOptions + userOptions
                + [.returnURL.mandatory, .orderNumber.reference, .preAuth],
            answer: RBS.PaymentAnswer.init, make: tokenPayment),
        GatewayStep(
            name: "order-status", input: .none,
            options: hostOptions + orderOptions + [.merchantLogin, .language],
            answer: RBS.OrderStatus.init, make: orderStatus),
        GatewayStep(
            name: "deposit", input: .none,
            options: hostOptions + orderOptions + [
                .merchantLogin.mandatory(unless: .orderID), .amount.mandatory(unless: .depositAll),
                .depositAll, .authorizedAmount, .currency, .language,
            ],
            answer: RBS.DepositAnswer.init, make: deposit),
        .followUp(
            .cancel, name: "reverse", [.pathPrefix] + followUpOptions,
            answer: RBS.DepositAnswer.init
        ) { arguments throws(CommandFailure) in
            let orderId = try arguments.required(.orderID)
            let credentials = try credentials(arguments)
            let host = try host(arguments)
            return try refusing(
                try RBS.reverse(orderId: orderId, credentials: credentials, host: host))
        },
        .followUp(
            .refund,
            [.pathPrefix] + followUpOptions + [
                .authorizedAmount.mandatory, .currency.mandatory, .partAmount,
            ], answer: RBS.DepositAnswer.init
        ) { arguments throws(CommandFailure) in
            let orderId = try arguments.required(.orderID)
            let amount = try arguments.number(.partAmount)
            let authorized = try arguments.authorized()
            let credentials = try credentials(arguments)
            let host = try host(arguments)
            return try refusing(
                try RBS.refund(
                    orderId: orderId, amount: amount, authorized: authorized,
                    credentials: credentials, host: host))
        },
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let token = try input.verified()
        let merchant = try arguments.required(.merchant)
        let orderNumber = arguments.text(.orderNumber)
        let options = try options(arguments)
        var extras = RBS.PaymentExtras()
        extras.phone = arguments.text(.phone)
        extras.autocompletionDate = arguments.text(.autocompletionDate)
        extras.autoReverseDate = arguments.text(.autoReverseDate)
        extras.dynamicCallbackURL = arguments.text(.dynamicCallbackURL)
        let host = try host(arguments)
        return try refusing(
            try RBS.payment(
                token, merchant: merchant, orderNumber: orderNumber, options: options,
                extras: extras, host: host))
    }

    private static func paymentDirect(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let (payment, order) = try input.opened()
        let orderNumber = try arguments.required(.orderNumber)
        let merchant = arguments.text(.merchant)
        let user = try user(arguments)
        let options = try options(arguments)
        let host = try host(arguments)
        return try refusing(
            try RBS.paymentDirect(
                payment, order: order, orderNumber: orderNumber, user: user, merchant: merchant,
                verifies: arguments.has(.verifyOnly), options: options, host: host))
    }

    private static func tokenPayment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let (payment, order) = try input.opened()
        let user = try user(arguments)
        let returnURL = try arguments.required(.returnURL)
        let orderNumber = arguments.text(.orderNumber)
        let preAuth = try arguments.boolean(.preAuth)
        let host = try host(arguments)
        return try refusing(
            try RBS.tokenPayment(
                payment, order: order, user: user, returnURL: returnURL, orderNumber: orderNumber,
                preAuth: preAuth, host: host))
    }

    private static func orderStatus(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let language = arguments.text(.language)
        let merchantLogin = arguments.text(.merchantLogin)
        let host = try host(arguments)
        if let orderNumber = try orderNumber(arguments) {
            let user = try user(arguments)
            return try refusing(
                try RBS.orderStatus(
                    orderNumber: orderNumber, user: user, merchantLogin: merchantLogin,
                    language: language, host: host))
        }
        let orderId = try arguments.required(.orderID)
        let credentials = try credentials(arguments)
        return try refusing(
            try RBS.orderStatus(
                orderId: orderId, credentials: credentials, language: language, host: host))
    }

    private static func deposit(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let amount = try arguments.number(.amount)
        guard (amount == nil) == arguments.has(.depositAll) else {
            let amount = "\(CommandOption.amount) MINOR"
            throw .usage("deposit needs exactly one of \(amount) and \(CommandOption.depositAll).")
        }
        let deposit = amount.map { RBS.Deposit.amount($0) } ?? .all
        let authorized = try arguments.number(.authorizedAmount)
        let currency = try arguments.currency(.currency)
        let language = arguments.text(.language)
        let host = try host(arguments)
        if let orderNumber = try orderNumber(arguments) {
            let user = try user(arguments)
            let merchantLogin = try arguments.required(.merchantLogin)
            return try refusing(
                try RBS.deposit(
                    deposit, orderNumber: orderNumber, merchantLogin: merchantLogin, user: user,
                    authorized: authorized, currency: currency, language: language, host: host))
        }
        let orderId = try arguments.required(.orderID)
        let credentials = try credentials(arguments)
        return try refusing(
            try RBS.deposit(
                deposit, orderId: orderId, credentials: credentials, authorized: authorized,
                currency: currency, language: language, host: host))
    }

    /// Returns the merchant's order number, which replaces the gateway's order ID; a user token requires the order ID.
    private static func orderNumber(_ arguments: Arguments) throws(CommandFailure) -> String? {
        guard let orderNumber = arguments.text(.orderNumber) else {
            guard !arguments.has(.merchantLogin) else {
                throw .usage(
                    "\(CommandOption.merchantLogin) needs \(CommandOption.orderNumber).")
            }
            return nil
        }
        guard !arguments.has(.orderID), !arguments.has(.userToken) else {
            throw .usage(
                "\(CommandOption.orderNumber) cannot be combined with \(CommandOption.orderID) or "
                    + "\(CommandOption.userToken); leave out one of them.")
        }
        return orderNumber
    }

    private static func options(
        _ arguments: Arguments
    ) throws(CommandFailure) -> RBS.PaymentOptions {
        var options = RBS.PaymentOptions()
        options.description = arguments.text(.description)
        options.language = arguments.text(.language)
        options.preAuth = try arguments.boolean(.preAuth)
        options.clientId = arguments.text(.clientID)
        options.email = arguments.text(.email)
        options.storedCredential = try arguments.choice(.storedCredential)
        options.feeInput = try arguments.number(.feeInput)
        for text in arguments.all(.additionalParameter) {
            let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty else {
                throw .usage(
                    "\(CommandOption.additionalParameter) takes NAME=VALUE, not \(text).")
            }
            let old = options.additionalParameters.updateValue(
                String(sides[1]), forKey: String(sides[0]))
            guard old == nil else {
                throw .usage(
                    "\(CommandOption.additionalParameter) \(sides[0]) was given twice; give each NAME once."
                )
            }
        }
        return options
    }

    private static func host(_ arguments: Arguments) throws(CommandFailure) -> RBS.Host {
        RBS.Host(
            // The body does not contain the origin, and the request cannot be sent without it.
            origin: arguments.requiredToSend(.origin),
            prefix: arguments.text(.pathPrefix) ?? "/payment",
            limits: try arguments.choice(.limits) ?? .bpc)
    }

    private static func user(_ arguments: Arguments) throws(CommandFailure) -> RBS.User {
        RBS.User(
            name: try arguments.required(.userName),
            password: try arguments.secret(.password))
    }

    private static func credentials(
        _ arguments: Arguments
    ) throws(CommandFailure) -> RBS.Credentials {
        guard arguments.has(.userToken) else { return .user(try user(arguments)) }
        guard !arguments.has(.userName), !arguments.has(.password) else {
            throw .usage(
                "give either \(CommandOption.userToken), or \(CommandOption.userName) with "
                    + "\(CommandOption.password).")
        }
        return .token(try arguments.secret(.userToken))
    }
}
