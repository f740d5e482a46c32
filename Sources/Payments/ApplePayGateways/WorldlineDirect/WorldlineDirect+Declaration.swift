extension WorldlineDirect {
    static let declaration = Worldline.declaration(
        "Worldline Direct",
        WorldlineDirect(
            merchantId: "", credentials: .init(apiKeyId: "", secretAPIKey: .unset),
            environment: .preproduction),
        live: Environment.live.rawValue, test: Environment.preproduction.rawValue,
        payment: [
            .flag(
                "includesTokenKeys", \.options.includesTokenKeys,
                "whether the token's keys are sent with a decrypted payment",
                key: "ephemeralKey, publicKeyHash"),
            .optional(
                "applePay", .object(ApplePayInput(), cardsOnFile), \.options.applePay,
                "cards on file", key: "paymentProduct302SpecificInput"),
        ],
        page: [
            .optional(
                "sessionTimeout", .integer(1...Int64.max), \.pageOptions.sessionTimeout,
                "how many minutes the page may be used; Worldline's default: 180",
                key: "hostedCheckoutSpecificInput.sessionTimeout"),
            .optional(
                "allowedNumberOfPaymentAttempts", .integer(1...10),
                \.pageOptions.allowedPaymentAttempts,
                "how often the customer may try to pay; Worldline's default: 10",
                key: "hostedCheckoutSpecificInput.allowedNumberOfPaymentAttempts"),
            .optional(
                "applePay", .object(ApplePayInput(), cardsOnFile + [recurring]),
                \.pageOptions.applePay,
                "cards on file and recurring payments", key: "paymentProduct302SpecificInput"),
        ])

    private static let cardsOnFile: [FileMember<ApplePayInput>] = [
        .optional(
            "tokenize", .boolean, \.tokenize, "whether Worldline stores the card", key: "tokenize"),
        .optional(
            "isRecurring", .boolean, \.isRecurring, "whether more payments will follow",
            key: "isRecurring"),
        .flag(
            "isFirstRecurring", \.isFirstRecurring,
            "whether it is the first of recurring payments",
            key: "recurring.recurringPaymentSequenceIndicator"),
    ]

    private static let recurring = FileMember<ApplePayInput>.optional(
        "recurring",
        .object(
            RecurringRequest(),
            [
                .optional(
                    "billingAgreement", .text(.sentence), \.billingAgreement,
                    "the agreement of a recurring payment", key: "billingAgreement"),
                .optional(
                    "managementUrl", .text(.address), \.managementURL,
                    "where the customer manages a recurring payment", key: "managementUrl"),
                .optional(
                    "paymentDescription", .text(.sentence), \.paymentDescription,
                    "the description of a recurring payment", key: "paymentDescription"),
                .optional(
                    "regularBilling", line, \.regularBilling, "the regular payments",
                    key: "regularBilling"),
                .optional(
                    "trialBilling", line, \.trialBilling, "the trial payments", key: "trialBilling"),
            ]),
        \.recurringRequest, "the text that the page shows about recurring payments",
        key: "applePayRecurringPaymentRequest")

    private static let line = FileType.object(
        LineItem(amount: 0, label: ""),
        [
            .mandatory(
                "amount", .integer(), \.amount, "the amount in minor units", key: "amount",
                example: "1099"),
            .defaulted(
                "amountForm", .choice, \.amountForm, "how the amount is written; default: decimal",
                key: "amount"),
            .mandatory(
                "label", .text(.name), \.label, "the label", key: "label", example: "Monthly"),
            .optional(
                "paymentTiming", .text(.name), \.paymentTiming, "such as recurring",
                key: "paymentTiming"),
            .optional(
                "startDate", .text(.name), \.startDate, "when it begins",
                key: "recurringPaymentStartDate"),
            .optional(
                "endDate", .text(.name), \.endDate, "when it ends", key: "recurringPaymentEndDate"),
            .optional(
                "intervalCount", .integer(), \.intervalCount, "units in an interval",
                key: "recurringPaymentIntervalCount"),
            .optional(
                "intervalUnit", .choice, \.intervalUnit, "the interval's unit",
                key: "recurringPaymentIntervalUnit"),
        ])
}
