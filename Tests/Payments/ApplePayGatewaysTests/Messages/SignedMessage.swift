import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayPrimitives
import ApplePayToken
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import ApplePayWire
import Foundation
import TestVectors

/// Messages, signed as the gateways document it, and the gateways that accept them.
enum SignedMessage {
    /// When the messages are signed and received: 2026-11-21 08:30:00 UTC.
    static let time = Date(timeIntervalSince1970: 1_795_249_800)
    /// The secret of Worldline and Dintero.
    static let secret = "message-secret"

    /// Returns a message of Worldline's with this body.
    static func worldline(
        _ body: String,
        keyID: String = "key-1",
        secret: String = secret,
        more: [(name: String, value: String)] = []
    ) throws -> GatewayMessage {
        let code = try HMACSHA256.code(of: body.utf8.span, key: Array(secret.utf8).span)
        let headers = [
            ("X-GCS-KeyId", keyID),
            ("X-GCS-Signature", Data(code.bytes).base64EncodedString()),
        ]
        return GatewayMessage(
            method: "POST", target: "/hook", headers: headers + more, body: Array(body.utf8))
    }

    /// Returns a merchant's account at Worldline, which knows the key of ``worldline(_:keyID:secret:more:)``.
    static func worldlineAccount(
        _ gateway: String, merchantID: String = "m-1", keys: [String: String] = ["key-1": secret]
    ) -> any PaymentGateway {
        let merchant = ExampleMerchant(secret: "not-a-real-secret")
        let secrets = Dictionary(
            uniqueKeysWithValues: keys.map { (ExactText($0.key), GatewayFixture.secret($0.value)) })
        return gateway == "worldline-direct"
            ? with(merchant.worldlineDirect) {
                ($0.merchantId, $0.webhookKeys) = (merchantID, secrets)
            }
            : with(merchant.worldlineConnect) {
                ($0.merchantId, $0.webhookKeys) = (merchantID, secrets)
            }
    }

    /// Returns the key of a shop at bePaid.
    static func shopKey(_ label: String = "shop", bitCount: Int = 2048) throws -> RSAKey {
        try RSAKey.seeded("bepaid", label: label, bitCount: bitCount)
    }

    /// Returns the text of the shop's public key, as the back office shows it.
    static func publicKey(_ key: RSAKey) -> String {
        Data(PrivateKey.rsa(key).subjectPublicKeyInfo).base64EncodedString()
    }

    /// Returns a message of bePaid's with this body, or with a signature over another one.
    static func bePaid(
        _ body: String, key: RSAKey? = nil, signing signed: String? = nil
    ) throws -> GatewayMessage {
        let hash = try Digest.sha256.hash(Array((signed ?? body).utf8))
        let signature = try (key ?? shopKey()).sign(hash: hash, digest: .sha256)
        return GatewayMessage(
            method: "POST", target: "/hook",
            headers: [("Content-Signature", Data(signature).base64EncodedString())],
            body: Array(body.utf8))
    }

    /// Returns a shop at bePaid, which accepts the messages of ``bePaid(_:key:signing:)``.
    static func bePaidShop() throws -> BePaid {
        try with(ExampleMerchant(secret: "not-a-real-secret").bePaid) {
            $0.notificationKey = try BePaid.NotificationKey(publicKey(shopKey()))
        }
    }

    /// Returns `Dintero-Signature` of a callback, whose query is sorted.
    static func dinteroSignature(
        _ query: String,
        path: String = "/callback",
        seconds: Int = Int(time.timeIntervalSince1970),
        account: String = "P00000000",
        method: String = "GET",
        host: String = "example.com",
        secret: String = secret
    ) throws -> String {
        let text = "\(seconds)\n\(account)\n\(method)\n\(host)\n\(path)\n\(query)"
        let code = try HMACSHA256.code(of: text.utf8.span, key: Array(secret.utf8).span)
        return "t=\(seconds),v0-hmac-sha256=\(Hexadecimal.text(code.bytes))"
    }

    /// Returns a callback of Dintero's.
    static func dintero(
        _ target: String, _ signature: String, method: String = "GET", host: String = "example.com"
    ) -> GatewayMessage {
        GatewayMessage(
            method: method, target: target,
            headers: [("Host", host), ("Dintero-Signature", signature)], body: [])
    }

    /// Returns an account at Dintero, which accepts the callbacks.
    static func dinteroAccount(_ account: String = "P00000000", secret: String = secret) -> Dintero
    {
        with(ExampleMerchant(secret: "not-a-real-secret").dintero) {
            $0.accountID = account
            $0.callbackSecret = GatewayFixture.secret(secret)
        }
    }
}

extension GatewayMessageContents {
    /// The event; nil for the check of an address.
    var event: GatewayEvent? {
        if case .event(let event) = self { event } else { nil }
    }
}
