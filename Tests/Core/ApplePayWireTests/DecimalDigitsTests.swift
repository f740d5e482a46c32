import Testing

@testable import ApplePayWire

@Suite("Decimal digits")
struct DecimalDigitsTests {
    @Test(
        "are read exactly, from the smallest to the largest Int64",
        arguments: [
            ("0", false, 0), ("00978", false, 978), ("9223372036854775807", false, Int64.max),
            ("9223372036854775808", true, Int64.min), ("1", true, -1), ("000", true, 0),
        ] as [(String, Bool, Int64)]
    )
    func numbers(digits: String, isNegative: Bool, number: Int64) {
        #expect(DecimalDigits.integer(Array(digits.utf8).span, isNegative: isNegative) == number)
    }

    @Test(
        "are refused with any other character, outside Int64, and if there are none",
        arguments: [
            ("", false), ("", true), ("-1", false), ("+1", false), ("1.0", false), (" 1", false),
            ("1a", false), ("/", false), (":", false), ("9223372036854775808", false),
            ("9223372036854775809", true), ("92233720368547758070", false),
        ]
    )
    func otherTexts(digits: String, isNegative: Bool) {
        #expect(DecimalDigits.integer(Array(digits.utf8).span, isNegative: isNegative) == nil)
    }
}
