internal import ApplePayWire
package import FoundationEssentials

/// A UTC time with a resolution of one second, read from a UTCTime or GeneralizedTime.
package struct ASN1Time: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
    package let secondsSince1970: Int64

    /// The same time as a date.
    package var date: Date { Date(timeIntervalSince1970: Double(secondsSince1970)) }

    /// Reads an element of either type; returns nil when it is not a valid time.
    init?(_ element: ASN1Element, _ document: Span<UInt8>) {
        switch element.tag {
        case .utcTime: self.init(utcTime: document.extracting(element.content))
        case .generalizedTime: self.init(generalizedTime: document.extracting(element.content))
        default: return nil
        }
    }

    /// Reads `YYMMDDHHMMSSZ`; years from 50 on belong to the twentieth century (RFC 5280 §4.1.2.5.1).
    package init?(utcTime content: Span<UInt8>) {
        guard content.count == 13, let year = Self.twoDigits(content, at: 0) else { return nil }
        self.init(year: year < 50 ? 2000 + year : 1900 + year, content.extracting(droppingFirst: 2))
    }

    /// Reads `YYYYMMDDHHMMSSZ`, without a fraction (RFC 5280 §4.1.2.5.2).
    package init?(generalizedTime content: Span<UInt8>) {
        guard content.count == 15, let century = Self.twoDigits(content, at: 0),
            let year = Self.twoDigits(content, at: 2)
        else { return nil }
        self.init(year: 100 * century + year, content.extracting(droppingFirst: 4))
    }

    /// Reads the eleven characters after the year.
    private init?(year: Int, _ rest: Span<UInt8>) {
        guard let month = Self.twoDigits(rest, at: 0), let day = Self.twoDigits(rest, at: 2),
            let date = CivilDate(year: year, month: month, day: day),
            let hour = Self.twoDigits(rest, at: 4), hour <= 23,
            let minute = Self.twoDigits(rest, at: 6), minute <= 59,
            let second = Self.twoDigits(rest, at: 8), second <= 59,
            rest[10] == UInt8(ascii: "Z")
        else { return nil }
        secondsSince1970 = Int64(((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second)
    }

    /// Returns whether `left` is the earlier time.
    package static func < (left: ASN1Time, right: ASN1Time) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    @inline(__always)
    private static func twoDigits(_ bytes: Span<UInt8>, at start: Int) -> Int? {
        DecimalDigits.integer(bytes.extracting(start..<start + 2)).map { Int($0) }
    }
}
