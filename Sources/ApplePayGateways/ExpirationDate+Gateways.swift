internal import ApplePayToken

/// The forms of the expiry date that gateways want; the day has no meaning and is in none.
extension ExpirationDate {
    /// `MM`.
    var twoDigitMonth: String { String(text.dropFirst(2).prefix(2)) }

    /// `YY`.
    var twoDigitYear: String { String(text.prefix(2)) }

    /// `YYYY`.
    var fourDigitYear: String { "20" + twoDigitYear }

    /// `MMYY`.
    var monthAndYear: String { twoDigitMonth + twoDigitYear }

    /// `YYYY-MM`.
    var yearAndMonth: String { "\(fourDigitYear)-\(twoDigitMonth)" }
}
