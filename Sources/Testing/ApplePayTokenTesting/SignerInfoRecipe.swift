import ApplePayTokenTestingPrimitives
import FoundationEssentials

/// One signer of a SignedData.
///
/// Source: RFC 5652 §5.3.
package struct SignerInfoRecipe: Equatable, Sendable {
    /// The form in which SignerInfo names the signer's certificate.
    package enum Identifier: Equatable, Sendable {
        /// The issuerAndSerialNumber of a certificate.
        case certificate(CertificateReference)

        /// An issuerAndSerialNumber with any parts.
        case issuerAndSerialNumber(DistinguishedName, [UInt8])

        /// The subjectKeyIdentifier of the leaf's key.
        case subjectKeyIdentifier
    }

    /// The version.
    package var version: UInt8 = 1

    /// The identifier of the signer's certificate.
    package var identifier: Identifier = .certificate(.leaf)

    /// The hash of the message.
    package var digestAlgorithm: AlgorithmIdentifier = .sha256

    /// The signed attributes, by default as in Apple's tokens, or nil to sign the message itself.
    package var attributes: [SignedAttribute]? = [
        .contentType, .signingTime, .algorithmProtection, .messageDigest,
    ]

    /// Whether the attributes are sorted as in DER; otherwise they stay in the given order.
    package var sortsAttributes = true

    /// The signature algorithm, or nil for the default of the key.
    package var signatureAlgorithm: AlgorithmIdentifier?

    /// The signing key, or nil for the leaf's.
    package var key: PrivateKey?

    /// Changes to the message digest before signing.
    package var messageDigest = ByteEdits()

    /// Changes to the encoded attributes, including tag and length, after signing.
    package var encodedAttributes = ByteEdits()

    /// Changes to the signature value.
    package var signatureValue = ByteEdits()

    /// The unsigned attributes; if there are none, the field is omitted.
    package var unsignedAttributes: [SignedAttribute] = []

    /// Creates a signer as in Apple's tokens.
    package init() {}

    /// Removes the signed attributes of a type.
    package mutating func removeAttribute(_ type: OID) {
        attributes?.removeAll { $0.type == type }
    }

    /// Replaces the values of a signed attribute.
    package mutating func setAttribute(_ type: OID, _ values: ASN1Element...) {
        let other = SignedAttribute(type, values.map { .element($0) })
        attributes = attributes?.map { $0.type == type ? other : $0 }
    }

    /// The message, the signing time, the chain and the key that a signer needs.
    struct Context {
        let message: [UInt8]
        let signingTime: Date
        let chain: Chain
        let leafKey: PrivateKey
    }

    /// Signs, and builds the SignerInfo.
    func element(_ context: Context, _ form: ASN1Element.LengthForm) throws(TestingError)
        -> ASN1Element
    {
        let signer = key ?? context.leafKey
        let algorithm = signatureAlgorithm ?? signer.signatureAlgorithm
        var fields = [
            .integer(version), try identifierElement(context), digestAlgorithm.element,
        ]
        var message = context.message
        if let attributes {
            let encoded = try encode(attributes, context, algorithm)
            message = ASN1Element.set(encoded).encoded
            // The attributes are sent with a different tag from the one that is signed (§5.4).
            let sent = ASN1Element.context(0, encoded).encoded
            fields.append(.verbatim(encodedAttributes.applied(to: sent)))
        }
        let signature = try signer.sign(message, digest: algorithm.digest ?? .sha256)
        fields.append(algorithm.element)
        fields.append(.octetString(signatureValue.applied(to: signature)))
        if !unsignedAttributes.isEmpty {
            fields.append(.context(1, try encode(unsignedAttributes, context, algorithm)))
        }
        return .sequence(fields, form)
    }

    private func identifierElement(_ context: Context) throws(TestingError) -> ASN1Element {
        switch identifier {
        case .certificate(let reference):
            let certificate = reference.certificate(in: context.chain)
            return .sequence([certificate.issuer.element, .integer(certificate.serialNumber)])
        case .issuerAndSerialNumber(let issuer, let serialNumber):
            return .sequence([issuer.element, .integer(serialNumber)])
        case .subjectKeyIdentifier:
            return .context(0, octets: try context.leafKey.keyIdentifier())
        }
    }

    private func encode(
        _ attributes: [SignedAttribute],
        _ context: Context,
        _ algorithm: AlgorithmIdentifier
    ) throws(TestingError) -> [ASN1Element] {
        var encoded: [[UInt8]] = []
        for attribute in attributes {
            var values: [ASN1Element] = []
            for value in attribute.values {
                values.append(try element(value, context, algorithm))
            }
            encoded.append(
                ASN1Element.sequence([.objectIdentifier(attribute.type), .set(values)]).encoded)
        }
        if sortsAttributes { encoded.sort { $0.lexicographicallyPrecedes($1) } }
        return encoded.map { .verbatim($0) }
    }

    private func element(
        _ value: SignedAttribute.Value,
        _ context: Context,
        _ algorithm: AlgorithmIdentifier
    ) throws(TestingError) -> ASN1Element {
        switch value {
        case .element(let element): return element
        case .signingTime: return .utcTime(context.signingTime)
        case .messageDigest:
            let digest = try (digestAlgorithm.digest ?? .sha256).hash(context.message)
            return .octetString(messageDigest.applied(to: digest))
        case .algorithmProtection:
            // signatureAlgorithm is [1] IMPLICIT, so its SEQUENCE tag is removed.
            let signature =
                [.objectIdentifier(algorithm.algorithm)]
                + (algorithm.parameters.map { [$0] } ?? [])
            return .sequence([digestAlgorithm.element, .context(1, signature)])
        }
    }
}
