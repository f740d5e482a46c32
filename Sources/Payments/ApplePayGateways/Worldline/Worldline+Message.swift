internal import ApplePayAcceptance
internal import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

extension Worldline {
    /// Verifies a webhook of Direct or Connect and reads its event, or reads a check of its address or a customer's return.
    ///
    /// `X-GCS-Signature` is the base64 of the HMAC-SHA256 of the body; `X-GCS-KeyId` names the key. A message is about one
    /// event, not about the state of the payment, so it states no totals: ask for the payment.
    ///
    /// - Throws: The errors of ``customerReturn(_:)``, `unsupported-messages` without keys, `missing-member` or `malformed` for `X-GCS-KeyId`, then for
    ///   `X-GCS-Signature`, `unknown-key`, `wrong-signature`, `library-failure`, those of the body, then `other-account` for
    ///   `apiVersion` and `merchantId`.
    ///
    /// Source: Worldline Connect, *Webhooks event structure*, and Direct, *Webhooks: payment.id* (2026-11-22); the server
    /// SDKs of both platforms, `SignatureValidator`, `WebhooksEvent`, `WebhooksHelper`.
    static func read(
        _ message: GatewayMessage, _ keys: [ExactText: SensitiveBytes], _ merchantId: String,
        _ platform: Platform
    ) throws(PaymentError) -> GatewayMessageContents {
        if let contents = try customerReturn(message) { return contents }
        guard !keys.isEmpty else { throw .gateway(.unsupportedMessages) }
        let check = "X-GCS-Webhooks-Endpoint-Verification"
        if ExactText(message.method) == "GET", let text = try? message.header(ExactText(check)) {
            // The text is sent back, so nothing but what the gateway sends may be in it.
            guard (1...256).contains(text.utf8.count),
                text.utf8.allSatisfy({ $0.isVisible })
            else { throw .gateway(.malformed, check) }
            return .endpointCheck(reply: text)
        }
        try verify(message, keys)
        let body = try message.object()
        let event = GatewayEvent(
            identifier: try body.mandatoryText("id"), type: try body.mandatoryText("type"),
            time: try body.text("created").flatMap(time), report: try report(body, platform))
        let (version, merchant) = (try body.text("apiVersion"), try body.text("merchantId"))
        guard version == "v1" else { throw .gateway(.otherAccount, "apiVersion") }
        guard merchant == ExactText(merchantId) else { throw .gateway(.otherAccount, "merchantId") }
        return .event(event)
    }

    private static func verify(
        _ message: GatewayMessage, _ keys: [ExactText: SensitiveBytes]
    ) throws(PaymentError) {
        let (keyField, field) = ("X-GCS-KeyId", "X-GCS-Signature")
        let keyId = try message.header(ExactText(keyField))
        let text = try message.header(ExactText(field))
        guard let code = MessageCode.bytes(base64: text).flatMap({ Octets32($0.span) }) else {
            throw .gateway(.malformed, field)
        }
        guard let secret = keys[keyId], secret.count > 0 else {
            throw .gateway(.unknownKey, keyField)
        }
        try MessageCode.verify(code, message.body.span, secret, field)
    }

    /// Reads what an event is about.
    private static func report(
        _ body: AnswerValue, _ platform: Platform
    ) throws(PaymentError) -> PaymentReport {
        let type = try body.mandatoryText("type")
        let object = ExactText(utf8: type.utf8.prefix { $0 != UInt8(ascii: ".") })
        if let refund = try body.object("refund") {
            var report = PaymentReport(gateway: platform.name, about: .refund)
            try fill(&report, refund, .refund, platform)
            return report
        }
        guard object == "payment", let payment = try body.object("payment") else {
            let subject: PaymentReport.Subject =
                object == "dispute" ? .chargeback : PaymentReport.Subject(rawValue: object)
            var report = PaymentReport(gateway: platform.name, about: subject)
            report.paymentID = try body.text("dispute", "paymentId")
            return report
        }
        var report = PaymentReport(gateway: platform.name)
        let state = try PaymentState(payment, platform)
        // A message can be repeated later, so its totals are not those of now.
        try state.fill(&report, withTotals: false)
        if type.hasSuffix(".refunded") { report.about = .refund }
        if type.hasSuffix(".chargebacked") { report.about = .chargeback }
        // Direct's events about an operation have the operation's amount.
        if platform.isDirect { report.ordered = nil }
        report.canBeAsked = true
        return report
    }

    /// Reads a time such as `2017-09-14T17:14:39.688+0200`, whose offset lacks a colon, or any time of RFC 3339.
    private static func time(_ stated: ExactText) -> Date? {
        if let date = InternetTime.date(stated) { return date }
        let text = String(stated)
        let offset = text.suffix(4)
        return InternetTime.date("\(text.dropLast(4))\(offset.prefix(2)):\(offset.suffix(2))")
    }
}
