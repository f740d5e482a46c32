import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Foundation
import Testing

@Suite("Messages from gateways")
struct EventTests {
    /// The body, the key and the signature from the tests of both platforms' server SDKs.
    private static let worldlineBody = """
        {
          "apiVersion": "v1",
          "id": "8ee793f6-4553-4749-85dc-f2ef095c5ab0",
          "created": "2017-02-02T11:24:14.040+0100",
          "merchantId": "20000",
          "type": "payment.paid",
          "payment": {
            "id": "00000200000143570012",
            "paymentOutput": {
              "amountOfMoney": {
                "amount": 1000,
                "currencyCode": "EUR"
              },
              "references": {
                "paymentReference": "200001681810"
              },
              "paymentMethod": "bankTransfer",
              "bankTransferPaymentMethodSpecificOutput": {
                "paymentProductId": 11
              }
            },
            "status": "PAID",
            "statusOutput": {
              "isCancellable": false,
              "statusCategory": "COMPLETED",
              "statusCode": 1000,
              "statusCodeChangeDateTime": "20170202112414",
              "isAuthorized": true
            }
          }
        }
        """
    private static let worldlineSignature = "2S7doBj/GnJnacIjSJzr5fxGM5xmfQyFAwxv1I53ZEk="

    private func worldline(
        _ body: String = worldlineBody,
        signature: String = worldlineSignature,
        keyId: String = "dummy-key-id",
        more: [(name: String, value: String)] = []
    ) -> GatewayMessage {
        GatewayMessage(
            method: "POST", target: "/hook",
            headers: [("x-gcs-signature", signature), ("X-GCS-KeyId", keyId)] + more,
            body: Array(body.utf8))
    }

    private func keys(_ secrets: [String: String]) -> [String: SensitiveBytes] {
        secrets.mapValues(GatewayFixture.secret)
    }

    private func expect(
        _ code: GatewayMessageError.Code,
        _ field: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        let error = #expect(throws: GatewayMessageError.self, sourceLocation: sourceLocation) {
            try body()
        }
        #expect(error?.code == code && error?.field == field, sourceLocation: sourceLocation)
        #expect(error?.description.hasSuffix(".") == true, sourceLocation: sourceLocation)
    }

    @Test("of Worldline are verified as the vendor's SDKs do, with the key that they name")
    func worldlineEvent() throws {
        let keys = keys(["old": "another", "dummy-key-id": "hello+world"])
        let event = try Worldline.event(worldline(), keys: keys)
        #expect(event.identifier == "8ee793f6-4553-4749-85dc-f2ef095c5ab0")
        #expect(event.type == "payment.paid" && event.outcome == .paid)
        #expect(event.time == Date(timeIntervalSince1970: 1_486_031_054.04))
        #expect(event.paymentId == "00000200000143570012" && event.gatewayStatus == "PAID")
        #expect(event.outcome(for: try GatewayFixture.order(1000)) == .paid)
        #expect(!event.agrees(with: try GatewayFixture.order(999)))
        #expect(Mirror(reflecting: event).children.isEmpty)
    }

    @Test("of Worldline are refused if they are forged, altered, or signed with another key")
    func worldlineForgeries() {
        let known = keys(["dummy-key-id": "hello+world"])
        let (keyField, field) = ("X-GCS-KeyId", "X-GCS-Signature")
        func refuse(
            _ code: GatewayMessageError.Code,
            _ name: String,
            _ message: GatewayMessage,
            _ keys: [String: SensitiveBytes]? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            expect(code, name, sourceLocation: sourceLocation) {
                _ = try Worldline.event(message, keys: keys ?? known)
            }
        }
        refuse(
            .wrongSignature, field,
            worldline(Self.worldlineBody.replacing("1000,", with: "1001,")))
        refuse(.wrongSignature, field, worldline(Self.worldlineBody + "\n"))
        refuse(.wrongSignature, field, worldline(), keys(["dummy-key-id": "hello-world"]))
        refuse(.unknownKey, keyField, worldline(keyId: "other"))
        refuse(.unknownKey, keyField, worldline(), keys(["dummy-key-id": ""]))
        refuse(.unknownKey, keyField, worldline(), [:])
        for signature in [
            "", "x", "2S7doBj/GnJnacIjSJzr5fxGM5xmfQyFAwxv1I53ZEk",
            "2S7doBj/GnJnacIjSJzr5fxGM5xmfQyFAwxv1I53ZEl=", "AAAA",
            String(repeating: "A", count: 1 << 20),
        ] { refuse(.malformed, field, worldline(signature: signature)) }
        refuse(.malformed, field, worldline(more: [(field, Self.worldlineSignature)]))
        refuse(.malformed, keyField, worldline(more: [(keyField, "dummy-key-id")]))
        refuse(
            .missingMember, keyField,
            GatewayMessage(method: "POST", target: "/", headers: [], body: []))
        refuse(
            .missingMember, field,
            GatewayMessage(
                method: "POST", target: "/", headers: [(keyField, "dummy-key-id")], body: []))
        // A valid signature over a body that is not an event.
        for (body, name) in [("x", ""), ("{}", "id")] {
            let code = hmac(body, "hello+world").base64EncodedString()
            refuse(.unreadable, name, worldline(body, signature: code))
        }
    }

    /// Returns the HMAC-SHA256 of a text, computed by the function that signs Worldline's requests.
    private func hmac(_ text: String, _ secret: String) -> Data {
        let code = try? Worldline.signature(of: text, GatewayFixture.secret(secret))
        return code.map { $0.withRevealedBytes { bytes in Data(bytes.indices.map { bytes[$0] }) } }
            ?? Data()
    }

    @Test("of Worldline about refunds have the outcome of the refund, and others none")
    func worldlineKinds() throws {
        func event(_ member: String) throws -> GatewayEvent {
            let body = #"{"id":"e","type":"t"\#(member)}"#
            return try Worldline.event(
                worldline(body, signature: hmac(body, "hello+world").base64EncodedString()),
                keys: keys(["dummy-key-id": "hello+world"]))
        }
        #expect(try event(#","refund":{"id":"r","status":"REFUNDED"}"#).outcome == .paid)
        #expect(try event(#","refund":{"id":"r","status":"REFUND_REQUESTED"}"#).outcome == .pending)
        let payment = try event(
            #","payment":{"id":"p","status":"CANCELLED"},"created":"yesterday""#)
        #expect(payment.outcome == .refused(code: "CANCELLED", text: "CANCELLED"))
        #expect(payment.time == nil)
        guard case .unknown = try event(#","payout":{"id":"o"}"#).outcome else {
            Issue.record("a payout is no payment")
            return
        }
    }

    @Test("of Worldline's pages prove the return with RETURNMAC, and nothing else")
    func returns() throws {
        let mac = GatewayFixture.secret("fecab85c-9b0e-42ee-a9d9-ebb69b0c2eb0")
        let text = "fecab85c-9b0e-42ee-a9d9-ebb69b0c2eb0"
        #expect(
            try Worldline.verifyReturn(
                "/return?RETURNMAC=\(text)&hostedCheckoutId=15c09dac-bf44", returnMAC: mac)
                == "15c09dac-bf44")
        for (target, code, field) in [
            ("/return?hostedCheckoutId=1", .missingMember, "RETURNMAC"),
            ("/return?RETURNMAC=&hostedCheckoutId=1", .missingMember, "RETURNMAC"),
            ("/return?RETURNMAC=\(text)", .missingMember, "hostedCheckoutId"),
            (
                "/return?RETURNMAC=\(text)&RETURNMAC=x&hostedCheckoutId=1", .malformed, "RETURNMAC"
            ),
            ("/return?RETURNMAC=\(text)0&hostedCheckoutId=1", .wrongSignature, "RETURNMAC"),
            ("/return?RETURNMAC=fecab85c&hostedCheckoutId=1", .wrongSignature, "RETURNMAC"),
            ("/return#?RETURNMAC=\(text)", .missingMember, "hostedCheckoutId"),
        ] as [(String, GatewayMessageError.Code, String)] {
            expect(code, field) { _ = try Worldline.verifyReturn(target, returnMAC: mac) }
        }
        expect(.missingMember, "RETURNMAC") {
            _ = try Worldline.verifyReturn(
                "/r?RETURNMAC=&hostedCheckoutId=1", returnMAC: GatewayFixture.secret(""))
        }
    }

    private static let notification =
        #"{"transaction":{"uid":"4107-310b0da80b","status":"successful","type":"payment","amount":3000,"#
        + #""currency":"EUR","tracking_id":"order-1","updated_at":"2026-11-21T08:30:00.123Z"}}"#

    private func bePaid(
        _ body: String = notification,
        _ key: RSAKey,
        signed: String? = nil
    ) throws -> GatewayMessage {
        let hash = try Digest.sha256.hash(Array((signed ?? body).utf8))
        let signature = Data(try key.sign(hash: hash, digest: .sha256)).base64EncodedString()
        return GatewayMessage(
            method: "POST", target: "/hook", headers: [("Content-Signature", signature)],
            body: Array(body.utf8))
    }

    private func publicKey(_ key: RSAKey) -> String {
        Data(PrivateKey.rsa(key).subjectPublicKeyInfo).base64EncodedString()
    }

    @Test("of bePaid are verified with the shop's RSA key, as PEM or as base64 alone")
    func bePaidEvent() throws {
        let rsa = try RSAKey.seeded("bepaid", label: "shop")
        let base64 = publicKey(rsa)
        let lines = stride(from: 0, to: base64.count, by: 64).map { start in
            String(base64.dropFirst(start).prefix(64))
        }.joined(separator: "\r\n")
        for text in [
            base64, lines, "-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n",
        ] {
            let key = try BePaid.NotificationKey(text)
            let event = try BePaid.event(bePaid(Self.notification, rsa), key: key)
            #expect(event.identifier == "4107-310b0da80b:successful" && event.type == "payment")
            #expect(event.outcome == .paid && event.merchantReference == "order-1")
            #expect(event.time == Date(timeIntervalSince1970: 1_795_249_800.123))
            #expect(event.outcome(for: try GatewayFixture.order()) == .paid)
            #expect(!event.agrees(with: try GatewayFixture.order(3001)))
        }
    }

    @Test("of bePaid are refused if they are forged or altered")
    func bePaidForgeries() throws {
        let rsa = try RSAKey.seeded("bepaid", label: "shop")
        let other = try RSAKey.seeded("bepaid", label: "other")
        let key = try BePaid.NotificationKey(publicKey(rsa))
        let field = "Content-Signature"
        let altered = Self.notification.replacing("3000", with: "3001")
        expect(.wrongSignature, field) {
            _ = try BePaid.event(bePaid(altered, rsa, signed: Self.notification), key: key)
        }
        expect(.wrongSignature, field) {
            _ = try BePaid.event(bePaid(Self.notification, other), key: key)
        }
        for (signature, code) in [
            ("", .malformed), ("!", .malformed), ("AAAA", .wrongSignature),
            (Data(repeating: 0, count: 256).base64EncodedString(), .wrongSignature),
            (String(repeating: "A", count: 2000), .malformed),
        ] as [(String, GatewayMessageError.Code)] {
            expect(code, field) {
                _ = try BePaid.event(
                    GatewayMessage(
                        method: "POST", target: "/", headers: [(field, signature)],
                        body: Array(Self.notification.utf8)), key: key)
            }
        }
        expect(.missingMember, field) {
            _ = try BePaid.event(
                GatewayMessage(method: "POST", target: "/", headers: [], body: []), key: key)
        }
        for body in ["", "[]", #"{"transaction":{}}"#, #"{"transaction":{"status":"successful"}}"#]
        {
            let error = #expect(throws: GatewayMessageError.self) {
                try BePaid.event(bePaid(body, rsa), key: key)
            }
            #expect(error?.code == .unreadable)
        }
        let small = try RSAKey.seeded("bepaid", label: "small", bitCount: 1024)
        let curve =
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYcF+GXB1DjbKLn5PgxVky2QTk53HjfoIXOvE7kH6+lixJKSTv1AuPlAUsBD2"
            + "Nu2qHFwP50Abeh1onwvmvMYY/g=="
        for text in [
            "", "x", "AAAA", publicKey(small), curve, String(repeating: "A", count: 20_000),
        ] {
            expect(.invalidKey, field) { _ = try BePaid.NotificationKey(text) }
        }
    }

    /// Returns the example of Dintero's documentation, with the parameters of a callback.
    private func dintero(
        _ target: String,
        _ signature: String,
        method: String = "GET",
        host: String = "example.com"
    ) -> GatewayMessage {
        GatewayMessage(
            method: method, target: target,
            headers: [("Host", host), ("Dintero-Signature", signature)], body: [])
    }

    private func sign(
        _ query: String,
        path: String = "/callback",
        time: Int = 1_582_236_537,
        account: String = "P00000000",
        secret: String = "123"
    ) -> String {
        let text = "\(time)\n\(account)\nGET\nexample.com\n\(path)\n\(query)"
        let code = hmac(text, secret).map { String(format: "%02x", $0) }.joined()
        return "t=\(time),v0-hmac-sha256=\(code)"
    }

    private func dinteroEvent(
        _ message: GatewayMessage,
        account: String = "P00000000",
        secret: String = "123",
        now: Double = 1_582_236_600
    ) throws -> GatewayEvent {
        try Dintero.event(
            message, accountId: account, secret: GatewayFixture.secret(secret),
            now: Date(timeIntervalSince1970: now))
    }

    @Test("of Dintero are verified as its documentation's example is")
    func dinteroExample() {
        let documented =
            "t=1582236537,v0-hmac-sha256=6bed2ab1b919d460ef7465a20dc6c97260dca73fab6647106ca525f0908df64a"
        #expect(sign("A=992&B=123") == documented)
        // The message lacks a transaction, which is checked only after the signature is verified.
        expect(.missingMember, "transaction_id") {
            _ = try dinteroEvent(dintero("/callback?B=123&A=992", documented))
        }
        expect(.wrongSignature, "Dintero-Signature") {
            _ = try dinteroEvent(dintero("/callback?B=124&A=992", documented))
        }
    }

    @Test("of Dintero name a transaction to ask for, or an error")
    func dinteroEvents() throws {
        let query =
            "merchant_reference=order+1%2F%C3%A9&note=*%7E&session_id=P1&time=2026-11-21T08%3A30%3A00Z"
            + "&transaction_id=T1"
        let signature = sign(query)
        for target in [
            "/callback?\(query)",
            "/callback?transaction_id=T1&merchant_reference=order%201/é&time=2026-11-21T08:30:00Z"
                + "&note=%2A~&session_id=P1",
        ] {
            let event = try dinteroEvent(dintero(target, signature, host: "EXAMPLE.com:443"))
            #expect(event.outcome == .pending && event.paymentId == "T1")
            #expect(event.merchantReference == "order 1/é" && event.type == "callback")
            #expect(event.identifier == "P1:T1:callback")
            #expect(event.time == Date(timeIntervalSince1970: 1_582_236_537))
        }
        let failed = "error=authorization&session_id=P1"
        let event = try dinteroEvent(dintero("/callback?\(failed)", sign(failed)))
        #expect(event.outcome == .refused(code: "authorization", text: nil))
        let open = "error=unknown&session_id=P1"
        guard case .unknown = try dinteroEvent(dintero("/callback?\(open)", sign(open))).outcome
        else {
            Issue.record("an unknown error leaves the payment open")
            return
        }
    }

    @Test("of Dintero are refused if they are forged, altered or old")
    func dinteroForgeries() {
        let field = "Dintero-Signature"
        let query = "session_id=P1&transaction_id=T1"
        let (target, signature) = ("/callback?\(query)", sign(query))
        for message in [
            dintero("/callback?session_id=P1&transaction_id=T2", signature),
            dintero("/callback?\(query)&x=1", signature), dintero("/other?\(query)", signature),
            dintero(target, signature, method: "POST"),
            dintero(target, signature, host: "example.org"),
            dintero(target, signature.replacing("t=1582236537", with: "t=1582236538")),
            dintero(target, sign(query, secret: "124")),
        ] { expect(.wrongSignature, field) { _ = try dinteroEvent(message) } }
        expect(.wrongSignature, field) {
            _ = try dinteroEvent(dintero(target, signature), account: "P00000001")
        }
        expect(.unknownKey, field) {
            _ = try dinteroEvent(dintero(target, signature), secret: "")
        }
        for now in [1_582_236_537 - 301, 1_582_236_537 + 301, .infinity] as [Double] {
            expect(.outsideWindow, field) {
                _ = try dinteroEvent(dintero(target, signature), now: now)
            }
        }
        for now in [1_582_236_537 - 300, 1_582_236_537 + 300] as [Double] {
            #expect(throws: Never.self) {
                try dinteroEvent(dintero(target, signature), now: now)
            }
        }
        let code = signature.split(separator: "=").last ?? ""
        for text in [
            "", "t=1582236537", "v0-hmac-sha256=\(code),t=1582236537",
            "t=+1582236537,v0-hmac-sha256=\(code)", "t=01582236537,v0-hmac-sha256=\(code)",
            "t=99999999999999999999,v0-hmac-sha256=\(code)", "t=-1,v0-hmac-sha256=\(code)",
            "t=1582236537,v0-hmac-sha256=\(code)0", "t=1582236537,v0-hmac-sha256=zz",
            "t=1582236537,v1=\(code)", "\(signature),v0-hmac-sha256=\(code)",
            "t=1582236537,,v0-hmac-sha256=\(code)",
        ] { expect(.malformed, field) { _ = try dinteroEvent(dintero(target, text)) } }
    }

    @Test("show none of their contents in descriptions")
    func descriptions() throws {
        let message = worldline()
        #expect(
            "\(message)" == "GatewayMessage(POST /hook, \(Self.worldlineBody.utf8.count) bytes)")
        #expect(Mirror(reflecting: message).children.isEmpty)
    }
}
