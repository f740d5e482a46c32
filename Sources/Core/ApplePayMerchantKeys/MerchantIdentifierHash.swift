package import ApplePayPrimitives
internal import ApplePayWire

/// Computes the SHA-256 of a merchant identifier, or reads it from a certificate.
package enum MerchantIdentifierHash {
    /// The extension that contains the hash in Apple's certificates for merchants.
    private static let certificateExtension = "1.2.840.113635.100.6.32"

    /// Returns the hash of the identifier's UTF-8.
    package static func of(merchantIdentifier: String) throws(PrimitivesError) -> Octets32 {
        try SHA256.hash(Array(merchantIdentifier.utf8).span)
    }

    /// Returns the hash from a payment processing certificate.
    ///
    /// It comes from Apple's extension or, if that is missing, from the subject's user identifier.
    ///
    /// - Returns: The hash; nil when the certificate contains neither, or when the two differ.
    package static func of(_ certificate: X509Certificate) throws(PrimitivesError) -> Octets32? {
        let fromIdentifier: Octets32? =
            if let identifier = try certificate.subjectUserIdentifier() {
                try of(merchantIdentifier: identifier)
            } else {
                nil
            }
        guard let value = try certificate.extensionValue(certificateExtension) else {
            return fromIdentifier
        }
        guard let hash = hexadecimal(in: value[...]) else { return nil }
        guard let fromIdentifier else { return hash }
        return hash == fromIdentifier ? hash : nil
    }

    /// Returns the hash from 64 hexadecimal digits, which are in a DER string, as Apple writes them, or bare.
    private static func hexadecimal(in value: ArraySlice<UInt8>) -> Octets32? {
        // UTF8String, PrintableString and IA5String, each of 64 characters.
        let isString = value.count == 66 && [0x0C, 0x13, 0x16].contains(value[0]) && value[1] == 64
        let digits = isString ? value.dropFirst(2) : value
        return Hexadecimal.decoded(digits.span).flatMap { Octets32($0.span) }
    }
}
