import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import ApplePayTransport
import FoundationEssentials

/// The notifications of bePaid.
///
/// Source: bePaid, *Webhook notifications*.
extension BePaidForm {
    /// The key of every shop, which signs notifications; anyone can derive it, as everyone knows the sandbox's secret.
    private static let key = Result { try RSAKey.seeded("gateway-sandbox", label: "bepaid") }

    /// Returns the public key that verifies notifications, PEM.
    @Sendable static func publicKey() throws -> String {
        PEM.text("PUBLIC KEY", PrivateKey.rsa(try key.get()).subjectPublicKeyInfo)
    }

    /// Returns the notification about a transaction; nil if libcrypto fails.
    @Sendable static func message(_ change: PaymentChange, _ shop: ShopAddress) -> GatewayRequest? {
        let content =
            change.operation.map { transaction($0, of: change.payment) }
            ?? transaction(change.payment)
        let body = (["transaction": content] as JSON).bytes
        guard let hash = try? Digest.sha256.hash(body),
            let signature = try? key.get().sign(hash: hash, digest: .sha256)
        else { return nil }
        let code = Data(signature).base64EncodedString()
        return shop.message(
            from: change.gateway, headers: [GatewayHeader("Content-Signature", code)], body: body)
    }
}
