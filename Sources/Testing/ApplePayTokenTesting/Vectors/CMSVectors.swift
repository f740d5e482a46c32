import ApplePayTokenTestingPrimitives
import FoundationEssentials

extension VectorBook {
    /// Adds signatures that are not a SignedData in Apple's form.
    func addCMS() throws {
        try addBrokenEncodings()
        try addStructure()
        try addSigners()
        try addAttributes()
    }

    private func addBrokenEncodings() throws {
        for count in [1, 20, 60, 700, 1500] {
            try reject("cms/first-\(count)", "only the first \(count) bytes", at: .cms) {
                let signature = try pki.token(named: "cms/first-\(count)").signature
                $0.afterSigning.signature.replace(with: Array(signature.prefix(count)))
            }
        }
        for count in [1, 2, 4, 6] {
            try reject("cms/end-cut-\(count)", "without its last \(count) bytes", at: .cms) {
                $0.afterSigning.signature.removeLast(count)
            }
        }
        try reject("cms/der-cut", "definite lengths, without the last byte", at: .cms) {
            $0.cms.encoding = .definite
            $0.afterSigning.signature.removeLast()
        }
        for (name, bytes) in [("nul", [0x00]), ("end", [0x00, 0x00]), ("null", [0x05, 0x00])] {
            try reject("cms/trailing-\(name)", "bytes after the CMS", at: .cms, severity: .form) {
                $0.afterSigning.signature.append(bytes.map { UInt8($0) })
            }
        }
        let replacements: [(String, String, [UInt8])] = [
            ("random", "random bytes", try pki.bytes("no signature", 64)),
            ("text", "a PEM header", Array("-----BEGIN PKCS7-----\n".utf8)),
            ("huge-length", "a length of 4 GB", [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]),
            (
                "long-length", "a length of nine octets",
                [0x30, 0x89] + Array(repeating: 0x7F, count: 9)
            ),
            (
                "longest-length", "a length of 126 octets",
                [0x30, 0xFE] + Array(repeating: 0xFF, count: 126)
            ),
            ("reserved-length", "the reserved length FF", [0x30, 0xFF, 0x00]),
            (
                "nested", "10000 nested elements of indefinite length",
                Array(repeating: [0x30, 0x80], count: 10_000).flatMap(\.self)
                    + Array(repeating: 0x00, count: 20_000)
            ),
            (
                "nested-open", "20000 elements that never end",
                Array(repeating: [0x30, 0x80], count: 20_000).flatMap(\.self)
            ),
        ]
        for (name, comment, bytes) in replacements {
            try reject("cms/\(name)", "\(comment) instead of a CMS", at: .cms) {
                $0.afterSigning.signature.replace(with: bytes)
            }
        }
    }

    private func addStructure() throws {
        for (name, type) in [("data", OID.data), ("enveloped-data", .envelopedData)] {
            try reject("cms/content-info-\(name)", "ContentInfo names \(name)", at: .cms) {
                $0.cms.contentType = type
            }
        }
        for version: UInt8 in [0, 2, 3, 4] {
            try reject(
                "cms/version-\(version)", "SignedData version \(version)", at: .cms, severity: .form
            ) {
                $0.cms.version = version
            }
        }
        try reject("cms/digest-algorithms-none", "no digestAlgorithms", at: .cms, severity: .form) {
            $0.cms.digestAlgorithms = []
        }
        try reject("cms/digest-algorithms-two", "SHA-1 besides", at: .cms, severity: .form) {
            $0.cms.digestAlgorithms = [.sha1, .sha256]
        }
        try reject(
            "cms/digest-algorithms-other", "SHA-384, and SHA-256 in the SignerInfo", at: .cms,
            severity: .form
        ) {
            $0.cms.digestAlgorithms = [.sha384]
        }
        try reject(
            "cms/digest-algorithms-more", "SHA-1 besides, after SHA-256", at: .cms, severity: .form
        ) {
            $0.cms.digestAlgorithms = [.sha256, .sha1]
        }
        try reject("cms/content-type", "the content's type is not id-data", at: .cms) {
            $0.cms.encapsulatedContentType = .signedData
        }
        try reject("cms/content-type-longer", "the content's type is below id-data", at: .cms) {
            $0.cms.encapsulatedContentType = "1.2.840.113549.1.7.1.1"
        }
        try reject("cms/content-attached", "the content travels along", at: .cms, severity: .form) {
            let message = try pki.token(named: "cms/content-attached").message
            $0.cms.encapsulatedContent = message
        }
        try reject("cms/content-other", "another content travels along", at: .cms) {
            $0.cms.encapsulatedContent = Array("other".utf8)
        }
        try reject("cms/certificates-missing", "no certificates field", at: .cms, .chain) {
            $0.cms.certificates = nil
        }
        try reject("cms/certificates-none", "no certificate in the field", at: .cms, .chain) {
            $0.cms.certificates = []
        }
        try either("cms/certificates-nine", "nine certificates", at: .cms) {
            let other = CertificateReference.other(try pki.processingAuthority.certificate)
            $0.cms.certificates?.append(contentsOf: Array(repeating: other, count: 7))
        }
        try either("cms/certificate-serial", "a serial number with a zero too many", at: .cms) {
            let chain = try pki.chain(.rsa)
            var other = chain.leaf
            other.serialNumberOctets = [0x00] + other.serialNumber
            let certificate = try other.issued(by: chain.intermediate.key)
            $0.cms.certificates?.append(.other(certificate))
        }
        try either("cms/certificate-of-attributes", "an attribute certificate besides", at: .cms) {
            $0.cms.otherCertificates = [.context(1, [.sequence([])])]
        }
        try either("cms/revocation-lists-none", "an empty field of revocation lists", at: .cms) {
            $0.cms.revocationLists = []
        }
        try either("cms/unsigned-attribute", "an unsigned attribute", at: .cms) {
            $0.cms.signer.unsignedAttributes = [SignedAttribute("1.2.3.4", .null)]
        }
    }

    private func addSigners() throws {
        try reject("cms/signers-none", "no SignerInfo", at: .cms) { $0.cms.signers = [] }
        try reject("cms/signers-two", "the same signer twice", at: .cms, severity: .form) {
            $0.cms.signers.append($0.cms.signer)
        }
        for place in ["first", "last"] {
            try reject("cms/stranger-\(place)", "a stranger signs besides, \(place)", at: .cms) {
                var stranger = SignerInfoRecipe()
                stranger.key = try pki.ecKey("stranger", .p256)
                $0.cms.signers.insert(stranger, at: place == "first" ? 0 : 1)
            }
        }
        for version: UInt8 in [0, 2, 3] {
            try reject(
                "cms/signer-version-\(version)", "SignerInfo version \(version)", at: .cms,
                severity: .form
            ) {
                $0.cms.signer.version = version
            }
        }
        try reject(
            "cms/signer-key-identifier", "the signer is named by subjectKeyIdentifier", at: .cms,
            severity: .form
        ) {
            $0.cms.signer.version = 3
            $0.cms.signer.identifier = .subjectKeyIdentifier
        }
        try reject(
            "cms/signer-key-identifier-version-1", "the same in a SignerInfo of version 1",
            at: .cms,
            severity: .form
        ) {
            $0.cms.signer.identifier = .subjectKeyIdentifier
        }
    }

    private func addAttributes() throws {
        try reject("cms/attributes-absent", "no signed attributes, the content signed", at: .cms) {
            $0.cms.signer.attributes = nil
        }
        for (name, type) in [
            ("contentType", OID.contentType), ("signingTime", .signingTime),
            ("messageDigest", .messageDigest),
        ] {
            try reject("cms/\(name)-missing", "no \(name)", at: .cms) {
                $0.cms.signer.removeAttribute(type)
            }
            try reject("cms/\(name)-twice", "\(name) twice", at: .cms) {
                let attribute = $0.cms.signer.attributes?.first { $0.type == type }
                $0.cms.signer.attributes?.append(contentsOf: attribute.map { [$0] } ?? [])
            }
            try reject("cms/\(name)-no-value", "\(name) without a value", at: .cms) {
                $0.cms.signer.attributes = $0.cms.signer.attributes?.map {
                    $0.type == type ? SignedAttribute(type, []) : $0
                }
            }
            try reject("cms/\(name)-two-values", "\(name) with two values", at: .cms) {
                $0.cms.signer.attributes = $0.cms.signer.attributes?.map {
                    $0.type == type ? SignedAttribute(type, $0.values + $0.values) : $0
                }
            }
        }
        let others: [(String, OID, ASN1Element)] = [
            ("contentType", .contentType, .objectIdentifier(.signedData)),
            ("signingTime", .signingTime, .utcTime(text: "260504092900Z")),
            ("messageDigest", .messageDigest, .octetString([UInt8](repeating: 7, count: 32))),
            ("protection", .algorithmProtection, .sequence([])),
        ]
        for (name, type, value) in others {
            try reject("cms/\(name)-twice-different", "\(name) again, with another value", at: .cms)
            {
                $0.cms.signer.attributes?.append(SignedAttribute(type, value))
            }
        }
        try either("cms/other-twice-different", "an unknown attribute twice", at: .cms) {
            for value in [ASN1Element.null, .boolean(true)] {
                $0.cms.signer.attributes?.append(SignedAttribute("1.2.3.4", value))
            }
        }
        try either("cms/attribute-not-der", "a signed attribute with TRUE as 01", at: .cms) {
            $0.cms.signer.attributes?.append(
                SignedAttribute("1.2.3.4", .verbatim([0x01, 0x01, 0x01])))
        }
        try reject("cms/contentType-other", "contentType names something else", at: .cms) {
            $0.cms.signer.setAttribute(.contentType, .objectIdentifier(.signedData))
        }
        try reject("cms/contentType-type", "contentType is an OCTET STRING", at: .cms) {
            $0.cms.signer.setAttribute(.contentType, .octetString(OID.data.octets))
        }
        for count in [0, 20, 31, 33] {
            try reject("cms/messageDigest-\(count)", "messageDigest of \(count) bytes", at: .cms) {
                $0.cms.signer.messageDigest.replace(with: try pki.bytes("digest", count))
            }
        }
        try reject("cms/messageDigest-type", "messageDigest is a UTF8String", at: .cms) {
            $0.cms.signer.setAttribute(.messageDigest, .utf8String("digest"))
        }
        try reject("cms/messageDigest-integer", "the digest as an INTEGER", at: .cms) {
            let message = try pki.token(named: "cms/messageDigest-integer").message
            let digest = try Digest.sha256.hash(message)
            $0.cms.signer.setAttribute(.messageDigest, ASN1Element(0x02, octets: digest))
        }
        try either("cms/attributes-unsorted", "signed attributes not in DER's order", at: .cms) {
            $0.cms.signer.sortsAttributes = false
            $0.cms.signer.attributes?.reverse()
        }
        try either("cms/attributes-many", "seventeen signed attributes", at: .cms) {
            for index in 1...13 {
                $0.cms.signer.attributes?.append(
                    SignedAttribute(OID(stringLiteral: "1.2.3.4.\(index)"), .null))
            }
        }
        let times: [(String, ASN1Element)] = [
            ("no-seconds", .utcTime(text: "2605040929Z")),
            ("offset", .utcTime(text: "260504092930+0000")),
            ("no-zone", .utcTime(text: "260504092930")),
            ("month-13", .utcTime(text: "261304092930Z")),
            ("day-31", .utcTime(text: "260231092930Z")),
            ("hour-24", .utcTime(text: "260504242930Z")),
            ("second-60", .utcTime(text: "260504092960Z")),
            ("letters", .utcTime(text: "2605O4092930Z")), ("empty", .utcTime(text: "")),
            ("fraction", .generalizedTime(text: "20260504092930.5Z")),
            ("two-digit-year", .generalizedTime(text: "260504092930Z")),
            ("string", .utf8String("260504092930Z")),
            ("integer", .integer([0x69, 0xF8, 0x68, 0x1A])),
        ]
        for (name, element) in times {
            try reject("cms/signingTime-\(name)", "no time of the allowed form", at: .cms) {
                $0.cms.signer.setAttribute(.signingTime, element)
            }
        }
    }
}
