package import ApplePayAcceptance
package import ApplePayGateways
internal import ApplePayWire

extension Checkout {
    /// The currencies whose decimals differ from ISO 4217.
    static var scale: CurrencyScale {
        CurrencyScale(exceptions: ["CLF": 2, "CLP": 2, "UYI": 2, "UYW": 2])
    }

    /// The currencies with three decimals, whose last decimal must be 0.
    private static let coarseCurrencies: Set<ExactText> = [
        "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND",
    ]

    /// Returns the request of ``payment(_:)``.
    package func paymentRequest(_ input: PaymentInput) throws(PaymentError) -> GatewayRequest {
        let payment = try input.decrypted("network_token")
        let cryptogram = try payment.requiredCryptogram("cryptogram")
        try check(input.order, attempt: input.attempt)
        let amount = try Self.amount(input.order)
        let headers: [GatewayHeader] = [
            .contentType(), try authorization(),
            try .checked("Cko-Idempotency-Key", input.attempt.key, 1...80),
        ]
        let expiration = payment.data.expiration
        let body = JSONBody.object { body in
            body.object("source") { body in
                body.string("type", "network_token")
                body.secret("token", payment.data.accountNumber.digits)
                body.string("token_type", "applepay")
                switch options.expiryForm {
                case .string:
                    body.string("expiry_month", expiration.twoDigitMonth)
                    body.string("expiry_year", expiration.fourDigitYear)
                case .number:
                    body.integer("expiry_month", Int64(expiration.month))
                    body.integer("expiry_year", Int64(expiration.year))
                }
                body.string("eci", payment.data.eciIndicator?.twoDigits)
                body.secret("cryptogram", cryptogram.text)
            }
            body.integer("amount", amount)
            body.string("currency", input.order.currency.alphabetic)
            body.boolean("capture", options.capture)
            body.string("reference", input.attempt.reference)
            body.string("processing_channel_id", options.processingChannelID)
        }
        return GatewayRequest(origin, "/payments", headers: headers, body: body)
    }

    /// Returns the request of ``status(of:)``.
    package func statusRequest(
        _ attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        var (path, query) = ("/payments", [(name: "reference", value: String(attempt.reference))])
        if let id = attempt.paymentID {
            (path, query) = ("/payments/\(try PathSegment.encoded(id, "id"))", [])
        } else {
            query.append(("limit", "100"))
        }
        return GatewayRequest(
            method: "GET", origin, path, query: query, headers: [try authorization()])
    }

    private func authorization() throws(PaymentError) -> GatewayHeader {
        try .checked(
            secret: "Authorization", prefix: keyForm == .bearer ? "Bearer " : "", secretKey,
            "secretKey")
    }

    /// Returns the amount in Checkout.com's units: above 0, of at most 9 digits.
    static func amount(_ order: Order) throws(PaymentError) -> Int64 {
        let amount = try scale.amount(order.amount, of: order.currency, "amount")
        let isCoarse = coarseCurrencies.contains(order.currency.alphabetic)
        guard (1...999_999_999).contains(amount), !isCoarse || amount.isMultiple(of: 10) else {
            throw .gateway(.unsupportedAmount, "amount")
        }
        return amount
    }
}
