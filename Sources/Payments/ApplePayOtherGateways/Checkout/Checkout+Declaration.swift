internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayPrimitives

extension Checkout {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = Checkout(.unset)
        var subdomain: String?
    }

    static let declaration = DeclaredGateway(
        gatewayName, "Checkout.com", Account(), forms: [.decrypted],
        environment: { account, environment throws(FileError) in
            do throws(PaymentError) {
                try account.gateway.use(
                    environment == .live ? .live : .sandbox, account.subdomain)
            } catch {
                throw FileError(
                    path: "account.subdomain", reason: "must consist of letters, digits and hyphens"
                )
            }
        },
        origins: [\.gateway.origin],
        gateway: { $0.gateway },
        members: [
            .account(
                .identifier(\.gateway.account),
                .optional(
                    "subdomain", .text(1...63), \.subdomain,
                    "the account's own subdomain of the server", key: "the host")),
            .credentials(
                "what authenticates requests",
                .mandatory(
                    "secretKey", .secret, \.gateway.secretKey, "the secret key",
                    key: "Authorization", example: "CHECKOUT_SECRET_KEY"),
                .defaulted(
                    "keyForm", .choice, \.gateway.keyForm,
                    "whether the key follows the word Bearer; default: bearer",
                    key: "Authorization")),
            .payment(
                .optional(
                    "capture", .boolean, \.gateway.options.capture,
                    "whether the amount is captured immediately", key: "capture"),
                .optional(
                    "processingChannelId", .text(.name), \.gateway.options.processingChannelID,
                    "the processing channel", key: "processing_channel_id"),
                .defaulted(
                    "expiryForm", .choice, \.gateway.options.expiryForm,
                    "the JSON type of the expiry; default: number",
                    key: "source.expiry_month, source.expiry_year")),
        ] as [FileMember<Account>])
}
