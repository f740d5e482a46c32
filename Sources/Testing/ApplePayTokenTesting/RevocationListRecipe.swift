package import ApplePayTokenTestingPrimitives
package import FoundationEssentials

/// The content of a certificate revocation list.
///
///     TBSCertList ::= SEQUENCE { version, signature, issuer, thisUpdate, nextUpdate, revokedCertificates, crlExtensions }
///
/// Source: RFC 5280 §5.1.
package struct RevocationListRecipe {
    /// The issuer that the list names.
    package var issuer: DistinguishedName

    /// The signing key.
    package var key: PrivateKey

    /// The serial numbers of the revoked certificates, big-endian.
    package var serialNumbers: [[UInt8]]

    /// The time of the list's creation; it is valid for a week.
    package var thisUpdate: Date

    /// Whether the list states the identifier of the signing key.
    package var statesKey = false

    /// Creates a recipe.
    package init(
        issuer: DistinguishedName,
        key: PrivateKey,
        serialNumbers: [[UInt8]],
        thisUpdate: Date
    ) {
        self.issuer = issuer
        self.key = key
        self.serialNumbers = serialNumbers
        self.thisUpdate = thisUpdate
    }

    /// Signs the list and returns it as a PEM block.
    package func issued() throws(TestingError) -> String {
        let algorithm = AlgorithmIdentifier.ecdsaWithSHA256
        let entries = serialNumbers.map {
            ASN1Element.sequence([.integer($0), .utcTime(thisUpdate)])
        }
        var fields: [ASN1Element] = [
            .integer(1), algorithm.element, issuer.element,
            .utcTime(thisUpdate), .utcTime(thisUpdate.addingTimeInterval(7 * 86_400)),
        ]
        if !entries.isEmpty { fields.append(.sequence(entries)) }
        if statesKey {
            let identifier = ASN1Element.sequence([.context(0, octets: try key.keyIdentifier())])
            let extensions = ASN1Element.sequence([
                .sequence([
                    .objectIdentifier(.authorityKeyIdentifier), .octetString(identifier.encoded),
                ])
            ])
            fields.append(.context(0, [extensions]))
        }
        let body = ASN1Element.sequence(fields).encoded
        let signature = try key.sign(body, digest: .sha256)
        return PEM.text(
            "X509 CRL",
            ASN1Element.sequence([.verbatim(body), algorithm.element, .bitString(signature)])
                .encoded)
    }
}
