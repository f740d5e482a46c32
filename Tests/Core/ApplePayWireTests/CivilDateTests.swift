import Testing

@testable import ApplePayWire

@Suite("Civil dates")
struct CivilDateTests {
    @Test("are consecutive from the first day of 0000 to the last of 9999")
    func consecutiveMonths() throws {
        var expected = -719_528  // 0000-01-01, counted from 1970-01-01.
        for year in 0...9999 {
            let isLeapYear = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
            let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (month, length) in zip(1..., lengths) {
                let first = try #require(CivilDate(year: year, month: month, day: 1))
                let last = try #require(CivilDate(year: year, month: month, day: length))
                try #require(first.daysSince1970 == expected)
                try #require(last.daysSince1970 == expected + length - 1)
                try #require(CivilDate(year: year, month: month, day: length + 1) == nil)
                if expected >= 0 {
                    try #require(CivilDate(daysSince1970: expected) == first)
                    try #require(CivilDate(daysSince1970: expected + length - 1) == last)
                }
                expected += length
            }
        }
        #expect(CivilDate(daysSince1970: expected) == nil)
    }

    @Test(
        "refuse days that do not exist",
        arguments: [(-1, 1, 1), (10_000, 1, 1), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0)]
    )
    func outside(year: Int, month: Int, day: Int) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
        #expect(CivilDate(daysSince1970: -1) == nil)
    }
}
