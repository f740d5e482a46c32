internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// Encrypted tokens as JSON, as they came or as PassKit's clients wrap them.
enum TokenJSON {
    /// The object `paymentData`, compact, its members in the order in which they came.
    static func paymentData(_ token: PaymentToken) -> SensitiveBytes {
        let buffer = SecretBuffer()
        var sink = buffer
        var json = JSONWriter()
        token.writePaymentData(to: &json, into: &sink)
        return buffer.sensitiveBytes()
    }

    /// `paymentData`, and `paymentMethod` and `transactionIdentifier` as far as they came with it.
    static func writePassKitToken(_ token: PaymentToken, into body: inout JSONBody) {
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

    /// A prefix, and the base64 of some bytes (RFC 4648 §4) in one line.
    static func base64(prefix: String = "", _ bytes: SensitiveBytes) -> SensitiveBytes {
        let buffer = SecretBuffer()
        buffer.append(prefix.utf8.span)
        var sink = buffer
        bytes.withRevealedBytes { Base64.encode($0, into: &sink) }
        return buffer.sensitiveBytes()
    }
}
