internal import ApplePayGateways
internal import ApplePayToken

/// `paytoken request worldline-direct`.
enum WorldlineDirectRequest: GatewayRequestCommand {
    private static let applePayOptions: Set<String> = {
        let lines = ["regular-billing", "trial-billing"].flatMap { line in
            [
                "amount", "amount-form", "label", "payment-timing", "start-date", "end-date",
                "interval-count", "interval-unit",
            ].map { "--\(line)-\($0)" }
        }
        return Set(lines).union([
            "--tokenize", "--is-recurring", "--billing-agreement", "--management-url",
            "--payment-description",
        ])
    }()

    private static let paymentOptions =
        applePayOptions
        .union(WorldlineOption.account).union(WorldlineOption.order)
        .union(["--authorization-mode", "--requires-approval", "--idempotence-key"])

    static let steps = [
        GatewayStep(
            name: "payment", input: .opened, options: paymentOptions.union(["--eci-form"]),
            flags: ["--preproduction", "--first-recurring", "--include-token-keys"],
            referenceOption: "--merchant-reference", headerOptions: WorldlineOption.headers,
            make: payment),
        GatewayStep(
            name: "payment", input: .verified,
            options: paymentOptions.union(["--amount", "--currency"]),
            flags: ["--preproduction", "--first-recurring"],
            referenceOption: "--merchant-reference", headerOptions: WorldlineOption.headers,
            make: encryptedPayment),
        GatewayStep(
            name: "hosted-checkout", input: .none,
            options: applePayOptions.union(WorldlineOption.account).union(WorldlineOption.order)
                .union(WorldlineOption.hostedCheckout)
                .union(["--session-timeout", "--allowed-number-of-payment-attempts"]),
            flags: ["--preproduction", "--first-recurring"], make: hostedCheckout),
        GatewayStep(
            name: "get-payment", input: .none,
            options: WorldlineOption.account.union(["--payment-id"]), flags: ["--preproduction"],
            make: getPayment),
        GatewayStep(
            name: "get-hosted-checkout", input: .none,
            options: WorldlineOption.account.union(["--hosted-checkout-id"]),
            flags: ["--preproduction"], make: getHostedCheckout),
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let (payment, order) = try RequestOption.opened(input)
        let account = try account(arguments)
        var options = try options(arguments)
        options.eciForm = try WorldlineOption.eciForm(arguments)
        options.includesTokenKeys = arguments.has("--include-token-keys")
        return try WorldlineOption.signed(arguments) { () throws(PaymentTokenError) in
            try WorldlineDirect.createPayment(
                payment, order: order, account: account, options: options)
        }
    }

    private static func encryptedPayment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let token = try RequestOption.verified(input)
        let order = try RequestOption.order(arguments, input)
        let account = try account(arguments)
        let options = try options(arguments)
        return try WorldlineOption.signed(arguments) { () throws(PaymentTokenError) in
            try WorldlineDirect.createPayment(
                token, order: order, account: account, options: options)
        }
    }

    private static func hostedCheckout(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let order = try RequestOption.statedOrder(arguments)
        let checkout = try WorldlineOption.checkout(arguments)
        let account = try account(arguments)
        let timeout = try RequestOption.number(arguments, "--session-timeout")
        let attempts = try RequestOption.number(
            arguments, "--allowed-number-of-payment-attempts")
        let applePay = try applePay(arguments, isRecurring: nil)
        return try WorldlineOption.signed(arguments) { () throws(PaymentTokenError) in
            try WorldlineDirect.createHostedCheckout(
                order: order, checkout, account: account, sessionTimeout: timeout,
                allowedPaymentAttempts: attempts, applePay: applePay)
        }
    }

    private static func getPayment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let id = try RequestOption.mandatory(arguments, "--payment-id")
        let account = try account(arguments)
        return try WorldlineOption.signed(arguments) { () throws(PaymentTokenError) in
            try WorldlineDirect.getPayment(id, account: account)
        }
    }

    private static func getHostedCheckout(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let id = try RequestOption.mandatory(arguments, "--hosted-checkout-id")
        let account = try account(arguments)
        return try WorldlineOption.signed(arguments) { () throws(PaymentTokenError) in
            try WorldlineDirect.getHostedCheckout(id, account: account)
        }
    }

    private static func account(
        _ arguments: Arguments
    ) throws(RequestFailure) -> WorldlineDirect.Account {
        WorldlineDirect.Account(
            merchantId: try RequestOption.text(arguments, "--worldline-merchant-id"),
            environment: arguments.has("--preproduction") ? .preproduction : .live)
    }

    private static func options(
        _ arguments: Arguments
    ) throws(RequestFailure) -> WorldlineDirect.CreatePaymentOptions {
        var options = WorldlineDirect.CreatePaymentOptions()
        options.authorizationMode = try RequestOption.choice(arguments, "--authorization-mode")
        options.requiresApproval = try RequestOption.boolean(arguments, "--requires-approval")
        options.merchantReference = try RequestOption.text(arguments, "--merchant-reference")
        options.customer = try WorldlineOption.customer(arguments)
        options.shipping = try WorldlineOption.shipping(arguments)
        options.applePay = try applePay(
            arguments,
            isRecurring: try RequestOption.boolean(arguments, "--is-recurring"))
        options.idempotenceKey = try RequestOption.text(arguments, "--idempotence-key")
        return options
    }

    /// What is special to Apple Pay; nil when nothing of it is given.
    private static func applePay(
        _ arguments: Arguments,
        isRecurring: Bool?
    ) throws(RequestFailure) -> WorldlineDirect.ApplePayInput? {
        let tokenize = try RequestOption.boolean(arguments, "--tokenize")
        let isFirst = arguments.has("--first-recurring")
        var request = WorldlineDirect.RecurringRequest()
        request.billingAgreement = try RequestOption.text(arguments, "--billing-agreement")
        request.managementURL = try RequestOption.text(arguments, "--management-url")
        request.paymentDescription = try RequestOption.text(arguments, "--payment-description")
        request.regularBilling = try lineItem(arguments, "--regular-billing")
        request.trialBilling = try lineItem(arguments, "--trial-billing")
        let isRequested = applePayOptions.subtracting(["--tokenize", "--is-recurring"])
            .contains { !arguments.all($0).isEmpty }
        guard isRequested || tokenize != nil || isRecurring != nil || isFirst else { return nil }
        var input = WorldlineDirect.ApplePayInput()
        input.tokenize = tokenize
        input.isRecurring = isRecurring
        input.isFirstRecurring = isFirst
        input.recurringRequest = isRequested ? request : nil
        return input
    }

    private static func lineItem(
        _ arguments: Arguments,
        _ name: String
    ) throws(RequestFailure) -> WorldlineDirect.LineItem? {
        guard applePayOptions.contains(where: { $0.hasPrefix(name) && !arguments.all($0).isEmpty })
        else { return nil }
        guard let amount = try RequestOption.number(arguments, "\(name)-amount") else {
            throw .command(.usage("\(name) needs \(name)-amount."))
        }
        var item = WorldlineDirect.LineItem(
            amount: amount, label: try RequestOption.mandatory(arguments, "\(name)-label"))
        item.amountForm = try RequestOption.choice(arguments, "\(name)-amount-form") ?? .decimal
        item.paymentTiming = try RequestOption.text(arguments, "\(name)-payment-timing")
        item.startDate = try RequestOption.text(arguments, "\(name)-start-date")
        item.endDate = try RequestOption.text(arguments, "\(name)-end-date")
        item.intervalCount = try RequestOption.number(arguments, "\(name)-interval-count")
        item.intervalUnit = try RequestOption.choice(arguments, "\(name)-interval-unit")
        return item
    }
}
