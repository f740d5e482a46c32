import ApplePayTokenTestingPrimitives

/// Certificate policies, and authorities that require one.
///
/// Apple's signers name a policy, and the authority that issues them requires none. A verifier of tokens accepts any
/// policy, so a path fails only if an authority requires one and the path has none. A verifier that does not know an
/// extension refuses it where it is critical, so the other cases have no single answer.
///
/// Source: RFC 5280 §4.2.1.4, §4.2.1.5, §4.2.1.11, §4.2.1.14 and §6.1.
extension VectorBook {
    private static let anyPolicy: OID = "2.5.29.32.0"
    private static let policy: OID = "1.2.840.113635.100.5.1"
    private static let otherPolicy: OID = "1.2.840.113635.100.5.999"

    /// Adds policies that are required, missing, mapped and malformed.
    func addPolicies() throws {
        try addRequiredPolicies()
        try addOtherPolicies()
    }

    private func addRequiredPolicies() throws {
        try either("chain/policies-required", "and the intermediate permits any", at: .chain) {
            $0.chain.intermediate.setExtension(.policies(Self.anyPolicy))
            $0.chain.intermediate.setExtension(.policyConstraints(requiredAfter: 0))
        }
        try either("chain/policies-required-later", "of later certificates", at: .chain) {
            $0.chain.intermediate.setExtension(.policyConstraints(requiredAfter: 2))
        }
        try reject("chain/policies-required-absent", "the intermediate has none", at: .chain) {
            $0.chain.intermediate.setExtension(.policyConstraints(requiredAfter: 0))
        }
        try reject("chain/policies-required-soon", "required of the leaf", at: .chain) {
            $0.chain.intermediate.setExtension(.policyConstraints(requiredAfter: 1))
        }
        try reject("chain/policies-required-other", "they differ", at: .chain) {
            $0.chain.intermediate.setExtension(.policies(Self.otherPolicy))
            $0.chain.intermediate.setExtension(.policyConstraints(requiredAfter: 0))
        }
        try reject("chain/policies-required-leaf-absent", "the leaf has none", at: .chain) {
            $0.chain.leaf.removeExtension(.certificatePolicies)
            $0.chain.intermediate.setExtension(.policies(Self.policy))
            $0.chain.intermediate.setExtension(.policyConstraints(requiredAfter: 0))
        }
        try reject("chain/policies-required-by-leaf", "by the leaf itself", at: .chain) {
            $0.chain.leaf.setExtension(.policyConstraints(requiredAfter: 0))
        }
        try reject("chain/policies-any-inhibited", "the leaf permits any, in vain", at: .chain) {
            $0.chain.leaf.setExtension(.policies(Self.anyPolicy))
            $0.chain.intermediate.setExtension(.policies(Self.policy))
            $0.chain.intermediate.setExtension(.policyConstraints(requiredAfter: 0))
            $0.chain.intermediate.setExtension(
                CertificateExtension(.inhibitAnyPolicy, critical: true, .integer(0)))
        }
    }

    private func addOtherPolicies() throws {
        try accept("valid/policies-differ", "other policies, and none is required") {
            $0.chain.intermediate.setExtension(.policies(Self.otherPolicy))
        }
        try accept("valid/policies-absent", "the leaf has none") {
            $0.chain.leaf.removeExtension(.certificatePolicies)
        }
        try either("chain/policies-critical", "the leaf's policy is critical", at: .chain) {
            $0.chain.leaf.setExtension(.policies(Self.policy, critical: true))
        }
        try either("chain/policies-mapped", "required, and mapped to the leaf's", at: .chain) {
            $0.chain.intermediate.setExtension(.policies(Self.otherPolicy))
            $0.chain.intermediate.setExtension(.policyConstraints(requiredAfter: 0))
            $0.chain.intermediate.setExtension(.policyMapping(Self.otherPolicy, Self.policy))
        }
        try reject("chain/policies-mapped-from-any", "from anyPolicy", at: .chain) {
            $0.chain.intermediate.setExtension(.policies(Self.anyPolicy))
            $0.chain.intermediate.setExtension(.policyMapping(Self.anyPolicy, Self.policy))
        }
        try either("chain/policies-repeated", "the leaf's policy twice", at: .chain, .cms) {
            $0.chain.leaf.setExtension(.policies(Self.policy, Self.policy))
        }
        try either("chain/policies-malformed", "NULL in their place", at: .chain, .cms) {
            $0.chain.leaf.setExtension(CertificateExtension(.certificatePolicies, .null))
        }
        try either("chain/policy-constraints-empty", "neither limit", at: .chain, .cms) {
            $0.chain.intermediate.setExtension(
                CertificateExtension(.policyConstraints, critical: true, .sequence([])))
        }
    }
}

extension CertificateExtension {
    /// Returns CertificatePolicies without qualifiers.
    fileprivate static func policies(_ policies: OID..., critical: Bool = false)
        -> CertificateExtension
    {
        CertificateExtension(
            .certificatePolicies, critical: critical,
            .sequence(policies.map { .sequence([.objectIdentifier($0)]) }))
    }

    /// Returns PolicyConstraints that require a policy after some certificates.
    fileprivate static func policyConstraints(requiredAfter count: UInt8) -> CertificateExtension {
        CertificateExtension(
            .policyConstraints, critical: true, .sequence([.context(0, octets: [count])]))
    }

    /// Returns PolicyMappings from one policy to another.
    fileprivate static func policyMapping(_ issuer: OID, _ subject: OID) -> CertificateExtension {
        CertificateExtension(
            .policyMappings, critical: true,
            .sequence([.sequence([.objectIdentifier(issuer), .objectIdentifier(subject)])]))
    }
}
