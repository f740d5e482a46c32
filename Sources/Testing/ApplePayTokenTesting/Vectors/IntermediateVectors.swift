import ApplePayTokenTestingPrimitives

/// Intermediates other than the current one.
extension VectorBook {
    /// Adds Apple's next intermediate, and signatures with several certificates of the issuer's
    /// name.
    func addIntermediates() throws {
        try addNextIntermediates()
        try addNamesakes()
        try addExtensionCounts()
    }

    /// Adds each form that the successor of the current intermediate can have, and a variant with
    /// one fault.
    private func addNextIntermediates() throws {
        func rename(_ chain: inout ChainRecipe) throws {
            chain.intermediate.subject.commonName = "Mint Application Integration CA - G4"
            chain.intermediate.serialNumber = [0x42, 0x10]
            chain.intermediate.key = try pki.ecKey("next intermediate", .p256)
            chain.leaf.issuer = chain.intermediate.subject
        }
        try accept("valid/next-intermediate-name", "an intermediate of another name and key") {
            try rename(&$0.chain)
        }
        try reject("chain/next-intermediate-name", "and without its marker", at: .chain) {
            try rename(&$0.chain)
            $0.chain.intermediate.removeExtension(.intermediateMarker)
        }
        let p384 = try pki.ecKey("next intermediate", .p384)
        try accept("valid/next-intermediate-p384", "an intermediate with a P-384 key") {
            $0.chain.intermediate.key = p384
        }
        try reject(
            "chain/next-intermediate-p384", "and its point is hybrid", at: .chain, .cms,
            severity: .form
        ) {
            $0.chain.intermediate.key = p384
            var encoding = p384.subjectPublicKeyInfo
            encoding[23] = 0x06 | encoding[119] & 1
            $0.chain.intermediate.subjectPublicKeyInfo = encoding
        }
        try accept("valid/next-intermediate-sha384", "the root signed it with SHA-384") {
            $0.chain.intermediate.signatureAlgorithm = .ecdsaWithSHA384
        }
        try reject("chain/next-intermediate-sha512", "with SHA-512", at: .chain, severity: .form) {
            $0.chain.intermediate.signatureAlgorithm = .ecdsaWithSHA512
        }
        try accept(
            "valid/next-intermediate-leaf-sha384", "a P-256 leaf signed by P-384 with SHA-384"
        ) {
            $0.chain.intermediate.key = p384
            $0.chain.leaf.signatureAlgorithm = .ecdsaWithSHA384
        }
        try reject(
            "chain/next-intermediate-leaf-sha384", "and a bit of that signature", at: .chain
        ) {
            $0.chain.intermediate.key = p384
            $0.chain.leaf.signatureAlgorithm = .ecdsaWithSHA384
            $0.chain.leaf.signatureValue.flipBit(-1)
        }
    }

    /// Adds certificates with the issuer's name that did not issue the signer's certificate.
    private func addNamesakes() throws {
        func namesake(_ number: UInt8) throws -> CertificateReference {
            var recipe = try pki.chain(.ec).intermediate
            recipe.key = try pki.ecKey("namesake \(number)", .p256)
            recipe.serialNumber = [0x42, 0x20, number]
            if number == 1 { recipe.removeExtension(.intermediateMarker) }
            return .other(try recipe.issued(by: recipe.key))
        }
        let (first, second) = (try namesake(1), try namesake(2))
        try accept("valid/namesake-first", "another certificate has the intermediate's name") {
            $0.cms.certificates = [.leaf, first, .intermediate]
        }
        try accept("valid/namesake-repeated", "and travels three times") {
            $0.cms.certificates = [first, .leaf, first, first, .intermediate]
        }
        try either("chain/namesakes-two", "two others come before the intermediate", at: .chain) {
            $0.cms.certificates = [.leaf, first, second, .intermediate]
        }
    }

    private func addExtensionCounts() throws {
        func extend(_ certificate: inout CertificateRecipe, to count: Int) {
            for number in certificate.extensions.count..<count {
                certificate.extensions.append(
                    .marker(OID(stringLiteral: "1.2.840.113635.100.6.999.\(number)")))
            }
        }
        try accept("valid/many-extensions", "64 extensions in both certificates") {
            extend(&$0.chain.leaf, to: 64)
            extend(&$0.chain.intermediate, to: 64)
        }
        try either("chain/intermediate-many-extensions", "65 in the intermediate", at: .chain) {
            extend(&$0.chain.intermediate, to: 65)
        }
    }
}
