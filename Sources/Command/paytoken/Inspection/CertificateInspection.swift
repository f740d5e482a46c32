internal import ApplePayCMS
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire
internal import FoundationEssentials

/// The facts about a certificate in a token's signature, proven or not.
struct CertificateInspection {
    /// The part of a certificate in the chain, according to the names in the signature.
    enum Role: String {
        /// The SignerInfo names this certificate by issuer and serial number.
        case signer

        /// The certificate's subject is the signer's issuer.
        case intermediate

        /// Neither: the certificate is not used.
        case other
    }

    /// The extensions with which Apple marks the certificates of payment tokens.
    ///
    /// Source: Apple, *Payment token format reference*, "verify the signature", step 1.a.
    private static let markers = ["1.2.840.113635.100.6.29", "1.2.840.113635.100.6.2.14"]

    /// The certificate's part in the chain.
    let role: Role

    /// The number of bytes in DER.
    let count: Int

    /// The serial number in hexadecimal.
    let serialNumber: String

    /// The first second of the validity.
    let notBefore: Date

    /// The last second of the validity.
    let notAfter: Date

    /// The facts that OpenSSL reads; nil if it cannot read the certificate.
    let contents: Contents?

    /// The facts that need more than the outline of a certificate.
    struct Contents {
        /// The subject's name, in the format of RFC 2253.
        let subject: String

        /// The SHA-256 of the certificate in hexadecimal, as `--refuse-certificate` accepts it.
        let fingerprint: String

        /// The SHA-256 of the SubjectPublicKeyInfo in hexadecimal, as `--refuse-key` accepts it.
        let keyHash: String

        /// Those of Apple's markers that the certificate has.
        let markers: [String]
    }

    /// Returns the facts about all certificates, in the order of the signature.
    static func all(of signedData: SignedData) -> [CertificateInspection] {
        signedData.certificates.map { CertificateInspection($0, in: signedData) }
    }

    private init(_ certificate: Certificate, in signedData: SignedData) {
        let signer = signedData.signer
        if signedData.areEqual(certificate.serialNumber, signer.serialNumber),
            signedData.areEqual(certificate.issuer, signer.issuer)
        {
            role = .signer
        } else {
            role = signedData.areEqual(certificate.subject, signer.issuer) ? .intermediate : .other
        }
        count = certificate.der.count
        serialNumber = Hexadecimal.text(signedData[certificate.serialNumber].span)
        notBefore = Date(timeIntervalSince1970: Double(certificate.notBefore.secondsSince1970))
        notAfter = Date(timeIntervalSince1970: Double(certificate.notAfter.secondsSince1970))
        contents = try? Self.contents(signedData[certificate.der].span)
    }

    private static func contents(_ der: Span<UInt8>) throws(PrimitivesError) -> Contents {
        let certificate = try X509Certificate(der: der)
        var markers: [String] = []
        for marker in Self.markers where try certificate.extensionValue(marker) != nil {
            markers.append(marker)
        }
        let key = try certificate.subjectPublicKeyInfo()
        return Contents(
            subject: try certificate.subjectText(),
            fingerprint: try certificate.fingerprint().withSpan(Hexadecimal.text),
            keyHash: try SHA256.hash(key.span).withSpan(Hexadecimal.text),
            markers: markers)
    }
}
