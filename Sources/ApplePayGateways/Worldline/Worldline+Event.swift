public import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension Worldline {
    /// Verifies a webhook of Direct or Connect and reads its event.
    ///
    /// `X-GCS-Signature` is the base64 of the HMAC-SHA256 of the body; `X-GCS-KeyId` names the key. During a key
    /// rotation, pass both keys. ``GatewayEvent/identifier`` is `id`, with which Worldline recommends recognizing
    /// repeated events.
    ///
    /// - Parameters:
    ///   - message: The request, with its body as it was received.
    ///   - keys: The webhooks keys: each secret by its key identifier.
    ///   - platform: The platform that sent the event; it determines the decimals of the amount.
    /// - Returns: The event; its outcome is unknown if it is about neither a payment nor a refund.
    /// - Throws: ``GatewayMessageError``: `missing-member` or `malformed` for `X-GCS-KeyId`, then for `X-GCS-Signature`,
    ///   `unknown-key`, `wrong-signature`, `library-failure`, then `unreadable`.
    ///
    /// Source: Worldline Connect, *Webhooks event structure* (2026-11-22); the server SDKs of both platforms,
    /// `SignatureValidator`, `WebhooksEvent`.
    public static func event(
        _ message: GatewayMessage,
        keys: [String: SensitiveBytes],
        of platform: any WorldlinePlatform.Type = WorldlineDirect.self
    ) throws(GatewayMessageError) -> GatewayEvent {
        let (keyField, field) = ("X-GCS-KeyId", "X-GCS-Signature")
        let keyId = try message.header(keyField)
        let text = try message.header(field)
        guard let code = MessageCode.bytes(base64: text).flatMap({ Octets32($0.span) }) else {
            throw GatewayMessageError(.malformed, field)
        }
        guard let secret = keys[keyId], secret.count > 0 else {
            throw GatewayMessageError(.unknownKey, keyField)
        }
        try MessageCode.verify(code, message.body.span, secret, field)
        let body = try message.object()
        do {
            return try event(body, platform.scale)
        } catch {
            throw GatewayMessageError(error)
        }
    }

    private static func event(
        _ body: ResponseValue,
        _ scale: CurrencyScale
    ) throws(UnreadableJSONError) -> GatewayEvent {
        let payment: PaymentState? =
            if let value = body["payment"] { try PaymentState(value, scale) } else { nil }
        let refund: PaymentState? =
            if let value = body["refund"] { try PaymentState(value, scale) } else { nil }
        let subject = payment ?? refund
        let outcome: PaymentOutcome
        if let payment {
            outcome = payment.outcome(redirectURL: nil)
        } else if let refund {
            outcome = OperationAnswer.outcome(refund, .refund)
        } else {
            outcome = .unknown(reason: "The event is about neither a payment nor a refund.")
        }
        return GatewayEvent(
            identifier: try body.mandatoryText("id"), type: try body.mandatoryText("type"),
            time: body["created"]?.string.flatMap(time), paymentId: subject?.id,
            merchantReference: subject?.merchantReference, outcome: outcome,
            gatewayStatus: subject?.status, agrees: { subject?.agrees(with: $0) ?? true })
    }

    /// Reads a time such as `2017-09-14T17:14:39.688+0200`, whose offset lacks a colon, or any time of RFC 3339.
    private static func time(_ text: String) -> Date? {
        if let date = InternetTime.date(text) { return date }
        let offset = text.suffix(4)
        return InternetTime.date("\(text.dropLast(4))\(offset.prefix(2)):\(offset.suffix(2))")
    }

    /// Verifies the customer's return from one of Worldline's pages, in constant time.
    ///
    /// - Parameters:
    ///   - target: The path and query to which the customer's browser returned, percent-encoded.
    ///   - returnMAC: ``HostedCheckoutAnswer/returnMAC`` of the page to which this customer was sent.
    /// - Returns: `hostedCheckoutId`. Ask for the state of the page: the return alone does not prove a payment.
    /// - Throws: ``GatewayMessageError``: `missing-member` or `malformed` for `RETURNMAC` and `hostedCheckoutId`, then
    ///   `wrong-signature`.
    ///
    /// Source: Worldline Direct, *Hosted Checkout Page*, "RETURNMAC" (2026-11-22).
    public static func verifyReturn(
        _ target: String,
        returnMAC: SensitiveBytes
    ) throws(GatewayMessageError) -> String {
        let query = URLQuery(ofTarget: target)
        let given = try query.value("RETURNMAC")
        let identifier = try query.value("hostedCheckoutId")
        let isEqual = returnMAC.withRevealedBytes { expected in
            !expected.isEmpty && ConstantTimeComparison.areEqual(expected, given.utf8.span)
        }
        guard isEqual else { throw GatewayMessageError(.wrongSignature, "RETURNMAC") }
        return identifier
    }
}
