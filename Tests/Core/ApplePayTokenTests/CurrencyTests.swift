import ApplePayToken
import Testing

@Suite("Currencies")
struct CurrencyTests {
    @Test(
        "have letters, a number and an exponent",
        arguments: [
            ("EUR", "978", 2), ("JPY", "392", 0), ("KWD", "414", 3), ("ALL", "008", 2),
            ("AUD", "036", 2), ("CLF", "990", 4), ("USD", "840", 2), ("BYN", "933", 2),
            ("XCG", "532", 2), ("BGN", "975", 2),
        ] as [(ExactText, ExactText, Int)]
    )
    func known(_ alphabetic: ExactText, _ numeric: ExactText, _ exponent: Int) throws {
        let currency = try #require(Currency(alphabetic: alphabetic))
        #expect(currency == Currency(numeric: numeric))
        #expect(currency.numeric == numeric)
        #expect(currency.exponent == exponent)
    }

    @Test(
        "that are not in use are unknown",
        arguments: ["eur", "EU", "EURO", "XXX", "BYR", ""] as [ExactText])
    func unknown(_ alphabetic: ExactText) {
        #expect(Currency(alphabetic: alphabetic) == nil)
    }

    @Test(
        "are found only by three digits",
        arguments: ["36", "0978", "", "000", "97８"] as [ExactText])
    func unknownNumber(_ numeric: ExactText) {
        #expect(Currency(numeric: numeric) == nil)
    }
}
