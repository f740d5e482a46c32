import ApplePayTokenTestingPrimitives
import Foundation

/// One signer of a SignedData.
///
/// Source: RFC 5652 §5.3.
package struct SignerInfoRecipe: Equatable, Sendable {
    /// How the signer's certificate is named.
    package enum Identifier: Equatable, Sendable {
        /// issuerAndSerialNumber of a certificate.
        case certificate(CertificateReference)

        /// issuerAndSerialNumber with any parts.
        case issuerAndSerialNumber(DistinguishedName, [UInt8])

        /// subjectKeyIdentifier of the leaf's key.
        case subjectKeyIdentifier
    }

    /// The version.
    package var version: UInt8 = 1

    /// Which certificate signed.
    package var identifier: Identifier = .certificate(.leaf)

    /// The hash of the message.
    package var digestAlgorithm: AlgorithmIdentifier = .sha256

    /// The signed attributes as Apple sends them, or nil to sign the message itself.
    package var attributes: [SignedAttribute]? = [
        .contentType, .signingTime, .algorithmProtection, .messageDigest,
    ]

    /// Whether the attributes are put into DER's order; otherwise they stay as they are listed.
    package var sortsAttributes = true

    /// The signature algorithm, or nil for the key's own.
    package var signatureAlgorithm: AlgorithmIdentifier?

    /// The key that signs, or nil for the leaf's.
    package var key: PrivateKey?

    /// What happens to the message digest before signing.
    package var messageDigest = ByteEdits()

    /// What happens to the encoded attributes, tag and length included, after signing.
    package var encodedAttributes = ByteEdits()

    /// What happens to the signature value.
    package var signatureValue = ByteEdits()

    /// The unsigned attributes; the field is left out when there are none.
    package var unsignedAttributes: [SignedAttribute] = []

    /// A signer as Apple's servers are.
    package init() {}

    /// Removes the signed attributes of a type.
    package mutating func removeAttribute(_ type: OID) {
        attributes?.removeAll { $0.type == type }
    }

    /// Gives a signed attribute other values.
    package mutating func setAttribute(_ type: OID, _ values: ASN1Element...) {
        let other = SignedAttribute(type, values.map { .element($0) })
        attributes = attributes?.map { $0.type == type ? other : $0 }
    }

    /// What a signer signs, and with what.
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
            // The attributes travel with another tag than they are signed with (§5.4).
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
            // signatureAlgorithm is [1] IMPLICIT, so its SEQUENCE tag goes.
            let signature =
                [.objectIdentifier(algorithm.algorithm)]
                + (algorithm.parameters.map { [$0] } ?? [])
            return .sequence([digestAlgorithm.element, .context(1, signature)])
        }
    }
}
