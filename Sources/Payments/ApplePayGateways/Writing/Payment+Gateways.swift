internal import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

extension Payment {
    /// Returns the cryptogram, for a gateway that requires one.
    ///
    /// - Parameter field: The gateway's field for the cryptogram.
    /// - Returns: The cryptogram as Apple wrote it.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `cryptogram-missing`, for example for EMV data.
    public func requiredCryptogram(_ field: String) throws(PaymentTokenError) -> SensitiveBase64 {
        guard let cryptogram = data.cryptogram else {
            throw PaymentTokenError(.cryptogramMissing, member: field)
        }
        return cryptogram
    }

    /// The cardholder's name; nil if it is missing or empty.
    var givenCardholderName: SensitiveBytes? {
        guard let name = data.cardholderName, name.count > 0 else { return nil }
        return name
    }

    /// Returns the cardholder's name; nil if the gateway does not accept its number of characters.
    ///
    /// The name is optional, and the merchant must not change it.
    func cardholderName(_ counts: ClosedRange<Int>) -> SensitiveBytes? {
        guard let name = givenCardholderName, FieldLength.fits(name, counts) else { return nil }
        return name
    }
}
