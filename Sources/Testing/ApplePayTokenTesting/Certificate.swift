/// An issued certificate.
package struct Certificate: Equatable, Sendable {
    /// The DER.
    package let der: [UInt8]

    /// The subject's name.
    package let subject: DistinguishedName

    /// The issuer's name.
    package let issuer: DistinguishedName

    /// The serial number, big-endian.
    package let serialNumber: [UInt8]

    /// The certificate as a PEM block.
    package var pem: String { PEM.text("CERTIFICATE", der) }
}

/// A certificate and its private key.
package struct Credential: Equatable, Sendable {
    /// The private key.
    package let key: PrivateKey

    /// The certificate.
    package let certificate: Certificate
}
