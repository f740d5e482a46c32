import Foundation
import Testing

@testable import ApplePayCMS

@Suite("A time")
struct ASN1TimeTests {
    private func utc(_ text: String) -> Int64? {
        ASN1Time(utcTime: text.utf8.span)?.secondsSince1970
    }

    private func general(_ text: String) -> Int64? {
        ASN1Time(generalizedTime: text.utf8.span)?.secondsSince1970
    }

    @Test("agrees with Foundation's calendar on every day from 1950 to 2100")
    func everyDay() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var day = try #require(calendar.date(from: DateComponents(year: 1950, month: 1, day: 1)))
        let end = try #require(calendar.date(from: DateComponents(year: 2101, month: 1, day: 1)))
        while day < end {
            let parts = calendar.dateComponents([.year, .month, .day], from: day)
            let year = try #require(parts.year)
            let rest = String(format: "%02d%02d235958Z", parts.month ?? 0, parts.day ?? 0)
            let seconds = Int64(day.timeIntervalSince1970) + 86_398
            if general(String(format: "%04d", year) + rest) != seconds {
                Issue.record("\(year) \(rest)")
            }
            if year < 2050, utc(String(format: "%02d", year % 100) + rest) != seconds {
                Issue.record("\(year) \(rest) as UTCTime")
            }
            day = day.addingTimeInterval(86_400)
        }
    }

    @Test(
        "is read only with seconds, in UTC, and on a day that exists",
        arguments: [
            "260229000000Z", "260001000000Z", "261301000000Z", "260100000000Z", "260431000000Z",
            "260101240000Z", "260101006000Z", "260101000060Z", "2601010000Z", "260101000000",
            "260101000000+0000", "260101000000z", "26010100000 Z", "", "Z", "２６0101000000Z",
            "2:0101000000Z", ":00101000000Z",
        ]
    )
    func invalid(_ text: String) {
        #expect(utc(text) == nil)
        #expect(general("20" + text) == nil)
    }

    @Test("can be 29 February in a leap year, which three of four century years are not")
    func leapYears() {
        #expect(utc("240229000000Z") != nil)
        #expect(general("20000229000000Z") != nil)
        #expect(general("21000229000000Z") == nil)
        #expect(general("00000101000000Z") != nil)
        #expect(general("20260101000000.5Z") == nil)
    }
}
