internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

extension Worldline {
    /// The members of the key that signs requests.
    static let credentialsMembers: [FileMember<Credentials>] = [
        .text(
            "apiKeyId", \.apiKeyId, "the key's identifier", key: "Authorization", example: "key-1"),
        .secret(
            "secretApiKey", \.secretAPIKey, "the secret key, as the merchant's portal shows it",
            key: "Authorization", variable: "WORLDLINE_SECRET"),
    ]

    /// The members of a hosted page.
    static let pageMembers: [FileMember<PageOptions>] = [
        .text(
            "locale", \.locale, "the page's language, such as en_GB",
            key: "hostedCheckoutSpecificInput.locale"),
        .boolean(
            "showResultPage", \.showResultPage, "whether Worldline shows the result",
            key: "hostedCheckoutSpecificInput.showResultPage"),
        .boolean(
            "isRecurring", \.isRecurring, "whether more payments will follow",
            key: "hostedCheckoutSpecificInput.isRecurring"),
        .texts(
            "tokens", \.tokens, "stored cards of the customer",
            key: "hostedCheckoutSpecificInput.tokens"),
        .text(
            "variant", \.variant, "which of the merchant's page designs is used",
            key: "hostedCheckoutSpecificInput.variant"),
        .choice(
            "authorizationMode", \.authorizationMode, "how the amount is authorized",
            key: "mobilePaymentMethodSpecificInput.authorizationMode", name: \.rawValue),
        .text(
            "addressIndicator", \.addressIndicator,
            "what kind of destination the shipping address is",
            key: "order.shipping.addressIndicator"),
    ]

    /// The parts of declarations that both platforms share.
    enum Declaration<Account: Sendable> {
        typealias Path<Value> = any WritableKeyPath<Account, Value> & Sendable

        static func account(_ merchantID: Path<String>) -> FileMember<Account> {
            .group(
                "account", "the merchant's account",
                [
                    .text(
                        "merchantId", merchantID, "the merchant's identifier, also called PSPID",
                        key: "the path", example: "shop")
                ])
        }

        static func credentials(_ credentials: Path<Credentials>) -> FileMember<Account> {
            .group(
                "credentials", "the key that signs requests",
                credentialsMembers.map { $0.lifted(to: credentials) })
        }

        static func webhooks(_ keys: Path<[String: SensitiveBytes]>) -> FileMember<Account> {
            .group(
                "webhooks", "what verifies messages",
                [
                    FileMember(
                        "keys", .map(.secret),
                        "the secrets of the webhooks keys by their identifiers; both during a key rotation"
                    ) { file, account throws(MemberFault) in
                        account[keyPath: keys] = try file.map { value throws(MemberFault) in
                            try value.secret()
                        }
                    }
                ])
        }

        static func page(
            _ page: Path<PageOptions>, _ more: [FileMember<Account>] = []
        ) -> FileMember<Account> {
            .group(
                "page", "the members of a hosted page",
                pageMembers.map { $0.lifted(to: page) } + more)
        }

        /// The steps, those after the payment.
        static func steps(
            _ platform: Platform,
            gateway: @escaping @Sendable (Account) -> any PaymentGateway,
            api: @escaping @Sendable (Account) -> API,
            page:
                @escaping @Sendable (Account, Order, PaymentAttempt) throws(PaymentTokenError)
                -> GatewayCall<HostedPage>,
            suffix: String,
            status: @escaping @Sendable (GatewayResponse) -> PaymentReport
        ) -> [GatewayStep<Account>] {
            let gateway: @Sendable (Account, StepInput) -> any PaymentGateway = { account, _ in
                gateway(account)
            }
            func operation(
                _ kind: PaymentOperation.Kind, _ name: String, _ help: String,
                takes: [StepInput.Part] = [], status: String? = nil
            ) -> GatewayStep<Account> {
                .operation(
                    kind, name, help, takes: takes,
                    takesAmount: kind != .cancellation || platform.isDirect, status: status,
                    gateway: gateway
                ) { response, _ in Worldline.operationReport(response, of: kind, platform) }
            }
            var steps: [GatewayStep<Account>] = [
                .payment("Charges or reserves the order's amount.", gateway: gateway) {
                    _, response in Worldline.paymentReport(response, platform)
                },
                GatewayStep(
                    "page", "Creates a hosted page with Apple Pay for the order.", needs: [.order],
                    reader: .payment { response, _ in Worldline.pageReport(response, platform) }
                ) { account, input throws(PaymentTokenError) in
                    guard let order = input.order else {
                        throw PaymentTokenError(.invalidReference, member: "reference")
                    }
                    return try page(account, order, input.attempted()).request(at: input.date)
                },
                GatewayStep(
                    "status", "Asks for the state of a payment.", needs: [.order, .paymentID],
                    reader: .payment { response, _ in status(response) }
                ) { account, input throws(PaymentTokenError) in
                    let api = api(account)
                    let id = try input.attempted().paymentID ?? ""
                    return try Worldline.authorize(
                        try api.statusRequest(id, suffix: suffix), api.credentials,
                        date: input.date)
                },
                GatewayStep(
                    "page-status", "Asks for the state of a hosted page.",
                    needs: [.order, .sessionID],
                    reader: .payment { response, _ in
                        Worldline.pageStatusReport(response, platform)
                    }
                ) { account, input throws(PaymentTokenError) in
                    let api = api(account)
                    let id = try input.attempted().sessionID ?? ""
                    return try Worldline.authorize(
                        try api.pageStatusRequest(id), api.credentials, date: input.date)
                },
                operation(
                    .capture, "capture", "Charges the reserved amount or a part of it.",
                    takes: [.isFinal]),
                operation(.cancellation, "cancel", "Releases the reserved amount."),
                operation(.refund, "refund", "Gives back the charged amount or a part of it."),
            ]
            guard !platform.isDirect else { return steps }
            steps.append(
                operation(
                    .capture, "approve", "Charges a payment whose status is PENDING_APPROVAL.",
                    status: "PENDING_APPROVAL"))
            return steps
        }
    }
}
