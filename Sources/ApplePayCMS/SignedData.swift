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
        var contentInfo = document.contents(of: try document.elementOfAnyLength(.sequence))
        try document.end()
        let contentType = try contentInfo.element(.objectIdentifier)
        guard contentInfo.contents(of: contentType, are: ObjectIdentifiers.signedData) else {
            throw CMSError(.notSignedData, contentType.offset)
        }
        var explicit = contentInfo.contents(of: try contentInfo.elementOfAnyLength(.context(0)))
        try contentInfo.end()
        var members = explicit.contents(of: try explicit.elementOfAnyLength(.sequence))
        try explicit.end()

        let version = try members.element(.integer)
        guard members.contents(of: version, are: [1]) else {
            throw CMSError(.unsupportedVersion, version.offset)
        }
        try Self.checkDigestAlgorithms(&members)
        try Self.checkEncapsulatedContentInfo(&members)
        guard members.nextTag == .context(0) else {
            throw CMSError(.noCertificates, members.offset)
        }
        certificates = try Self.certificates(&members)
        if members.nextTag == .context(1) {
            // Revocation lists that the sender chose prove nothing; only their bounds are read.
            _ = try members.elementOfAnyLength(.context(1))
        }
        signer = try Self.signer(&members)
        try members.end()
    }

    private static func checkDigestAlgorithms(_ members: inout ASN1Reader) throws(CMSError) {
        let set = try members.elementOfAnyLength(.set)
        var reader = members.contents(of: set)
        guard !reader.isAtEnd else { throw CMSError(.unsupportedDigestAlgorithm, set.offset) }
        let algorithm = try AlgorithmIdentifier(&reader)
        guard algorithm.isSHA256, reader.isAtEnd else {
            throw CMSError(.unsupportedDigestAlgorithm, algorithm.offset)
        }
    }

    private static func checkEncapsulatedContentInfo(
        _ members: inout ASN1Reader
    ) throws(CMSError) {
        var reader = members.contents(of: try members.elementOfAnyLength(.sequence))
        let type = try reader.element(.objectIdentifier)
        guard reader.contents(of: type, are: ObjectIdentifiers.data) else {
            throw CMSError(.unsupportedContentType, type.offset)
        }
        guard reader.isAtEnd else { throw CMSError(.attachedContent, reader.offset) }
    }

    private static func certificates(
        _ members: inout ASN1Reader
    ) throws(CMSError) -> [Certificate] {
        let element = try members.elementOfAnyLength(.context(0))
        var certificates: [Certificate] = []
        certificates.reserveCapacity(2)
        var reader = members.contents(of: element)
        while !reader.isAtEnd {
            guard certificates.count < maximumCertificateCount else {
                throw CMSError(.tooManyCertificates, reader.offset)
            }
            certificates.append(try Certificate(&reader))
        }
        guard !certificates.isEmpty else { throw CMSError(.noCertificates, element.offset) }
        return certificates
    }

    private static func signer(_ members: inout ASN1Reader) throws(CMSError) -> SignerInfo {
        let set = try members.elementOfAnyLength(.set)
        var reader = members.contents(of: set)
        guard !reader.isAtEnd else { throw CMSError(.signerCount, set.offset) }
        let signer = try reader.elementOfAnyLength(.sequence)
        guard reader.isAtEnd else { throw CMSError(.signerCount, reader.offset) }
        return try SignerInfo(contents: reader.contents(of: signer))
    }
}
