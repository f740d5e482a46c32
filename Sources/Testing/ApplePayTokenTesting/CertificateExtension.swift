/// One extension of a certificate (RFC 5280 §4.2).
package struct CertificateExtension: Equatable, Sendable {
    /// The content of the extension.
    package enum Value: Equatable, Sendable {
        /// The DER inside the OCTET STRING.
        case der([UInt8])

        /// The identifier of the certificate's key, set when the certificate is issued.
        case subjectKeyIdentifier

        /// The identifier of the key that signs the certificate, set when the certificate is
        /// issued.
        case authorityKeyIdentifier
    }

    /// The identifier.
    package var type: OID

    /// Whether the extension is critical; if not, the field is omitted.
    package var isCritical: Bool

    /// The value.
    package var value: Value

    /// Creates an extension that contains an element.
    package init(_ type: OID, critical: Bool = false, _ element: ASN1Element) {
        self.type = type
        isCritical = critical
        value = .der(element.encoded)
    }

    private init(_ type: OID, _ value: Value) {
        self.type = type
        isCritical = false
        self.value = value
    }

    /// SubjectKeyIdentifier.
    package static let subjectKeyIdentifier = CertificateExtension(
        .subjectKeyIdentifier, .subjectKeyIdentifier)

    /// AuthorityKeyIdentifier, with only the identifier.
    package static let authorityKeyIdentifier = CertificateExtension(
        .authorityKeyIdentifier, .authorityKeyIdentifier)

    /// Returns critical BasicConstraints.
    package static func basicConstraints(
        isAuthority: Bool,
        pathLength: UInt8? = nil
    ) -> CertificateExtension {
        CertificateExtension(
            .basicConstraints,
            critical: true,
            .sequence(
                (isAuthority ? [.boolean(true)] : []) + (pathLength.map { [.integer($0)] } ?? [])
            )
        )
    }

    /// A bit of KeyUsage (RFC 5280 §4.2.1.3).
    package enum Usage: Int, Sendable {
        case digitalSignature = 0
        case nonRepudiation = 1
        case keyEncipherment = 2
        case keyAgreement = 4
        case keyCertSign = 5
        case crlSign = 6
    }

    /// Returns critical KeyUsage.
    package static func keyUsage(_ usages: Usage...) -> CertificateExtension {
        CertificateExtension(.keyUsage, critical: true, .namedBits(usages.map(\.rawValue)))
    }

    /// Returns one of Apple's marker extensions, which contain only NULL and are not critical.
    package static func marker(_ type: OID) -> CertificateExtension {
        CertificateExtension(type, .null)
    }

    /// CertificatePolicies with the policy of Apple's certificates and the address of a statement.
    package static let applePolicy = CertificateExtension(
        .certificatePolicies,
        .sequence([
            .sequence([
                .objectIdentifier("1.2.840.113635.100.5.1"),
                .sequence([
                    .sequence([
                        .objectIdentifier("1.3.6.1.5.5.7.2.1"),
                        .ia5String("http://www.mint.example/certificateauthority/"),
                    ])
                ]),
            ])
        ])
    )

    /// Returns AuthorityInformationAccess with an address for OCSP.
    package static func statusAddress(_ address: String) -> CertificateExtension {
        CertificateExtension(
            .authorityInformationAccess,
            .sequence([
                .sequence([
                    .objectIdentifier("1.3.6.1.5.5.7.48.1"),
                    .context(6, octets: Array(address.utf8)),
                ])
            ])
        )
    }

    /// Returns CRLDistributionPoints with one address.
    package static func revocationList(_ address: String) -> CertificateExtension {
        CertificateExtension(
            .crlDistributionPoints,
            .sequence([
                .sequence([.context(0, [.context(0, [.context(6, octets: Array(address.utf8))])])])
            ])
        )
    }
}
