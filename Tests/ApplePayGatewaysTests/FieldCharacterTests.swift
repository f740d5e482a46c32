import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

@testable import ApplePayGateways

@Suite("Characters and amounts of fields")
struct FieldCharacterTests {
    @Test("are, in headers, visible ASCII, without the separators of each scheme")
    func characters() throws {
        let get = try WorldlineDirect.getPayment("1", account: WorldlineFixture.direct)
        let rows: [(field: String, more: String, make: (String) throws -> GatewayRequest)] = [
            ("apiKey", "", { try FieldLimitTests.adyen(key: $0) }),
            (
                "Idempotency-Key", "",
                { text in try FieldLimitTests.adyen { $0.idempotencyKey = text } }
            ),
            ("secretKey", "", { try FieldLimitTests.checkout(key: $0) }),
            (
                "accessToken", "",
                { try PayPal.getOrder("1", accessToken: GatewayFixture.secret($0)) }
            ),
            ("PayPal-Request-Id", "", { try FieldLimitTests.payPal(id: $0) }),
            (
                "clientID", ":",
                { try PayPal.accessToken(clientID: $0, clientSecret: GatewayFixture.secret("s")) }
            ),
            (
                "apiKeyId", ":",
                {
                    try Worldline.authorize(
                        get, .init(apiKeyId: $0, secretAPIKey: GatewayFixture.secret("s")),
                        date: .init(timeIntervalSince1970: 0))
                }
            ),
            ("v-c-merchant-id", "\"", { try Self.signed(merchant: $0) }),
            ("keyid", "\"", { try Self.signed(key: $0) }),
        ]
        let characters = (0...127).map { String(Character(Unicode.Scalar($0 as UInt8))) } + ["é"]
        for row in rows {
            GatewayFixture.expectRefusal(.unsupportedLength, row.field) { try row.make("") }
            for character in characters {
                let isVisible = ("!"..."~").contains(character) && character.utf8.count == 1
                if isVisible, character != row.more {
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

    private static func signed(
        merchant: String = "m", key: String = "k"
    ) throws -> GatewayRequest {
        try CyberSource.authorize(
            FieldLimitTests.cyberSource { _ in },
            .init(merchantID: merchant, keyID: key, sharedSecret: GatewayFixture.secret("c2Vj")),
            date: .init(timeIntervalSince1970: 0))
    }

    @Test("are, in host names, letters, digits and hyphens")
    func hostLabels() throws {
        for byte in 0...255 as ClosedRange<UInt8> {
            let text = String(Character(Unicode.Scalar(byte)))
            let isPermitted =
                byte < 128 && (text.first?.isLetter == true || text.first?.isNumber == true)
            if isPermitted || text == "-" {
                #expect(try HostLabel.checked(text, "f") == text)
            } else {
                let error = #expect(throws: PaymentTokenError.self) {
                    try HostLabel.checked(text, "f")
                }
                #expect(error?.code == .unsupportedCharacter && error?.members == ["f"])
            }
        }
    }

    @Test("are, in paths, any but dots alone, and percent-encoded")
    func pathSegments() throws {
        let requests: [(field: String, make: (String) throws -> GatewayRequest)] = [
            ("merchantId", { try WorldlineDirect.getPayment("1", account: .init(merchantId: $0)) }),
            ("paymentId", { try WorldlineDirect.getPayment($0) }),
            ("paymentId", { try WorldlineDirect.getPaymentDetails($0) }),
            ("paymentId", { try WorldlineConnect.cancel($0) }),
            ("hostedCheckoutId", { try WorldlineConnect.getHostedCheckout($0) }),
            ("id", { try PayPal.getOrder($0, accessToken: GatewayFixture.secret("t")) }),
            (
                "id",
                {
                    try PayPal.authorizeOrder(
                        $0, accessToken: GatewayFixture.secret("t"), requestID: "1")
                }
            ),
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

    @Test("are at least 1 and at most the whole; in Worldline's orders 0 or more")
    func amounts() throws {
        let order = try GatewayFixture.order()
        for (amount, expected) in [(nil, 3000), (1, 1), (3000, 3000)] as [(Int64?, Int64)] {
            #expect(try order.part(amount, "f").amount == expected)
        }
        for amount in [0, 3001] as [Int64] {
            let error = #expect(throws: PaymentTokenError.self) { try order.part(amount, "f") }
            #expect(error?.code == .unsupportedAmount && error?.members == ["f"])
        }
        let page = Worldline.HostedCheckout(returnURL: "a:b")
        let connect = { try WorldlineConnect.createHostedCheckout(order: $0, page) }
        let direct = { try WorldlineDirect.createHostedCheckout(order: $0, page) }
        for make in [connect, direct] as [(Order) throws -> GatewayRequest] {
            let nothing = try make(GatewayFixture.order(0)).body?.revealText()
            #expect(nothing?.contains(#""amount":0,"#) == true)
            GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
                try make(GatewayFixture.order(-1))
            }
        }
        // 10 to the power of 17 yen, with two more digits, is more than an Int64 can contain.
        let yen = try GatewayFixture.order(100_000_000_000_000_000, "JPY")
        for make in [
            { try connect(yen) }, { try WorldlineConnect.capture("1", authorized: yen) },
            { try WorldlineConnect.refund("1", authorized: yen) },
        ] as [() throws -> GatewayRequest] {
            GatewayFixture.expectRefusal(.unsupportedAmount, "amount", make)
        }
    }

    @Test("are checked in Worldline Direct's pages: the lines' amounts, the time and the attempts")
    func pages() throws {
        func request(
            _ regular: Int64? = nil, _ trial: Int64? = nil, timeout: Int64? = nil,
            attempts: Int64? = nil
        ) throws -> GatewayRequest {
            let lines = with(WorldlineDirect.RecurringRequest()) {
                $0.regularBilling = regular.map { .init(amount: $0, label: "r") }
                $0.trialBilling = trial.map { .init(amount: $0, label: "t") }
            }
            return try WorldlineDirect.createHostedCheckout(
                order: GatewayFixture.order(), .init(returnURL: "a:b"), sessionTimeout: timeout,
                allowedPaymentAttempts: attempts,
                applePay: with(WorldlineDirect.ApplePayInput()) { $0.recurringRequest = lines })
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "regularBilling") { try request(-1, 1) }
        GatewayFixture.expectRefusal(.unsupportedAmount, "trialBilling") { try request(1, -1) }
        for timeout in [0, -1] as [Int64] {
            GatewayFixture.expectRefusal(.unsupportedValue, "sessionTimeout") {
                try request(timeout: timeout)
            }
        }
        for attempts in [0, 11] as [Int64] {
            GatewayFixture.expectRefusal(.unsupportedValue, "allowedNumberOfPaymentAttempts") {
                try request(attempts: attempts)
            }
        }
        let body = try request(0, 0, timeout: 1, attempts: 10).body?.revealText()
        #expect(
            body?.contains(#""sessionTimeout":1,"allowedNumberOfPaymentAttempts":10}"#) == true)
        #expect(
            body?.contains(
                #""regularBilling":{"amount":"0.00","label":"r"},"#
                    + #""trialBilling":{"amount":"0.00","label":"t"}"#) == true)
        #expect(try request(attempts: 1).body != nil)
    }
}
