internal import ApplePayGateways
internal import ApplePayToken
internal import FoundationEssentials

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
    static let formerCurrencyCodes = flag(
        "--former-currency-codes", "write 810 for RUB and 974 for BYN")
}

/// `paytoken request rbs`.
enum RBSRequest: GatewayRequestCommand {
    private static let hostOptions: [CommandOption] = [.pathPrefix, .limits]
    private static let userOptions: [CommandOption] = [.userName.mandatory, .password.mandatory]
    private static let reference = CommandOption.orderNumber.mandatory(unless: .order).reference
    private static let paymentOptions: [CommandOption] = [
        .description, .language, .preAuth, .clientID,
        .email.described("the customer's e-mail address"), .storedCredential, .feeInput,
        .additionalParameter,
    ]
    private static let loginOptions: [CommandOption] = [
        .userToken, .userName.mandatory(unless: .userToken),
        .password.mandatory(unless: .userToken),
    ]
    private static let paymentAnswer = AnswerReader.payment {
        RBS.paymentReport($0, canBeAsked: true)
    }

    static let steps: [GatewayStep] = [
        GatewayStep(
            name: "payment", input: .verified,
            options: hostOptions + [.merchant.mandatory, reference, .amount, .currency]
                + paymentOptions
                + [.phone, .autocompletionDate, .autoReverseDate, .dynamicCallbackURL],
            answer: paymentAnswer
        ) { arguments, input throws(CommandFailure) in try payment(.encrypted, arguments, input) },
        GatewayStep(
            name: "payment", input: .opened,
            options: hostOptions + userOptions + [reference, .merchant] + paymentOptions
                + [.verifyOnly],
            answer: paymentAnswer
        ) { arguments, input throws(CommandFailure) in try payment(.decrypted, arguments, input) },
        GatewayStep(
            name: "token-payment", input: .opened,
            options: hostOptions + userOptions
                + [.returnURL.mandatory, reference, .preAuth, .formerCurrencyCodes],
            answer: paymentAnswer
        ) { arguments, input throws(CommandFailure) in try payment(.token, arguments, input) },
        .question(
            "order-status",
            hostOptions + [.orderID.mandatory(unless: .orderNumber), .orderNumber, .merchantLogin]
                + loginOptions, { answer, _ in RBS.statusReport(answer) }, make: orderStatus),
        operation(.capture, "deposit"), operation(.cancellation, "reverse"),
        operation(.refund, "refund"),
    ]

    private static func operation(_ kind: PaymentOperation.Kind, _ name: String) -> GatewayStep {
        .operation(
            kind, name: name, id: .orderID,
            // Only the refund depends on the limits: BPC's manual has a reference for it.
            (kind == .refund ? hostOptions : [.pathPrefix]) + loginOptions,
            answer: .operation(kind) { RBS.operationReport($0, of: kind) },
            gateway: { arguments throws(CommandFailure) in try gateway(arguments) })
    }

    private static func payment(
        _ kind: RBS.Kind,
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        var gateway = try gateway(arguments)
        gateway.options = try options(arguments)
        gateway.options.kind = kind
        let payment = try input.payment(arguments, .orderNumber) { order throws(CommandFailure) in
            order.description = arguments.text(.description)
            order.language = arguments.text(.language)
            order.returnURL = arguments.text(.returnURL)
            guard let email = arguments.text(.email) else { return }
            var customer = PaymentContact()
            customer.emailAddress = email
            order.customer = customer
        }
        return try refusing(try gateway.payment(payment).request(at: Date()))
    }

    private static func orderStatus(
        _ arguments: Arguments
    ) throws(CommandFailure) -> GatewayRequest {
        let others: [CommandOption] = [.orderID, .userToken]
        if arguments.has(.orderNumber), let other = arguments.first(of: others) {
            throw .usage(
                "\(CommandOption.orderNumber) cannot be combined with \(other); leave out one of them."
            )
        }
        guard arguments.has(.orderNumber) || !arguments.has(.merchantLogin) else {
            throw .usage("\(CommandOption.merchantLogin) needs \(CommandOption.orderNumber).")
        }
        var gateway = try gateway(arguments)
        gateway.options.merchantLogin = arguments.text(.merchantLogin)
        var attempt = try arguments.anyAttempt(arguments.text(.orderNumber) ?? "any")
        attempt.paymentID = arguments.text(.orderID)
        return try refusing(try gateway.status(of: attempt).request(at: Date()))
    }

    private static func gateway(_ arguments: Arguments) throws(CommandFailure) -> RBS {
        var gateway = RBS(
            host: RBS.Host(
                // The body does not contain the origin, and the request cannot be sent without it.
                origin: arguments.requiredToSend(.origin),
                prefix: arguments.text(.pathPrefix) ?? "/payment",
                limits: try arguments.choice(.limits) ?? .bpc))
        gateway.merchant = arguments.text(.merchant)
        guard !arguments.has(.userToken) else {
            guard !arguments.has(.userName), !arguments.has(.password) else {
                throw .usage(
                    "give either \(CommandOption.userToken), or \(CommandOption.userName) with "
                        + "\(CommandOption.password).")
            }
            gateway.token = try arguments.secret(.userToken)
            return gateway
        }
        guard let name = arguments.text(.userName) else { return gateway }
        gateway.user = RBS.User(name: name, password: try arguments.secret(.password))
        return gateway
    }

    private static func options(_ arguments: Arguments) throws(CommandFailure) -> RBS.Options {
        var options = RBS.Options()
        options.preAuth = try arguments.boolean(.preAuth)
        options.clientId = arguments.text(.clientID)
        options.storedCredential = try arguments.choice(.storedCredential)
        options.feeInput = try arguments.number(.feeInput)
        options.phone = arguments.text(.phone)
        options.autocompletionDate = arguments.text(.autocompletionDate)
        options.autoReverseDate = arguments.text(.autoReverseDate)
        options.dynamicCallbackURL = arguments.text(.dynamicCallbackURL)
        options.verifiesOnly = arguments.has(.verifyOnly)
        options.sendsFormerCurrencyCodes = arguments.has(.formerCurrencyCodes)
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
}
