internal import ApplePayGateways
internal import ApplePayToken

extension BePaid {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = BePaid(shopId: "", secretKey: .unset)
        var checkoutContract = false
    }

    static let declaration = GatewayDeclaration<Account>(
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
            .group(
                "account", "the merchant's account",
                [
                    .text(
                        "shopId", \.gateway.shopId, "the shop", key: "Authorization",
                        example: "361")
                ]),
            .group(
                "credentials", "what authenticates requests",
                [
                    .secret(
                        "secretKey", \.gateway.secretKey, "the shop's secret key",
                        key: "Authorization", variable: "BEPAID_SECRET")
                ]),
            .group(
                "webhooks", "what verifies messages",
                [
                    FileMember(
                        "publicKey", .secret,
                        "the shop's RSA public key, PEM or base64, which verifies notifications"
                    ) { file, account throws(MemberFault) in
                        let text = try file.secret().revealText()
                        do throws(GatewayMessageError) {
                            account.gateway.notificationKey = try NotificationKey(text)
                        } catch {
                            throw file.fault("must be an RSA public key in PEM or base64")
                        }
                    }
                ]),
            .group(
                "payment", "the members of a payment that are the same for every order",
                [
                    .choice(
                        "kind", \.gateway.options.kind,
                        "whether the amount is charged, reserved, or charged with a stored card's service; "
                            + "default: payment", key: "the path"
                    ) { $0.stepName },
                    FileMember(
                        "contract", .texts,
                        "what the card is stored for: \(contracts.joined(separator: ", "))",
                        key: "request.additional_data.contract"
                    ) { file, account throws(MemberFault) in
                        account.gateway.options.contract = []
                        for text in try file.texts() {
                            guard let contract = Contract(rawValue: text) else {
                                throw file.fault("must contain \(contracts.alternatives)")
                            }
                            account.gateway.options.contract.append(contract)
                        }
                    },
                    .text(
                        "expiresAt", \.gateway.options.expiresAt,
                        "until when the transaction can be completed, ISO 8601",
                        key: "request.expired_at"),
                    .choice(
                        "tokenForm", \.gateway.options.tokenForm,
                        "how much of an encrypted token is sent; default: wholeToken",
                        key: "request.credit_card.token", name: \.rawValue),
                    .flag(
                        "asynchronous", \.gateway.options.isAsynchronous,
                        "whether the gateway answers before the transaction is done",
                        key: "request.additional_data.request_async"),
                    .flag(
                        "version3", \.gateway.options.asksForVersion3,
                        "whether version 3 of the API is asked for", key: "X-Api-Version"),
                    .flag(
                        "checkoutContract", \.checkoutContract,
                        "the member contract of a payment on bePaid's page", key: "contract"),
                ]),
        ],
        steps: [
            .payment(
                "Charges or reserves the order's amount.",
                gateway: { account, _ in account.gateway }
            ) { _, response in BePaid.paymentReport(response) },
            GatewayStep(
                "checkout-payment", "Pays with the token on bePaid's page.",
                needs: [.token, .order, .accessToken],
                reader: .payment { response, _ in BePaid.paymentReport(response) }
            ) { account, input throws(PaymentTokenError) in
                guard let payment = input.payment else {
                    throw .gateway(.tokenNotDecrypted, "token")
                }
                return account.gateway.checkoutRequest(
                    payment.token.parsed, input.token(), contract: account.checkoutContract)
            },
            GatewayStep(
                "validate-merchant", "Asks bePaid for the merchant session of its page.",
                needs: [.accessToken, .url], reader: .browser
            ) { account, input in
                account.gateway.validateMerchant(
                    validationURL: input.url, checkoutToken: input.token())
            },
            GatewayStep(
                "status", "Asks for the state of a transaction.", needs: [.order, .paymentID],
                reader: .payment { response, _ in BePaid.uidReport(response) }
            ) { account, input throws(PaymentTokenError) in
                try account.gateway.statusRequest(uid: input.attempted().paymentID ?? "")
            },
            GatewayStep(
                "search", "Asks for all transactions with the order's reference.", needs: [.order],
                reader: .payment { BePaid.statusReport($0, of: $1) }
            ) { account, input throws(PaymentTokenError) in
                try account.gateway.status(of: input.attempted()).request(at: input.date)
            },
            operation(.capture, "capture", "Charges the reserved amount or a part of it."),
            operation(.cancellation, "cancel", "Releases the reserved amount."),
            operation(
                .refund, "refund",
                "Gives back the amount or a part of it, of a payment or of a capture that --payment-id names.",
                needs: [.reason]),
        ])

    private static func operation(
        _ kind: PaymentOperation.Kind,
        _ name: String,
        _ help: String,
        needs: [StepInput.Part] = []
    ) -> GatewayStep<Account> {
        .operation(
            kind, name, help, needs: needs, takes: needs.isEmpty ? [.reason] : [],
            // The step is about the transaction that --payment-id names, so it searches for no capture of it.
            gateway: { account, _ in
                var gateway = account.gateway
                gateway.options.kind = .payment
                return gateway
            }, report: { response, _ in BePaid.operationReport(response, of: kind) })
    }

    private static let contracts = Contract.allCases.map(\.rawValue)
}

extension BePaid.Kind {
    /// The name in a gateway file.
    fileprivate var stepName: String {
        switch self {
        case .payment: "payment"
        case .authorization: "authorization"
        case .charge: "charge"
        }
    }
}
