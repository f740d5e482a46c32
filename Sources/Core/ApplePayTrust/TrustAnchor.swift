internal import ApplePayPrimitives
public import ApplePayWire

/// The name and key at which every chain must end (RFC 5280 §6.1.1 (d)).
public struct TrustAnchor: Hashable, Sendable {
    /// The distinguished name, in DER.
    let name: [UInt8]

    /// The SubjectPublicKeyInfo, in DER.
    let subjectPublicKeyInfo: [UInt8]

    /// The subject key identifier, if known.
    let keyIdentifier: [UInt8]?

    /// The serial number of the certificate, an INTEGER in DER.
    let serialNumber: [UInt8]

    /// Apple Root CA - G3: the anchor of every genuine token.
    ///
    /// The name and key are pinned, not a certificate file. The SHA-256 of the SubjectPublicKeyInfo is
    /// 9b219d0fbff36a5fb32090571906bceea68617c833a3f61b81e962a8e64db8af.
    ///
    /// Source: Apple PKI, *Apple Root CA - G3*, https://www.apple.com/certificateauthority/.
    public static let appleRootCAG3 = TrustAnchor(
        name: [
            0x30, 0x67, 0x31, 0x1B, 0x30, 0x19, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0C, 0x12,
        ] + Array("Apple Root CA - G3".utf8) + [
            0x31, 0x26, 0x30, 0x24, 0x06, 0x03, 0x55, 0x04, 0x0B, 0x0C, 0x1D,
        ] + Array("Apple Certification Authority".utf8) + [
            0x31, 0x13, 0x30, 0x11, 0x06, 0x03, 0x55, 0x04, 0x0A, 0x0C, 0x0A,
        ] + Array("Apple Inc.".utf8) + [
            0x31, 0x0B, 0x30, 0x09, 0x06, 0x03, 0x55, 0x04, 0x06, 0x13, 0x02,
        ] + Array("US".utf8),
        subjectPublicKeyInfo: [
            0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06,
            0x05, 0x2B, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00, 0x04, 0x98, 0xE9, 0x2F, 0x3D,
            0x40, 0x72, 0xA4, 0xED, 0x93, 0x22, 0x72, 0x81, 0x13, 0x1C, 0xDD, 0x10, 0x95, 0xF1,
            0xC5, 0xA3, 0x4E, 0x71, 0xDC, 0x14, 0x16, 0xD9, 0x0E, 0xE5, 0xA6, 0x05, 0x2A, 0x77,
            0x64, 0x7B, 0x5F, 0x4E, 0x38, 0xD3, 0xBB, 0x1C, 0x44, 0xB5, 0x7F, 0xF5, 0x1F, 0xB6,
            0x32, 0x62, 0x5D, 0xC9, 0xE9, 0x84, 0x5B, 0x4F, 0x30, 0x4F, 0x11, 0x5A, 0x00, 0xFD,
            0x58, 0x58, 0x0C, 0xA5, 0xF5, 0x0F, 0x2C, 0x4D, 0x07, 0x47, 0x13, 0x75, 0xDA, 0x97,
            0x97, 0x97, 0x6F, 0x31, 0x5C, 0xED, 0x2B, 0x9D, 0x7B, 0x20, 0x3B, 0xD8, 0xB9, 0x54,
            0xD9, 0x5E, 0x99, 0xA4, 0x3A, 0x51, 0x0A, 0x31,
        ],
        keyIdentifier: [
            0xBB, 0xB0, 0xDE, 0xA1, 0x58, 0x33, 0x88, 0x9A, 0xA4, 0x8A, 0x99, 0xDE, 0xBE, 0xBD,
            0xEB, 0xAF, 0xDA, 0xCB, 0x24, 0xAB,
        ],
        serialNumber: [0x02, 0x08, 0x2D, 0xC5, 0xFC, 0x88, 0xD2, 0xC5, 0x4B, 0x95]
    )
}

extension TrustAnchor {
    /// Creates an anchor from another root, for tests with a separate test PKI; never use it for payments.
    ///
    /// - Parameter testRootCertificate: The root's certificate in PEM or DER. Its name, key, key identifier
    ///   and serial number are used; its signature and validity are not checked.
    /// - Throws: `PaymentTokenError` with code `malformed-certificate` when it cannot be read, or
    ///   `library-failure` when libcrypto fails.
    public init(testRootCertificate: [UInt8]) throws(PaymentTokenError) {
        self = try rethrowing(TrustAnchor(certificate: testRootCertificate.span), as: Self.failure)
    }

    private init(certificate: Span<UInt8>) throws(PrimitivesError) {
        let block = try PEMBlock.blocks(in: certificate).first
        let certificate =
            if let block {
                try block.der.withRevealedBytes { der throws(PrimitivesError) in
                    try X509Certificate(der: der)
                }
            } else {
                try X509Certificate(der: certificate)
            }
        self.init(
            name: try certificate.subject(),
            subjectPublicKeyInfo: try certificate.subjectPublicKeyInfo(),
            keyIdentifier: certificate.subjectKeyIdentifier,
            serialNumber: try certificate.serialNumber()
        )
    }

    private static func failure(_ error: PrimitivesError) -> PaymentTokenError {
        if case .libraryFailure = error { return PaymentTokenError(.chainLibraryFailure) }
        return PaymentTokenError(.unreadableCertificate)
    }
}
