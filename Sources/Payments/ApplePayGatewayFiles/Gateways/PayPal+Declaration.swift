internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension PayPal {
    /// The account of a gateway file.
    struct Account: Sendable {
        var clientID = ""
        var clientSecret = SensitiveBytes.unset
        var gateway = PayPal(credentials: .accessToken(.unset), environment: .sandbox)

        /// Returns the gateway with the client's credentials.
        func client() -> PayPal {
            var gateway = gateway
            gateway.credentials = .client(id: clientID, secret: clientSecret)
            return gateway
        }

        /// Returns the gateway with the access token of a login.
        func loggedIn(_ input: StepInput) -> PayPal {
            var gateway = gateway
            gateway.credentials = .accessToken(input.token())
            return gateway
        }
    }

    static let declaration = GatewayDeclaration<Account>(
        gatewayName, "PayPal Orders v2", Account(), forms: [.decrypted],
        environment: { account, environment in
            account.gateway.origin =
                (environment == .live ? Environment.live : Environment.sandbox).rawValue
        },
        origin: { $0.gateway.origin = $1 },
        gateway: { $0.client() },
        members: [
            .group(
                "credentials", "what a login needs",
                [
                    .text(
                        "clientId", \.clientID, "the client's identifier", key: "Authorization",
                        example: "shop"),
                    .secret(
                        "clientSecret", \.clientSecret, "the client's secret", key: "Authorization",
                        variable: "PAYPAL_SECRET"),
                ]),
            .group(
                "payment", "the members of a payment that are the same for every order",
                [
                    .choice(
                        "intent", \.gateway.options.intent,
                        "whether the amount is captured or reserved; default: CAPTURE",
                        key: "intent",
                        name: \.rawValue),
                    .text(
                        "customId", \.gateway.options.customID,
                        "a text that appears in reports and not on the customer's statement",
                        key: "purchase_units[0].custom_id", 1...255),
                    .flag(
                        "sendsInvoiceId", \.gateway.options.sendsInvoiceID,
                        "whether the reference is sent as the invoice's number, too",
                        key: "purchase_units[0].invoice_id"),
                ]),
        ],
        steps: [
            GatewayStep(
                "login", "Asks for an access token.", needs: [],
                reader: .preparation { response throws(UnreadableJSONError) in
                    _ = try OAuthCredentials.accessToken(response)
                }
            ) { account, _ throws(PaymentTokenError) in try account.client().loginRequest() },
            .payment(
                "Charges or reserves the order's amount.", gateway: { $0.loggedIn($1) },
                takes: [.accessToken, .key]
            ) { _, response in PayPal.paymentReport(response) },
            .query(
                "status", "Asks for the state of a payment.", .paymentID, takes: [.accessToken],
                gateway: { $0.loggedIn($1) }
            ) { response, _ in PayPal.statusReport(response) },
            GatewayStep(
                "finish", "Charges or reserves an order whose status is APPROVED.",
                needs: [.order, .paymentID], takes: [.accessToken, .key],
                reader: .payment { response, _ in PayPal.paymentReport(response) }
            ) { account, input throws(PaymentTokenError) in
                try account.loggedIn(input).finish(unclaimed: input.attempted())
                    .request(at: input.date)
            },
        ])
}
