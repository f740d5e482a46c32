internal import ApplePayGateways
internal import ApplePayToken

extension WorldlineDirect {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = WorldlineDirect(
            merchantId: "", credentials: .init(apiKeyId: "", secretAPIKey: .unset),
            environment: .preproduction)
        var page = Worldline.PageOptions()
        var sessionTimeout: Int64?
        var allowedPaymentAttempts: Int64?
        var pageInput: ApplePayInput?
    }

    private typealias Shared = Worldline.Declaration<Account>

    static let declaration = GatewayDeclaration<Account>(
        Worldline.Platform.direct.name, "Worldline Direct", Account(),
        forms: [.decrypted, .encrypted],
        environment: { account, environment in
            account.gateway.origin =
                (environment == .live ? Environment.live : Environment.preproduction).rawValue
        },
        origin: { $0.gateway.origin = $1 },
        form: { $0.gateway.options.sendsEncrypted = $1 == .encrypted },
        gateway: { $0.gateway },
        members: [
            Shared.account(\.gateway.merchantId),
            Shared.credentials(\.gateway.credentials),
            Shared.webhooks(\.gateway.webhookKeys),
            .group(
                "payment", "the members of a payment that are the same for every order",
                [
                    .choice(
                        "authorizationMode", \.gateway.options.authorizationMode,
                        "how the amount is authorized",
                        key: "mobilePaymentMethodSpecificInput.authorizationMode", name: \.rawValue),
                    .boolean(
                        "requiresApproval", \.gateway.options.requiresApproval,
                        "whether the payment waits for the merchant's approval",
                        key: "mobilePaymentMethodSpecificInput.requiresApproval"),
                    .text(
                        "addressIndicator", \.gateway.options.addressIndicator,
                        "what kind of destination the shipping address is",
                        key: "order.shipping.addressIndicator"),
                    .choice(
                        "eciForm", \.gateway.options.eciForm,
                        "the JSON type of the ECI; default: number",
                        key: "decryptedPaymentData.eci", name: \.rawValue),
                    .flag(
                        "includesTokenKeys", \.gateway.options.includesTokenKeys,
                        "whether the token's keys are sent with a decrypted payment",
                        key: "ephemeralKey, publicKeyHash"),
                    .object(
                        "applePay", \.gateway.options.applePay, ApplePayInput(),
                        "cards on file", key: "paymentProduct302SpecificInput", cardsOnFile),
                ]),
            Shared.page(
                \.page,
                [
                    .integer(
                        "sessionTimeout", \.sessionTimeout,
                        "how many minutes the page may be used; Worldline's default: 180",
                        key: "hostedCheckoutSpecificInput.sessionTimeout", 1...Int64.max),
                    .integer(
                        "allowedNumberOfPaymentAttempts", \.allowedPaymentAttempts,
                        "how often the customer may try to pay; Worldline's default: 10",
                        key: "hostedCheckoutSpecificInput.allowedNumberOfPaymentAttempts", 1...10),
                    .object(
                        "applePay", \.pageInput, ApplePayInput(),
                        "cards on file and recurring payments",
                        key: "paymentProduct302SpecificInput",
                        cardsOnFile + [
                            .object(
                                "recurring", \.recurringRequest, RecurringRequest(),
                                "the text that the page shows about recurring payments",
                                key: "applePayRecurringPaymentRequest", recurring)
                        ]),
                ]),
        ],
        steps: Shared.steps(
            .direct, gateway: { $0.gateway }, api: { $0.gateway.api },
            page: { account, order, attempt throws(PaymentTokenError) in
                try account.gateway.hostedPage(
                    for: order, attempt, account.page, sessionTimeout: account.sessionTimeout,
                    allowedPaymentAttempts: account.allowedPaymentAttempts,
                    applePay: account.pageInput)
            }, suffix: "/details", status: { Worldline.detailsReport($0) }))

    private static let cardsOnFile: [FileMember<ApplePayInput>] = [
        .boolean("tokenize", \.tokenize, "whether Worldline stores the card", key: "tokenize"),
        .boolean(
            "isRecurring", \.isRecurring, "whether more payments will follow", key: "isRecurring"),
        .flag(
            "isFirstRecurring", \.isFirstRecurring,
            "whether it is the first of recurring payments",
            key: "recurring.recurringPaymentSequenceIndicator"),
    ]

    private static let recurring: [FileMember<RecurringRequest>] = [
        .text(
            "billingAgreement", \.billingAgreement, "the agreement of a recurring payment",
            key: "billingAgreement"),
        .text(
            "managementUrl", \.managementURL, "where the customer manages a recurring payment",
            key: "managementUrl"),
        .text(
            "paymentDescription", \.paymentDescription, "the description of a recurring payment",
            key: "paymentDescription"),
        .object(
            "regularBilling", \.regularBilling, LineItem(amount: 0, label: ""),
            "the regular payments", key: "regularBilling", line),
        .object(
            "trialBilling", \.trialBilling, LineItem(amount: 0, label: ""), "the trial payments",
            key: "trialBilling", line),
    ]

    private static let line: [FileMember<LineItem>] = [
        FileMember(
            "amount", .integer(0...Int64.max), mandatory: true, "the amount in minor units",
            key: "amount"
        ) { file, line throws(MemberFault) in line.amount = try file.integer(0...Int64.max) },
        .choice(
            "amountForm", \.amountForm, "how the amount is written; default: decimal",
            key: "amount", name: \.rawValue),
        .text("label", \.label, "the label", key: "label", example: "Monthly"),
        .text(
            "paymentTiming", \.paymentTiming, "such as recurring", key: "paymentTiming"),
        .text(
            "startDate", \.startDate, "when it begins", key: "recurringPaymentStartDate"),
        .text("endDate", \.endDate, "when it ends", key: "recurringPaymentEndDate"),
        .integer(
            "intervalCount", \.intervalCount, "units in an interval",
            key: "recurringPaymentIntervalCount"),
        .choice(
            "intervalUnit", \.intervalUnit, "the interval's unit",
            key: "recurringPaymentIntervalUnit", name: \.rawValue),
    ]
}
