import ApplePayPrimitives
import ApplePayTransport
import ApplePayWire
import FoundationEssentials

/// The callbacks of Dintero.
///
/// Source: Dintero, *Session callback (POST)*, *Validating callbacks*; WHATWG URL, "application/x-www-form-urlencoded
/// serializing".
extension DinteroForm {
    /// Returns the callback about a payment or a completed operation; its query is signed, and its body is not.
    @Sendable static func message(_ change: PaymentChange, _ shop: ShopAddress) -> GatewayRequest? {
        let payment = change.payment
        guard change.operation?.isDone != false,
            let account = payment.id.split(separator: ".").first
        else { return nil }
        let now = Date()
        let (error, event): (String?, String?) =
            switch (payment.state, change.operation?.kind) {
            case (.declined, _): ("authorization", nil)
            case (.abandoned, _): ("cancelled", nil)
            case (_, .capture): (nil, "CAPTURE")
            case (_, .cancel): (nil, "VOID")
            case (_, .refund): (nil, "REFUND")
            default: (nil, nil)
            }
        let members = [
            ("error", error), ("event", event), ("event_id", change.operation?.id),
            ("merchant_reference", payment.purchase.reference), ("method", "POST"),
            ("session_id", payment["session"]?.string), ("time", now.formatted(.iso8601)),
            ("transaction_id", payment.id),
        ]
        let query = members.compactMap { name, value in value.map { (name: name, value: $0) } }
        // The members are sorted already.
        let signed = query.map { "\($0.name)=\(encoded($0.value))" }.joined(separator: "&")
        let seconds = Int64(now.timeIntervalSince1970)
        let text = [
            "\(seconds)", String(account), "POST", shop.host, shop.path(of: change.gateway), signed,
        ].joined(separator: "\n")
        let secret = Array(Sandbox.secret.utf8)
        guard let code = try? HMACSHA256.code(of: text.utf8.span, key: secret.span) else {
            return nil
        }
        let digits = code.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let signature = "t=\(seconds),v0-hmac-sha256=\(digits)"
        return shop.message(
            from: change.gateway, query: query,
            headers: [GatewayHeader("Dintero-Signature", signature)],
            body: transaction(payment).bytes)
    }

    private static func encoded(_ text: String) -> String {
        PercentEncoding.encoded(ExactText(text)).replacing("%20", with: "+")
            .replacing("%2A", with: "*").replacing("~", with: "%7E")
    }
}
