import ApplePayTokenTestingPrimitives
import Foundation

/// The CMS around a token's signature.
///
/// Source: RFC 5652 §3 and §5.1.
package struct SignedDataRecipe: Equatable, Sendable {
    /// Which lengths are indefinite.
    package enum Encoding: Sendable {
        /// As Apple sends it: everything around the certificates and the signers.
        case apple

        /// None: DER.
        case definite

        /// All, the sets of algorithms and signers and the SignerInfo too.
        case indefiniteThroughout
    }

    /// The lengths.
    package var encoding: Encoding = .apple

    /// What the ContentInfo says it holds.
    package var contentType: OID = .signedData

    /// The version.
    package var version: UInt8 = 1

    /// The hashes used.
    package var digestAlgorithms: [AlgorithmIdentifier] = [.sha256]

    /// What was signed, by type.
    package var encapsulatedContentType: OID = .data

    /// The content itself; Apple sends none.
    package var encapsulatedContent: [UInt8]?

    /// The certificates, or nil to leave the field out.
    package var certificates: [CertificateReference]? = [.leaf, .intermediate]

    /// What stands among the certificates after them.
    package var otherCertificates: [ASN1Element] = []

    /// The revocation lists, or nil to leave the field out.
    package var revocationLists: [ASN1Element]?

    /// The signers.
    package var signers = [SignerInfoRecipe()]

    /// The first signer, the only one Apple sends.
    package var signer: SignerInfoRecipe {
        get { signers.first ?? SignerInfoRecipe() }
        set { signers.replaceSubrange(0..<min(1, signers.count), with: [newValue]) }
    }

    /// A SignedData as Apple sends it.
    package init() {}

    /// Exchanges the two certificates.
    package mutating func swapCertificates() {
        certificates?.reverse()
    }

    /// Writes NULL for the parameters of SHA-256 everywhere, as Apple did until 2022.
    package mutating func useNullParameters() {
        digestAlgorithms = digestAlgorithms.map(\.withNull)
        for index in signers.indices {
            signers[index].digestAlgorithm = signers[index].digestAlgorithm.withNull
        }
    }

    /// Uses another hash everywhere, and the signature algorithm that goes with it.
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
