internal import ApplePayGateways
internal import ApplePayToken

extension WorldlineConnect {
    static let declaration = Worldline.declaration(
        "Worldline Connect (GlobalCollect)",
        WorldlineConnect(
            merchantId: "", credentials: .init(apiKeyId: "", secretAPIKey: .unset),
            environment: .preproduction),
        live: Environment.live.rawValue, test: Environment.preproduction.rawValue,
        payment: [
            .optional(
                "tokenize", .boolean, \.gateway.options.tokenize,
                "whether Worldline stores the card",
                key: "mobilePaymentMethodSpecificInput.tokenize"),
            .optional(
                "isRecurring", .boolean, \.gateway.options.isRecurring,
                "whether more payments will follow",
                key: "mobilePaymentMethodSpecificInput.isRecurring"),
            .optional(
                "recurringPaymentSequenceIndicator", .text,
                \.gateway.options.recurringPaymentSequenceIndicator,
                "which of the recurring payments it is, such as first",
                key: "mobilePaymentMethodSpecificInput.recurring"),
            .optional(
                "skipFraudService", .boolean, \.gateway.options.skipFraudService,
                "whether Worldline's fraud service is left out",
                key: "mobilePaymentMethodSpecificInput.skipFraudService"),
        ],
        createPage: { account, order, attempt throws(PaymentTokenError) in
            try account.gateway.hostedPage(for: order, attempt, account.page)
        },
        status: { Worldline.statusReport($0, .connect) },
        steps: { account in
            [
                Worldline.operation(
                    .capture, { _ in account.gateway }, .connect, "approve",
                    "Charges a payment whose status is PENDING_APPROVAL.",
                    status: "PENDING_APPROVAL"),
                .query(
                    "search", "Asks for all payments with the order's reference.",
                    { _ in account.gateway }
                ) { WorldlineConnect.searchReport($0, $1.reference) },
            ]
        })
}
