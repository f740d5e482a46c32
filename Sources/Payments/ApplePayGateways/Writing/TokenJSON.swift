public import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

/// Encrypted tokens as JSON: as the merchant received them, or in the object in which PassKit's clients wrap them.
public enum TokenJSON {
    /// Returns the object `paymentData` of a token as compact JSON in UTF-8, with
    /// its members in the order received.
    public static func paymentData(_ token: PaymentToken) -> SensitiveBytes {
        var buffer = SecretBuffer()
        var json = JSONWriter()
        token.writePaymentData(to: &json, into: &buffer)
        return buffer.sensitiveBytes()
    }

    /// Writes `paymentData`, and `paymentMethod` and `transactionIdentifier` if the merchant received them.
    package static func writePassKitToken(_ token: PaymentToken, into body: inout JSONBody) {
        body.raw("paymentData", paymentData(token))
        guard let members = token.unsignedMembers else { return }
        if members.displayName != nil || members.network != nil || members.type != nil {
            body.object("paymentMethod") { body in
                body.string("displayName", members.displayName)
                body.string("network", members.network)
                body.string("type", members.type)
            }
        }
        body.string("transactionIdentifier", members.transactionIdentifier)
    }
}
