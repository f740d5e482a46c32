import ApplePayTokenTestingPrimitives

/// What an authority imposes on the certificates below it, after the ideas of x509-limbo.
///
/// Apple's certificates have none of these extensions except a policy in the signer's.
///
/// Source: RFC 5280 §4.2.1 and §6.1.
extension VectorBook {
    /// Adds name constraints, critical extensions, path lengths and combinations of usages.
    func addConstraints() throws {
        try addNameConstraints()
        try addCriticalExtensions()
        try addPathLengths()
        try addUsageCombinations()
        try addExtendedUsages()
    }

    private func addNameConstraints() throws {
        let subject = try pki.chain(.ec).leaf.subject
        var begin = subject
        begin.attributes = [subject.attributes[0]]
        var other = begin
        other.attributes[0].value = "another signer"
        var all = begin
        all.attributes = []
        try either("chain/name-permitted", "the leaf's name is permitted", at: .chain) {
            $0.chain.intermediate.setExtension(.nameConstraints(permitted: [.subtree(begin)]))
        }
        try reject("chain/name-not-permitted", "another name is permitted", at: .chain) {
            $0.chain.intermediate.setExtension(.nameConstraints(permitted: [.subtree(other)]))
        }
        try reject(
            "chain/rsa-name-not-permitted", "another name is permitted", at: .chain, version: .rsa
        ) {
            $0.chain.intermediate.setExtension(.nameConstraints(permitted: [.subtree(other)]))
        }
        try reject("chain/name-excluded", "the leaf's name is excluded", at: .chain) {
            $0.chain.intermediate.setExtension(.nameConstraints(excluded: [.subtree(begin)]))
        }
        try either("chain/name-excluded-not-critical", "not critical", at: .chain) {
            $0.chain.intermediate.setExtension(
                .nameConstraints(excluded: [.subtree(begin)], critical: false))
        }
        try reject("chain/name-permitted-and-excluded", "both: excluded", at: .chain) {
            $0.chain.intermediate.setExtension(
                .nameConstraints(permitted: [.subtree(all)], excluded: [.subtree(subject)]))
        }
        try reject("chain/name-all-excluded", "every name is excluded", at: .chain) {
            $0.chain.intermediate.setExtension(.nameConstraints(excluded: [.subtree(all)]))
        }
        try either("chain/name-other-excluded", "another name is excluded", at: .chain) {
            $0.chain.intermediate.setExtension(.nameConstraints(excluded: [.subtree(other)]))
        }
        try either("chain/name-hosts-permitted", "only hosts are constrained", at: .chain) {
            $0.chain.intermediate.setExtension(
                .nameConstraints(
                    permitted: [.sequence([.context(2, octets: Array("mint.example".utf8))])]))
        }
        try reject("chain/name-minimum", "a minimum of 1", at: .chain, severity: .form) {
            $0.chain.intermediate.setExtension(
                .nameConstraints(
                    permitted: [
                        .sequence([.context(4, [begin.element]), .context(0, octets: [1])])
                    ]))
        }
        try either("chain/name-constraints-empty", "neither kind is there", at: .chain) {
            $0.chain.intermediate.setExtension(.nameConstraints())
        }
        try either("chain/leaf-name-constraints", "in the leaf, for itself", at: .chain) {
            $0.chain.leaf.setExtension(.nameConstraints(excluded: [.subtree(begin)]))
        }
        try reject(
            "chain/name-constraints-malformed", "NULL in their place", at: .chain, .cms,
            severity: .form
        ) {
            $0.chain.intermediate.setExtension(
                CertificateExtension(.nameConstraints, critical: true, .null))
        }
    }

    private func addCriticalExtensions() throws {
        let unknown = CertificateExtension("1.2.840.113635.100.6.999", critical: true, .null)
        try reject(
            "chain/rsa-leaf-critical-extension", "an unknown critical extension", at: .chain,
            version: .rsa
        ) {
            $0.chain.leaf.extensions.append(unknown)
        }
        try reject("chain/both-critical-extension", "in both certificates", at: .chain) {
            $0.chain.leaf.extensions.append(unknown)
            $0.chain.intermediate.extensions.append(unknown)
        }
        try reject("chain/leaf-critical-name", "it looks like a known one", at: .chain) {
            // One arc more than keyUsage.
            $0.chain.leaf.extensions.append(
                CertificateExtension("2.5.29.15.1", critical: true, .namedBits([0])))
        }
        try either("chain/leaf-marker-critical", "the leaf's marker is critical", at: .chain) {
            $0.chain.leaf.setExtension(
                CertificateExtension(.signerMarker, critical: true, .null))
        }
        try either("chain/intermediate-marker-critical", "the intermediate's", at: .chain) {
            $0.chain.intermediate.setExtension(
                CertificateExtension(.intermediateMarker, critical: true, .null))
        }
        try either("chain/leaf-status-critical", "AuthorityInfoAccess is critical", at: .chain) {
            var address = CertificateExtension.statusAddress("http://ocsp.mint.example/")
            address.isCritical = true
            $0.chain.leaf.setExtension(address)
        }
        for (name, isOfLeaf) in [("leaf", true), ("intermediate", false)] {
            try either("chain/\(name)-identifiers-critical", "key identifiers are", at: .chain) {
                for value in [CertificateExtension.subjectKeyIdentifier, .authorityKeyIdentifier] {
                    var value = value
                    value.isCritical = true
                    if isOfLeaf {
                        $0.chain.leaf.setExtension(value)
                    } else {
                        $0.chain.intermediate.setExtension(value)
                    }
                }
            }
        }
        var bystander = try pki.chain(.ec).leaf
        bystander.serialNumber = [0x42, 0x30]
        bystander.extensions.append(unknown)
        let certificate = try bystander.issued(by: try pki.chain(.ec).intermediate.key)
        try accept("valid/bystander-critical-extension", "only in a certificate without a use") {
            $0.cms.certificates?.append(.other(certificate))
        }
    }

    private func addPathLengths() throws {
        try accept("valid/path-length-one", "the intermediate has pathLenConstraint 1") {
            $0.chain.intermediate.setExtension(.basicConstraints(isAuthority: true, pathLength: 1))
        }
        try either("chain/path-length-large", "pathLenConstraint is 2^64", at: .chain, .cms) {
            $0.chain.intermediate.setExtension(
                CertificateExtension(
                    .basicConstraints, critical: true,
                    .sequence([.boolean(true), .integer([1] + [UInt8](repeating: 0, count: 8))])))
        }
        try reject(
            "chain/path-length-negative", "pathLenConstraint is -1", at: .chain, .cms,
            severity: .form
        ) {
            $0.chain.intermediate.setExtension(
                CertificateExtension(
                    .basicConstraints, critical: true,
                    .sequence([.boolean(true), ASN1Element(0x02, octets: [0xFF])])))
        }
        try reject(
            "chain/path-length-text", "pathLenConstraint is a text", at: .chain, .cms,
            severity: .form
        ) {
            $0.chain.intermediate.setExtension(
                CertificateExtension(
                    .basicConstraints, critical: true,
                    .sequence([.boolean(true), .utf8String("0")])))
        }
        try either("chain/leaf-path-length", "in a leaf that is no CA", at: .chain, .cms) {
            $0.chain.leaf.setExtension(.basicConstraints(isAuthority: false, pathLength: 0))
        }
        try either("chain/intermediate-constraints-not-critical", "not critical", at: .chain) {
            var constraints = CertificateExtension.basicConstraints(isAuthority: true)
            constraints.isCritical = false
            $0.chain.intermediate.setExtension(constraints)
        }
        try either("chain/leaf-no-constraints", "the leaf has none", at: .chain) {
            $0.chain.leaf.removeExtension(.basicConstraints)
        }
    }

    private func addUsageCombinations() throws {
        try reject("chain/leaf-usage-none", "no bit is set", at: .chain) {
            $0.chain.leaf.setExtension(.keyUsage())
        }
        try reject("chain/leaf-usage-authority", "keyCertSign and cRLSign", at: .chain) {
            $0.chain.leaf.setExtension(.keyUsage(.keyCertSign, .crlSign))
        }
        try reject(
            "chain/leaf-usage-merchant", "a merchant's usages, and the marker", at: .chain,
            version: .rsa
        ) {
            $0.chain.leaf.setExtension(.keyUsage(.keyEncipherment, .keyAgreement))
        }
        try either("chain/leaf-usage-agreement", "keyAgreement besides", at: .chain) {
            $0.chain.leaf.setExtension(.keyUsage(.digitalSignature, .keyAgreement))
        }
        try either("chain/leaf-usage-not-critical", "KeyUsage is not critical", at: .chain) {
            var usage = CertificateExtension.keyUsage(.digitalSignature)
            usage.isCritical = false
            $0.chain.leaf.setExtension(usage)
        }
        try reject(
            "chain/leaf-usage-malformed", "KeyUsage is NULL", at: .chain, .cms, severity: .form
        ) {
            $0.chain.leaf.setExtension(CertificateExtension(.keyUsage, critical: true, .null))
        }
        try accept("valid/intermediate-usage-cert-sign", "keyCertSign alone") {
            $0.chain.intermediate.setExtension(.keyUsage(.keyCertSign))
        }
        try either("chain/intermediate-usage-more", "digitalSignature besides", at: .chain) {
            $0.chain.intermediate.setExtension(
                .keyUsage(.digitalSignature, .keyCertSign, .crlSign))
        }
        try reject("chain/intermediate-usage-signer", "a signer's usage", at: .chain) {
            $0.chain.intermediate.setExtension(.keyUsage(.digitalSignature))
        }
        try reject("chain/intermediate-usage-none", "no bit is set", at: .chain) {
            $0.chain.intermediate.setExtension(.keyUsage())
        }
    }

    /// Adds extended key usages: a limit that a verifier of messages may apply or not know.
    private func addExtendedUsages() throws {
        let purposes: [(String, OID)] = [
            ("mail", "1.3.6.1.5.5.7.3.4"), ("any", "2.5.29.37.0"), ("server", "1.3.6.1.5.5.7.3.1"),
            ("unknown", "1.2.840.113635.100.4.999"),
        ]
        for (name, purpose) in purposes {
            try either("chain/leaf-purpose-\(name)", "ExtendedKeyUsage \(name)", at: .chain) {
                $0.chain.leaf.setExtension(
                    CertificateExtension(
                        .extendedKeyUsage, .sequence([.objectIdentifier(purpose)])))
            }
        }
        try either("chain/intermediate-purpose-server", "in the intermediate", at: .chain) {
            $0.chain.intermediate.setExtension(
                CertificateExtension(
                    .extendedKeyUsage, .sequence([.objectIdentifier(purposes[2].1)])))
        }
    }
}

extension CertificateExtension {
    /// Returns NameConstraints with subtrees, permitted and excluded (RFC 5280 §4.2.1.10).
    fileprivate static func nameConstraints(
        permitted: [ASN1Element] = [],
        excluded: [ASN1Element] = [],
        critical: Bool = true
    ) -> CertificateExtension {
        let kinds: [(number: UInt8, subtrees: [ASN1Element])] = [(0, permitted), (1, excluded)]
        return CertificateExtension(
            .nameConstraints, critical: critical,
            .sequence(
                kinds.filter { !$0.subtrees.isEmpty }.map { .context($0.number, $0.subtrees) }))
    }
}

extension ASN1Element {
    /// Returns a GeneralSubtree of the names that begin with a name.
    fileprivate static func subtree(_ name: DistinguishedName) -> ASN1Element {
        .sequence([.context(4, [name.element])])
    }
}
