internal import CApplePayOpenSSL

/// The purposes a certificate's key may serve (RFC 5280 §4.2.1.3), as OpenSSL numbers the bits.
package struct KeyUsage: OptionSet, Sendable {
    /// OpenSSL's bits.
    package let rawValue: UInt32

    /// Takes OpenSSL's bits.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Signatures other than on certificates and revocation lists.
    package static var digitalSignature: KeyUsage {
        KeyUsage(rawValue: UInt32(KU_DIGITAL_SIGNATURE))
    }

    /// Signatures on certificates.
    package static var keyCertSign: KeyUsage { KeyUsage(rawValue: UInt32(KU_KEY_CERT_SIGN)) }

    /// Signatures on revocation lists.
    package static var cRLSign: KeyUsage { KeyUsage(rawValue: UInt32(KU_CRL_SIGN)) }
}
