import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

/// The limits of the fields of requests to RBS, bePaid, Dintero and Intergiro.
@Suite("Limits of the fields of requests")
struct RequestLimitTests {
    private let secret = GatewayFixture.secret
    private let bpc = RBS.Host(origin: "https://pay.example")

    private let user = RBS.User(name: "u", password: GatewayFixture.secret("p"))

    private let shop = BePaid.Shop(identifier: "361", secretKey: GatewayFixture.secret("k"))

    @Test("permit the smallest and the largest amount, and refuse one less or more")
    func amounts() throws {
        let (whole, order) = (try StubTokens.whole(), try GatewayFixture.order())
        let token = RBS.Credentials.token(secret("t"))
        func session(_ amount: Int64, _ vat: Int64?) throws -> GatewayRequest {
            var item = Dintero.Item(id: "i", lineId: "1", description: "d", amount: 1)
            item.vatBasisPoints = vat
            return try Dintero.createSession(
                with(Dintero.Session(returnURL: "r", merchantReference: "m")) { $0.items = [item] },
                order: GatewayFixture.order(amount), accessToken: secret("t"))
        }
        let requests: [(String, ClosedRange<Int64>, (Int64) throws -> GatewayRequest)] = [
            (
                "feeInput", 0...Int64.max,
                { fee in
                    try RBS.payment(
                        whole, merchant: "m", orderNumber: "1",
                        options: with(RBS.PaymentOptions()) { $0.feeInput = fee }, host: bpc)
                }
            ),
            (
                "amount", 0...Int64.max,
                {
                    try BePaid.transaction(
                        .payment, whole, order: GatewayFixture.order($0), shop: shop,
                        options: .init(description: ""))
                }
            ),
            ("amount", 0...Int64.max, { try session($0, nil) }),
            ("vat", 0...10_000, { try session(1, $0) }),
            (
                "amount", 1...3000,
                {
                    try RBS.deposit(
                        .amount($0), orderId: "1", credentials: token, authorized: 3000, host: bpc)
                }
            ),
            (
                "amount", 1...3000,
                {
                    try RBS.deposit(
                        .amount($0), orderNumber: "1", merchantLogin: "m", user: user,
                        authorized: 3000, host: bpc)
                }
            ),
            (
                "amount", 1...Int64.max,
                { try RBS.deposit(.amount($0), orderId: "1", credentials: token, host: bpc) }
            ),
            (
                "amount", 1...3000,
                {
                    try RBS.refund(
                        orderId: "1", amount: $0, authorized: order, credentials: token, host: bpc)
                }
            ),
            (
                "amount", 1...3000,
                {
                    try BePaid.operation(
                        .capture, uid: "u", amount: $0, authorized: order, shop: shop)
                }
            ),
            (
                "amount", 3000...3000,
                {
                    try Dintero.operation(
                        .cancel, transactionId: "T", amount: $0, authorized: order,
                        accessToken: secret("t"))
                }
            ),
        ]
        for (field, amounts, request) in requests {
            let (least, most) = (amounts.lowerBound, amounts.upperBound)
            #expect(throws: Never.self, "\(field)") { try request(least) }
            #expect(throws: Never.self, "\(field)") { try request(most) }
            for amount in [least - 1] + (most < .max ? [most + 1] : []) {
                GatewayFixture.expectRefusal(.unsupportedAmount, field) { try request(amount) }
            }
        }
    }

    @Test("of RBS permit 8,192 characters of a token, 1,024 of a cryptogram, and names of 2 to 45")
    func tokenLengths() throws {
        func payment(_ padding: Int) throws -> GatewayRequest {
            let member = #""future":"\#(String(repeating: "1", count: padding))","version":"#
            let token = try StubTokens.bare { $0.replacing(#""version":"#, with: member) }
            return try RBS.payment(token, merchant: "m", orderNumber: "1", host: bpc)
        }
        let body = try #require(try payment(0).body?.revealText())
        let sent = try JSONDecoder().decode([String: String].self, from: Data(body.utf8))
        let count = try #require(Data(base64Encoded: sent["paymentToken"] ?? "")).count
        #expect(throws: Never.self) { try payment(6144 - count) }
        GatewayFixture.expectRefusal(.unsupportedLength, "paymentToken") {
            try payment(6145 - count)
        }
        func fields(_ name: String, _ cryptogram: Int) throws -> String? {
            let text = String(repeating: "AAAA", count: cryptogram / 4)
            return try RBS.tokenPayment(
                GatewayFixture.payment(
                    GatewayFixture.payload(
                        more: #""cardholderName":"\#(name)","#,
                        authentication: #""onlinePaymentCryptogram":"\#(text)""#)),
                order: GatewayFixture.order(), user: user, returnURL: "r", host: bpc
            ).body?.revealText()
        }
        for count in [2, 45] {
            let name = String(repeating: "J", count: count)
            #expect(try fields(name, 1024)?.contains(#""cardholderName":"\#(name)""#) == true)
        }
    }

    @Test("of a phone number permit the digits 0 to 9 only", arguments: ["/", ":", "+"])
    func digits(_ character: String) throws {
        func request(_ phone: String) throws -> GatewayRequest {
            try RBS.payment(
                StubTokens.whole(), merchant: "m", orderNumber: "1",
                extras: with(RBS.PaymentExtras()) { $0.phone = phone }, host: bpc)
        }
        #expect(throws: Never.self) { try request("0123456789") }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "phone") {
            try request("0123456" + character)
        }
    }
}
