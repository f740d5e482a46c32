package import ApplePayTokenTestingPrimitives

/// The certificates from a token's signer up to the root.
///
/// Key identifiers and signatures follow the keys automatically; names do not. If you change the
/// subject of the intermediate, the issuer of the leaf stays the same until you change it too.
package struct ChainRecipe: Equatable, Sendable {
    /// The root, as in the trust store.
    package var root: Credential

    /// The intermediate authority; signed by the root's key unless its recipe names another.
    package var intermediate: CertificateRecipe

    /// The certificate that signs tokens; signed by the intermediate's key unless its recipe names
    /// another.
    package var leaf: CertificateRecipe

    /// Issues the certificates.
    package func issued() throws(TestingError) -> Chain {
        Chain(
            root: root.certificate,
            intermediate: try intermediate.issued(by: root.key),
            leaf: try leaf.issued(by: intermediate.key)
        )
    }
}

/// The issued certificates of a ``ChainRecipe``.
package struct Chain: Equatable, Sendable {
    /// The root's certificate.
    package let root: Certificate

    /// The intermediate's certificate.
    package let intermediate: Certificate

    /// The signer's certificate.
    package let leaf: Certificate
}

/// A reference to a certificate of a token's chain that has not been issued yet, or to another
/// certificate.
package enum CertificateReference: Equatable, Sendable {
    /// The signer's certificate.
    case leaf

    /// The intermediate's certificate.
    case intermediate

    /// The root's certificate.
    case root

    /// A certificate that does not belong to the chain.
    case other(Certificate)

    /// Returns the certificate that this refers to.
    func certificate(in chain: Chain) -> Certificate {
        switch self {
        case .leaf: chain.leaf
        case .intermediate: chain.intermediate
        case .root: chain.root
        case .other(let certificate): certificate
        }
    }
}
