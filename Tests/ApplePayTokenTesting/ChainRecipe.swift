package import ApplePayTokenTestingPrimitives

/// The certificates from the one that signs a token up to the root.
///
/// Names do not follow one another by themselves: who gives the intermediate another subject gives
/// the leaf another issuer. Key identifiers and signatures do follow the keys.
package struct ChainRecipe: Equatable, Sendable {
    /// The root, as it stands in the trust store.
    package var root: Credential

    /// The authority between; signed by the root's key unless it names another.
    package var intermediate: CertificateRecipe

    /// The certificate that signs tokens; signed by the intermediate's key unless it names another.
    package var leaf: CertificateRecipe

    /// Has the certificates signed.
    package func issued() throws(TestingError) -> Chain {
        Chain(
            root: root.certificate,
            intermediate: try intermediate.issued(by: root.key),
            leaf: try leaf.issued(by: intermediate.key)
        )
    }
}

/// The certificates of a ``ChainRecipe``, issued.
package struct Chain: Equatable, Sendable {
    /// The root's certificate.
    package let root: Certificate

    /// The intermediate's certificate.
    package let intermediate: Certificate

    /// The signer's certificate.
    package let leaf: Certificate
}

/// A certificate of a token's chain that has not been issued yet, or another one.
package enum CertificateReference: Equatable, Sendable {
    /// The signer's certificate.
    case leaf

    /// The intermediate's.
    case intermediate

    /// The root's.
    case root

    /// A certificate that has nothing to do with the chain's recipe.
    case other(Certificate)

    /// The certificate meant.
    func certificate(in chain: Chain) -> Certificate {
        switch self {
        case .leaf: chain.leaf
        case .intermediate: chain.intermediate
        case .root: chain.root
        case .other(let certificate): certificate
        }
    }
}
