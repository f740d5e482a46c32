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

    static let declaration = GatewayDeclaration<Account>(
        "dintero", "Dintero", Account(), forms: [.encrypted],
        environment: { account, environment throws(MemberFault) in
            // Both have the same server; the first letter of the account tells them apart.
            guard account.gateway.isTest != (environment == .live) else {
                throw MemberFault(
                    "account.accountId",
                    environment == .live
                        ? "must begin with P, as all live accounts do"
                        : "must begin with T, as all test accounts do")
            }
        },
        origin: { account, origin in
            (account.gateway.origin, account.gateway.loginOrigin) = (origin, origin)
            account.proxy = origin
        },
        check: { account throws(MemberFault) in
            if account.profileID != nil, account.generatesPaymentToken {
                throw MemberFault(
                    "payment.generatesPaymentToken", "cannot be combined with payment.profileId")
            }
        },
        gateway: { $0.client() },
        members: [
            .group(
                "account", "the merchant's account",
                [
                    .text(
                        "accountId", \.gateway.accountID,
                        "the account: T for tests or P, and eight digits", key: "the path",
                        example: "T12345678")
                ]),
            .group(
                "credentials", "what a login needs",
                [
                    .text(
                        "clientId", \.clientID, "the client's identifier", key: "Authorization",
                        example: "shop"),
                    .secret(
                        "clientSecret", \.clientSecret, "the client's secret", key: "Authorization",
                        variable: "DINTERO_SECRET"),
                ]),
            .group(
                "webhooks", "what verifies messages",
                [
                    .secret(
                        "callbackSecret", \.gateway.callbackSecret,
                        "the secret that signs callbacks")
                ]),
            .group(
                "payment", "the members of a session that are the same for every order",
                [
                    .text(
                        "profileId", \.profileID, "the profile with the session's settings",
                        key: "profile_id"),
                    .flag(
                        "generatesPaymentToken", \.generatesPaymentToken,
                        "whether a payment token of Dintero is asked for",
                        key: "configuration.dintero_psp.generate_payment_token"),
                    .text(
                        "expiresAt", \.gateway.options.expiresAt,
                        "when the session ends, ISO 8601", key: "expires_at"),
                    .flag(
                        "forceNew", \.gateway.options.forceNew,
                        "whether the session begins again if it already has operations",
                        key: "force_new"),
                    .flag(
                        "sendsEmptyObject", \.gateway.options.sendsEmptyObject,
                        "whether the request for the operations has the body {}", key: "the body"),
                ]),
        ],
        steps: [
            GatewayStep(
                "login", "Asks for an access token.", needs: [],
                reader: .preparation { response throws(UnreadableJSONError) in
                    _ = try OAuthCredentials.accessToken(response)
                }
            ) { account, _ throws(PaymentTokenError) in try account.client().loginRequest() },
            GatewayStep(
                "session", "Creates the session of the order (step 1).", needs: [.order],
                takes: [.accessToken],
                reader: .preparation { response throws(UnreadableJSONError) in
                    _ = try Dintero.sessionID(response)
                }
            ) { account, input throws(PaymentTokenError) in
                guard let order = input.order else {
                    throw PaymentTokenError(.invalidReference, member: "reference")
                }
                let request = try account.client().sessionRequest(order, input.attempted())
                return try Dintero.authorize(request, input.token())
            },
            GatewayStep(
                "operations", "Asks where the token is sent (step 2).",
                needs: [.order, .sessionID],
                reader: .preparation { response throws(UnreadableJSONError) in
                    _ = try Dintero.submission(response)
                }
            ) { account, input throws(PaymentTokenError) in
                try account.gateway.operationsRequest(
                    sessionID: try input.attempted().sessionID ?? "")
            },
            GatewayStep(
                "payment", "Sends the token (step 3).", needs: [.token, .order, .previous],
                reader: .preparation { response throws(UnreadableJSONError) in
                    _ = try Dintero.transactionID(response)
                }, request: submit),
            GatewayStep(
                "pay", "Pays the session with the transaction of step 3 (step 4).",
                needs: [.order, .sessionID, .paymentID],
                reader: .payment { response, _ in Dintero.payReport(response) }
            ) { account, input throws(PaymentTokenError) in
                let attempt = try input.attempted()
                return try account.gateway.payRequest(
                    sessionID: attempt.sessionID ?? "", transactionID: attempt.paymentID ?? "")
            },
            .query(
                "status", "Asks for the state of a transaction.", .paymentID, takes: [.accessToken],
                gateway: { $0.loggedIn($1) }
            ) { response, _ in Dintero.transactionReport(response) },
            .query(
                "session-status", "Asks for the state of a session.", .sessionID,
                takes: [.accessToken], gateway: { $0.loggedIn($1) }
            ) { response, _ in Dintero.sessionStatusReport(response) },
            .query(
                "search", "Asks for all transactions with the order's reference.", nil,
                takes: [.accessToken], gateway: { $0.loggedIn($1) }
            ) { response, attempt in Dintero.searchReport(response, attempt.reference) },
            operation(.capture, "capture", "Charges the reserved amount or a part of it."),
            operation(.cancellation, "cancel", "Releases the reserved amount."),
            operation(.refund, "refund", "Gives back the charged amount or a part of it."),
        ])

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

    private static func operation(
        _ kind: PaymentOperation.Kind, _ name: String, _ help: String
    ) -> GatewayStep<Account> {
        .operation(
            kind, name, help, takes: [.accessToken] + (kind == .refund ? [.reason] : []),
            takesAmount: kind != .cancellation,
            // A void has no reference of its own.
            needsName: kind != .cancellation, gateway: { $0.loggedIn($1) },
            report: { response, key in
                Dintero.operationReport(response, of: kind, key: kind == .cancellation ? "" : key)
            })
    }
}
