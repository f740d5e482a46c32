public import ApplePayPrimitives
internal import ApplePayToken
public import FoundationEssentials

extension Dintero {
    /// The permitted difference between the signature's time and the current time, in seconds, as Dintero recommends.
    private static let window: Double = 300

    /// Verifies a callback of a session and reads its event.
    ///
    /// `Dintero-Signature` is `t=SECONDS,v0-hmac-sha256=HEX` over the time, the account, the method, the host, the path
    /// and the sorted query. The body is neither signed nor read. The callback names the transaction, but contains
    /// neither its amount nor its state: ask for them with ``statusRequest(transactionId:accessToken:origin:)``.
    ///
    /// - Parameters:
    ///   - message: The request; its header `Host` is the host of the callback address.
    ///   - accountId: The account, such as `P12345678`.
    ///   - secret: The secret of `POST /v1/admin/signature`.
    ///   - now: When the message was received.
    /// - Returns: The event: ``PaymentOutcome/pending``, or the outcome of the error in a callback with `error`.
    /// - Throws: ``GatewayMessageError``: `missing-member` or `malformed` for `Dintero-Signature`, then for `Host`,
    ///   `unknown-key` without a secret, `wrong-signature`, `library-failure`, `outside-window`, then `missing-member`
    ///   for `transaction_id`.
    ///
    /// Source: Dintero, *Create signature secret*, *Validating callbacks* (2026-11-22).
    public static func event(
        _ message: GatewayMessage,
        accountId: String,
        secret: SensitiveBytes,
        now: Date
    ) throws(GatewayMessageError) -> GatewayEvent {
        let field = "Dintero-Signature"
        let (seconds, code) = try signature(try message.header(field), field)
        let host = try message.header("Host").lowercased().prefix { $0 != ":" }
        let path = message.target.prefix { $0 != "?" && $0 != "#" }
        let query = URLQuery(ofTarget: message.target)
        guard secret.count > 0 else { throw GatewayMessageError(.unknownKey, field) }
        let text = [
            "\(seconds)", accountId, message.method, String(host), String(path), query.sorted,
        ].joined(separator: "\n")
        try MessageCode.verify(code, text.utf8.span, secret, field)
        guard abs(now.timeIntervalSince1970 - Double(seconds)) <= window else {
            throw GatewayMessageError(.outsideWindow, field)
        }
        func value(_ name: String) -> String? {
            query.parameters.first { $0.name == name }?.value
        }
        let (session, transaction, error) = (
            value("session_id"), value("transaction_id"), value("error")
        )
        // The callback of a failed session may lack a transaction.
        guard transaction != nil || session != nil && error != nil else {
            throw GatewayMessageError(.missingMember, "transaction_id")
        }
        let type = value("event") ?? "callback"
        return GatewayEvent(
            identifier: [session, transaction, error, type].compactMap { $0 }
                .joined(separator: ":"),
            type: type, time: Date(timeIntervalSince1970: Double(seconds)),
            paymentId: transaction,
            merchantReference: value("merchant_reference"),
            outcome: error.map { refused($0, nil) } ?? .pending, gatewayStatus: error,
            agrees: { _ in true })
    }

    /// Returns the time and the code of `t=SECONDS,v0-hmac-sha256=HEX`, which must have this order.
    ///
    /// - Throws: `malformed`.
    private static func signature(
        _ text: String,
        _ field: String
    ) throws(GatewayMessageError) -> (seconds: Int64, code: Octets32) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }
        let (first, second) = ("t=", "v0-hmac-sha256=")
        guard parts.count == 2, parts[0].hasPrefix(first), parts[1].hasPrefix(second),
            let seconds = Int64(parts[0].dropFirst(first.count)),
            (0..<253_402_300_800).contains(seconds),
            parts[0].dropFirst(first.count) == "\(seconds)",
            let bytes = MessageCode.bytes(hexadecimal: String(parts[1].dropFirst(second.count))),
            let code = Octets32(bytes.span)
        else { throw GatewayMessageError(.malformed, field) }
        return (seconds, code)
    }
}
