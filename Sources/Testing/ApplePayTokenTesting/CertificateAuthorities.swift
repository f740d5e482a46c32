package import ApplePayTokenTestingPrimitives

/// The certificates of a test PKI, with the same extensions, keys and algorithms as Apple's.
extension TestPKI {
    private var authorityUnit: String { "\(style.prefix) Certification Authority" }

    /// Returns the root's recipe: P-384, self-signed with SHA-384.
    package func rootRecipe(key: PrivateKey) throws(TestingError) -> CertificateRecipe {
        let name = style.name(
            commonName: "\(style.prefix) Root CA - G3",
            organizationalUnit: authorityUnit
        )
        return CertificateRecipe(
            serialNumber: try serialNumber("root"),
            signatureAlgorithm: .ecdsaWithSHA384,
            issuer: name,
            notBefore: CivilTime.day(2014, 4, 30),
            notAfter: style.end ?? CivilTime.day(2039, 4, 30),
            subject: name,
            key: key,
            extensions: [
                .subjectKeyIdentifier, .basicConstraints(isAuthority: true),
                .keyUsage(.keyCertSign, .crlSign),
            ]
        )
    }

    /// Returns the recipe of the authority that issues signers: P-256, signed by the root with
    /// SHA-256.
    package func intermediateRecipe(
        issuer: DistinguishedName
    ) throws(TestingError) -> CertificateRecipe {
        try authority(
            "\(style.prefix) Application Integration CA - G3", issuer, marker: .intermediateMarker)
    }

    /// The authority that issues merchants' certificates; it is not permitted to issue signers' certificates.
    package var processingAuthority: Credential {
        get throws(TestingError) {
            let root = try root
            let recipe = try authority(
                "\(style.prefix) Worldwide Developer Relations CA - G2",
                root.certificate.subject,
                marker: "1.2.840.113635.100.6.2.15"
            )
            return Credential(key: recipe.key, certificate: try recipe.issued(by: root.key))
        }
    }

    private func authority(
        _ name: String,
        _ issuer: DistinguishedName,
        marker: OID
    ) throws(TestingError) -> CertificateRecipe {
        CertificateRecipe(
            serialNumber: try serialNumber(name),
            issuer: issuer,
            notBefore: CivilTime.day(2014, 5, 6),
            notAfter: style.end ?? CivilTime.day(2034, 5, 6),
            subject: style.name(commonName: name, organizationalUnit: authorityUnit),
            key: try ecKey(name, .p256),
            extensions: [
                .statusAddress("http://ocsp.\(style.host)/ocsp04-mintrootcag3"),
                .subjectKeyIdentifier, .basicConstraints(isAuthority: true),
                .authorityKeyIdentifier,
                .revocationList("http://crl.\(style.host)/mintrootcag3.crl"),
                .keyUsage(.keyCertSign, .crlSign), .marker(marker),
            ]
        )
    }

    /// Returns the recipe of a certificate that signs tokens: P-256 or RSA-2048, valid for five
    /// years.
    package func leafRecipe(
        _ version: TokenVersion,
        issuer: DistinguishedName
    ) throws(TestingError) -> CertificateRecipe {
        let prefix = version == .ec ? "ecc" : "rsa"
        return CertificateRecipe(
            serialNumber: try serialNumber("leaf \(prefix)"),
            issuer: issuer,
            notBefore: style.begin ?? CivilTime.day(2024, 4, 29),
            notAfter: style.end ?? CivilTime.day(2029, 4, 28),
            subject: style.name(
                commonName: "\(style.signerPrefix)\(prefix)-smp-broker-sign_\(style.environment)",
                organizationalUnit: "\(style.prefix) Systems"
            ),
            key: try key("leaf", version),
            extensions: [
                .basicConstraints(isAuthority: false), .authorityKeyIdentifier,
                .statusAddress("http://ocsp.\(style.host)/ocsp04-mintaica302"), .applePolicy,
                .revocationList("http://crl.\(style.host)/mintaica3.crl"), .subjectKeyIdentifier,
                .keyUsage(.digitalSignature), .marker(.signerMarker),
            ]
        )
    }

    /// Returns the recipe of a merchant identity certificate, for TLS with Apple's servers, valid for 25 months.
    package func identityCertificate(
        _ identifier: String,
        _ key: PrivateKey,
        issuer: Credential
    ) throws(TestingError) -> CertificateRecipe {
        var recipe = try processingCertificate(identifier, key, issuer: issuer)
        recipe.serialNumber = try serialNumber("identity \(identifier)")
        recipe.subject.commonName =
            "\(style.merchantPrefix)Apple Pay Merchant Identity:\(identifier)"
        recipe.setExtension(.keyUsage(.digitalSignature))
        recipe.setExtension(
            CertificateExtension(
                .extendedKeyUsage, .sequence([.objectIdentifier(.clientAuthentication)])))
        recipe.setExtension(.marker(.identityMarker))
        return recipe
    }

    /// Returns the recipe of a merchant's payment processing certificate, valid for 25 months.
    package func processingCertificate(
        _ identifier: String,
        _ key: PrivateKey,
        issuer: Credential
    ) throws(TestingError) -> CertificateRecipe {
        let hash = try Digest.sha256.hash(Array(identifier.utf8))
        return CertificateRecipe(
            serialNumber: try serialNumber("merchant \(identifier)"),
            issuer: issuer.certificate.subject,
            notBefore: style.begin ?? CivilTime.day(2025, 9, 1),
            notAfter: style.end ?? CivilTime.day(2027, 10, 1),
            subject: DistinguishedName(
                userIdentifier: identifier,
                commonName: "\(style.merchantPrefix)Apple Pay Payment Processing:\(identifier)",
                organizationalUnit: style.team,
                organization: "\(style.prefix) Shop"
            ),
            key: key,
            extensions: [
                .basicConstraints(isAuthority: false), .authorityKeyIdentifier,
                .subjectKeyIdentifier, .keyUsage(.keyEncipherment, .keyAgreement),
                CertificateExtension(
                    .merchantIdentifierHash,
                    .utf8String(Hexadecimal.text(hash).uppercased())
                ),
            ]
        )
    }
}
