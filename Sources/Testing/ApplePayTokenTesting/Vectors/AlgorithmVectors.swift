import ApplePayTokenTestingPrimitives

extension VectorBook {
    /// Adds algorithms other than the two with which Apple signs.
    func addAlgorithms() throws {
        let digests: [(String, AlgorithmIdentifier, AlgorithmIdentifier, AlgorithmIdentifier)] = [
            ("sha1", .sha1, .ecdsaWithSHA1, .rsaWithSHA1),
            ("sha384", .sha384, .ecdsaWithSHA384, .rsaWithSHA384),
            ("sha512", .sha512, .ecdsaWithSHA512, .rsaWithSHA512),
        ]
        for (name, digest, ecdsa, rsa) in digests {
            try reject("cms/ec-\(name)", "\(name) throughout", at: .cms) {
                $0.cms.use(digest, ecdsa)
            }
            try reject("cms/rsa-\(name)", "\(name) throughout", at: .cms, version: .rsa) {
                $0.cms.use(digest, rsa)
            }
            try reject("cms/ec-signature-\(name)", "ECDSA with \(name) over SHA-256", at: .cms) {
                $0.cms.signer.signatureAlgorithm = ecdsa
            }
        }
        let labels: [(String, TokenVersion, AlgorithmIdentifier, Stage)] = [
            // Each names an algorithm that Apple uses, but in tokens of the other version.
            ("ec-called-rsa", .ec, .rsaWithSHA256, .signature),
            ("rsa-called-ecdsa", .rsa, .ecdsaWithSHA256, .signature),
            ("ec-called-by-key", .ec, AlgorithmIdentifier("1.2.840.10045.2.1"), .cms),
            ("rsa-called-by-key", .rsa, .rsaEncryption, .cms),
            ("rsa-called-pss", .rsa, .rsaPSS, .cms),
            ("ec-called-unknown", .ec, AlgorithmIdentifier("1.2.3.4"), .cms),
        ]
        for (name, version, algorithm, stage) in labels {
            try reject(
                "cms/\(name)", "the signature algorithm is misnamed", at: stage, version: version
            ) {
                $0.cms.signer.signatureAlgorithm = algorithm
            }
        }
        try either("cms/ecdsa-null", "ecdsa-with-SHA256 with NULL", at: .cms) {
            $0.cms.signer.signatureAlgorithm = AlgorithmIdentifier.ecdsaWithSHA256.withNull
        }
        try either(
            "cms/rsa-no-null", "sha256WithRSAEncryption without NULL", at: .cms, version: .rsa
        ) {
            $0.cms.signer.signatureAlgorithm = AlgorithmIdentifier(
                AlgorithmIdentifier.rsaWithSHA256.algorithm)
        }
        try reject("cms/signer-digest-unknown", "SHA-256 under another name", at: .cms) {
            $0.cms.signer.digestAlgorithm = AlgorithmIdentifier("1.2.3.4")
            $0.cms.signer.removeAttribute(.algorithmProtection)
        }
        let sha256 = AlgorithmIdentifier.sha256.algorithm
        let parameters = [
            ("sequence", .sequence([])), ("octet-in-null", ASN1Element(0x05, octets: [0x00])),
        ]
        for (name, value) in parameters {
            try either("cms/sha256-\(name)", "SHA-256 with other parameters", at: .cms) {
                $0.cms.digestAlgorithms = [AlgorithmIdentifier(sha256, parameters: value)]
            }
        }
        try either(
            "cms/rsa-sequence", "sha256WithRSAEncryption with other parameters", at: .cms,
            version: .rsa
        ) {
            $0.cms.signer.signatureAlgorithm = AlgorithmIdentifier(
                AlgorithmIdentifier.rsaWithSHA256.algorithm, parameters: .sequence([]))
        }
        try reject("cms/ec-token-by-rsa-leaf", "EC_v1 signed by the RSA leaf", at: .cms, .chain) {
            $0.chain = try pki.chain(.rsa)
        }
        try reject(
            "cms/rsa-token-by-ec-leaf", "RSA_v1 signed by the EC leaf", at: .cms, .chain,
            version: .rsa
        ) {
            $0.chain = try pki.chain(.ec)
        }
        try addProtection()
    }

    private func addProtection() throws {
        let sha256 = AlgorithmIdentifier.sha256.element
        let values: [(String, String, ASN1Element)] = [
            (
                "digest", "another digest",
                .sequence([
                    AlgorithmIdentifier.sha1.element,
                    .context(1, [.objectIdentifier(AlgorithmIdentifier.ecdsaWithSHA256.algorithm)]),
                ])
            ),
            (
                "signature", "another signature algorithm",
                .sequence([
                    sha256,
                    .context(1, [.objectIdentifier(AlgorithmIdentifier.ecdsaWithSHA384.algorithm)]),
                ])
            ),
            (
                "mac", "a MAC algorithm instead of a signature",
                .sequence([sha256, .context(2, [.objectIdentifier("1.2.840.113549.2.9")])])
            ),
            (
                "mac-besides", "a MAC algorithm besides",
                .sequence([
                    sha256,
                    .context(1, [.objectIdentifier(AlgorithmIdentifier.ecdsaWithSHA256.algorithm)]),
                    .context(2, [.objectIdentifier("1.2.840.113549.2.9")]),
                ])
            ),
            ("digest-alone", "no signature algorithm", .sequence([sha256])),
            ("null", "NULL", .null),
        ]
        for (name, comment, value) in values {
            try reject("cms/protection-\(name)", "CMSAlgorithmProtection: \(comment)", at: .cms) {
                $0.cms.signer.setAttribute(.algorithmProtection, value)
            }
        }
        try reject(
            "cms/protection-twice", "CMSAlgorithmProtection twice", at: .cms, severity: .form
        ) {
            $0.cms.signer.attributes?.append(.algorithmProtection)
        }
    }
}
