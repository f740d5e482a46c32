internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension RBS {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = RBS(host: Host(origin: ""))
        var userName: String?
        var password: SensitiveBytes?
        var paysWithToken = false
    }

    static let declaration = GatewayDeclaration<Account>(
        gatewayName, "RBS and BPC", Account(), forms: [.decrypted, .encrypted],
        // Each bank has servers of its own.
        environment: nil,
        origin: { $0.gateway.host.origin = $1 },
        form: { account, form in
            account.gateway.options.kind =
                form == .encrypted ? .encrypted : account.paysWithToken ? .token : .decrypted
        },
        check: { account throws(MemberFault) in
            if (account.userName == nil) != (account.password == nil) {
                throw MemberFault(
                    account.password == nil ? "credentials.password" : "credentials.userName",
                    "is missing: a login needs both")
            }
            if account.gateway.options.kind == .encrypted {
                guard account.gateway.merchant != nil else {
                    throw MemberFault(
                        "account.merchant",
                        "is missing: encrypted tokens are paid with the merchant's login for Apple Pay"
                    )
                }
            } else if account.userName == nil, account.gateway.token == nil {
                throw MemberFault(
                    "credentials.userName",
                    "is missing: decrypted payments need a login, and queries and operations a login or a token"
                )
            }
        },
        gateway: { $0.complete() },
        abilities: GatewayAbilities(
            [.decrypted, .encrypted], status: [.identifier, .reference],
            operations: [.capture: .part, .cancellation: .whole, .refund: .part]),
        members: [
            .group(
                "account", "the merchant's account",
                [
                    .text(
                        "prefix", \.prefix,
                        "the beginning of the server's paths; default: /payment",
                        key: "the path"),
                    .choice(
                        "limits", \.gateway.host.limits,
                        "whose limits on lengths are applied; default: bpc", name: \.rawValue),
                    .text(
                        "merchant", \.gateway.merchant,
                        "the merchant's login for Apple Pay; mandatory for encrypted tokens",
                        key: "merchant", 1...255, example: "shop"),
                    .text(
                        "merchantLogin", \.gateway.options.merchantLogin,
                        "the merchant of the order, in a query by reference", key: "merchantLogin"),
                ]),
            .group(
                "credentials", "what authenticates requests",
                [
                    .text(
                        "userName", \.userName, "the merchant's login", key: "userName",
                        example: "shop-api"),
                    .secret(
                        "password", \.password, "the login's password", key: "password",
                        variable: "RBS_PASSWORD"),
                    .secret(
                        "token", \.gateway.token, "the merchant's token, instead of a login",
                        key: "token"),
                ]),
            .group(
                "payment", "the members of a payment that are the same for every order",
                [
                    .flag(
                        "paysWithToken", \.paysWithToken,
                        "whether decrypted payments use /token/payment.do, which states the amount",
                        key: "the path"),
                    .boolean(
                        "preAuth", \.gateway.options.preAuth,
                        "whether the amount is reserved and deposited later", key: "preAuth"),
                    .text(
                        "clientId", \.gateway.options.clientId, "the customer at the gateway",
                        key: "clientId", 1...255),
                    .choice(
                        "storedCredential", \.gateway.options.storedCredential,
                        "who begins the transaction, and with which card", key: "tii",
                        name: \.rawValue),
                    .integer(
                        "feeInput", \.gateway.options.feeInput, "the fee in minor units",
                        key: "feeInput"),
                    FileMember(
                        "additionalParameters", .map(.text(0...Int.max)),
                        "parameters of the merchant", key: "additionalParameters"
                    ) { file, account throws(MemberFault) in
                        account.gateway.options.additionalParameters = try file.map {
                            value throws(MemberFault) in try value.text(0...Int.max)
                        }
                    },
                    .text(
                        "phone", \.gateway.options.phone, "the customer's telephone number",
                        key: "phone"),
                    .text(
                        "autocompletionDate", \.gateway.options.autocompletionDate,
                        "when the amount is deposited automatically", key: "autocompletionDate"),
                    .text(
                        "autoReverseDate", \.gateway.options.autoReverseDate,
                        "when the reservation ends", key: "autoReverseDate"),
                    .text(
                        "dynamicCallbackUrl", \.gateway.options.dynamicCallbackURL,
                        "where the gateway reports the payment", key: "dynamicCallbackUrl"),
                    .flag(
                        "verifiesOnly", \.gateway.options.verifiesOnly,
                        "whether the card is verified without a charge", key: "features"),
                    .flag(
                        "sendsFormerCurrencyCodes", \.gateway.options.sendsFormerCurrencyCodes,
                        "whether 810 and 974 are written for RUB and BYN", key: "currency"),
                ]),
        ],
        steps: [
            .payment(
                "Charges or reserves the order's amount.",
                gateway: { account, _ in account.complete() }, takes: []
            ) { _, response in RBS.paymentReport(response, canBeAsked: true) },
            .query(
                "status",
                "Asks for the state of an order, by its reference unless --payment-id is given.",
                nil, takes: [.paymentID], gateway: { account, _ in account.complete() }
            ) { response, _ in RBS.statusReport(response) },
            operation(.capture, "capture", "Charges the reserved amount or a part of it."),
            operation(.cancellation, "cancel", "Releases the reserved amount."),
            operation(.refund, "refund", "Gives back the charged amount or a part of it."),
        ])

    private static func operation(
        _ kind: PaymentOperation.Kind, _ name: String, _ help: String
    ) -> GatewayStep<Account> {
        .operation(
            kind, name, help, takesAmount: kind != .cancellation,
            gateway: { account, _ in account.complete() },
            report: { response, _ in RBS.operationReport(response, of: kind) })
    }
}

extension RBS.Account {
    /// The beginning of the server's paths.
    fileprivate var prefix: String? {
        get { gateway.host.prefix }
        set { gateway.host.prefix = newValue ?? "" }
    }

    /// Returns the gateway with the login.
    fileprivate func complete() -> RBS {
        var gateway = gateway
        if let userName, let password {
            gateway.user = RBS.User(name: userName, password: password)
        }
        return gateway
    }
}
