internal import ApplePayGateways
internal import ApplePayToken

extension CommandOption {
    static let sandbox = flag("--sandbox", "address the sandbox instead of the live server")
    static let customerReference = CommandOption(
        "--customer-reference", "TEXT", "what the merchant calls the customer")
    static let sequenceIndicator = CommandOption(
        "--recurring-payment-sequence-indicator", "NAME",
        "which of the recurring payments it is, such as first")
    static let skipFraudService = boolean(
        "--skip-fraud-service", "whether Worldline's fraud service is left out")
}

/// `paytoken request worldline-connect`.
enum WorldlineConnectRequest: GatewayRequestCommand {
    private static let hostOptions: [CommandOption] = [.preproduction, .sandbox]
    private static let paymentOptions: [CommandOption] =
        WorldlineOption.paymentAccount + WorldlineOption.paymentOrder + [
            .authorizationMode, .requiresApproval, .customerReference, .tokenize, .isRecurring,
            .sequenceIndicator, .skipFraudService,
        ] + hostOptions

    static let steps =
        [
            GatewayStep(
                name: "payment", input: .opened, options: paymentOptions + [.eciForm],
                answer: WorldlineFollowUp<WorldlineConnect>.paymentAnswer, make: payment),
            GatewayStep(
                name: "payment", input: .verified, options: paymentOptions + [.amount, .currency],
                answer: WorldlineFollowUp<WorldlineConnect>.paymentAnswer, make: encryptedPayment),
            GatewayStep(
                name: "hosted-checkout", input: .none,
                options: WorldlineOption.account + WorldlineOption.pageOrder
                    + WorldlineOption.hostedCheckout + hostOptions,
                answer: Worldline.HostedCheckoutAnswer.init, make: hostedCheckout),
        ] + followUp.steps

    private static let followUp = WorldlineFollowUp<WorldlineConnect>(
        hosts: hostOptions, account: account)

    private static func payment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let (payment, order) = try input.opened()
        let account = try account(arguments)
        var options = try options(arguments)
        options.eciForm = try WorldlineOption.eciForm(arguments)
        return try WorldlineOption.signed(
            arguments,
            try WorldlineConnect.createPayment(
                payment, order: order, account: account, options: options))
    }

    private static func encryptedPayment(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let token = try input.verified()
        let order = try input.order(arguments)
        let account = try account(arguments)
        let options = try options(arguments)
        return try WorldlineOption.signed(
            arguments,
            try WorldlineConnect.createPayment(
                token, order: order, account: account, options: options))
    }

    private static func hostedCheckout(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let order = try arguments.statedOrder()
        let checkout = try WorldlineOption.checkout(arguments)
        let account = try account(arguments)
        return try WorldlineOption.signed(
            arguments,
            try WorldlineConnect.createHostedCheckout(order: order, checkout, account: account))
    }

    private static func account(
        _ arguments: Arguments
    ) throws(CommandFailure) -> WorldlineConnect.Account {
        let given = hostOptions.filter(arguments.has)
        guard given.count + (arguments.has(.origin) ? 1 : 0) <= 1 else {
            throw .usage("give only one of \(([.origin] + hostOptions).sentence).")
        }
        return WorldlineConnect.Account(
            merchantId: arguments.text(.worldlineMerchantID),
            environment: arguments.has(.preproduction)
                ? .preproduction : arguments.has(.sandbox) ? .sandbox : .live)
    }

    private static func options(
        _ arguments: Arguments
    ) throws(CommandFailure) -> WorldlineConnect.CreatePaymentOptions {
        var options = WorldlineConnect.CreatePaymentOptions()
        options.authorizationMode = try arguments.choice(.authorizationMode)
        options.requiresApproval = try arguments.boolean(.requiresApproval)
        options.merchantReference = arguments.text(.merchantReference)
        options.customer = try WorldlineOption.customer(arguments)
        options.shipping = try WorldlineOption.shipping(arguments)
        options.customerReference = arguments.text(.customerReference)
        options.tokenize = try arguments.boolean(.tokenize)
        options.isRecurring = try arguments.boolean(.isRecurring)
        options.recurringPaymentSequenceIndicator = arguments.text(.sequenceIndicator)
        options.skipFraudService = try arguments.boolean(.skipFraudService)
        options.idempotenceKey = arguments.text(.idempotenceKey)
        return options
    }
}
