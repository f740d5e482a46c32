package import ApplePayAcceptance
package import ApplePayGateways
internal import ApplePayPrimitives

extension Adyen {
    /// The currencies whose decimals differ from ISO 4217.
    static var scale: CurrencyScale {
        CurrencyScale(exceptions: ["CLP": 2, "CVE": 0, "IDR": 0, "ISK": 2])
    }

    /// Returns the request of ``payment(_:)``.
    package func paymentRequest(_ input: PaymentInput) throws(PaymentError) -> GatewayRequest {
        let payment = try input.decrypted("paymentMethod")
        let field = options.cryptogramField.rawValue
        let cryptogram = try payment.requiredCryptogram(field)
        try FieldLength.check(cryptogram.text, field, 28...28)
        try check(input.order, attempt: input.attempt)
        let value = try Self.scale.amount(input.order.amount, of: input.order.currency, "value")
        let headers: [GatewayHeader] = [
            .contentType(), try .checked(secret: "X-API-Key", apiKey, "apiKey"),
            try .checked("Idempotency-Key", input.attempt.key, 1...64),
        ]
        let body = JSONBody.object { body in
            body.object("amount") { body in
                body.string("currency", input.order.currency.alphabetic)
                body.integer("value", value)
            }
            body.string("merchantAccount", merchantAccount)
            body.string("reference", input.attempt.reference)
            body.object("paymentMethod") { body in
                body.string("type", "scheme")
                body.secret("number", payment.data.accountNumber.digits)
                body.string("expiryMonth", payment.data.expiration.twoDigitMonth)
                body.string("expiryYear", payment.data.expiration.fourDigitYear)
                body.secret("holderName", payment.givenCardholderName)
                body.string("brand", brand(payment))
            }
            body.object("mpiData") { body in
                body.string("authenticationResponse", "Y")
                body.string("directoryResponse", "Y")
                body.secret(field, cryptogram.text)
                body.string("eci", payment.data.eciIndicator?.twoDigits)
            }
            body.string("shopperReference", input.order.customerReference)
            body.string("returnUrl", input.order.returnURL)
        }
        return GatewayRequest(origin, path, headers: headers, body: body)
    }

    /// Returns `paymentMethod.brand`.
    private func brand(_ payment: Payment) -> String? {
        switch options.brand {
        case .applePay: "applepay"
        case .network:
            switch CardBrand(payment.data.accountNumber) {
            case .mastercard: "mc"
            case .unionPay: "cup"
            case .mir, nil: nil
            case let brand?: brand.rawValue
            }
        case nil: nil
        }
    }
}
