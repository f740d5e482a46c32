import ApplePayAcceptance
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import Foundation
import TestVectors
import Testing

@testable import ApplePayGateways

@Suite("The characters of fields")
struct FieldCharacterTests {
    private static let merchant = ExampleMerchant.example
    private static let now = Date(timeIntervalSince1970: 0)

    /// All ASCII characters, and others whose encodings contain the bytes of controls or are none.
    private static let characters =
        (0...127).map { String(Character(Unicode.Scalar($0 as UInt8))) }
        + ["é", "€", "中", "😀", "\u{85}", "\u{9F}", "\u{2028}"]

    private static func isVisible(_ character: String) -> Bool {
        character.utf8.count == 1 && ("!"..."~").contains(character)
    }

    private static func signed(
        merchant: String = "m", key: String = "k"
    ) throws -> GatewayRequest {
        try CyberSource.authorize(
            GatewayRequest("https://a.example", "/p"),
            .init(merchantID: merchant, keyID: key, sharedSecret: GatewayFixture.secret("c2Vj")),
            date: now)
    }

    @Test("in headers are limited to visible ASCII without the separators of each scheme")
    func headers() throws {
        let known = try GatewayFixture.attempt(paymentID: "1")
        let order = try GatewayFixture.order { _ in }
        let get = GatewayRequest(method: "GET", "https://a.example", "/p")
        let secret = GatewayFixture.secret
        let rows: [(field: String, more: String, make: (String) throws -> GatewayRequest)] = [
            (
                "apiKey", "",
                { key in try with(Self.merchant.adyen()) { $0.apiKey = secret(key) }.request(order)
                }
            ),
            (
                "secretKey", "",
                { key in
                    try with(Self.merchant.checkout()) { $0.secretKey = secret(key) }
                        .statusRequest(known)
                }
            ),
            (
                "access_token", "",
                {
                    try PayPal(credentials: .accessToken(secret($0)), environment: .live)
                        .status(of: known).request(at: Self.now)
                }
            ),
            ("access_token", "", { try Dintero.authorize(get, secret($0)) }),
            ("access_token", "", { try Self.merchant.intergiro.tokenizeRequest("1", secret($0)) }),
            (
                "client_id", ":",
                {
                    try PayPal(
                        credentials: .client(id: $0, secret: secret("s")), environment: .live
                    )
                    .loginRequest()
                }
            ),
            (
                "client_id", ":",
                {
                    try Dintero(
                        accountID: "P1", credentials: .client(id: $0, secret: secret("s"))
                    ).loginRequest()
                }
            ),
            (
                "apiKeyId", ":",
                {
                    try Worldline.authorize(
                        get, .init(apiKeyId: $0, secretAPIKey: secret("s")), date: Self.now)
                }
            ),
            ("v-c-merchant-id", "\"", { try Self.signed(merchant: $0) }),
            ("keyid", "\"", { try Self.signed(key: $0) }),
            (
                "X-Key", "",
                { get.adding(try .checked("X-Key", ExactText($0), 1...1)) }
            ),
            (
                "field", "",
                { get.adding(try .checked(secret: "X", prefix: "a ", secret($0), "field")) }
            ),
        ]
        for row in rows {
            GatewayFixture.expectRefusal(.unsupportedLength, row.field) { try row.make("") }
            for character in Self.characters {
                if Self.isVisible(character), character != row.more {
                    #expect(throws: Never.self, "\(row.field) \(character)") {
                        try row.make(character)
                    }
                } else {
                    GatewayFixture.expectRefusal(.unsupportedCharacter, row.field) {
                        try row.make(character)
                    }
                }
            }
        }
    }

    @Test("in a header with an idempotency key are limited to the number that the gateway accepts")
    func keyLengths() throws {
        for count in [3, 5] {
            let key = String(repeating: "k", count: count)
            #expect(try GatewayHeader.checked("X-Key", ExactText(key), 3...5).revealValue() == key)
        }
        for count in [2, 6] {
            expectRefusal(.unsupportedLength, "X-Key") {
                try GatewayHeader.checked(
                    "X-Key", ExactText(String(repeating: "k", count: count)), 3...5)
            }
        }
    }

    @Test(
        "in references are limited to those that the gateway documents",
        arguments: [
            (merchant.worldlineDirect, ""), (merchant.worldlineConnect, ""),
            (merchant.bePaid, ";"), (merchant.dintero, ""),
            (merchant.rbs(.encrypted), ##" "/|#$%;'<>=*"##),
            (merchant.rbs(.decrypted), ##" "/|#$%;'<>=*"##),
            (merchant.rbs(.token), ##" "/|#$%;'<>=*"##),
            (merchant.russianBank(.encrypted), ##" "/|#$%;'<>=*"##),
            (merchant.cyberSource, ""), (merchant.payPal, ""),
        ] as [(any TestedGateway, String)])
    func references(_ gateway: any TestedGateway, _ excluded: String) throws {
        try expectReferences(gateway, without: excluded)
    }

    @Test("in references to Checkout.com and Adyen may be any but control characters")
    func otherReferences() throws {
        try expectReferences(Self.merchant.checkout(), without: "")
        try expectReferences(Self.merchant.adyen(), without: "")
    }

    private func expectReferences<Gateway: TestedGateway>(
        _ gateway: Gateway, without excluded: String
    ) throws {
        for character in Self.characters {
            let reference = "a\(character)b"
            let order = try GatewayFixture.order(reference: reference) { _ in }
            let isControl = character.unicodeScalars.allSatisfy {
                $0.properties.generalCategory == .control
            }
            guard !isControl else {
                let error = #expect(throws: PaymentError.self) {
                    try PaymentAttempt(order)
                }
                #expect(error?.code == .invalidReference)
                continue
            }
            guard !excluded.contains(character) else {
                gateway.expectRefusal(
                    .unsupportedCharacter, Gateway.referencePath.last ?? "", of: order)
                continue
            }
            let root = try AnswerValue(object: Array(gateway.body(order).utf8))
            let sent = Gateway.referencePath.reduce(Optional(root)) { value, name in
                Int(name).flatMap { value?.elements[$0] } ?? value?[name]
            }
            #expect(sent?.string == reference)
        }
    }

    @Test("in queries by reference are percent-encoded or refused")
    func queries() throws {
        let reference = "a b/?&+é"
        let attempt = try GatewayFixture.attempt(GatewayFixture.order(reference: reference))
        let encoded = "a%20b%2F%3F%26%2B%C3%A9"
        #expect(
            try Self.merchant.bePaid.statusRequest(attempt).path
                == "/v2/transactions/tracking_id/\(encoded)")
        for (request, name) in [
            (try Self.merchant.checkout().statusRequest(attempt), "reference"),
            (try Self.merchant.dintero.statusRequest(of: attempt), "merchant_reference"),
            (
                try Self.merchant.worldlineConnect.searchRequest(ExactText(reference)),
                "merchantReference"
            ),
        ] { #expect(request.target.hasSuffix("?\(name)=\(encoded)&limit=100")) }
        for (reference, gateway, field) in [
            ("a;b", Self.merchant.bePaid, "tracking_id"),
            ("a b", Self.merchant.rbs(.token), "orderNumber"),
        ] as [(String, any PaymentGateway, String)] {
            let attempt = try GatewayFixture.attempt(GatewayFixture.order(reference: reference))
            GatewayFixture.expectRefusal(.unsupportedCharacter, field) {
                try gateway.status(of: attempt).request(at: Self.now)
            }
        }
        for dots in [".", ".."] {
            let attempt = try GatewayFixture.attempt(GatewayFixture.order(reference: dots))
            GatewayFixture.expectRefusal(.unsupportedCharacter, "tracking_id") {
                try Self.merchant.bePaid.statusRequest(attempt)
            }
        }
    }

    @Test("in host names are limited to letters, digits and hyphens")
    func hostLabels() throws {
        for byte in 0...255 as ClosedRange<UInt8> {
            let text = String(Character(Unicode.Scalar(byte)))
            let isPermitted =
                byte < 128 && (text.first?.isLetter == true || text.first?.isNumber == true)
            if isPermitted || text == "-" {
                #expect(try HostLabel.checked(text, "f") == text)
            } else {
                expectRefusal(.unsupportedCharacter, "f") { try HostLabel.checked(text, "f") }
            }
        }
        for text in ["a.b", "evil.example/"] {
            expectRefusal(.unsupportedCharacter, "prefix") {
                try Adyen(
                    apiKey: GatewayFixture.secret("k"), merchantAccount: "a",
                    environment: .live(prefix: text))
            }
            expectRefusal(.unsupportedCharacter, "subdomain") {
                try Checkout(
                    secretKey: GatewayFixture.secret("k"), environment: .live, subdomain: text)
            }
        }
    }

    @Test("in paths are percent-encoded, and `.` and `..` are refused")
    func pathSegments() throws {
        let (direct, connect) = (WorldlineFixture.direct(), WorldlineFixture.connect())
        let token = GatewayFixture.secret("t")
        func known(_ id: String) throws -> PaymentAttempt {
            try GatewayFixture.attempt(paymentID: ExactText(id))
        }
        let session = Self.merchant.dintero
        let refund = PaymentOperation(.refund, name: "o")
        let requests: [(field: String, make: (String) throws -> GatewayRequest)] = [
            (
                "merchantId",
                { id in try with(direct) { $0.merchantId = id }.statusRequest("1", suffix: "") }
            ),
            ("paymentId", { try direct.statusRequest(ExactText($0), suffix: "") }),
            ("paymentId", { try direct.status(of: known($0)).request(at: Self.now) }),
            ("paymentId", { try GatewayFixture.request(refund, at: connect, of: known($0)) }),
            ("hostedCheckoutId", { try connect.pageStatusRequest(ExactText($0)) }),
            ("uid", { try Self.merchant.bePaid.statusRequest(uid: ExactText($0)) }),
            ("session_id", { try session.operationsRequest(sessionID: ExactText($0)) }),
            (
                "session_id",
                { try session.payRequest(sessionID: ExactText($0), transactionID: "1") }
            ),
            ("transaction_id", { try session.statusRequest(of: known($0)) }),
            ("transaction_id", { try GatewayFixture.request(refund, at: session, of: known($0)) }),
            (
                "account_id",
                {
                    try Dintero(accountID: $0, credentials: .client(id: "c", secret: token))
                        .loginRequest()
                }
            ),
            ("card_id", { try Self.merchant.intergiro.tokenizeRequest(ExactText($0), token) }),
            (
                "consent_id",
                { try Self.merchant.intergiro.consentRequest(ExactText($0), token, returnURL: nil) }
            ),
            ("id", { try Self.merchant.checkout().statusRequest(known($0)) }),
            ("id", { try Self.merchant.payPal.statusRequest(ExactText($0)) }),
        ]
        for (field, make) in requests {
            GatewayFixture.expectRefusal(.unsupportedLength, field) { try make("") }
            for dots in [".", ".."] {
                GatewayFixture.expectRefusal(.unsupportedCharacter, field) { try make(dots) }
            }
            #expect(try make("...").path.contains("/..."))
            #expect(try make("/?").path.contains("/%2F%3F"))
        }
    }

    @Test("in descriptions for Russian banks may be any but those that the banks exclude")
    func descriptions() throws {
        for character in ["%", "+", "\r", "\n", "\r\n"] {
            let order = try GatewayFixture.order { $0.description = "a\(character)b" }
            #expect(throws: Never.self) { try Self.merchant.rbs(.encrypted).request(order) }
            Self.merchant.russianBank(.encrypted)
                .expectRefusal(.unsupportedCharacter, "description", of: order)
        }
    }

    @Test(
        "in a phone number and the times of RBS must be digits at the documented positions",
        arguments: [
            ("0123456789", nil, nil), ("+0123456789", nil, nil),
            ("0123456/", PaymentError.Code.unsupportedCharacter, "phone"),
            ("0123456:", .unsupportedCharacter, "phone"),
            ("0123456+", .unsupportedCharacter, "phone"),
            ("+357 999 888", .unsupportedCharacter, "phone"),
            ("++357999888", .unsupportedCharacter, "phone"),
            ("2026-05-11T10:00:00", nil, "date"),
            ("2026-05-11 10:00:00", .unsupportedCharacter, "date"),
            ("2026-05-11T10:00:0a", .unsupportedCharacter, "date"),
            ("2026/05-11T10:00:00", .unsupportedCharacter, "date"),
            ("2026-05-11T10:00:00Z", .unsupportedLength, "date"),
            ("2026-05-11T10:00:0", .unsupportedLength, "date"), ("", .unsupportedLength, "date"),
        ] as [(String, PaymentError.Code?, String?)])
    func forms(_ text: String, _ code: PaymentError.Code?, _ field: String?) throws {
        let (gateway, order) = (Self.merchant.rbs(.encrypted), try GatewayFixture.order { _ in })
        let called = try GatewayFixture.order {
            $0.customer = with(PaymentContact()) { $0.phoneNumber = text }
        }
        let rows: [(String, RBS, Order)] =
            field == "date"
            ? [
                (
                    "autocompletionDate", with(gateway) { $0.options.autocompletionDate = text },
                    order
                ),
                ("autoReverseDate", with(gateway) { $0.options.autoReverseDate = text }, order),
            ]
            : [("phone", gateway, called)]
        for (field, gateway, order) in rows {
            guard let code else {
                #expect(try gateway.body(order).contains(#""\#(field)":"\#(text)""#))
                continue
            }
            gateway.expectRefusal(code, field, of: order)
        }
    }

    /// Expects a refusal of something that is not a request.
    private func expectRefusal<Result>(
        _ code: PaymentError.Code, _ field: String,
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
    ) {
        GatewayFixture.expectRefusal(code, field, sourceLocation: sourceLocation) {
            _ = try body()
            return GatewayRequest("", "")
        }
    }
}
