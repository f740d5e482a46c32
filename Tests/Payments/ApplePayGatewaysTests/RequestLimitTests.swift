import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("The limits of numbers and tokens in requests")
struct RequestLimitTests {
    private static let merchant = ExampleMerchant.example

    @Test(
        "permit an order's smallest and largest amount, and refuse smaller and larger ones, before a claim and in the request",
        arguments: [
            (merchant.worldlineDirect, "amount", 0), (merchant.worldlineConnect, "amount", 0),
            (merchant.bePaid, "amount", 1), (merchant.dintero, "amount", 0),
            (merchant.rbs(.encrypted), "amount", 0), (merchant.rbs(.decrypted), "amount", 0),
            (merchant.rbs(.token), "amount", 0), (merchant.cyberSource, "totalAmount", 0),
            (merchant.payPal, "value", 1),
        ] as [(any TestedGateway, String, Int64)])
    func orders(_ gateway: any TestedGateway, _ field: String, _ least: Int64) throws {
        for amount in [least, .max] {
            #expect(throws: Never.self) {
                try gateway.request(GatewayFixture.order(amount) { _ in })
            }
        }
        for amount in [least - 1, .min] {
            gateway.expectRefusal(
                .unsupportedAmount, field, of: try GatewayFixture.order(amount) { _ in })
        }
    }

    @Test("permit a fee of 0 or more at RBS", arguments: [RBS.Kind.encrypted, .decrypted])
    func fee(_ kind: RBS.Kind) throws {
        let gateway = Self.merchant.rbs(kind)
        for fee in [0, .max] as [Int64] {
            let order = try GatewayFixture.order { $0.fee = fee }
            #expect(try gateway.body(order).contains(#""feeInput":\#(fee)"#))
        }
        gateway.expectRefusal(
            .unsupportedAmount, "feeInput", of: try GatewayFixture.order { $0.fee = -1 })
    }

    @Test(
        "permit operations on 1 up to what remains, and on parts only where the gateway supports them",
        arguments: [
            (merchant.worldlineDirect, true), (merchant.worldlineConnect, false),
            (merchant.bePaid, true), (merchant.dintero, false), (merchant.rbs(.token), false),
        ] as [(any TestedGateway, Bool)])
    func operations(_ gateway: any TestedGateway, _ cancelsParts: Bool) throws {
        let attempt = try GatewayFixture.attempt(paymentID: "1")
        func request(
            _ kind: PaymentOperation.Kind, _ amount: Int64?, of remaining: Int64?
        ) throws -> GatewayRequest {
            let operation = with(PaymentOperation(kind, amount: amount, name: "o")) {
                $0.reason = "r"
            }
            let report = with(PaymentReport(gateway: gateway.name)) {
                $0.authorized = kind == .refund ? nil : remaining
                $0.captured = kind == .refund ? remaining : nil
            }
            return try gateway.perform(operation, on: report, of: attempt)
                .request(at: Date(timeIntervalSince1970: 0))
        }
        for kind in PaymentOperation.Kind.allCases {
            let parts = kind != .cancellation || cancelsParts
            for remaining in [nil, 3000, 2000] as [Int64?] {
                let most = remaining ?? 3000
                for amount in [nil, most, parts ? 1 : most] as [Int64?] {
                    #expect(throws: Never.self) { try request(kind, amount, of: remaining) }
                }
                for amount in [0, -1, most + 1, parts ? most + 1 : 1, .max, .min] as [Int64] {
                    GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
                        try request(kind, amount, of: remaining)
                    }
                }
            }
        }
    }

    @Test("permit 8,192 characters of a token, 1,024 of a cryptogram and names of 2 to 45 at RBS")
    func tokenLengths() throws {
        func payment(_ padding: Int) throws -> GatewayRequest {
            let member = #""future":"\#(String(repeating: "1", count: padding))","version":"#
            let token = try StubTokens.bare { $0.replacing(#""version":"#, with: member) }
            return try Self.merchant.rbs(.encrypted).paymentRequest(GatewayFixture.input(token))
        }
        let sent = try JSONDecoder().decode(
            [String: String].self, from: Data(GatewayFixture.body(payment(0)).utf8))
        let count = try #require(Data(base64Encoded: sent["paymentToken"] ?? "")).count
        #expect(throws: Never.self) { try payment(6144 - count) }
        GatewayFixture.expectRefusal(.unsupportedLength, "paymentToken") {
            try payment(6145 - count)
        }
        func fields(_ name: String, _ cryptogram: Int) throws -> GatewayRequest {
            let text = String(repeating: "AAAA", count: cryptogram / 4)
            let payload = GatewayFixture.payload(
                more: #""cardholderName":"\#(name)","#,
                authentication: #""onlinePaymentCryptogram":"\#(text)""#)
            return try Self.merchant.rbs(.token).paymentRequest(
                GatewayFixture.input(GatewayFixture.payment(payload)) { $0.returnURL = "r" })
        }
        for count in [2, 45] {
            let name = String(repeating: "J", count: count)
            #expect(
                try GatewayFixture.body(fields(name, 1024))
                    .contains(#""cardholderName":"\#(name)""#))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "tokenCryptogram") {
            try fields("Jane", 1028)
        }
    }

    @Test(
        "permit a payment's texts at PayPal up to the longest",
        arguments: [
            ("name", 1, 300, 1), ("cryptogram", 4, 2000, 4), ("emv_data", 4, 2000, 4),
            ("pin", 2, 2000, 2),
        ])
    func payPal(_ field: String, _ shortest: Int, _ longest: Int, _ step: Int) throws {
        func request(_ count: Int) throws -> GatewayRequest {
            let text = String(repeating: "A", count: count)
            let payload =
                switch field {
                case "name": GatewayFixture.payload(more: #""cardholderName":"\#(text)","#)
                case "cryptogram":
                    GatewayFixture.payload(authentication: #""onlinePaymentCryptogram":"\#(text)""#)
                case "emv_data":
                    GatewayFixture.payload(type: "EMV", authentication: #""emvData":"\#(text)""#)
                default:
                    GatewayFixture.payload(
                        type: "EMV",
                        authentication: #""emvData":"nyYI","encryptedPINData":"\#(text)""#)
                }
            return try Self.merchant.payPal.paymentRequest(
                GatewayFixture.input(GatewayFixture.payment(payload)))
        }
        for count in [shortest, longest] {
            let text = String(repeating: "A", count: count)
            #expect(
                try GatewayFixture.body(request(count)).contains(#""\#(field)":"\#(text)""#))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, field) { try request(longest + step) }
    }

    @Test("permit account numbers of 13 to 19 digits at PayPal", arguments: [12, 13, 19])
    func accountNumber(_ count: Int) throws {
        let account = String("4761120010000492000".prefix(count))
        func request() throws -> GatewayRequest {
            try Self.merchant.payPal.paymentRequest(
                GatewayFixture.input(
                    GatewayFixture.payment(GatewayFixture.payload(account: account))))
        }
        guard count > 12 else {
            GatewayFixture.expectRefusal(.unsupportedLength, "number", request)
            return
        }
        #expect(try GatewayFixture.body(request()).contains(#""number":"\#(account)""#))
    }
}
