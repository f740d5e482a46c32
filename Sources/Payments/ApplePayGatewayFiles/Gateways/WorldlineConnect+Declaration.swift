internal import ApplePayGateways
internal import ApplePayToken

extension WorldlineConnect {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = WorldlineConnect(
            merchantId: "", credentials: .init(apiKeyId: "", secretAPIKey: .unset),
            environment: .preproduction)
        var page = Worldline.PageOptions()
    }

    private typealias Shared = Worldline.Declaration<Account>

    static let declaration = GatewayDeclaration<Account>(
        Worldline.Platform.connect.name, "Worldline Connect (GlobalCollect)", Account(),
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
                    .boolean(
                        "tokenize", \.gateway.options.tokenize, "whether Worldline stores the card",
                        key: "mobilePaymentMethodSpecificInput.tokenize"),
                    .boolean(
                        "isRecurring", \.gateway.options.isRecurring,
                        "whether more payments will follow",
                        key: "mobilePaymentMethodSpecificInput.isRecurring"),
                    .text(
                        "recurringPaymentSequenceIndicator",
                        \.gateway.options.recurringPaymentSequenceIndicator,
                        "which of the recurring payments it is, such as first",
                        key: "mobilePaymentMethodSpecificInput.recurring"),
                    .boolean(
                        "skipFraudService", \.gateway.options.skipFraudService,
                        "whether Worldline's fraud service is left out",
                        key: "mobilePaymentMethodSpecificInput.skipFraudService"),
                    .choice(
                        "eciForm", \.gateway.options.eciForm,
                        "the JSON type of the ECI; default: number",
                        key: "decryptedPaymentData.eci", name: \.rawValue),
                ]),
            Shared.page(\.page),
        ],
        steps: Shared.steps(
            .connect, gateway: { $0.gateway }, api: { $0.gateway.api },
            page: { account, order, attempt throws(PaymentTokenError) in
                try account.gateway.hostedPage(for: order, attempt, account.page)
            }, suffix: "", status: { Worldline.statusReport($0, .connect) })
            + [
                GatewayStep(
                    "search", "Asks for all payments with the order's reference.", needs: [.order],
                    reader: .payment { WorldlineConnect.searchReport($0, $1.reference) }
                ) { account, input throws(PaymentTokenError) in
                    try account.gateway.status(of: input.attempted()).request(at: input.date)
                }
            ])
}
