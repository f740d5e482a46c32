import ApplePayTransport
import FoundationEssentials

/// The webhooks of Worldline.
///
/// Source: Worldline Direct, *Webhooks*, and Connect, *Webhooks event structure*; the server SDKs' `WebhooksEvent`.
extension WorldlineForm {
    /// The identifier of the webhooks key, whose secret is the sandbox's.
    static let webhookKeyID = "key-1"

    /// Returns the webhook about a payment or an operation; nil if libcrypto fails.
    ///
    /// Direct's events about an operation have the operation's identifier, amount and status in the place of the payment's.
    @Sendable func message(_ change: PaymentChange, _ shop: ShopAddress) -> GatewayRequest? {
        let payment = change.payment
        let type: String
        let content: JSON
        if let refund = change.operation, refund.kind == .refund {
            let object = isDirect && refund.isDone ? "payment" : "refund"
            type = "\(object).\(status(refund).name.lowercased())"
            content = ["refund": answer(refund, payment)]
        } else {
            let operation = isDirect ? change.operation : nil
            let status = operation.map(status) ?? status(payment)
            type = "payment.\(status.name.lowercased())"
            content = [
                "payment": self.payment(
                    payment, as: status, id: operation?.id, amount: operation?.amount)
            ]
        }
        let head: JSON = [
            "apiVersion": "v1", "id": .string(UUID().uuidString.lowercased()),
            "created": .string(Date().formatted(.iso8601)),
            "merchantId": payment["merchantId"] ?? "shop", "type": .string(type),
        ]
        let body = head.adding(content).bytes
        guard let signature = Credentials.signature(String(decoding: body, as: UTF8.self)) else {
            return nil
        }
        let headers = [("X-GCS-KeyId", Self.webhookKeyID), ("X-GCS-Signature", signature)]
        return shop.message(
            from: change.gateway, headers: headers.map { GatewayHeader($0, $1) }, body: body)
    }
}
