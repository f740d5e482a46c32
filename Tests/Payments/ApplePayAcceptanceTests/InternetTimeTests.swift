import Foundation
import TestVectors
import Testing

@testable import ApplePayAcceptance

@Suite("An Internet time")
struct InternetTimeTests {
    @Test("is written as Foundation writes it, on every day from 1970 to 2200")
    func everyDay() {
        let style = Date.ISO8601FormatStyle()
        for day in 0..<84_370 {
            let date = Date(timeIntervalSince1970: Double(day * 86_400 + day % 86_400) + 0.75)
            if InternetTime.text(date) != date.formatted(style) { Issue.record("day \(day)") }
        }
    }

    @Test(
        "is written only from the first second of 1970 to the last of 9999",
        arguments: [
            (-0.5, nil), (0, "1970-01-01T00:00:00Z"), (253_402_300_799.5, "9999-12-31T23:59:59Z"),
            (253_402_300_800, nil), (.infinity, nil), (.nan, nil),
        ] as [(TimeInterval, String?)]
    )
    func limits(_ interval: TimeInterval, _ text: String?) {
        #expect(InternetTime.text(Date(timeIntervalSince1970: interval)) == text)
    }

    @Test(
        "is read as Foundation reads it",
        arguments: [
            "2026-03-01T12:00:00Z", "2024-02-29T23:59:59+02:00", "1969-12-31T00:00:00-11:30",
            "1583-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
        ]
    )
    func read(_ text: String) throws {
        let date = try Date(text, strategy: Date.ISO8601FormatStyle())
        #expect(InternetTime.date(ExactText(text)) == date)
    }
}
