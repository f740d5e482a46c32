internal import ApplePayPrimitives

extension Worldline {
    /// Declares the gateway of a platform, with the members that only this platform has.
    static func declaration<Gateway: Worldline.Gateway>(
        _ title: String,
        _ initial: Gateway,
        live: String,
        test: String,
        payment: [FileMember<Gateway>],
        page: [FileMember<Gateway>] = []
    ) -> DeclaredGateway {
        let sharedPayment: [FileMember<Gateway>] = [
            mode(\.options.authorizationMode),
            .optional(
                "requiresApproval", .boolean, \.options.requiresApproval,
                "whether the payment waits for the merchant's approval",
                key: "mobilePaymentMethodSpecificInput.requiresApproval"),
            indicator(\.options.addressIndicator),
            .defaulted(
                "eciForm", .choice, \.options.eciForm,
                "the JSON type of the ECI; default: number",
                key: "decryptedPaymentData.eci"),
        ]
        let sharedPage: [FileMember<Gateway>] = [
            .optional(
                "locale", .text(.name), \.pageOptions.locale, "the page's language, such as en_GB",
                key: "hostedCheckoutSpecificInput.locale"),
            .optional(
                "showResultPage", .boolean, \.pageOptions.showResultPage,
                "whether Worldline shows the result",
                key: "hostedCheckoutSpecificInput.showResultPage"),
            .optional(
                "isRecurring", .boolean, \.pageOptions.isRecurring,
                "whether more payments will follow",
                key: "hostedCheckoutSpecificInput.isRecurring"),
            .optional(
                "variant", .text(.name), \.pageOptions.variant,
                "which of the merchant's page designs is used",
                key: "hostedCheckoutSpecificInput.variant"),
            mode(\.pageOptions.authorizationMode), indicator(\.pageOptions.addressIndicator),
        ]
        return DeclaredGateway(
            Gateway.platform.name, title, initial, forms: [.decrypted, .encrypted],
            environment: {
                $0.origin = $1 == .live ? live : test
                $0.isTest = $1 == .test
            },
            origins: [\.origin],
            form: { $0.options.sendsEncrypted = $1 == .encrypted },
            gateway: { $0 },
            members: [
                .account(
                    .mandatory(
                        "merchantId", .text(.name), \.merchantId,
                        "the merchant's identifier, also called PSPID", key: "the path",
                        example: "shop")),
                .credentials(
                    "the key that signs requests",
                    .mandatory(
                        "apiKeyId", .text(.name), \.credentials.apiKeyId, "the key's identifier",
                        key: "Authorization", example: "key-1"),
                    .mandatory(
                        "secretApiKey", .secret, \.credentials.secretAPIKey,
                        "the secret key, as the merchant's portal shows it", key: "Authorization",
                        example: "WORLDLINE_SECRET")),
                .webhooks(
                    .defaulted(
                        "keys", .map(.secret), \.webhookKeys,
                        "the secrets of the webhooks keys by their identifiers; both during a key rotation"
                    )),
                .payment(sharedPayment + payment),
                .group("page", "the members of a hosted page", sharedPage + page),
            ] as [FileMember<Gateway>])
    }

    private static func mode<Gateway>(
        _ path: FileMember<Gateway>.Path<AuthorizationMode?>
    ) -> FileMember<Gateway> {
        .optional(
            "authorizationMode", .choice, path, "how the amount is authorized",
            key: "mobilePaymentMethodSpecificInput.authorizationMode")
    }

    private static func indicator<Gateway>(
        _ path: FileMember<Gateway>.Path<String?>
    ) -> FileMember<Gateway> {
        .optional(
            "addressIndicator", .text(.name), path,
            "what kind of destination the shipping address is",
            key: "order.shipping.addressIndicator")
    }
}
