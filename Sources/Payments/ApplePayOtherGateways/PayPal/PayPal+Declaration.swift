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
    }

    static let declaration = DeclaredGateway(
        gatewayName, "PayPal Orders v2", Account(), forms: [.decrypted],
        environment: {
            $0.gateway.origin = ($1 == .live ? Environment.live : .sandbox).rawValue
            $0.gateway.isTest = $1 == .test
        },
        origins: [\.gateway.origin],
        gateway: { $0.client() },
        members: [
            .account(.identifier(\.gateway.account)),
            .client(\.clientID, \.clientSecret, example: "PAYPAL_SECRET"),
            .payment(
                .defaulted(
                    "intent", .choice, \.gateway.options.intent,
                    "whether the amount is captured or reserved; default: CAPTURE", key: "intent"),
                .optional(
                    "customId", .text(.name), \.gateway.options.customID,
                    "a text that appears in reports and not on the customer's statement",
                    key: "purchase_units[0].custom_id"),
                .flag(
                    "sendsInvoiceId", \.gateway.options.sendsInvoiceID,
                    "whether the reference is sent as the invoice's number, too",
                    key: "purchase_units[0].invoice_id")),
        ] as [FileMember<Account>])
}
