internal import ApplePayGateways
internal import ApplePayToken

extension CommandOption {
    static let firstRecurring = flag("--first-recurring", "it is the first of recurring payments")
    static let includeTokenKeys = flag(
        "--include-token-keys", "send the token's ephemeral public key and publicKeyHash as well")
    static let sessionTimeout = number(
        "--session-timeout", "MINUTES", "how long the page may be used")
    static let allowedAttempts = number(
        "--allowed-number-of-payment-attempts", "N", "how often the customer may try to pay")
    static let billingAgreement = CommandOption(
        "--billing-agreement", "TEXT", "the agreement of a recurring payment")
    static let managementURL = CommandOption(
        "--management-url", "URL", "where the customer manages a recurring payment")
    static let paymentDescription = CommandOption(
        "--payment-description", "TEXT", "the description of a recurring payment")
}

/// The options for one line of a recurring payment; their names begin with the line's name.
private struct LineItemOptions {
    let name: String
    let amount, amountForm, label, timing, start, end, count, unit: CommandOption

    var all: [CommandOption] { [amount, amountForm, label, timing, start, end, count, unit] }

    init(_ name: String, _ line: String) {
        self.name = name
        amount = .number("\(name)-amount", "MINOR", "\(line): its amount in minor units")
        amountForm = .choice(
            "\(name)-amount-form", of: WorldlineDirect.LineItem.AmountForm.self,
            "\(line): how its amount is written; default: decimal")
        label = CommandOption("\(name)-label", "TEXT", "\(line): its label")
        timing = CommandOption("\(name)-payment-timing", "TEXT", "\(line): such as recurring")
        start = CommandOption("\(name)-start-date", "TIME", "\(line): when it begins")
        end = CommandOption("\(name)-end-date", "TIME", "\(line): when it ends")
        count = .number("\(name)-interval-count", "N", "\(line): units in an interval")
        unit = .choice(
            "\(name)-interval-unit", of: WorldlineDirect.LineItem.IntervalUnit.self,
            "\(line): the interval's unit")
    }
}

/// `paytoken request worldline-direct`.
enum WorldlineDirectRequest: GatewayRequestCommand {
    private static let regularBilling = LineItemOptions("--regular-billing", "regular payments")
    private static let trialBilling = LineItemOptions("--trial-billing", "trial payments")
    private static let recurringOptions: [CommandOption] =
        [.billingAgreement, .managementURL, .paymentDescription]
        + regularBilling.all + trialBilling.all
    private static let applePayOptions: [CommandOption] =
        [.tokenize, .isRecurring, .firstRecurring] + recurringOptions
    private static let paymentOptions: [CommandOption] =
        WorldlineOption.paymentAccount + WorldlineOption.paymentOrder
        + [
            .authorizationMode, .requiresApproval, .tokenize, .isRecurring, .firstRecurring,
            .preproduction,
        ]

    private static let payment = AnswerReader.payment {
        Worldline.paymentReport($0, Worldline.Platform.direct)
    }

    static let steps =
        [
            GatewayStep(
                name: "payment", input: .opened,
                options: paymentOptions + [.eciForm, .includeTokenKeys], answer: payment,
                make: charge),
            GatewayStep(
                name: "payment", input: .verified, options: paymentOptions + [.amount, .currency],
                answer: payment, make: charge),
            GatewayStep(
                name: "hosted-checkout",
                options: WorldlineOption.account + WorldlineOption.pageOrder
                    + WorldlineOption.hostedCheckout + [.sessionTimeout, .allowedAttempts]
                    + applePayOptions.filter { !WorldlineOption.hostedCheckout.contains($0) }
                    + [.preproduction],
                answer: .payment { Worldline.pageReport($0, Worldline.Platform.direct) },
                make: hostedCheckout),
        ] + followUp.steps + [
            followUp.question("get-payment-details", .paymentID) {
                Worldline.detailsReport($0)
            } make: { id, api throws(PaymentTokenError) in
                try api.statusRequest(id, suffix: "/details")
            }
        ]

    private static let followUp = WorldlineFollowUp(
        platform: .direct, hosts: [.preproduction],
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
        gateway.options.applePay = try applePay(
            arguments, isRecurring: try arguments.boolean(.isRecurring))
        gateway.options.eciForm = try WorldlineOption.eciForm(arguments)
        gateway.options.includesTokenKeys = arguments.has(.includeTokenKeys)
        let payment = try input.payment(arguments, .merchantReference, key: .idempotenceKey) {
            order throws(CommandFailure) in try WorldlineOption.complete(&order, arguments)
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
        let timeout = try arguments.number(.sessionTimeout)
        let attempts = try arguments.number(.allowedAttempts)
        let applePay = try applePay(arguments, isRecurring: nil)
        return try WorldlineOption.request(
            arguments,
            try refusing(
                try gateway.hostedPage(
                    for: order, attempt, page, sessionTimeout: timeout,
                    allowedPaymentAttempts: attempts, applePay: applePay)))
    }

    /// Returns the account of the options.
    static func gateway(_ arguments: Arguments) throws(CommandFailure) -> WorldlineDirect {
        var gateway = WorldlineDirect(
            merchantId: arguments.requiredToSend(.worldlineMerchantID),
            credentials: try WorldlineOption.credentials(arguments),
            environment: arguments.has(.preproduction) ? .preproduction : .live)
        if let origin = arguments.text(.origin) { gateway.origin = origin }
        return gateway
    }

    /// Returns the settings that are specific to Apple Pay; nil if none of their options is given.
    private static func applePay(
        _ arguments: Arguments,
        isRecurring: Bool?
    ) throws(CommandFailure) -> WorldlineDirect.ApplePayInput? {
        let tokenize = try arguments.boolean(.tokenize)
        let isFirst = arguments.has(.firstRecurring)
        var request = WorldlineDirect.RecurringRequest()
        request.billingAgreement = arguments.text(.billingAgreement)
        request.managementURL = arguments.text(.managementURL)
        request.paymentDescription = arguments.text(.paymentDescription)
        request.regularBilling = try lineItem(arguments, regularBilling)
        request.trialBilling = try lineItem(arguments, trialBilling)
        let isRequested = arguments.hasAny(recurringOptions)
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
        _ line: LineItemOptions
    ) throws(CommandFailure) -> WorldlineDirect.LineItem? {
        guard arguments.hasAny(line.all) else { return nil }
        try arguments.require([line.amount, line.label], for: line.name)
        guard let amount = try arguments.number(line.amount) else {
            throw .usage("\(line.name) needs \(line.amount.usage).")
        }
        var item = WorldlineDirect.LineItem(
            amount: amount, label: try arguments.required(line.label))
        item.amountForm = try arguments.choice(line.amountForm) ?? .decimal
        item.paymentTiming = arguments.text(line.timing)
        item.startDate = arguments.text(line.start)
        item.endDate = arguments.text(line.end)
        item.intervalCount = try arguments.number(line.count)
        item.intervalUnit = try arguments.choice(line.unit)
        return item
    }
}
