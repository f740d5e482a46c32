internal import ApplePayPrimitives

extension Dintero {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = Dintero(accountID: "", credentials: .accessToken(.unset))
        var clientID = ""
        var clientSecret = SensitiveBytes.unset
        var profileID: String?
        var generatesPaymentToken = false

        /// Returns the gateway with the client's credentials.
        func client() -> Dintero {
            var gateway = gateway
            gateway.credentials = .client(id: clientID, secret: clientSecret)
            gateway.options.settings =
                profileID.map { .profile($0) }
                ?? .inApp(generatesPaymentToken: generatesPaymentToken)
            return gateway
        }
    }

    static let declaration = DeclaredGateway(
        "dintero", "Dintero", Account(), forms: [.encrypted],
        environment: { account, environment throws(FileError) in
            // Both have the same server; the first letter of the account tells them apart.
            guard account.gateway.isTest != (environment == .live) else {
                throw FileError(
                    path: "account.accountId",
                    reason: environment == .live
                        ? "must begin with P, as all live accounts do"
                        : "must begin with T, as all test accounts do")
            }
        },
        origins: [\.gateway.origin, \.gateway.loginOrigin],
        check: { account throws(FileError) in
            if account.profileID != nil, account.generatesPaymentToken {
                throw FileError(
                    path: "payment.generatesPaymentToken",
                    reason: "cannot be combined with payment.profileId")
            }
        },
        gateway: { $0.client() },
        members: [
            .account(
                .mandatory(
                    "accountId", .text(.name), \.gateway.accountID,
                    "the account: T for tests or P, and eight digits", key: "the path",
                    example: "T12345678")),
            .client(\.clientID, \.clientSecret, example: "DINTERO_SECRET"),
            .webhooks(
                .optional(
                    "callbackSecret", .secret, \.gateway.callbackSecret,
                    "the secret that signs callbacks")),
            .group(
                "payment", "the members of a session that are the same for every order",
                [
                    .optional(
                        "profileId", .text(.name), \.profileID,
                        "the profile with the session's settings",
                        key: "profile_id"),
                    .flag(
                        "generatesPaymentToken", \.generatesPaymentToken,
                        "whether the card is stored, which the merchant can charge later",
                        key: "configuration.dintero_psp.applepay.generate_payment_token"),
                    .optional(
                        "expiresAt", .text(.name), \.gateway.options.expiresAt,
                        "when the session ends, ISO 8601", key: "expires_at"),
                    .flag(
                        "forceNew", \.gateway.options.forceNew,
                        "whether the session begins again if it already has operations",
                        key: "force_new"),
                    .flag(
                        "sendsEmptyObject", \.gateway.options.sendsEmptyObject,
                        "whether the request for the operations has the body {}", key: "the body"),
                ]),
        ] as [FileMember<Account>])
}
