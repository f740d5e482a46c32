internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension Worldline {
    /// The account of a gateway file at either platform.
    struct Account<Gateway: Worldline.Gateway>: Sendable {
        var gateway: Gateway
        var page = PageOptions()
        /// The members of a page that only Direct has.
        var sessionTimeout, allowedPaymentAttempts: Int64?
        var pageInput: WorldlineDirect.ApplePayInput?
    }

    /// Declares the gateway of a platform, with the members and the steps that only this platform has.
    static func declaration<Gateway: Worldline.Gateway>(
        _ title: String,
        _ initial: Gateway,
        live: String,
        test: String,
        payment: [FileMember<Account<Gateway>>],
        page: [FileMember<Account<Gateway>>] = [],
        createPage:
            @escaping @Sendable (Account<Gateway>, Order, PaymentAttempt) throws(PaymentTokenError)
            -> GatewayCall<HostedPage>,
        status: @escaping @Sendable (GatewayResponse) -> PaymentReport,
        steps: @escaping @Sendable (Account<Gateway>) -> [AccountStep] = { _ in [] }
    ) -> DeclaredGateway {
        let platform = Gateway.platform
        let sharedPayment: [FileMember<Account<Gateway>>] = [
            mode(\.gateway.options.authorizationMode),
            .optional(
                "requiresApproval", .boolean, \.gateway.options.requiresApproval,
                "whether the payment waits for the merchant's approval",
                key: "mobilePaymentMethodSpecificInput.requiresApproval"),
            indicator(\.gateway.options.addressIndicator),
            .defaulted(
                "eciForm", .choice, \.gateway.options.eciForm,
                "the JSON type of the ECI; default: number",
                key: "decryptedPaymentData.eci"),
        ]
        let sharedPage: [FileMember<Account<Gateway>>] = [
            .optional(
                "locale", .text, \.page.locale, "the page's language, such as en_GB",
                key: "hostedCheckoutSpecificInput.locale"),
            .optional(
                "showResultPage", .boolean, \.page.showResultPage,
                "whether Worldline shows the result",
                key: "hostedCheckoutSpecificInput.showResultPage"),
            .optional(
                "isRecurring", .boolean, \.page.isRecurring,
                "whether more payments will follow",
                key: "hostedCheckoutSpecificInput.isRecurring"),
            .optional(
                "variant", .text, \.page.variant,
                "which of the merchant's page designs is used",
                key: "hostedCheckoutSpecificInput.variant"),
            mode(\.page.authorizationMode), indicator(\.page.addressIndicator),
        ]
        return DeclaredGateway(
            platform.name, title, Account<Gateway>(gateway: initial),
            forms: [.decrypted, .encrypted],
            environment: { $0.gateway.origin = $1 == .live ? live : test },
            origin: { $0.gateway.origin = $1 },
            form: { $0.gateway.options.sendsEncrypted = $1 == .encrypted },
            gateway: { $0.gateway },
            members: [
                .account(
                    .mandatory(
                        "merchantId", .text, \.gateway.merchantId,
                        "the merchant's identifier, also called PSPID", key: "the path",
                        example: "shop")),
                .credentials(
                    "the key that signs requests",
                    .mandatory(
                        "apiKeyId", .text, \.gateway.credentials.apiKeyId, "the key's identifier",
                        key: "Authorization", example: "key-1"),
                    .mandatory(
                        "secretApiKey", .secret, \.gateway.credentials.secretAPIKey,
                        "the secret key, as the merchant's portal shows it", key: "Authorization",
                        example: "WORLDLINE_SECRET")),
                .webhooks(
                    .defaulted(
                        "keys", .map(.secret), \.gateway.webhookKeys,
                        "the secrets of the webhooks keys by their identifiers; both during a key rotation"
                    )),
                .payment(sharedPayment + payment),
                .group("page", "the members of a hosted page", sharedPage + page),
            ] as [FileMember<Account<Gateway>>],
            steps: { account in
                let gateway: @Sendable (StepInput) -> any PaymentGateway = { _ in account.gateway }
                let shared: [AccountStep] = [
                    .payment(gateway) { Worldline.paymentReport($0, platform) },
                    AccountStep(
                        "page", "Creates a hosted page with Apple Pay for the order.",
                        needs: [.order],
                        reader: .payment { response, _ in Worldline.pageReport(response, platform) }
                    ) { input throws(PaymentTokenError) in
                        try createPage(account, input.ordered(), input.attempted())
                            .request(at: input.date)
                    },
                    .query(
                        "status", "Asks for the state of a payment.", needs: [.paymentID], gateway
                    ) { response, _ in status(response) },
                    .query(
                        "page-status", "Asks for the state of a hosted page.", needs: [.sessionID],
                        gateway
                    ) { response, _ in Worldline.pageStatusReport(response, platform) },
                    operation(.capture, gateway, platform, takes: [.isFinal]),
                    operation(.cancellation, gateway, platform),
                    operation(.refund, gateway, platform),
                ]
                return shared + steps(account)
            })
    }

    /// Declares a capture, a cancellation or a refund.
    static func operation(
        _ kind: PaymentOperation.Kind,
        _ gateway: @escaping @Sendable (StepInput) -> any PaymentGateway, _ platform: Platform,
        _ name: String? = nil, _ help: String? = nil, takes: [StepInput.Part] = [],
        status: String? = nil
    ) -> AccountStep {
        .operation(
            kind, name, help, takes: takes,
            takesAmount: kind != .cancellation || platform.isDirect, status: status, gateway
        ) { response, _ in Worldline.operationReport(response, of: kind, platform) }
    }

    private static func mode<Account>(
        _ path: FileMember<Account>.Path<AuthorizationMode?>
    ) -> FileMember<Account> {
        .optional(
            "authorizationMode", .choice, path, "how the amount is authorized",
            key: "mobilePaymentMethodSpecificInput.authorizationMode")
    }

    private static func indicator<Account>(
        _ path: FileMember<Account>.Path<String?>
    ) -> FileMember<Account> {
        .optional(
            "addressIndicator", .text, path, "what kind of destination the shipping address is",
            key: "order.shipping.addressIndicator")
    }
}
