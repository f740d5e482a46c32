internal import ApplePayPrimitives
internal import ApplePayToken

extension Payment {
    /// The cryptogram, for a gateway that cannot do without.
    ///
    /// - Parameter field: The gateway's field for it.
    /// - Returns: The cryptogram as Apple wrote it.
    /// - Throws: `gateway` with code `cryptogram-missing`, as for EMV.
    func requiredCryptogram(_ field: String) throws(PaymentTokenError) -> SensitiveBase64 {
        guard let cryptogram = data.cryptogram else {
            throw .gateway(GatewayError(.cryptogramMissing, field: field))
        }
        return cryptogram
    }

    /// The cardholder's name; nil when it is missing or empty.
    var givenCardholderName: SensitiveBytes? {
        guard let name = data.cardholderName, name.count > 0 else { return nil }
        return name
    }
}
