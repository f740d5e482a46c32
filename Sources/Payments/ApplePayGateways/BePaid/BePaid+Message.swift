public import ApplePayAcceptance
internal import ApplePayPrimitives
internal import ApplePayWire
public import FoundationEssentials

extension BePaid {
    /// The shop's public key, which verifies bePaid's messages.
    public struct NotificationKey: Sendable {
        fileprivate let key: VerificationKey

        /// Reads the key that the shop's back office shows.
        ///
        /// - Parameter text: PEM (RFC 7468 §13), or only its base64, with or without line breaks.
        /// - Throws: ``PaymentError``: `invalid-key` unless it is an RSA key of 2048 bits, then `library-failure`.
        public init(_ text: String) throws(PaymentError) {
            guard text.utf8.count <= 1 << 14 else {
                throw .gateway(.invalidKey, BePaid.signatureField)
            }
            let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
            let base64 = lines.joined().filter { !$0.isWhitespace }
            guard let encoding = Base64.decoded(base64.utf8.span) else {
                throw .gateway(.invalidKey, BePaid.signatureField)
            }
            key = try rethrowing(try VerificationKey(rsaPublicKey: encoding.span)) { error in
                PaymentError.gateway(
                    error == .malformedPublicKey ? .invalidKey : .gatewayLibraryFailure,
                    BePaid.signatureField)
            }
        }
    }

    private static var signatureField: String { "Content-Signature" }

    /// Verifies a message and reads its event.
    ///
    /// `Content-Signature` is the base64 of the RSA signature with SHA-256 over the body, which does not state when it was
    /// signed. ``GatewayEvent/identifier`` is `uid` with `status`, because bePaid reports a transaction once for each
    /// status.
    ///
    /// Source: bePaid, *Webhook notifications* (2026-11-22).
    public func read(
        _ message: GatewayMessage, receivedAt time: Date
    ) throws(PaymentError) -> GatewayMessageContents {
        guard let notificationKey else { throw .gateway(.unsupportedMessages) }
        let field = Self.signatureField
        guard let signature = MessageCode.bytes(base64: try message.header(ExactText(field))) else {
            throw .gateway(.malformed, field)
        }
        let isValid = try rethrowing(
            try notificationKey.key.isValidSignature(
                signature.span, for: try SHA256.hash(message.body.span)),
            as: { _ in PaymentError.gateway(.gatewayLibraryFailure, field) })
        guard isValid else { throw .gateway(.wrongSignature, field) }
        return .event(try Self.event(try message.object()))
    }

    /// Reads the body of a message: the answer about one transaction, or the state of a subscription.
    ///
    /// It states no totals: bePaid sends messages again for 37 hours, also after a refund.
    package static func event(_ body: AnswerValue) throws(PaymentError) -> GatewayEvent {
        let object = try Transaction.object(in: body)
        let (id, state) = (try object.text("id"), try object.text("state"))
        let subject: ExactText = state == nil ? "transaction" : "subscription"
        var transaction = try Transaction(object, about: .init(rawValue: subject))
        guard let uid = transaction.uid ?? id, let status = transaction.report.status ?? state
        else { throw .gateway(.missingMember, "transaction.uid") }
        // An operation's own reference, or that of the payment that was charged back.
        let parent = try object.text("parent_transaction", "tracking_id")
        transaction.report.reference = try object.text("tracking_id") ?? parent
        transaction.report.canBeAsked = true
        if transaction.report.meaning != .refused { transaction.report.refusal = nil }
        let created = try object.text("created_at")
        let time = try object.text("updated_at") ?? created
        return GatewayEvent(
            identifier: "\(uid):\(status)", type: transaction.type ?? subject,
            time: time.flatMap(InternetTime.date), report: transaction.report,
            relatedID: transaction.parentUID)
    }
}
