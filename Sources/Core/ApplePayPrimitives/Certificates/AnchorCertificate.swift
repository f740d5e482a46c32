internal import CApplePayOpenSSL

/// A certificate built from a trust anchor's name and key, because OpenSSL accepts anchors only as certificates.
///
/// It is unsigned and needs no signature: it is trusted because this code created it.
package struct AnchorCertificate {
    let certificate: X509Certificate

    /// Builds the certificate.
    ///
    /// - Parameters:
    ///   - name: The anchor's distinguished name, DER.
    ///   - subjectPublicKeyInfo: The anchor's key, DER.
    ///   - keyIdentifier: Its subject key identifier, if known.
    ///   - serialNumber: The serial number of its certificate, an INTEGER in DER: authorities may name it in the
    ///     certificates that they issue (RFC 5280 §4.2.1.1).
    /// - Throws: ``PrimitivesError``, only if libcrypto or the anchor is broken.
    package init(
        name: [UInt8],
        subjectPublicKeyInfo: [UInt8],
        keyIdentifier: [UInt8]?,
        serialNumber: [UInt8]
    ) throws(PrimitivesError) {
        // Far more than any of these fields needs, and few enough for two length octets.
        let parts = [name, subjectPublicKeyInfo, keyIdentifier ?? [], serialNumber]
        guard parts.allSatisfy({ $0.count <= 8192 }) else { throw .malformedCertificate }
        var extensions = Self.basicConstraints + Self.keyUsage
        if let keyIdentifier { extensions += Self.subjectKeyIdentifier(keyIdentifier) }
        let tbsCertificate = Self.element(
            0x30,
            Self.element(0xA0, [0x02, 0x01, 0x02])
                + serialNumber
                + Self.signatureAlgorithm
                + name
                + Self.validity
                + name
                + subjectPublicKeyInfo
                + Self.element(0xA3, Self.element(0x30, extensions))
        )
        let der = Self.element(0x30, tbsCertificate + Self.signatureAlgorithm + [0x03, 0x01, 0x00])
        certificate = try X509Certificate(der: der.span)
    }

    /// ecdsa-with-SHA384; nothing is signed, but the field is mandatory.
    private static let signatureAlgorithm: [UInt8] = [
        0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03,
    ]

    /// 1950 to 9999: path validation ignores the validity of an anchor (RFC 5280 §6.1.1 (d)).
    private static let validity = element(
        0x30,
        element(0x17, Array("500101000000Z".utf8)) + element(0x18, Array("99991231235959Z".utf8)))

    /// Critical, cA TRUE (RFC 5280 §4.2.1.9).
    private static let basicConstraints: [UInt8] = [
        0x30, 0x0F, 0x06, 0x03, 0x55, 0x1D, 0x13, 0x01, 0x01, 0xFF, 0x04, 0x05, 0x30, 0x03, 0x01,
        0x01, 0xFF,
    ]

    /// Critical, keyCertSign (RFC 5280 §4.2.1.3).
    private static let keyUsage: [UInt8] = [
        0x30, 0x0E, 0x06, 0x03, 0x55, 0x1D, 0x0F, 0x01, 0x01, 0xFF, 0x04, 0x04, 0x03, 0x02, 0x02,
        0x04,
    ]

    private static func subjectKeyIdentifier(_ identifier: [UInt8]) -> [UInt8] {
        element(0x30, [0x06, 0x03, 0x55, 0x1D, 0x0E] + element(0x04, element(0x04, identifier)))
    }

    /// Returns one DER element with up to 65,535 content bytes.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        switch content.count {
        case 0..<0x80: [tag, UInt8(content.count)] + content
        case 0x80..<0x100: [tag, 0x81, UInt8(content.count)] + content
        default: [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
        }
    }
}
