internal import ApplePayGateways
internal import ApplePayToken

extension Checkout {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = Checkout(.unset)
        var subdomain: String?
    }

    static let declaration = GatewayDeclaration<Account>(
        gatewayName, "Checkout.com", Account(), forms: [.decrypted],
        environment: { account, environment throws(MemberFault) in
            do throws(PaymentTokenError) {
                try account.gateway.use(
                    environment == .live ? .live : .sandbox, account.subdomain)
            } catch {
                throw MemberFault(
                    "account.subdomain", "must consist of letters, digits and hyphens")
            }
        },
        origin: { $0.gateway.origin = $1 },
        gateway: { $0.gateway },
        members: [
            .group(
                "account", "the merchant's account",
                [
                    .text(
                        "subdomain", \.subdomain, "the account's own subdomain of the server",
                        key: "the host", 1...63)
                ]),
            .group(
                "credentials", "what authenticates requests",
                [
                    .secret(
                        "secretKey", \.gateway.secretKey, "the secret key", key: "Authorization",
                        variable: "CHECKOUT_SECRET_KEY"),
                    .choice(
                        "keyForm", \.gateway.keyForm,
                        "whether the key follows the word Bearer; default: bearer",
                        key: "Authorization", name: \.rawValue),
                ]),
            .group(
                "payment", "the members of a payment that are the same for every order",
                [
                    .boolean(
                        "capture", \.gateway.options.capture,
                        "whether the amount is captured immediately", key: "capture"),
                    .text(
                        "processingChannelId", \.gateway.options.processingChannelID,
                        "the processing channel", key: "processing_channel_id"),
                    .choice(
                        "expiryForm", \.gateway.options.expiryForm,
                        "the JSON type of the expiry; default: number",
                        key: "source.expiry_month, source.expiry_year", name: \.rawValue),
                ]),
        ],
        steps: [
            .payment(
                "Charges or reserves the order's amount.",
                gateway: { account, _ in account.gateway }
            ) {
                account, response in
                Checkout.paymentReport(
                    response, captures: account.gateway.options.capture ?? true)
            },
            .query(
                "status", "Asks for the state of a payment.", .paymentID,
                gateway: { account, _ in account.gateway }
            ) { response, _ in Checkout.statusReport(response) },
            .query(
                "search", "Asks for all payments with the order's reference.", nil,
                gateway: { account, _ in account.gateway }
            ) { response, attempt in
                Checkout.searchReport(response, reference: attempt.reference)
            },
        ])
}
