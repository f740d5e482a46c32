internal import ApplePayAcceptance
internal import ApplePayPrimitives

extension BePaid {
    static let declaration = DeclaredGateway(
        gatewayName, "bePaid and others that run beGateway",
        BePaid(shopId: "", secretKey: .unset),
        forms: [.decrypted, .encrypted],
        // bePaid has one server, and a member of the request chooses tests.
        environment: { $0.isTest = $1 == .test },
        origins: [\.origin, \.checkoutOrigin],
        form: { $0.options.sendsEncrypted = $1 == .encrypted },
        gateway: { $0 },
        members: [
            .account(
                .mandatory(
                    "shopId", .text(.name), \.shopId, "the shop", key: "Authorization",
                    example: "361")),
            .credentials(
                "what authenticates requests",
                .mandatory(
                    "secretKey", .secret, \.secretKey, "the shop's secret key",
                    key: "Authorization", example: "BEPAID_SECRET")),
            .webhooks(
                .optional(
                    "publicKey", publicKey, \.notificationKey,
                    "the shop's RSA public key, PEM or base64, which verifies notifications")),
            .payment(
                .defaulted(
                    "kind", .choice { "\($0)" }, \.options.kind,
                    "whether the amount is charged, reserved, or charged with a stored card's service; "
                        + "default: payment", key: "the path"),
                .defaulted(
                    "contract", contract, \.options.contract,
                    "what the card is stored for: \(contracts.joined(separator: ", "))",
                    key: "request.additional_data.contract"),
                .optional(
                    "expiresAt", .text(.name), \.options.expiresAt,
                    "until when the transaction can be completed, ISO 8601",
                    key: "request.expired_at"),
                .defaulted(
                    "tokenForm", .choice, \.options.tokenForm,
                    "how much of an encrypted token is sent; default: wholeToken",
                    key: "request.credit_card.token"),
                .flag(
                    "asynchronous", \.options.isAsynchronous,
                    "whether the gateway answers before the transaction is done",
                    key: "request.additional_data.request_async"),
                .flag(
                    "version3", \.options.asksForVersion3,
                    "whether version 3 of the API is asked for", key: "X-Api-Version"),
                .flag(
                    "checkoutContract", \.checkoutContract,
                    "the member contract of a payment on bePaid's page", key: "contract")),
        ] as [FileMember<BePaid>])

    private static let publicKey = FileType.secret.map {
        secret, file throws(FileError) in
        do throws(PaymentError) {
            return try NotificationKey(secret.revealText())
        } catch {
            throw file.fault("must be an RSA public key in PEM or base64")
        }
    }

    private static let contracts = Contract.allCases.map(\.rawValue)

    private static let contract = FileType.texts(.name).map { texts, file throws(FileError) in
        let found = texts.map { Contract($0) }
        guard !found.contains(nil) else {
            throw file.fault("must contain \(contracts.alternatives)")
        }
        return found.compactMap { $0 }
    }
}
