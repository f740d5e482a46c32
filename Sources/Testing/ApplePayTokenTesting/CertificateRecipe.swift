package import ApplePayTokenTestingPrimitives
package import FoundationEssentials

/// The content of a certificate before it is signed.
///
/// Source: RFC 5280 §4.1.
package struct CertificateRecipe: Equatable, Sendable {
    /// The number in the version field (2 means version 3), or nil to omit the field.
    package var version: UInt8? = 2

    /// The serial number, big-endian.
    package var serialNumber: [UInt8]

    /// The contents octets of the serial number if they are not DER, or nil.
    package var serialNumberOctets: [UInt8]?

    /// The signature algorithm that both fields name.
    package var signatureAlgorithm: AlgorithmIdentifier = .ecdsaWithSHA256

    /// The algorithm that the outer field names instead, or nil for the same.
    package var outerSignatureAlgorithm: AlgorithmIdentifier?

    /// The issuer's name.
    package var issuer: DistinguishedName

    /// The beginning of the validity.
    package var notBefore: Date

    /// The end of the validity, inclusive.
    package var notAfter: Date

    /// The subject's name.
    package var subject: DistinguishedName

    /// The subject's key.
    package var key: PrivateKey

    /// An encoding that replaces the key's encoding, or nil.
    package var subjectPublicKeyInfo: [UInt8]?

    /// The extensions, in the order they are encoded.
    package var extensions: [CertificateExtension]

    /// The key that signs instead of the issuer's.
    package var signingKey: PrivateKey?

    /// Changes to the signature value after signing.
    package var signatureValue = ByteEdits()

    /// Removes the extension of a type.
    package mutating func removeExtension(_ type: OID) {
        extensions.removeAll { $0.type == type }
    }

    /// Replaces the extension of the same type, or appends the extension.
    package mutating func setExtension(_ value: CertificateExtension) {
        guard let index = extensions.firstIndex(where: { $0.type == value.type }) else {
            return extensions.append(value)
        }
        extensions[index] = value
    }

    /// Signs the certificate.
    package func issued(by issuerKey: PrivateKey) throws(TestingError) -> Certificate {
        let signer = signingKey ?? issuerKey
        let body = try body(signer: signer).encoded
        let signature = try signer.sign(body, digest: signatureAlgorithm.digest ?? .sha256)
        return Certificate(
            der: ASN1Element.sequence([
                .verbatim(body), (outerSignatureAlgorithm ?? signatureAlgorithm).element,
                .bitString(signatureValue.applied(to: signature)),
            ]).encoded,
            subject: subject,
            issuer: issuer,
            serialNumber: serialNumber
        )
    }

    /// TBSCertificate.
    private func body(signer: PrivateKey) throws(TestingError) -> ASN1Element {
        let number = serialNumberOctets.map { ASN1Element(0x02, octets: $0) }
        var fields = [
            number ?? .integer(serialNumber), signatureAlgorithm.element, issuer.element,
            .sequence([Self.time(notBefore), Self.time(notAfter)]), subject.element,
            ASN1Element.verbatim(subjectPublicKeyInfo ?? key.subjectPublicKeyInfo),
        ]
        if let version { fields.insert(.context(0, [.integer(version)]), at: 0) }
        if !extensions.isEmpty {
            var encoded: [ASN1Element] = []
            for item in extensions { encoded.append(try element(item, signer: signer)) }
            fields.append(.context(3, [.sequence(encoded)]))
        }
        return .sequence(fields)
    }

    /// Returns UTCTime through 2049 and GeneralizedTime from then on (RFC 5280 §4.1.2.5).
    private static func time(_ date: Date) -> ASN1Element {
        date < CivilTime.day(2050, 1, 1) ? .utcTime(date) : .generalizedTime(date)
    }

    private func element(
        _ item: CertificateExtension,
        signer: PrivateKey
    ) throws(TestingError) -> ASN1Element {
        let contents: [UInt8] =
            switch item.value {
            case .der(let der): der
            case .subjectKeyIdentifier: ASN1Element.octetString(try key.keyIdentifier()).encoded
            case .authorityKeyIdentifier:
                ASN1Element.sequence([.context(0, octets: try signer.keyIdentifier())]).encoded
            }
        return .sequence(
            [.objectIdentifier(item.type)] + (item.isCritical ? [.boolean(true)] : [])
                + [.octetString(contents)]
        )
    }
}
