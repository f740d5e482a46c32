import ApplePayAcceptance
import ApplePayGateways
import ApplePayPrimitives
import ApplePayWire
import Foundation

/// Gateways' messages: what a gateway reads in a request as it was sent, and after it was signed.
///
/// An input is the number of a gateway, a method and a target, a line for each header, an empty line, and the body.
enum ReadMessages {
    private static let time = Date(timeIntervalSince1970: 1_795_249_800)
    private static let secret = SensitiveBytes(copying: "message-secret".utf8.span)
    private static let host = "example.com"

    private static let gateways: [UInt8: any PaymentGateway] = {
        let credentials = Worldline.Credentials(apiKeyId: "key-1", secretAPIKey: secret)
        var direct = WorldlineDirect(
            merchantId: "m-1", credentials: credentials, environment: .live)
        direct.webhookKeys = ["key-1": secret]
        var connect = WorldlineConnect(
            merchantId: "m-1", credentials: credentials, environment: .live)
        connect.webhookKeys = ["key-1": secret]
        var dintero = Dintero(accountID: "P00000000", credentials: .accessToken(secret))
        dintero.callbackSecret = secret
        return [
            UInt8(ascii: "1"): direct, UInt8(ascii: "2"): connect, UInt8(ascii: "3"): dintero,
        ]
    }()

    /// Returns nil, or the condition that the reader violates.
    static func fault(of input: [UInt8]) -> String? {
        guard let first = input.first else { return nil }
        let message = message(input.dropFirst())
        guard let gateway = gateways[first] else {
            // bePaid, whose signatures cannot be made with a public key.
            if let body = try? message.object() { _ = try? BePaid.event(body) }
            return nil
        }
        switch read(message, gateway) {
        case .success(.event): return "an event that nobody signed"
        case .success(.endpointCheck(let reply)) where !(1...256).contains(reply.utf8.count):
            return "a reply of \(reply.utf8.count) bytes"
        case .failure(let error) where error.description.isEmpty: return "no sentence"
        case .success, .failure: break
        }
        guard let signed = try? signed(message, gateway),
            case .failure(let error) = read(signed, gateway), error.code == .wrongSignature
        else { return nil }
        return "a signature that is refused"
    }

    private static func read(
        _ message: GatewayMessage, _ gateway: any PaymentGateway
    ) -> Result<GatewayMessageContents, PaymentError> {
        Result { () throws(PaymentError) in try gateway.read(message, receivedAt: time) }
    }

    private static func message(_ input: ArraySlice<UInt8>) -> GatewayMessage {
        var rest = input
        func line() -> [String] {
            let bytes = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(bytes.count + 1)
            return bytes.split(separator: UInt8(ascii: " "), maxSplits: 1)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        let first = line()
        var headers: [(name: String, value: String)] = []
        while !rest.isEmpty {
            let parts = line()
            guard let name = parts.first else { break }
            headers.append((String(name.dropLast()), parts.last ?? ""))
        }
        return GatewayMessage(
            method: first.first ?? "", target: first.last ?? "", headers: headers,
            body: Array(rest))
    }

    /// Returns the message with the signature of its gateway as the only one.
    private static func signed(
        _ message: GatewayMessage, _ gateway: any PaymentGateway
    ) throws -> GatewayMessage {
        guard let dintero = gateway as? Dintero else {
            let code = try code(of: message.body)
            return GatewayMessage(
                method: "POST", target: message.target,
                headers: [
                    ("X-GCS-KeyId", "key-1"),
                    ("X-GCS-Signature", Data(code).base64EncodedString()),
                ], body: message.body)
        }
        let seconds = Int(time.timeIntervalSince1970)
        let path = message.target.prefix { $0 != "?" && $0 != "#" }
        let query = try URLQuery(ofTarget: message.target).sorted
        let text = "\(seconds)\n\(dintero.accountID)\n\(message.method)\n\(host)\n\(path)\n\(query)"
        let code = try code(of: Array(text.utf8))
        let hexadecimal = Hexadecimal.text(code.span)
        return GatewayMessage(
            method: message.method, target: message.target,
            headers: [
                ("Host", host), ("Dintero-Signature", "t=\(seconds),v0-hmac-sha256=\(hexadecimal)"),
            ], body: message.body)
    }

    private static func code(of bytes: [UInt8]) throws -> [UInt8] {
        try secret.withRevealedBytes { try HMACSHA256.code(of: bytes.span, key: $0).bytes }
    }
}
