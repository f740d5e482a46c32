import ApplePayAcceptance
import ApplePayGatewaysTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import ApplePayGateways

@Suite("Forms of texts, times and amounts")
struct TextFormTests {
    @Test("percent-encode every byte except the unreserved characters, and decode it again")
    func percentEncoding() {
        let unreserved = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        for byte in 0...127 as ClosedRange<UInt8> {
            let text = String(Character(Unicode.Scalar(byte)))
            let encoded = unreserved.contains(byte) ? text : String(format: "%%%02X", byte)
            #expect(PercentEncoding.encoded(ExactText(text)) == encoded)
            #expect(PercentEncoding.decoded(encoded) == text)
            #expect(PercentEncoding.decoded(encoded.lowercased()) == text.lowercased())
        }
        #expect(PercentEncoding.encoded("é€") == "%C3%A9%E2%82%AC")
        for text in ["%", "%4", "a%", "%4G", "%G4", "%%41", "%C3", "%FF"] {
            #expect(PercentEncoding.decoded(text) == nil, "\(text)")
        }
    }

    @Test("read the query of an address in order, without its fragment")
    func query() throws {
        for (target, parameters) in [
            ("/a", []), ("/a?", []), ("/a?b", ["b|"]), ("/a?b=", ["b|"]), ("/a?=c", ["|c"]),
            ("/a?b=c=d&&e=f", ["b|c=d", "e|f"]), ("/a?b=1?2#x=3", ["b|1?2"]), ("/a#?b=1", ["b|1"]),
            ("/a?b+c=d%2Be+f", ["b c|d+e f"]), ("/a?b=%zz&c=%C3%A9", ["c|é"]), ("/a?%zz=b", []),
            ("/a?\u{301}b=\u{301}c&\u{301}d=e#\u{301}f", ["\u{301}b|\u{301}c", "\u{301}d|e"]),
        ] as [(String, [String])] {
            let query = try URLQuery(ofTarget: target)
            #expect(query.parameters.map { "\($0.name)|\($0.value)" } == parameters, "\(target)")
        }
        for (target, sorted) in [
            ("/a?b=2&a=1&b=1&aa=0", "a=1&aa=0&b=2&b=1"), ("/a?x=%20*~%25-._", "x=+*%7E%25-._"),
            ("/a?%EF%BF%BD=1&%F0%9F%98%80=2", "%F0%9F%98%80=2&%EF%BF%BD=1"),
        ] { #expect(try URLQuery(ofTarget: target).sorted == sorted) }
        for (target, code) in [
            ("/?b=1", .missingMember), ("/?a=", .missingMember), ("/?a=1&a=1", .malformed),
            ("/?a=1&a=2&a=3", .malformed),
        ] as [(String, PaymentError.Code)] {
            let error = #expect(throws: PaymentError.self) {
                try URLQuery(ofTarget: target).value("a")
            }
            #expect(error?.code == code && error?.members == ["a"])
        }
        #expect(throws: Never.self) { try URLQuery(ofTarget: "/?b=1&a=2").value("a") }
        // The sender is not known before the signature was verified, so little of it is read.
        let long = { (bytes: Int) in "/?a=" + String(repeating: "1", count: bytes - 4) }
        let many = { (count: Int) in
            "/?" + repeatElement("a=1", count: count).joined(separator: "&")
        }
        for target in [long(8192), many(64)] {
            #expect(throws: Never.self) { try URLQuery(ofTarget: target) }
        }
        for target in [long(8193), many(65)] {
            let error = #expect(throws: PaymentError.self) {
                try URLQuery(ofTarget: target)
            }
            #expect(error?.code == .malformed && error?.members == ["target"])
        }
    }

    @Test(
        "permit https origins, and http on loopback addresses",
        arguments: [
            ("https://gateway.example", true), ("https://gateway.example:8443", true),
            ("http://127.0.0.1:8080", true), ("http://127.8.9.10", true),
            ("http://localhost:1", true), ("http://[::1]:65535", true), ("https://[::1]", true),
            ("https://10.0.0.1", true), ("https://A-1.b2.c3d", true),
            ("https://\(String(repeating: "a", count: 63)).example", true),
            ("https://\(String(repeating: "a", count: 64)).example", false),
            ("https://\(String(repeating: "abc.", count: 63))a", true),
            ("https://\(String(repeating: "abc.", count: 63))ab", false),
            ("https://.gateway.example", false), ("https://gateway..example", false),
            ("https://gateway.example.", false), ("https://-gateway.example", false),
            ("https://gateway-.example", false), ("https://gate_way.example", false),
            ("https://*.example", false), ("https://g\u{E4}teway.example", false),
            ("https://\u{212A}.example", false), ("https://10.0.0", false),
            ("https://10.0.0.01", false), ("https://1", false),
            ("http\u{17F}://gateway.example", false), ("https://gateway.example\u{301}", false),
            ("http://gateway.example", false), ("http://localhost.example", false),
            ("http://127.0.0.1.example", false), ("http://0127.0.0.1", false),
            ("http://127.0.0.256", false), ("http://127.0..0.1", false), ("http://127.1", false),
            ("http://+127.0.0.1", false), ("https://gateway.example/", false),
            ("https://gateway.example/path", false), ("https://user@gateway.example", false),
            ("https://gateway.example:0", false), ("https://gateway.example:65536", false),
            ("https://gateway.example:+80", false), ("https://", false), ("https://:80", false),
            ("https://a b", false), ("https://a\nHost: b", false),
            ("ftp://gateway.example", false), ("", false), ("HTTP://127.0.0.1", false),
            ("http://127.0.0.1@gateway.example", false),
        ])
    func origins(_ origin: String, _ isPermitted: Bool) {
        #expect(GatewayOrigin.isPermitted(origin) == isPermitted)
    }

    @Test("write an HTTP date as Foundation does, for each weekday and each month")
    func httpDates() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for day in stride(from: 0, to: 400, by: 9) {
            let date = Date(timeIntervalSince1970: Double(day * 86_400 + day * 211))
            #expect(HTTPDate.text(date) == formatter.string(from: date))
            #expect(HTTPDate.date(ExactText(formatter.string(from: date))) == date)
        }
    }

    @Test(
        "read no other text as an HTTP date",
        arguments: [
            "", "Sun, 21 Nov 2026 08:30:00 GMT", "Sat, 21 Nov 2026 08:30:00 UTC",
            "Sat, 21 nov 2026 08:30:00 GMT", "Sat, 21 Nov 2026 08:30:00 GMT ",
            "Sat,  1 Nov 2026 08:30:00 GMT", "Sat, 31 Nov 2026 08:30:00 GMT",
            "Saturday, 21-Nov-26 08:30:00 GMT", "Sat Nov 21 08:30:00 2026",
            "Sat, 21 Nov 2026 24:00:00 GMT", "Sat, 21 No\u{301} 2026 08:30:00 GMT",
        ])
    func otherDates(_ text: String) {
        #expect(HTTPDate.date(ExactText(text)) == nil)
    }

    @Test(
        "read times with fractions and offsets",
        arguments: [
            ("2026-03-01T12:00:00.5Z", 0.5), ("2026-03-01T12:00:00.123456789Z", 0.123_456_789),
            ("2026-03-01T12:00:00+00:00", 0), ("2026-03-01T13:30:00+01:30", 0),
            ("2026-03-01T10:30:00-01:30", 0), ("2026-03-02T11:59:00+23:59", 0),
            ("2026-03-01T12:00:59Z", 59), ("2026-03-01T12:59:00Z", 3540),
            ("2026-03-01T23:00:00Z", 39_600), ("0001-01-01T00:00:00Z", -63_907_963_200),
        ] as [(String, Double)])
    func times(_ text: String, _ seconds: Double) {
        #expect(
            InternetTime.date(ExactText(text))
                == Date(timeIntervalSince1970: 1_772_366_400 + seconds))
    }

    @Test(
        "refuse texts that are not times",
        arguments: [
            "", "2026-03-01", "2026-03-01T12:00:00", "2026-03-01 12:00:00Z", "2026-03-01T12:00Z",
            "2026/03-01T12:00:00Z", "2026-03/01T12:00:00Z", "2026-03-01T12-00:00Z",
            "2026-03-01T12:00-00Z", "2026-03-01T24:00:00Z", "2026-03-01T12:60:00Z",
            "2026-03-01T12:00:60Z", "2026-02-29T12:00:00Z", "0000-01-01T00:00:00Z",
            "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00.1234567890Z", "2026-03-01T12:00:00,5Z",
            "2026-03-01T12:00:00+24:00", "2026-03-01T12:00:00+01:60", "2026-03-01T12:00:00+0100",
            "2026-03-01T12:00:00z", "2026-03-01T12:00:00Z ", "2026-03-01T12:00:00~01:00",
            "2026-03-01T12:00:00+1:000", "+026-03-01T12:00:00Z", "2026-03-01T12:00:00",
        ])
    func malformedTimes(_ text: String) { #expect(InternetTime.date(ExactText(text)) == nil) }

    @Test(
        "write amounts with the currency's decimals",
        arguments: [
            (0, "EUR", "0.00"), (5, "EUR", "0.05"), (99, "EUR", "0.99"), (100, "EUR", "1.00"),
            (12_345, "EUR", "123.45"), (0, "JPY", "0"), (5, "JPY", "5"), (5, "KWD", "0.005"),
            (1000, "KWD", "1.000"), (5, "CLF", "0.0005"),
        ] as [(Int64, String, String)])
    func decimals(_ minor: Int64, _ currency: String, _ text: String) throws {
        #expect(
            DecimalAmount.text(minor, try #require(Currency(alphabetic: ExactText(currency))))
                == text)
    }

    @Test("read decimal amounts in the currency's minor units")
    func decimalAmounts() throws {
        for (text, currency, minor) in [
            ("30", "EUR", 3000), ("30.0", "EUR", 3000), ("30.00", "EUR", 3000),
            ("30.01", "EUR", 3001),
            ("30.000", "EUR", 3000), ("030.10", "EUR", 3010), ("0", "EUR", 0), ("0.5", "EUR", 50),
            ("30", "JPY", 30), ("30.0", "JPY", 30), ("100", "JPY", 100), ("30.5", "JPY", nil),
            ("30.001", "EUR", nil), ("", "EUR", nil), (".", "EUR", nil), ("+30", "EUR", nil),
            ("3.0.0", "EUR", nil), ("3,00", "EUR", nil), ("30.", "EUR", nil), (".30", "EUR", nil),
        ] as [(String, String, Int64?)] {
            guard let minor else {
                expectWrongType {
                    try DecimalAmount.minorUnits(ExactText(text), of: ExactText(currency), "f")
                }
                continue
            }
            #expect(
                try DecimalAmount.minorUnits(ExactText(text), of: ExactText(currency), "f")
                    == minor, "\(text)")
            #expect(
                try DecimalAmount.minorUnits(
                    ExactText(text), of: ExactText(currency.lowercased()), "f") == minor)
        }
        expectWrongType { try DecimalAmount.minorUnits("1", of: "XXX", "f") }
    }

    private func expectWrongType(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Int64
    ) {
        let error = #expect(throws: PaymentError.self, sourceLocation: sourceLocation) {
            _ = try body()
        }
        #expect(
            error?.code == .malformed && error?.members == ["f"], sourceLocation: sourceLocation)
    }

    @Test("convert amounts exactly, or refuse them")
    func scales() throws {
        let scale = CurrencyScale(exceptions: ["JPY": 2, "KWD": 1, "CLF": 0])
        for (amount, currency, expected) in [
            (7, "JPY", 700), (92_233_720_368_547_758, "JPY", 9_223_372_036_854_775_800),
            (92_233_720_368_547_759, "JPY", nil), (1_000_000_000_000_000_000, "JPY", nil),
            (700, "KWD", 7), (710, "KWD", nil), (701, "KWD", nil), (70_000, "CLF", 7),
            (71_000, "CLF", nil), (7, "EUR", 7),
        ] as [(Int64, String, Int64?)] {
            let unit = try #require(Currency(alphabetic: ExactText(currency)))
            guard let expected else {
                let error = #expect(throws: PaymentError.self) {
                    try scale.amount(amount, of: unit, "f")
                }
                #expect(error?.code == .unsupportedAmount && error?.members == ["f"])
                continue
            }
            #expect(try scale.amount(amount, of: unit, "f") == expected)
            for code in [currency, currency.lowercased()] {
                #expect(try scale.minorUnits(expected, of: ExactText(code), "f") == amount)
            }
        }
        for (amount, currency) in [(701, "JPY"), (.max, "KWD"), (.min, "CLF"), (1, "XXX")]
            as [(Int64, String)]
        { expectWrongType { try scale.minorUnits(amount, of: ExactText(currency), "f") } }
        let euros = try #require(Currency(alphabetic: "EUR"))
        #expect(CurrencyScale(uniform: 3).exponent(of: euros) == 3)
    }
}
