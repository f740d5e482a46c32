internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

extension BePaid {
    /// The shop's public key, which verifies bePaid's notifications.
    public struct NotificationKey: Sendable {
        let key: VerificationKey

        /// Reads the key that the shop's back office shows.
        ///
        /// - Parameter text: PEM with the label `PUBLIC KEY` (RFC 7468 §13), or only its base64, with or without line
        ///   breaks.
        /// - Throws: ``GatewayMessageError``: `invalid-key` unless it is an RSA key of 2048 bits, then
        ///   `library-failure`.
        public init(_ text: String) throws(GatewayMessageError) {
            let field = "Content-Signature"
            let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
            let base64 = lines.joined().filter { !$0.isWhitespace }
            guard text.utf8.count <= 1 << 14,
                let encoding = MessageCode.decoded(base64: base64)
            else { throw GatewayMessageError(.invalidKey, field) }
            do {
                key = try VerificationKey(rsaPublicKey: encoding.span)
            } catch {
                throw GatewayMessageError(
                    error == .malformedPublicKey ? .invalidKey : .libraryFailure, field)
            }
        }
    }

    /// Verifies a notification from bePaid and reads its event.
    ///
    /// `Content-Signature` is the base64 of the RSA signature with SHA-256 over the body. The message does not contain
    /// an identifier of its event: ``GatewayEvent/identifier`` is `uid` with `status`, because bePaid reports a
    /// transaction once for each status.
    ///
    /// - Parameters:
    ///   - message: The request, with its body as it arrived.
    ///   - key: The shop's public key.
    /// - Returns: The event.
    /// - Throws: ``GatewayMessageError``: `missing-member` or `malformed` for `Content-Signature`, `wrong-signature`,
    ///   `library-failure`, then `unreadable`.
    ///
    /// Source: bePaid, *Webhook notifications* (2026-11-22).
    public static func event(
        _ message: GatewayMessage,
        key: NotificationKey
    ) throws(GatewayMessageError) -> GatewayEvent {
        let field = "Content-Signature"
        let text = try message.header(field)
        guard let signature = MessageCode.bytes(base64: text) else {
            throw GatewayMessageError(.malformed, field)
        }
        let isValid: Bool
        do {
            isValid = try key.key.isValidSignature(
                signature.span, for: try SHA256.hash(message.body.span))
        } catch {
            throw GatewayMessageError(.libraryFailure, field)
        }
        guard isValid else { throw GatewayMessageError(.wrongSignature, field) }
        let transaction = try message.object()["transaction"]
        do throws(UnreadableJSONError) {
            let answer = try TransactionAnswer(GatewayResponse(status: 200, body: message.body))
            guard let uid = answer.uid else {
                throw UnreadableJSONError(.missingMember, field: "transaction.uid")
            }
            let time = transaction?["updated_at"]?.string ?? transaction?["created_at"]?.string
            return GatewayEvent(
                identifier: "\(uid):\(answer.gatewayStatus ?? "")",
                type: answer.type ?? "transaction", time: time.flatMap(InternetTime.date),
                paymentId: uid, merchantReference: answer.trackingId, outcome: answer.outcome,
                gatewayStatus: answer.gatewayStatus, agrees: { answer.agrees(with: $0) })
        } catch {
            throw GatewayMessageError(error)
        }
    }
}
