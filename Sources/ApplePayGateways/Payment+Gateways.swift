internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

extension Payment {
    /// The cryptogram, for a gateway that cannot do without.
    ///
    /// - Parameter field: The gateway's field for it.
    /// - Returns: The cryptogram as Apple wrote it.
    /// - Throws: `gateway` with code `cryptogram-missing`, as for EMV.
    func requiredCryptogram(_ field: String) throws(PaymentTokenError) -> SensitiveBase64 {
        guard let cryptogram = data.cryptogram else {
            throw PaymentTokenError(.cryptogramMissing, member: field)
        }
        return cryptogram
    }

    /// The cardholder's name; nil when it is missing or empty.
    var givenCardholderName: SensitiveBytes? {
        guard let name = data.cardholderName, name.count > 0 else { return nil }
        return name
    }

    /// The cardholder's name where the gateway takes as many characters, and nil otherwise: it is
    /// optional, and not the merchant's to change.
    func cardholderName(_ counts: ClosedRange<Int>) -> SensitiveBytes? {
        guard let name = givenCardholderName, FieldLength.fits(name, counts) else { return nil }
        return name
    }
}

/// The forms of the expiry date that gateways want; the day is meaningless and in none.
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
