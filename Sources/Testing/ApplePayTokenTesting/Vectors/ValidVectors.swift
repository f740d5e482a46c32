import ApplePayTokenTestingPrimitives
import FoundationEssentials

extension VectorBook {
    /// Adds valid tokens, in every form that Apple's servers and JSON libraries produce.
    func addValid() throws {
        for version in TokenVersion.allCases {
            let kind = version == .ec ? "ec" : "rsa"
            try accept("valid/\(kind)", "plain token in Apple's form", version)
            try accept("valid/\(kind)-application-data", "with applicationData", version) {
                $0.applicationData = try pki.bytes("application data", 32)
            }
            try accept("valid/\(kind)-der", "CMS with definite lengths", version) {
                $0.cms.encoding = .definite
            }
            try accept(
                "valid/\(kind)-indefinite", "indefinite lengths down to SignerInfo", version
            ) {
                $0.cms.encoding = .indefiniteThroughout
            }
            try accept(
                "valid/\(kind)-null-parameters", "SHA-256 with NULL, as until 2022", version
            ) {
                $0.cms.useNullParameters()
            }
            try accept(
                "valid/\(kind)-form-of-2014", "NULL, and no CMSAlgorithmProtection", version
            ) {
                $0.cms.useNullParameters()
                $0.cms.signer.removeAttribute(.algorithmProtection)
            }
            try accept("valid/\(kind)-no-protection", "no CMSAlgorithmProtection", version) {
                $0.cms.signer.removeAttribute(.algorithmProtection)
            }
            try accept(
                "valid/\(kind)-certificates-swapped", "the intermediate comes first", version
            ) {
                $0.cms.swapCertificates()
            }
        }
        try addCMSVariations()
        try addTexts()
        try addKeysAndLeaves()
    }

    private func addCMSVariations() throws {
        try accept("valid/null-in-digest-algorithms", "NULL in digestAlgorithms only") {
            $0.cms.digestAlgorithms = [.sha256.withNull]
        }
        try accept("valid/null-in-signer", "NULL in the SignerInfo only") {
            $0.cms.signer.digestAlgorithm = .sha256.withNull
        }
        try accept("valid/null-in-protection", "NULL in CMSAlgorithmProtection only") {
            let signature = ASN1Element.objectIdentifier(
                AlgorithmIdentifier.ecdsaWithSHA256.algorithm)
            $0.cms.signer.setAttribute(
                .algorithmProtection,
                .sequence([AlgorithmIdentifier.sha256.withNull.element, .context(1, [signature])])
            )
        }
        try accept("valid/root-in-bag", "the pinned root travels too") {
            $0.cms.certificates?.append(.root)
        }
        try accept("valid/extra-certificate", "an unused certificate of the same root comes last") {
            $0.cms.certificates?.append(.other(try pki.processingAuthority.certificate))
        }
        try accept("valid/extra-certificate-first", "an unused certificate comes first") {
            $0.cms.certificates?.insert(
                .other(try pki.processingAuthority.certificate), at: 0)
        }
        try accept("valid/both-leaves", "the RSA leaf travels too; the signer identifier decides") {
            $0.cms.certificates?.insert(.other(try pki.chain(.rsa).issued().leaf), at: 0)
        }
        try accept("valid/further-attribute", "a signed sMIMECapabilities attribute besides") {
            $0.cms.signer.attributes?.append(
                SignedAttribute(
                    .smimeCapabilities,
                    .sequence([.sequence([.objectIdentifier("2.16.840.1.101.3.4.1.42")])])
                )
            )
        }
        try accept("valid/generalized-time", "the signing time is a GeneralizedTime") {
            $0.cms.signer.setAttribute(.signingTime, .generalizedTime($0.signingTime))
        }
    }

    private func addTexts() throws {
        try accept("valid/unknown-members", "unknown members at top level and in the header") {
            $0.editJSON {
                $0["futureMember"] = .array(["a", .raw("1"), .raw("null"), .object([:])])
                $0["header", "futureMember"] = .raw("true")
            }
        }
        try accept("valid/escaped-slashes", "every slash is written \\/") {
            $0.escapesSlashes = true
        }
        try accept("valid/member-order", "members in another order") {
            $0.editJSON {
                $0.members.reverse()
                guard case .object(var header) = $0["header"] else { return }
                header.members.reverse()
                $0["header"] = .object(header)
            }
        }
        try accept("valid/white-space", "line ends, tabs and blanks between the members") {
            $0.editText { text in
                let spaced = String(decoding: text, as: UTF8.self)
                    .replacing(",", with: ",\r\n\t").replacing("{", with: " { ")
                text = Array(spaced.utf8) + [0x0A]
            }
        }
        try accept("valid/unicode-escapes", "a member's name and text with \\u escapes") {
            $0.editText { text in
                let escaped = String(decoding: text, as: UTF8.self)
                    .replacing("\"version\":\"EC_v1\"", with: #""\u0076ersion":"\u0045C_v1""#)
                text = Array(escaped.utf8)
            }
        }
        try accept("valid/upper-case-hexadecimal", "transactionId and applicationData upper case") {
            $0.applicationData = try pki.bytes("application data", 32)
            $0.editJSON {
                for name in ["transactionId", "applicationData"] {
                    guard case .string(let digits) = $0["header", name] else { return }
                    $0["header", name] = .string(digits.uppercased())
                }
            }
        }
        for (name, byte) in [("line-feeds", 0x0A), ("zeros", 0x00), ("carriage-returns", 0x0D)] {
            try accept("valid/transaction-of-\(name)", "the signed bytes are no text") {
                $0.transactionId = [UInt8](repeating: UInt8(byte), count: 32)
            }
        }
    }

    private func addKeysAndLeaves() throws {
        try accept("valid/third-merchant", "to another of the keys", to: try pki.merchant("three"))
        try accept(
            "valid/expired-merchant-certificate",
            "to a key whose certificate has ended; the key still serves",
            to: try merchantOfThePast()
        )
        let merchant = try pki.merchant("one")
        try accept("valid/secret-leading-zero", "the shared secret begins with a zero byte") {
            $0.encryption.ephemeralKey = try pki.ephemeralKey("leading", to: merchant) {
                $0.first == 0
            }
        }
        try accept("valid/secret-trailing-zero", "the shared secret ends with a zero byte") {
            $0.encryption.ephemeralKey = try pki.ephemeralKey("trailing", to: merchant) {
                $0.last == 0
            }
        }
        try accept("valid/content-key-zeros", "the wrapped key is sixteen zero bytes", .rsa) {
            $0.encryption.contentKey = [UInt8](repeating: 0, count: 16)
        }
        try accept("valid/renewed-leaf", "the signer's certificate renewed for the same key") {
            $0.chain.leaf.serialNumber = [0x42, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01]
            $0.chain.leaf.notBefore = CivilTime.day(2026, 1, 1)
            $0.chain.leaf.notAfter = CivilTime.day(2031, 1, 1)
        }
        try accept("valid/sandbox-leaf", "a signer of another name and key") {
            $0.chain.leaf.subject.commonName = "ecc-smp-broker-sign_UC4-SANDBOX"
            $0.chain.leaf.key = try pki.ecKey("sandbox leaf", .p256)
        }
        try accept(
            "valid/leaf-end-is-signing-time", "signed and used in the leaf's last second",
            now: TestPKI.signingTime
        ) {
            $0.chain.leaf.notAfter = $0.signingTime
        }
        try accept("valid/leaf-begin-is-signing-time", "signed in the leaf's first second") {
            $0.chain.leaf.notBefore = $0.signingTime
        }
        try either("valid/leaf-ended-since", "the leaf ended between signing and use", at: .chain) {
            $0.chain.leaf.notAfter = $0.signingTime + 10
        }
        try accept("valid/path-length-zero", "the intermediate has pathLenConstraint 0") {
            $0.chain.intermediate.setExtension(.basicConstraints(isAuthority: true, pathLength: 0))
        }
        let root = try pki.chain(.ec).root.certificate
        try accept("valid/intermediate-names-root", "by key, issuer's name and serial number") {
            $0.chain.intermediate.setExtension(
                CertificateExtension(
                    .authorityKeyIdentifier,
                    .sequence([
                        .context(0, octets: try pki.chain(.ec).root.key.keyIdentifier()),
                        .context(1, [.context(4, [root.subject.element])]),
                        .context(2, octets: root.serialNumber),
                    ])))
        }
        try accept("valid/unknown-extension", "the leaf has an unknown extension, not critical") {
            $0.chain.leaf.extensions.append(.marker("1.2.840.113635.100.6.999"))
        }
        try accept(
            "valid/year-2031",
            "signed and used in 2031: the time is the case's, not the clock's",
            now: CivilTime.day(2031, 2, 3)
        ) {
            $0.signingTime = CivilTime.day(2031, 2, 3) - 60
            $0.chain.leaf.notAfter = CivilTime.day(2032, 1, 1)
        }
    }
}
