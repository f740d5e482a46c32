public import ApplePayPrimitives
public import ApplePayToken

extension BePaid {
    /// The value of `credit_card.token` for an encrypted token: `$begateway_apple_pay_1_0_0$` and base64.
    ///
    /// - Parameters:
    ///   - token: The verified token; members, order and unknown members of `paymentData` are kept.
    ///   - form: How much of it is told.
    /// - Returns: One line of ASCII: the prefix, then strict base64 of compact JSON.
    ///
    /// Source: bePaid, *Apple Pay in a mobile application*.
    public static func tokenString(
        _ token: VerifiedToken,
        form: TokenForm = .wholeToken
    ) -> SensitiveBytes {
        tokenString(token.token, form: form)
    }

    /// The value of `credit_card.token` for an opened token: `$begateway_apple_pay_decrypted_1_0_0$`
    /// and base64 of Apple's own plaintext, expiry, amount and ECI as Apple wrote them.
    ///
    /// - Parameter payment: The opened token.
    /// - Returns: One line of ASCII: the prefix, then strict base64.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `cryptogram-missing`.
    ///
    /// Source: bePaid, *Apple Pay payments with decrypted token*.
    public static func tokenString(_ payment: Payment) throws(PaymentTokenError) -> SensitiveBytes {
        _ = try payment.requiredCryptogram("credit_card.token")
        return decryptedTokenString(payment.data.rawPayload)
    }

    /// The string for a token of which nothing is proven.
    package static func tokenString(
        _ token: PaymentToken,
        form: TokenForm
    ) -> SensitiveBytes {
        let json = JSONBody.object { body in
            switch form {
            case .wholeToken: TokenJSON.writePassKitToken(token, into: &body)
            case .paymentDataOnly: body.raw("paymentData", TokenJSON.paymentData(token))
            }
        }
        return TokenJSON.base64(prefix: "$begateway_apple_pay_1_0_0$", json)
    }

    /// The string for a payload of which nothing is checked.
    package static func decryptedTokenString(_ payload: SensitiveBytes) -> SensitiveBytes {
        TokenJSON.base64(prefix: "$begateway_apple_pay_decrypted_1_0_0$", payload)
    }
}
