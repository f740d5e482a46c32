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

    private static let payment = AnswerReader.payment {
        Worldline.paymentReport($0, Worldline.Platform.connect)
    }

    static let steps =
        [
            GatewayStep(
                name: "payment", input: .opened, options: paymentOptions + [.eciForm],
                answer: payment, make: charge),
            GatewayStep(
                name: "payment", input: .verified, options: paymentOptions + [.amount, .currency],
                answer: payment, make: charge),
            GatewayStep(
                name: "hosted-checkout",
                options: WorldlineOption.account + WorldlineOption.pageOrder
                    + WorldlineOption.hostedCheckout + hostOptions,
                answer: .payment { Worldline.pageReport($0, Worldline.Platform.connect) },
                make: hostedCheckout),
        ] + followUp.steps + [
            followUp.operation(.capture, "approve", [], status: "PENDING_APPROVAL"),
            .question(
                "find-payments",
                WorldlineOption.account + [.merchantReference.mandatory] + hostOptions,
                { WorldlineConnect.searchReport($0, $1.reference) },
                make: { arguments throws(CommandFailure) in
                    let gateway = try gateway(arguments)
                    let reference = try arguments.required(.merchantReference)
                    return try WorldlineOption.signed(
                        arguments, try refusing(try gateway.searchRequest(reference)))
                }),
        ]

    private static let followUp = WorldlineFollowUp(
        platform: .connect, hosts: hostOptions,
        gateway: { arguments throws(CommandFailure) in try gateway(arguments) },
        api: { arguments throws(CommandFailure) in try gateway(arguments).api })

    private static func charge(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        var gateway = try gateway(arguments)
        gateway.options.sendsEncrypted = arguments.has(.encrypted)
        gateway.options.authorizationMode = try arguments.choice(.authorizationMode)
        gateway.options.requiresApproval = try arguments.boolean(.requiresApproval)
        gateway.options.addressIndicator = arguments.text(.addressIndicator)
        gateway.options.tokenize = try arguments.boolean(.tokenize)
        gateway.options.isRecurring = try arguments.boolean(.isRecurring)
        gateway.options.recurringPaymentSequenceIndicator = arguments.text(.sequenceIndicator)
        gateway.options.skipFraudService = try arguments.boolean(.skipFraudService)
        gateway.options.eciForm = try WorldlineOption.eciForm(arguments)
        let payment = try input.payment(arguments, .merchantReference, key: .idempotenceKey) {
            order throws(CommandFailure) in
            try WorldlineOption.complete(&order, arguments)
            order.customerReference = arguments.text(.customerReference)
        }
        return try WorldlineOption.request(arguments, try refusing(try gateway.payment(payment)))
    }

    private static func hostedCheckout(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let gateway = try gateway(arguments)
        let order = try WorldlineOption.pageOrder(arguments)
        let attempt = try arguments.attempt(order)
        let page = try WorldlineOption.page(arguments)
        return try WorldlineOption.request(
            arguments, try refusing(try gateway.hostedPage(for: order, attempt, page)))
    }

    /// Returns the account of the options.
    static func gateway(_ arguments: Arguments) throws(CommandFailure) -> WorldlineConnect {
        let given = hostOptions.filter(arguments.has)
        guard given.count + (arguments.has(.origin) ? 1 : 0) <= 1 else {
            throw .usage("give only one of \(([.origin] + hostOptions).sentence).")
        }
        var gateway = WorldlineConnect(
            merchantId: arguments.requiredToSend(.worldlineMerchantID),
            credentials: try WorldlineOption.credentials(arguments),
            environment: arguments.has(.preproduction)
                ? .preproduction : arguments.has(.sandbox) ? .sandbox : .live)
        if let origin = arguments.text(.origin) { gateway.origin = origin }
        return gateway
    }
}
