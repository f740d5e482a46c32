internal import ApplePayGateways
internal import ApplePayToken

/// `paytoken request rbs`.
enum RBSRequest: GatewayRequestCommand {
    private static let hostOptions: Set = ["--origin", "--prefix", "--limits"]
    private static let userOptions: Set = ["--user-name", "--password-env"]
    private static let paymentOptions: Set = [
        "--order-number", "--merchant", "--description", "--language", "--pre-auth", "--client-id",
        "--email", "--tii", "--fee-input", "--additional-parameter",
    ]

    static let steps = [
        GatewayStep(
            name: "payment", input: .verified,
            options: hostOptions.union(paymentOptions).union([
                "--phone", "--autocompletion-date", "--auto-reverse-date",
                "--dynamic-callback-url",
            ]), flags: [], referenceOption: "--order-number", make: payment),
        GatewayStep(
            name: "payment", input: .opened,
            options: hostOptions.union(userOptions).union(paymentOptions), flags: ["--verify"],
            referenceOption: "--order-number", make: paymentDirect),
        GatewayStep(
            name: "token-payment", input: .opened,
            options: hostOptions.union(userOptions).union([
                "--return-url", "--order-number", "--pre-auth",
            ]), flags: [], referenceOption: "--order-number", make: tokenPayment),
        GatewayStep(
            name: "order-status", input: .none,
            options: hostOptions.union(userOptions).union([
                "--token-env", "--order-id", "--order-number", "--merchant-login", "--language",
            ]), flags: [], make: orderStatus),
        GatewayStep(
            name: "deposit", input: .none,
            options: hostOptions.union(userOptions).union([
                "--token-env", "--order-id", "--order-number", "--merchant-login", "--amount",
                "--currency", "--language",
            ]), flags: ["--all"], make: deposit),
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let token = try RequestOption.verified(input)
        let merchant = try RequestOption.mandatory(arguments, "--merchant")
        let orderNumber = try RequestOption.text(arguments, "--order-number")
        let options = try options(arguments)
        var extras = RBS.PaymentExtras()
        extras.phone = try RequestOption.text(arguments, "--phone")
        extras.autocompletionDate = try RequestOption.text(arguments, "--autocompletion-date")
        extras.autoReverseDate = try RequestOption.text(arguments, "--auto-reverse-date")
        extras.dynamicCallbackURL = try RequestOption.text(arguments, "--dynamic-callback-url")
        let host = try host(arguments)
        return try RequestOption.said { () throws(PaymentTokenError) in
            try RBS.payment(
                token, merchant: merchant, orderNumber: orderNumber, options: options,
                extras: extras, host: host)
        }
    }

    private static func paymentDirect(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let (payment, order) = try RequestOption.opened(input)
        let orderNumber = try RequestOption.mandatory(arguments, "--order-number")
        let merchant = try RequestOption.text(arguments, "--merchant")
        let user = try user(arguments)
        let options = try options(arguments)
        let host = try host(arguments)
        return try RequestOption.said { () throws(PaymentTokenError) in
            try RBS.paymentDirect(
                payment, order: order, orderNumber: orderNumber, user: user, merchant: merchant,
                verifies: arguments.has("--verify"), options: options, host: host)
        }
    }

    private static func tokenPayment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let (payment, order) = try RequestOption.opened(input)
        let user = try user(arguments)
        let returnURL = try RequestOption.mandatory(arguments, "--return-url")
        let orderNumber = try RequestOption.text(arguments, "--order-number")
        let preAuth = try RequestOption.boolean(arguments, "--pre-auth")
        let host = try host(arguments)
        return try RequestOption.said { () throws(PaymentTokenError) in
            try RBS.tokenPayment(
                payment, order: order, user: user, returnURL: returnURL, orderNumber: orderNumber,
                preAuth: preAuth, host: host)
        }
    }

    private static func orderStatus(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let language = try RequestOption.text(arguments, "--language")
        let merchantLogin = try RequestOption.text(arguments, "--merchant-login")
        let host = try host(arguments)
        if let orderNumber = try orderNumber(arguments) {
            let user = try user(arguments)
            return try RequestOption.said { () throws(PaymentTokenError) in
                try RBS.orderStatus(
                    orderNumber: orderNumber, user: user, merchantLogin: merchantLogin,
                    language: language, host: host)
            }
        }
        let orderId = try RequestOption.mandatory(arguments, "--order-id")
        let credentials = try credentials(arguments)
        return try RequestOption.said { () throws(PaymentTokenError) in
            try RBS.orderStatus(
                orderId: orderId, credentials: credentials, language: language, host: host)
        }
    }

    private static func deposit(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let amount = try RequestOption.number(arguments, "--amount")
        guard (amount == nil) == arguments.has("--all") else {
            throw .command(.usage("deposit needs --amount MINOR or --all, one of them."))
        }
        let deposit = amount.map { RBS.Deposit.amount($0) } ?? .all
        let currency = try RequestOption.currency(arguments)
        let language = try RequestOption.text(arguments, "--language")
        let host = try host(arguments)
        if let orderNumber = try orderNumber(arguments) {
            let user = try user(arguments)
            let merchantLogin = try RequestOption.mandatory(arguments, "--merchant-login")
            return try RequestOption.said { () throws(PaymentTokenError) in
                try RBS.deposit(
                    deposit, orderNumber: orderNumber, merchantLogin: merchantLogin, user: user,
                    currency: currency, language: language, host: host)
            }
        }
        let orderId = try RequestOption.mandatory(arguments, "--order-id")
        let credentials = try credentials(arguments)
        return try RequestOption.said { () throws(PaymentTokenError) in
            try RBS.deposit(
                deposit, orderId: orderId, credentials: credentials,
                currency: currency, language: language, host: host)
        }
    }

    /// The merchant's own number in place of the gateway's; a token allows the latter alone.
    private static func orderNumber(_ arguments: Arguments) throws(RequestFailure) -> String? {
        guard let orderNumber = try RequestOption.text(arguments, "--order-number") else {
            guard arguments.all("--merchant-login").isEmpty else {
                throw .command(.usage("--merchant-login goes with --order-number."))
            }
            return nil
        }
        guard arguments.all("--order-id").isEmpty, arguments.all("--token-env").isEmpty else {
            throw .command(.usage("--order-number excludes --order-id, and --token-env as well."))
        }
        return orderNumber
    }

    private static func options(
        _ arguments: Arguments
    ) throws(RequestFailure) -> RBS.PaymentOptions {
        var options = RBS.PaymentOptions()
        options.description = try RequestOption.text(arguments, "--description")
        options.language = try RequestOption.text(arguments, "--language")
        options.preAuth = try RequestOption.boolean(arguments, "--pre-auth")
        options.clientId = try RequestOption.text(arguments, "--client-id")
        options.email = try RequestOption.text(arguments, "--email")
        options.storedCredential = try RequestOption.choice(arguments, "--tii")
        options.feeInput = try RequestOption.number(arguments, "--fee-input")
        for text in arguments.all("--additional-parameter") {
            let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty else {
                throw .command(.usage("--additional-parameter takes NAME=VALUE, not \(text)."))
            }
            let old = options.additionalParameters.updateValue(
                String(sides[1]), forKey: String(sides[0]))
            guard old == nil else {
                throw .command(.usage("--additional-parameter \(sides[0]) may be given once."))
            }
        }
        return options
    }

    private static func host(_ arguments: Arguments) throws(RequestFailure) -> RBS.Host {
        RBS.Host(
            origin: try RequestOption.mandatory(arguments, "--origin"),
            prefix: try RequestOption.text(arguments, "--prefix") ?? "/payment",
            limits: try RequestOption.choice(arguments, "--limits") ?? .bpc)
    }

    private static func user(_ arguments: Arguments) throws(RequestFailure) -> RBS.User {
        RBS.User(
            name: try RequestOption.mandatory(arguments, "--user-name"),
            password: try RequestOption.secret(arguments, "--password-env"))
    }

    private static func credentials(
        _ arguments: Arguments
    ) throws(RequestFailure) -> RBS.Credentials {
        guard !arguments.all("--token-env").isEmpty else { return .user(try user(arguments)) }
        guard arguments.all("--user-name").isEmpty, arguments.all("--password-env").isEmpty else {
            throw .command(
                .usage("--token-env and --user-name with --password-env exclude one another."))
        }
        return .token(try RequestOption.secret(arguments, "--token-env"))
    }
}
