internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension BePaid {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = BePaid(shopId: "", secretKey: .unset)
        var checkoutContract = false
    }

    static let declaration = DeclaredGateway(
        gatewayName, "bePaid and others that run beGateway", Account(),
        forms: [.decrypted, .encrypted],
        // bePaid has one server, and a member of the request chooses tests.
        environment: { account, environment in
            account.gateway.sendsTest = environment == .test ? true : nil
        },
        origin: { ($0.gateway.origin, $0.gateway.checkoutOrigin) = ($1, $1) },
        form: { $0.gateway.options.sendsEncrypted = $1 == .encrypted },
        gateway: { $0.gateway },
        members: [
            .account(
                .mandatory(
                    "shopId", .text, \.gateway.shopId, "the shop", key: "Authorization",
                    example: "361")),
            .credentials(
                "what authenticates requests",
                .mandatory(
                    "secretKey", .secret, \.gateway.secretKey, "the shop's secret key",
                    key: "Authorization", example: "BEPAID_SECRET")),
            .webhooks(
                .optional(
                    "publicKey", publicKey, \.gateway.notificationKey,
                    "the shop's RSA public key, PEM or base64, which verifies notifications")),
            .payment(
                .defaulted(
                    "kind", .choice { "\($0)" }, \.gateway.options.kind,
                    "whether the amount is charged, reserved, or charged with a stored card's service; "
                        + "default: payment", key: "the path"),
                .defaulted(
                    "contract", contract, \.gateway.options.contract,
                    "what the card is stored for: \(contracts.joined(separator: ", "))",
                    key: "request.additional_data.contract"),
                .optional(
                    "expiresAt", .text, \.gateway.options.expiresAt,
                    "until when the transaction can be completed, ISO 8601",
                    key: "request.expired_at"),
                .defaulted(
                    "tokenForm", .choice, \.gateway.options.tokenForm,
                    "how much of an encrypted token is sent; default: wholeToken",
                    key: "request.credit_card.token"),
                .flag(
                    "asynchronous", \.gateway.options.isAsynchronous,
                    "whether the gateway answers before the transaction is done",
                    key: "request.additional_data.request_async"),
                .flag(
                    "version3", \.gateway.options.asksForVersion3,
                    "whether version 3 of the API is asked for", key: "X-Api-Version"),
                .flag(
                    "checkoutContract", \.checkoutContract,
                    "the member contract of a payment on bePaid's page", key: "contract")),
        ] as [FileMember<Account>],
        steps: { account in
            // The step is about the transaction that --payment-id names, so it searches for no capture of it.
            var payments = account.gateway
            payments.options.kind = .payment
            let named = payments
            func operation(
                _ kind: PaymentOperation.Kind, _ help: String? = nil,
                needs: [StepInput.Part] = [], takes: [StepInput.Part] = []
            ) -> AccountStep {
                .operation(kind, nil, help, needs: needs, takes: takes, { _ in named }) {
                    response, _ in BePaid.operationReport(response, of: kind)
                }
            }
            return [
                .payment({ _ in account.gateway }, report: BePaid.paymentReport),
                AccountStep(
                    "checkout-payment", "Pays with the token on bePaid's page.",
                    needs: [.token, .order, .accessToken],
                    reader: .payment { response, _ in BePaid.paymentReport(response) }
                ) { input throws(PaymentTokenError) in
                    account.gateway.checkoutRequest(
                        try input.accepted().token.parsed, input.token(),
                        contract: account.checkoutContract)
                },
                AccountStep(
                    "validate-merchant", "Asks bePaid for the merchant session of its page.",
                    needs: [.accessToken, .url], reader: .browser
                ) { input in
                    account.gateway.validateMerchant(
                        validationURL: input.url, checkoutToken: input.token())
                },
                AccountStep(
                    "status", "Asks for the state of a transaction.", needs: [.order, .paymentID],
                    reader: .payment { response, _ in BePaid.uidReport(response) }
                ) { input throws(PaymentTokenError) in
                    try account.gateway.statusRequest(uid: input.attempted().paymentID ?? "")
                },
                .query(
                    "search", "Asks for all transactions with the order's reference.",
                    { _ in account.gateway }, report: BePaid.statusReport),
                operation(.capture, takes: [.reason]), operation(.cancellation, takes: [.reason]),
                operation(
                    .refund,
                    "Gives back the amount or a part of it, of a payment or of a capture that --payment-id names.",
                    needs: [.reason]),
            ]
        })

    private static let publicKey = FileType.secret.map {
        secret, file throws(FileError) in
        do throws(GatewayMessageError) {
            return try NotificationKey(secret.revealText())
        } catch {
            throw file.fault("must be an RSA public key in PEM or base64")
        }
    }

    private static let contracts = Contract.allCases.map(\.rawValue)

    private static let contract = FileType.texts.map { texts, file throws(FileError) in
        let found = texts.map(Contract.init)
        guard !found.contains(nil) else {
            throw file.fault("must contain \(contracts.alternatives)")
        }
        return found.compactMap { $0 }
    }
}
