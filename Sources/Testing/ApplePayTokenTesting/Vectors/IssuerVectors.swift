import ApplePayTokenTestingPrimitives

extension VectorBook {
    /// Adds certificates that were issued in violation of the rules.
    func addIssuers() throws {
        try addUsages()
        try addPaths()
        try addCertificateSignatures()
        try addCertificateForms()
    }

    private func addUsages() throws {
        try reject("chain/leaf-authority", "the leaf is a CA", at: .chain) {
            $0.chain.leaf.setExtension(.basicConstraints(isAuthority: true))
            $0.chain.leaf.setExtension(.keyUsage(.digitalSignature, .keyCertSign))
        }
        for (name, isCritical) in [("signs", true), ("signs-not-critical", false)] {
            try reject(
                "chain/leaf-authority-\(name)",
                "a CA by BasicConstraints that may not sign certificates",
                at: .chain
            ) {
                var constraints = CertificateExtension.basicConstraints(isAuthority: true)
                constraints.isCritical = isCritical
                $0.chain.leaf.setExtension(constraints)
            }
        }
        try reject("chain/leaf-usage-encipherment", "the leaf may only encipher", at: .chain) {
            $0.chain.leaf.setExtension(.keyUsage(.keyEncipherment, .keyAgreement))
        }
        try reject("chain/leaf-usage-repudiation", "the leaf has nonRepudiation only", at: .chain) {
            $0.chain.leaf.setExtension(.keyUsage(.nonRepudiation))
        }
        try reject("chain/leaf-usage-cert-sign", "no CA, and keyCertSign besides", at: .chain) {
            $0.chain.leaf.setExtension(.keyUsage(.digitalSignature, .keyCertSign))
        }
        try either("chain/leaf-usage-crl-sign", "cRLSign besides", at: .chain) {
            $0.chain.leaf.setExtension(.keyUsage(.digitalSignature, .crlSign))
        }
        try either("chain/leaf-usage-more", "nonRepudiation besides", at: .chain) {
            $0.chain.leaf.setExtension(.keyUsage(.digitalSignature, .nonRepudiation))
        }
        try either("chain/leaf-no-usage", "the leaf has no KeyUsage", at: .chain) {
            $0.chain.leaf.removeExtension(.keyUsage)
        }
        try reject("chain/intermediate-no-authority", "CA is FALSE", at: .chain) {
            $0.chain.intermediate.setExtension(.basicConstraints(isAuthority: false))
        }
        try reject("chain/intermediate-no-constraints", "no BasicConstraints", at: .chain) {
            $0.chain.intermediate.removeExtension(.basicConstraints)
        }
        try reject("chain/intermediate-usage", "the intermediate lacks keyCertSign", at: .chain) {
            $0.chain.intermediate.setExtension(.keyUsage(.digitalSignature, .crlSign))
        }
        try reject("chain/intermediate-no-usage", "the intermediate has no KeyUsage", at: .chain) {
            $0.chain.intermediate.removeExtension(.keyUsage)
        }
        try reject("chain/intermediate-rsa", "the intermediate's key is RSA", at: .chain) {
            $0.chain.intermediate.key = try pki.rsaKey("intermediate", bitCount: 2048)
            $0.chain.leaf.signatureAlgorithm = .rsaWithSHA256
        }
        try reject("chain/leaf-critical-extension", "an unknown critical extension", at: .chain) {
            $0.chain.leaf.extensions.append(
                CertificateExtension("1.2.840.113635.100.6.999", critical: true, .null))
        }
        try reject("chain/intermediate-critical-extension", "in the intermediate", at: .chain) {
            $0.chain.intermediate.extensions.append(
                CertificateExtension("1.2.840.113635.100.6.999", critical: true, .null))
        }
    }

    private func addPaths() throws {
        let genuine = try pki.chain(.ec)
        try reject("chain/leaf-by-root", "the root issued the leaf", at: .chain) {
            $0.chain.leaf.issuer = genuine.root.certificate.subject
            $0.chain.leaf.signingKey = genuine.root.key
        }
        try reject("chain/leaf-by-root-both-markers", "with both markers, alone", at: .chain) {
            $0.chain.leaf.issuer = genuine.root.certificate.subject
            $0.chain.leaf.signingKey = genuine.root.key
            $0.chain.leaf.extensions.append(.marker(.intermediateMarker))
            $0.cms.certificates = [.leaf]
        }
        try reject(
            "chain/leaf-by-root-beside-namesake",
            "the root issued the leaf, and a marked authority bears the root's name", at: .chain
        ) {
            $0.chain.intermediate.subject = genuine.root.certificate.subject
            $0.chain.leaf.issuer = genuine.root.certificate.subject
            $0.chain.leaf.signingKey = genuine.root.key
        }
        var upper = genuine.intermediate
        upper.subject.commonName = "Mint Upper CA - G3"
        upper.key = try pki.ecKey("upper", .p256)
        upper.serialNumber = [0x42, 0x04]
        for (name, isMarked) in [("marked", true), ("unmarked", false)] {
            try reject(
                "chain/four-\(name)", "an authority more between intermediate and root", at: .chain
            ) {
                var authority = upper
                if !isMarked { authority.removeExtension(.intermediateMarker) }
                $0.chain.intermediate.issuer = authority.subject
                $0.chain.intermediate.signingKey = authority.key
                $0.cms.certificates?.append(.other(try authority.issued(by: genuine.root.key)))
            }
        }
        try reject("chain/leaf-issues", "the genuine leaf issued the signer", at: .chain) {
            let issuer = try pki.chain(.ec)
            $0.chain.leaf.issuer = issuer.leaf.subject
            $0.chain.leaf.signingKey = issuer.leaf.key
            $0.chain.leaf.key = try pki.ecKey("issued by leaf", .p256)
            $0.chain.leaf.serialNumber = [0x42, 0x05]
            $0.cms.certificates?.append(.other(try issuer.issued().leaf))
        }
        try reject("chain/processing-authority-issues", "issued by the merchants' CA", at: .chain) {
            let authority = try pki.processingAuthority
            $0.chain.leaf.issuer = authority.certificate.subject
            $0.chain.leaf.signingKey = authority.key
            $0.cms.certificates = [.leaf, .other(authority.certificate), .intermediate]
        }
        try reject("chain/leaf-issuer-name", "the leaf names another issuer", at: .chain) {
            $0.chain.leaf.issuer.commonName = "Mint Application Integration CA - G4"
        }
    }

    private func addCertificateSignatures() throws {
        try reject("chain/leaf-sha1", "the leaf is signed with SHA-1", at: .chain) {
            $0.chain.leaf.signatureAlgorithm = .ecdsaWithSHA1
        }
        try reject("chain/intermediate-sha1", "the intermediate, too", at: .chain) {
            $0.chain.intermediate.signatureAlgorithm = .ecdsaWithSHA1
        }
        try reject("chain/leaf-forged", "another key signed the leaf", at: .chain) {
            $0.chain.leaf.signingKey = try pki.ecKey("stranger", .p256)
            $0.chain.leaf.setExtension(
                CertificateExtension(
                    .authorityKeyIdentifier,
                    .sequence([.context(0, octets: try $0.chain.intermediate.key.keyIdentifier())])
                )
            )
        }
        try reject("chain/leaf-signature-bit", "a bit of its signature", at: .chain) {
            $0.chain.leaf.signatureValue.flipBit(-1)
        }
        try reject("chain/intermediate-signature-bit", "a bit of its signature", at: .chain) {
            $0.chain.intermediate.signatureValue.flipBit(-1)
        }
        try reject("chain/leaf-signature-empty", "no signature value", at: .chain, .cms) {
            $0.chain.leaf.signatureValue.replace(with: [])
        }
        try reject("chain/leaf-signature-zero", "r and s are 0", at: .chain, .cms) {
            $0.chain.leaf.signatureValue.replace(with: [0x30, 0x06, 2, 1, 0, 2, 1, 0])
        }
        try reject("chain/leaf-algorithms-differ", "inside and outside", at: .chain, .cms) {
            $0.chain.leaf.outerSignatureAlgorithm = .ecdsaWithSHA384
        }
    }

    private func addCertificateForms() throws {
        try reject("chain/leaf-p384", "a leaf on P-384", at: .cms, .chain) {
            $0.chain.leaf.key = try pki.ecKey("leaf", .p384)
        }
        try reject(
            "chain/leaf-hybrid-point", "the leaf's key is a hybrid point", at: .chain, .cms,
            severity: .form
        ) {
            $0.chain.leaf.subjectPublicKeyInfo = hybridEncoding(of: $0.chain.leaf.key)
        }
        try reject(
            "chain/intermediate-hybrid-point", "the intermediate's key, too", at: .chain, .cms,
            severity: .form
        ) {
            $0.chain.intermediate.subjectPublicKeyInfo = hybridEncoding(
                of: $0.chain.intermediate.key)
        }
        try reject(
            "chain/leaf-rsa-key-and-more", "a byte behind the key inside the BIT STRING",
            at: .chain,
            .cms, version: .rsa, severity: .form
        ) {
            let key = $0.chain.leaf.key.subjectPublicKeyInfo
            // SEQUENCE, rsaEncryption with NULL (15 bytes), BIT STRING; lengths in two octets.
            let bits = Array(key[24...]) + [0x00]
            $0.chain.leaf.subjectPublicKeyInfo =
                ASN1Element.sequence([.verbatim(Array(key[4..<19])), .bitString(bits)]).encoded
        }
        try either("chain/leaf-many-extensions", "65 extensions", at: .chain) {
            for number in $0.chain.leaf.extensions.count..<65 {
                $0.chain.leaf.extensions.append(
                    .marker(OID(stringLiteral: "1.2.840.113635.100.6.999.\(number)")))
            }
        }
        try reject("chain/leaf-rsa-1024", "a leaf of 1024 bits", at: .cms, .chain, version: .rsa) {
            $0.chain.leaf.key = try pki.rsaKey("leaf", bitCount: 1024)
        }
        try reject("chain/leaf-version-1", "a version 1 leaf, no extensions", at: .chain, .cms) {
            $0.chain.leaf.version = nil
            $0.chain.leaf.extensions = []
        }
        try reject("chain/leaf-version-2", "a version 2 leaf with extensions", at: .chain, .cms) {
            $0.chain.leaf.version = 1
        }
        try reject(
            "chain/leaf-serial", "the leaf's serial number has a zero too many", at: .chain, .cms,
            severity: .form
        ) {
            $0.chain.leaf.serialNumberOctets = [0x00] + $0.chain.leaf.serialNumber
        }
        try reject("chain/leaf-marker-twice", "the marker twice", at: .chain, .cms, severity: .form)
        {
            $0.chain.leaf.extensions.append(.marker(.signerMarker))
        }
    }

    /// Returns the SubjectPublicKeyInfo of a P-256 key with a hybrid point: both coordinates, and
    /// y's last bit.
    private func hybridEncoding(of key: PrivateKey) -> [UInt8] {
        var encoding = key.subjectPublicKeyInfo
        encoding[26] = 0x06 | encoding[90] & 1
        return encoding
    }
}
