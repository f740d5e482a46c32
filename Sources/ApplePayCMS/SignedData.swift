/// A detached CMS signature of the one form that Apple gives tokens.
///
///     ContentInfo ::= SEQUENCE {
///         contentType  OBJECT IDENTIFIER,
///         content  [0] EXPLICIT SignedData }
///
///     SignedData ::= SEQUENCE {
///         version             INTEGER { v1(1) },
///         digestAlgorithms    SET OF DigestAlgorithmIdentifier,
///         encapContentInfo    SEQUENCE { eContentType OBJECT IDENTIFIER },
///         certificates    [0] IMPLICIT SET OF Certificate,
///         crls            [1] IMPLICIT RevocationInfoChoices OPTIONAL,
///         signerInfos         SET OF SignerInfo }
///
/// Source: RFC 5652 §3 and §5.1, of whose choices Apple uses these.
package struct SignedData: Sendable {
    /// Apple sends two: the signer's and its issuer's.
    private static let maximumCertificateCount = 8

    /// The certificates in the order of the message, which means nothing.
    package let certificates: [Certificate]

    /// The one signer.
    package let signer: SignerInfo

    /// Reads the decoded `signature` of a token, all of it.
    ///
    /// The outer layers may have indefinite lengths; what is signed, and the certificates, may not.
    ///
    /// - Throws: ``CMSError``, the first fault in the order of the encoding.
    package init(parsing signature: [UInt8]) throws(CMSError) {
        var document = ASN1Reader(signature[...])
        var contentInfo = ASN1Reader(try document.elementOfAnyLength(.sequence).content)
        try document.end()
        let contentType = try contentInfo.element(.objectIdentifier)
        guard contentType.content.elementsEqual(ObjectIdentifiers.signedData) else {
            throw CMSError(.notSignedData, contentType.offset)
        }
        var explicit = ASN1Reader(try contentInfo.elementOfAnyLength(.context(0)).content)
        try contentInfo.end()
        var members = ASN1Reader(try explicit.elementOfAnyLength(.sequence).content)
        try explicit.end()

        let version = try members.element(.integer)
        guard version.content.elementsEqual([1]) else {
            throw CMSError(.unsupportedVersion, version.offset)
        }
        try Self.checkDigestAlgorithms(members.elementOfAnyLength(.set))
        try Self.checkEncapsulatedContentInfo(members.elementOfAnyLength(.sequence))
        guard members.nextTag == .context(0) else {
            throw CMSError(.noCertificates, members.offset)
        }
        certificates = try Self.certificates(members.elementOfAnyLength(.context(0)))
        if members.nextTag == .context(1) {
            // Revocation lists that the sender chose prove nothing; only their bounds are read.
            _ = try members.elementOfAnyLength(.context(1))
        }
        signer = try Self.signer(members.elementOfAnyLength(.set))
        try members.end()
    }

    private static func checkDigestAlgorithms(_ set: ASN1Element) throws(CMSError) {
        var reader = ASN1Reader(set.content)
        guard !reader.isAtEnd else { throw CMSError(.unsupportedDigestAlgorithm, set.offset) }
        let algorithm = try AlgorithmIdentifier(reader.element(.sequence))
        guard algorithm.isSHA256, reader.isAtEnd else {
            throw CMSError(.unsupportedDigestAlgorithm, algorithm.offset)
        }
    }

    private static func checkEncapsulatedContentInfo(_ element: ASN1Element) throws(CMSError) {
        var reader = ASN1Reader(element.content)
        let type = try reader.element(.objectIdentifier)
        guard type.content.elementsEqual(ObjectIdentifiers.data) else {
            throw CMSError(.unsupportedContentType, type.offset)
        }
        guard reader.isAtEnd else { throw CMSError(.attachedContent, reader.offset) }
    }

    private static func certificates(_ element: ASN1Element) throws(CMSError) -> [Certificate] {
        var certificates: [Certificate] = []
        certificates.reserveCapacity(2)
        var reader = ASN1Reader(element.content)
        while !reader.isAtEnd {
            guard certificates.count < maximumCertificateCount else {
                throw CMSError(.tooManyCertificates, reader.offset)
            }
            certificates.append(try Certificate(reader.element(.sequence)))
        }
        guard !certificates.isEmpty else { throw CMSError(.noCertificates, element.offset) }
        return certificates
    }

    private static func signer(_ set: ASN1Element) throws(CMSError) -> SignerInfo {
        var reader = ASN1Reader(set.content)
        guard !reader.isAtEnd else { throw CMSError(.signerCount, set.offset) }
        let signer = try reader.elementOfAnyLength(.sequence)
        guard reader.isAtEnd else { throw CMSError(.signerCount, reader.offset) }
        return try SignerInfo(signer)
    }
}
