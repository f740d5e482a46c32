internal import ApplePayPrimitives

extension RBS {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = RBS(host: Host(origin: "", isTest: true))
        var userName: String?
        var password: SensitiveBytes?
        var paysWithToken = false

        /// Returns the gateway with the login.
        func complete() -> RBS {
            var gateway = gateway
            if let userName, let password {
                gateway.user = RBS.User(name: userName, password: password)
            }
            return gateway
        }
    }

    /// The abilities with a login, in both forms.
    private static var abilities: GatewayAbilities {
        var abilities = GatewayAbilities(
            [.decrypted, .encrypted], status: [.identifier, .reference],
            operations: [.capture: .part, .cancellation: .whole, .refund: .part])
        abilities.mark = .field
        abilities.initiators = Set(PaymentInitiator.allCases)
        return abilities
    }

    static let declaration = DeclaredGateway(
        gatewayName, "RBS and BPC", Account(), forms: [.decrypted, .encrypted],
        // Each bank has servers of its own, so the file names them, too.
        environment: { $0.gateway.host.isTest = $1 == .test },
        hasSharedServers: false,
        origins: [\.gateway.host.origin],
        form: { account, form in
            account.gateway.options.kind =
                form == .encrypted ? .encrypted : account.paysWithToken ? .token : .decrypted
        },
        check: { account throws(FileError) in
            if (account.userName == nil) != (account.password == nil) {
                throw FileError(
                    path: account.password == nil ? "credentials.password" : "credentials.userName",
                    reason: "is missing: a login needs both")
            }
            if account.gateway.account.isEmpty {
                throw FileError(
                    path: "account.identifier",
                    reason: "is missing: choose a name for the account, and never change it")
            }
            if account.gateway.options.kind == .encrypted {
                guard account.gateway.merchant != nil else {
                    throw FileError(
                        path: "account.merchant",
                        reason:
                            "is missing: encrypted tokens are paid with the merchant's login for Apple Pay"
                    )
                }
            } else if account.userName == nil, account.gateway.token == nil {
                throw FileError(
                    path: "credentials.userName",
                    reason:
                        "is missing: decrypted payments need a login, and queries and operations a login or a token"
                )
            }
        },
        gateway: { $0.complete() },
        abilities: abilities,
        members: [
            .account(
                .optional(
                    "identifier", .text(.name), \.gateway.accountID,
                    "a name for the account that you choose and never change; mandatory without merchant"
                ),
                .defaulted(
                    "prefix", .text(.name), \.gateway.host.prefix,
                    "the beginning of the server's paths; default: /payment", key: "the path"),
                .defaulted(
                    "limits", .choice, \.gateway.host.limits,
                    "whose limits on lengths are applied; default: bpc"),
                .optional(
                    "merchant", .text(.name), \.gateway.merchant,
                    "the merchant's login for Apple Pay; mandatory for encrypted tokens",
                    key: "merchant", example: "shop"),
                .optional(
                    "merchantLogin", .text(.name), \.gateway.options.merchantLogin,
                    "the merchant of the order, in a query by reference", key: "merchantLogin")),
            .credentials(
                "what authenticates requests",
                .optional(
                    "userName", .text(.name), \.userName, "the merchant's login", key: "userName",
                    example: "shop-api"),
                .optional(
                    "password", .secret, \.password, "the login's password", key: "password",
                    example: "RBS_PASSWORD"),
                .optional(
                    "token", .secret, \.gateway.token, "the merchant's token, instead of a login",
                    key: "token")),
            .payment(
                .flag(
                    "paysWithToken", \.paysWithToken,
                    "whether decrypted payments use /token/payment.do, which states the amount",
                    key: "the path"),
                .optional(
                    "preAuth", .boolean, \.gateway.options.preAuth,
                    "whether the amount is reserved and deposited later", key: "preAuth"),
                .optional(
                    "storedCredential", .choice, \.gateway.options.storedCredential,
                    "what the card is stored for; the order then needs a customerReference",
                    key: "tii"),
                .defaulted(
                    "additionalParameters", .map(.text(0...1_024)),
                    \.gateway.options.additionalParameters, "parameters of the merchant",
                    key: "additionalParameters"),
                .optional(
                    "autocompletionDate", .text(.name), \.gateway.options.autocompletionDate,
                    "when the amount is deposited automatically", key: "autocompletionDate"),
                .optional(
                    "autoReverseDate", .text(.name), \.gateway.options.autoReverseDate,
                    "when the reservation ends", key: "autoReverseDate"),
                .optional(
                    "dynamicCallbackUrl", .text(.address), \.gateway.options.dynamicCallbackURL,
                    "where the gateway reports the payment", key: "dynamicCallbackUrl"),
                .flag(
                    "verifiesOnly", \.gateway.options.verifiesOnly,
                    "whether the card is verified without a charge", key: "features"),
                .flag(
                    "sendsFormerCurrencyCodes", \.gateway.options.sendsFormerCurrencyCodes,
                    "whether 810 and 974 are written for RUB and BYN", key: "currency")),
        ] as [FileMember<Account>])
}
