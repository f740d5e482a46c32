import ApplePayGatewaysTesting
import ApplePayToken
import Testing

@testable import ApplePayGateways

@Suite("Networks of cards")
struct CardNetworkTests {
    /// Returns a brand's text, derived from an account number that begins with these digits.
    private func brand(_ prefix: Int) throws -> String? {
        let payload = GatewayFixture.payload(account: "\(prefix)000000000000")
        return CardBrand(try GatewayFixture.payment(payload).data.accountNumber)?.rawValue
    }

    @Test(
        "are derived from the first and the last number of each range",
        arguments: [
            ("amex", 3400...3499), ("amex", 3700...3799), ("diners", 3000...3099),
            ("diners", 3600...3699), ("diners", 3800...3999), ("jcb", 3528...3589),
            ("visa", 4000...4999), ("mastercard", 5100...5599), ("mastercard", 2221...2720),
            ("mir", 2200...2204), ("discover", 6011...6011), ("discover", 6440...6599),
            ("unionpay", 6200...6299), ("unionpay", 8100...8199), ("maestro", 5000...5099),
            ("maestro", 5600...5899), ("maestro", 6000...6010), ("maestro", 6600...6999),
        ])
    func brands(_ name: String, _ range: ClosedRange<Int>) throws {
        #expect(try brand(range.lowerBound) == name && brand(range.upperBound) == name)
        #expect(try brand(range.lowerBound - 1) != name || name == "maestro")
        #expect(try brand(range.upperBound + 1) != name || name == "maestro")
    }

    @Test(
        "are unknown between the ranges",
        arguments: [2199, 2205, 2220, 2721, 3100, 3527, 3590, 5900, 7000, 8200])
    func unknown(_ prefix: Int) throws { #expect(try brand(prefix) == nil) }

    @Test(
        "have CyberSource's type, indicator and cryptogram fields",
        arguments: [
            (.visa, "001", "vbv", 5, false), (.mastercard, "002", "spa", 2, true),
            (.americanExpress, "003", "aesk", 5, false), (.discover, "004", "dipb", 5, false),
            (.dinersClub, "005", nil, 5, false), (.jcb, "007", "js", 5, false),
            (.maestro, "042", "spa", 2, true), (.unionPay, "062", nil, 5, false),
            (.mir, nil, nil, 5, false), (nil, nil, nil, 5, false),
        ] as [(CardBrand?, String?, String?, Int, Bool)])
    func cyberSource(
        _ brand: CardBrand?, _ type: String?, _ indicator: String?, _ eci: Int, _ usesUCAF: Bool
    ) {
        let network = CyberSource.Network(brand)
        #expect(network.type == type && network.usesUCAF == usesUCAF)
        let named = indicator ?? "internet"
        for given in [nil, 0, 2, 5, 7] as [Int?] {
            #expect(
                network.commerceIndicator(.eci, eci: given) == (given == eci ? named : "internet"))
            #expect(network.commerceIndicator(.network, eci: given) == named)
            #expect(network.commerceIndicator(.internet, eci: given) == "internet")
            #expect(network.commerceIndicator(nil, eci: given) == nil)
        }
    }

    @Test(
        "do not matter for the currencies in which Checkout.com has other decimals",
        arguments: [
            ("990", "CLF", 700, 7), ("152", "CLP", 7, 700), ("940", "UYI", 7, 700),
            ("927", "UYW", 700, 7), ("048", "BHD", 70, 70), ("368", "IQD", 70, 70),
            ("400", "JOD", 70, 70), ("414", "KWD", 70, 70), ("434", "LYD", 70, 70),
            ("512", "OMR", 70, 70), ("788", "TND", 70, 70), ("978", "EUR", 7, 7),
            ("048", "BHD", 71, nil), ("368", "IQD", 71, nil), ("400", "JOD", 71, nil),
            ("414", "KWD", 71, nil), ("434", "LYD", 71, nil), ("512", "OMR", 71, nil),
            ("788", "TND", 71, nil),
        ] as [(String, String, Int64, Int64?)])
    func checkout(_ number: String, _ currency: String, _ minor: Int64, _ amount: Int64?) throws {
        let payment = try GatewayFixture.payment(
            GatewayFixture.payload(currency: number, amount: "\(minor)"))
        func request() throws -> GatewayRequest {
            try Checkout.createPayment(
                payment, order: GatewayFixture.order(minor, currency),
                secretKey: GatewayFixture.secret("s"))
        }
        guard let amount else {
            GatewayFixture.expectRefusal(.unsupportedAmount, "amount", request)
            return
        }
        let body = try request().body?.revealText()
        #expect(body?.contains(#""amount":\#(amount),"currency":"\#(currency)""#) == true)
    }

    @Test("are sent with a name of one character, and without an empty one")
    func names() throws {
        for (name, isSent) in [("", false), ("J", true)] {
            let payment = try GatewayFixture.payment(
                GatewayFixture.payload(more: #""cardholderName":"\#(name)","#))
            let request = try Adyen.createPayment(
                payment, order: GatewayFixture.order(), merchantAccount: "a", reference: "r",
                apiKey: GatewayFixture.secret("k"), endpoint: .test)
            #expect(request.body?.revealText().contains(#""holderName":"J""#) == isSent)
        }
    }

    @Test("go to bePaid beside the token as they were received, each member alone too")
    func unsignedMembers() throws {
        let data = try StubTokens.string("paymentData_json")
        let identifier =
            #""transactionIdentifier":"8B1B1DADE0BFBC8F1F6677889BD36191"#
            + #"A235CA1F26736E3B96970459545AD56E""#
        for (members, expected) in [
            (#""paymentMethod":{"displayName":"n"}"#, #","paymentMethod":{"displayName":"n"}"#),
            (#""paymentMethod":{"network":"n"}"#, #","paymentMethod":{"network":"n"}"#),
            (#""paymentMethod":{"type":"n"}"#, #","paymentMethod":{"type":"n"}"#),
            (#""paymentMethod":{}"#, ""),
            (identifier, ",\(identifier)"),
        ] {
            let token = try PaymentToken(
                parsing: Array(#"{"paymentData":\#(data),\#(members)}"#.utf8))
            let body = JSONBody.object { TokenJSON.writePassKitToken(token, into: &$0) }
            #expect(body.revealText() == #"{"paymentData":\#(data)\#(expected)}"#)
        }
    }
}
