internal import ApplePayGateways
internal import ApplePayToken

/// `paytoken request worldline-connect`.
enum WorldlineConnectRequest: GatewayRequestCommand {
    private static let paymentOptions = WorldlineOption.account.union(WorldlineOption.order)
        .union([
            "--authorization-mode", "--requires-approval", "--customer-reference", "--tokenize",
            "--is-recurring", "--recurring-payment-sequence-indicator", "--skip-fraud-service",
            "--idempotence-key", "--origin",
        ])
    private static let hostFlags: Set = ["--preproduction", "--sandbox"]

    static let steps = [
        GatewayStep(
            name: "payment", input: .opened, options: paymentOptions.union(["--eci-form"]),
            flags: hostFlags, referenceOption: "--merchant-reference",
            headerOptions: WorldlineOption.headers, make: payment),
        GatewayStep(
            name: "payment", input: .verified,
            options: paymentOptions.union(["--amount", "--currency"]), flags: hostFlags,
            referenceOption: "--merchant-reference", headerOptions: WorldlineOption.headers,
            make: encryptedPayment),
        GatewayStep(
            name: "hosted-checkout", input: .none,
            options: WorldlineOption.account.union(WorldlineOption.order)
                .union(WorldlineOption.hostedCheckout).union(["--origin"]), flags: hostFlags,
            make: hostedCheckout),
        GatewayStep(
            name: "get-payment", input: .none,
            options: WorldlineOption.account.union(["--payment-id", "--origin"]),
            flags: hostFlags, make: getPayment),
        GatewayStep(
            name: "get-hosted-checkout", input: .none,
            options: WorldlineOption.account.union(["--hosted-checkout-id", "--origin"]),
            flags: hostFlags, make: getHostedCheckout),
    ]

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let (payment, order) = try RequestOption.opened(input)
        let account = try account(arguments)
        var options = try options(arguments)
        options.eciForm = try WorldlineOption.eciForm(arguments)
        return try WorldlineOption.signed(arguments) { () throws(PaymentTokenError) in
            try WorldlineConnect.createPayment(
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
            try WorldlineConnect.createPayment(
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
        return try WorldlineOption.signed(arguments) { () throws(PaymentTokenError) in
            try WorldlineConnect.createHostedCheckout(order: order, checkout, account: account)
        }
    }

    private static func getPayment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let id = try RequestOption.mandatory(arguments, "--payment-id")
        let account = try account(arguments)
        return try WorldlineOption.signed(arguments) { () throws(PaymentTokenError) in
            try WorldlineConnect.getPayment(id, account: account)
        }
    }

    private static func getHostedCheckout(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let id = try RequestOption.mandatory(arguments, "--hosted-checkout-id")
        let account = try account(arguments)
        return try WorldlineOption.signed(arguments) { () throws(PaymentTokenError) in
            try WorldlineConnect.getHostedCheckout(id, account: account)
        }
    }

    private static func account(
        _ arguments: Arguments
    ) throws(RequestFailure) -> WorldlineConnect.Account {
        let origin = try RequestOption.text(arguments, "--origin")
        let hosts: [WorldlineConnect.Environment?] = [
            origin.map { .origin($0) }, arguments.has("--preproduction") ? .preproduction : nil,
            arguments.has("--sandbox") ? .sandbox : nil,
        ]
        let given = hosts.compactMap { $0 }
        guard given.count <= 1 else {
            throw .command(
                .usage("--origin, --preproduction and --sandbox exclude one another."))
        }
        return WorldlineConnect.Account(
            merchantId: try RequestOption.text(arguments, "--worldline-merchant-id"),
            environment: given.first ?? .live)
    }

    private static func options(
        _ arguments: Arguments
    ) throws(RequestFailure) -> WorldlineConnect.CreatePaymentOptions {
        var options = WorldlineConnect.CreatePaymentOptions()
        options.authorizationMode = try RequestOption.choice(arguments, "--authorization-mode")
        options.requiresApproval = try RequestOption.boolean(arguments, "--requires-approval")
        options.merchantReference = try RequestOption.text(arguments, "--merchant-reference")
        options.customer = try WorldlineOption.customer(arguments)
        options.shipping = try WorldlineOption.shipping(arguments)
        options.customerReference = try RequestOption.text(arguments, "--customer-reference")
        options.tokenize = try RequestOption.boolean(arguments, "--tokenize")
        options.isRecurring = try RequestOption.boolean(arguments, "--is-recurring")
        options.recurringPaymentSequenceIndicator = try RequestOption.text(
            arguments, "--recurring-payment-sequence-indicator")
        options.skipFraudService = try RequestOption.boolean(arguments, "--skip-fraud-service")
        options.idempotenceKey = try RequestOption.text(arguments, "--idempotence-key")
        return options
    }
}
