import ApplePayGateways
import ApplePayToken
import TestVectors
import Testing

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
}
