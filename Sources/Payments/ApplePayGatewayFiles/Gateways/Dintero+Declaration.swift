internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension Dintero {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = Dintero(accountID: "", credentials: .accessToken(.unset))
        var clientID = ""
        var clientSecret = SensitiveBytes.unset
        var profileID: String?
        var generatesPaymentToken = false
        /// The address that replaces the one in the answer to the step `operations`.
        var proxy: String?

        /// Returns the gateway with the client's credentials.
        func client() -> Dintero {
            var gateway = gateway
            gateway.credentials = .client(id: clientID, secret: clientSecret)
            gateway.options.settings =
                profileID.map { .profile($0) }
                ?? .inApp(generatesPaymentToken: generatesPaymentToken)
            return gateway
        }

        /// Returns the gateway with the access token of a login.
        func loggedIn(_ input: StepInput) -> Dintero {
            var gateway = client()
            gateway.credentials = .accessToken(input.token())
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
        origin: { account, origin in
            (account.gateway.origin, account.gateway.loginOrigin) = (origin, origin)
            account.proxy = origin
        },
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
                    "accountId", .text, \.gateway.accountID,
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
                        "profileId", .text, \.profileID, "the profile with the session's settings",
                        key: "profile_id"),
                    .flag(
                        "generatesPaymentToken", \.generatesPaymentToken,
                        "whether a payment token of Dintero is asked for",
                        key: "configuration.dintero_psp.generate_payment_token"),
                    .optional(
                        "expiresAt", .text, \.gateway.options.expiresAt,
                        "when the session ends, ISO 8601", key: "expires_at"),
                    .flag(
                        "forceNew", \.gateway.options.forceNew,
                        "whether the session begins again if it already has operations",
                        key: "force_new"),
                    .flag(
                        "sendsEmptyObject", \.gateway.options.sendsEmptyObject,
                        "whether the request for the operations has the body {}", key: "the body"),
                ]),
        ] as [FileMember<Account>],
        steps: { account in
            [
                .login { () throws(PaymentTokenError) in try account.client().loginRequest() },
                AccountStep(
                    "session", "Creates the session of the order (step 1).", needs: [.order],
                    takes: [.accessToken], reader: .prepares(Dintero.sessionID)
                ) { input throws(PaymentTokenError) in
                    let request = try account.client().sessionRequest(
                        input.ordered(), input.attempted())
                    return try Dintero.authorize(request, input.token())
                },
                AccountStep(
                    "operations", "Asks where the token is sent (step 2).",
                    needs: [.order, .sessionID], reader: .prepares(Dintero.submission)
                ) { input throws(PaymentTokenError) in
                    try account.gateway.operationsRequest(
                        sessionID: try input.attempted().sessionID ?? "")
                },
                AccountStep(
                    "payment", "Sends the token (step 3).", needs: [.token, .order, .previous],
                    reader: .prepares(Dintero.transactionID)
                ) { input throws(PaymentTokenError) in try submit(account, input) },
                AccountStep(
                    "pay", "Pays the session with the transaction of step 3 (step 4).",
                    needs: [.order, .sessionID, .paymentID],
                    reader: .payment { response, _ in Dintero.payReport(response) }
                ) { input throws(PaymentTokenError) in
                    let attempt = try input.attempted()
                    return try account.gateway.payRequest(
                        sessionID: attempt.sessionID ?? "", transactionID: attempt.paymentID ?? "")
                },
                .query(
                    "status", "Asks for the state of a transaction.", needs: [.paymentID],
                    takes: [.accessToken], account.loggedIn
                ) { response, _ in Dintero.transactionReport(response) },
                .query(
                    "session-status", "Asks for the state of a session.", needs: [.sessionID],
                    takes: [.accessToken], account.loggedIn
                ) { response, _ in Dintero.sessionStatusReport(response) },
                .query(
                    "search", "Asks for all transactions with the order's reference.",
                    takes: [.accessToken], account.loggedIn
                ) { Dintero.searchReport($0, $1.reference) },
            ]
                + PaymentOperation.Kind.allCases.map { kind in
                    // A void has no reference of its own.
                    let isVoid = kind == .cancellation
                    return .operation(
                        kind, takes: [.accessToken] + (kind == .refund ? [.reason] : []),
                        takesAmount: !isVoid, needsName: !isVoid, account.loggedIn
                    ) { Dintero.operationReport($0, of: kind, key: isVoid ? "" : $1) }
                }
        })

    /// Sends the token to the address in the answer to the step `operations`, which names the vendor's host, unless a
    /// proxy forwards requests to it.
    private static func submit(
        _ account: Account, _ input: StepInput
    ) throws(PaymentTokenError) -> GatewayRequest {
        guard let payment = input.payment, let previous = input.previous,
            let submission = try? Dintero.submission(previous)
        else { throw .gateway(.unsupportedValue, "operations") }
        let request = try account.gateway.paymentRequest(PaymentInput(payment), to: submission)
        return GatewayRequest(
            method: request.method, account.proxy ?? request.origin, request.path,
            query: request.query, headers: request.headers, body: request.body)
    }
}
