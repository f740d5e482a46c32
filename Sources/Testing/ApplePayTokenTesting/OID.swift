/// An object identifier in dotted notation.
package struct OID: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The dotted form.
    package let text: String

    /// Creates an identifier from the dotted form.
    package init(stringLiteral text: String) {
        self.text = text
    }

    /// The contents octets (X.690 §8.19).
    package var octets: [UInt8] {
        let arcs = text.split(separator: ".").compactMap { UInt64($0) }
        guard arcs.count >= 2 else { return [] }
        return ([arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2)).flatMap(Self.base128)
    }

    private static func base128(_ arc: UInt64) -> [UInt8] {
        var octets = [UInt8(arc & 0x7F)]
        var rest = arc >> 7
        while rest > 0 {
            octets.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return octets
    }

    // Contents and attributes of CMS (RFC 5652 §4, §5.1, §11; RFC 6211 §2).

    /// id-data.
    package static let data: OID = "1.2.840.113549.1.7.1"
    /// id-signedData.
    package static let signedData: OID = "1.2.840.113549.1.7.2"
    /// id-envelopedData.
    package static let envelopedData: OID = "1.2.840.113549.1.7.3"
    /// id-contentType.
    package static let contentType: OID = "1.2.840.113549.1.9.3"
    /// id-messageDigest.
    package static let messageDigest: OID = "1.2.840.113549.1.9.4"
    /// id-signingTime.
    package static let signingTime: OID = "1.2.840.113549.1.9.5"
    /// sMIMECapabilities.
    package static let smimeCapabilities: OID = "1.2.840.113549.1.9.15"
    /// id-aa-CMSAlgorithmProtect.
    package static let algorithmProtection: OID = "1.2.840.113549.1.9.52"

    // Extensions of certificates (RFC 5280 §4.2).

    /// id-ce-subjectKeyIdentifier.
    package static let subjectKeyIdentifier: OID = "2.5.29.14"
    /// id-ce-keyUsage.
    package static let keyUsage: OID = "2.5.29.15"
    /// id-ce-basicConstraints.
    package static let basicConstraints: OID = "2.5.29.19"
    /// id-ce-cRLDistributionPoints.
    package static let crlDistributionPoints: OID = "2.5.29.31"
    /// id-ce-certificatePolicies.
    package static let certificatePolicies: OID = "2.5.29.32"
    /// id-ce-nameConstraints.
    package static let nameConstraints: OID = "2.5.29.30"
    /// id-ce-policyMappings.
    package static let policyMappings: OID = "2.5.29.33"
    /// id-ce-policyConstraints.
    package static let policyConstraints: OID = "2.5.29.36"
    /// id-ce-extKeyUsage.
    package static let extendedKeyUsage: OID = "2.5.29.37"
    /// id-ce-inhibitAnyPolicy.
    package static let inhibitAnyPolicy: OID = "2.5.29.54"
    /// id-ce-authorityKeyIdentifier.
    package static let authorityKeyIdentifier: OID = "2.5.29.35"
    /// id-pe-authorityInfoAccess.
    package static let authorityInformationAccess: OID = "1.3.6.1.5.5.7.1.1"
    /// Apple's marker extension of certificates that sign payment tokens.
    package static let signerMarker: OID = "1.2.840.113635.100.6.29"
    /// Apple's marker extension of the authority that issues such certificates.
    package static let intermediateMarker: OID = "1.2.840.113635.100.6.2.14"
    /// Apple's extension with the hash of the merchant identifier.
    package static let merchantIdentifierHash: OID = "1.2.840.113635.100.6.32"
    /// Apple's marker extension of merchant identity certificates.
    package static let identityMarker: OID = "1.2.840.113635.100.6.46"
    /// id-kp-clientAuth: TLS client authentication (RFC 5280 §4.2.1.12).
    package static let clientAuthentication: OID = "1.3.6.1.5.5.7.3.2"

    // Attributes of names (X.520; RFC 4519 §2.39).

    /// id-at-commonName.
    package static let commonName: OID = "2.5.4.3"
    /// id-at-countryName.
    package static let countryName: OID = "2.5.4.6"
    /// id-at-organizationName.
    package static let organizationName: OID = "2.5.4.10"
    /// id-at-organizationalUnitName.
    package static let organizationalUnitName: OID = "2.5.4.11"
    /// uid.
    package static let userIdentifier: OID = "0.9.2342.19200300.100.1.1"
}
