import ApplePayTokenTestingPrimitives
import FoundationEssentials

/// The CMS around a token's signature.
///
/// Source: RFC 5652 §3 and §5.1.
package struct SignedDataRecipe: Equatable, Sendable {
    /// The parts whose lengths are indefinite.
    package enum Encoding: Sendable {
        /// Everything that encloses the certificates and the signers, as in Apple's tokens.
        case apple

        /// No part: DER.
        case definite

        /// All parts, including the sets of algorithms and signers and the SignerInfo.
        case indefiniteThroughout
    }

    /// The lengths.
    package var encoding: Encoding = .apple

    /// The content type that the ContentInfo names.
    package var contentType: OID = .signedData

    /// The version.
    package var version: UInt8 = 1

    /// The digest algorithms that SignedData lists.
    package var digestAlgorithms: [AlgorithmIdentifier] = [.sha256]

    /// The type of the signed content.
    package var encapsulatedContentType: OID = .data

    /// The encapsulated content; Apple's tokens do not contain any.
    package var encapsulatedContent: [UInt8]?

    /// The certificates, or nil to omit the field.
    package var certificates: [CertificateReference]? = [.leaf, .intermediate]

    /// Other elements that follow the certificates in the same field.
    package var otherCertificates: [ASN1Element] = []

    /// The revocation lists, or nil to omit the field.
    package var revocationLists: [ASN1Element]?

    /// The signers.
    package var signers = [SignerInfoRecipe()]

    /// The first signer; Apple's tokens have only one.
    package var signer: SignerInfoRecipe {
        get { signers.first ?? SignerInfoRecipe() }
        set { signers.replaceSubrange(0..<min(1, signers.count), with: [newValue]) }
    }

    /// Creates a SignedData as in Apple's tokens.
    package init() {}

    /// Swaps the two certificates.
    package mutating func swapCertificates() {
        certificates?.reverse()
    }

    /// Writes NULL for the parameters of SHA-256 everywhere, as Apple's tokens did until 2022.
    package mutating func useNullParameters() {
        digestAlgorithms = digestAlgorithms.map(\.withNull)
        for index in signers.indices {
            signers[index].digestAlgorithm = signers[index].digestAlgorithm.withNull
        }
    }

    /// Uses another hash function everywhere, and the corresponding signature algorithm.
    package mutating func use(
        _ digest: AlgorithmIdentifier,
        _ signatureAlgorithm: AlgorithmIdentifier
    ) {
        digestAlgorithms = [digest]
        signer.digestAlgorithm = digest
        signer.signatureAlgorithm = signatureAlgorithm
    }

    /// Signs, and builds the ContentInfo.
    func element(_ context: SignerInfoRecipe.Context) throws(TestingError) -> ASN1Element {
        let outer: ASN1Element.LengthForm = encoding == .definite ? .definite : .indefinite
        let inner: ASN1Element.LengthForm =
            encoding == .indefiniteThroughout ? .indefinite : .definite

        var content = [ASN1Element.objectIdentifier(encapsulatedContentType)]
        if let encapsulatedContent {
            content.append(.context(0, [.octetString(encapsulatedContent)], outer))
        }
        var fields: [ASN1Element] = [
            .integer(version), .set(digestAlgorithms.map(\.element), inner),
            .sequence(content, outer),
        ]
        if let certificates {
            let bag = certificates.map {
                ASN1Element.verbatim($0.certificate(in: context.chain).der)
            }
            fields.append(.context(0, bag + otherCertificates, outer))
        }
        if let revocationLists { fields.append(.context(1, revocationLists)) }
        var signerInfos: [ASN1Element] = []
        for signer in signers { signerInfos.append(try signer.element(context, inner)) }
        fields.append(.set(signerInfos, inner))
        return .sequence(
            [.objectIdentifier(contentType), .context(0, [.sequence(fields, outer)], outer)],
            outer
        )
    }
}
