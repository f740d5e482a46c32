extension WorldlineConnect {
    static let declaration = Worldline.declaration(
        "Worldline Connect (GlobalCollect)",
        WorldlineConnect(
            merchantId: "", credentials: .init(apiKeyId: "", secretAPIKey: .unset),
            environment: .preproduction),
        live: Environment.live.rawValue, test: Environment.preproduction.rawValue,
        payment: [
            .optional(
                "tokenize", .boolean, \.options.tokenize,
                "whether Worldline stores the card",
                key: "mobilePaymentMethodSpecificInput.tokenize"),
            .optional(
                "isRecurring", .boolean, \.options.isRecurring,
                "whether more payments will follow",
                key: "mobilePaymentMethodSpecificInput.isRecurring"),
            .optional(
                "recurringPaymentSequenceIndicator", .text(.name),
                \.options.recurringPaymentSequenceIndicator,
                "which of the recurring payments it is, such as first",
                key: "mobilePaymentMethodSpecificInput.recurring"),
            .flag(
                "isFirstUnscheduled", \.options.isFirstUnscheduled,
                "whether the card is stored for later payments that are not scheduled",
                key: "mobilePaymentMethodSpecificInput.unscheduledCardOnFileSequenceIndicator"),
            .optional(
                "skipFraudService", .boolean, \.options.skipFraudService,
                "whether Worldline's fraud service is left out",
                key: "mobilePaymentMethodSpecificInput.skipFraudService"),
        ])
}
