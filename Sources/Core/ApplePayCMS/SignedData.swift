internal import ApplePayPrimitives
package import ApplePayWire

/// A detached CMS signature in the only form that Apple uses for tokens.
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
/// Source: RFC 5652 §3 and §5.1, restricted to the choices that Apple uses.
package struct SignedData: Sendable {
    /// The maximum number of certificates; Apple sends the signer's and its issuer's.
    private static let maximumCertificateCount = 8

    /// The decoded `signature` of a token; all ranges are positions in it.
    package let encoding: [UInt8]

    /// The certificates in the order of the message, which is arbitrary.
    package let certificates: [Certificate]

    /// The only signer.
    package let signer: SignerInfo

    /// Returns the octets in a range, such as a property of a certificate or of the signer.
    package subscript(range: Range<Int>) -> ArraySlice<UInt8> { encoding[range] }

    /// Returns whether two ranges contain equal bytes.
    package func areEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        let document = encoding.span
        return ByteComparison.areEqual(document.extracting(left), document.extracting(right))
    }

    /// Reads the whole decoded `signature` of a token.
    ///
    /// The outer layers may have indefinite lengths; the signed attributes and the certificates may not.
    ///
    /// - Throws: `PaymentTokenError` for the first fault in the order of the encoding.
    package init(parsing signature: [UInt8]) throws(PaymentTokenError) {
        encoding = signature
        let document = signature.span
        var outer = ASN1Reader(0..<document.count)
        var contentInfo = ASN1Reader(try outer.elementOfAnyLength(.sequence, document))
        try outer.end()
        let contentType = try contentInfo.element(.objectIdentifier, document)
        guard contentType.contentEquals(ObjectIdentifiers.signedData, document) else {
            throw PaymentTokenError(.notSignedData, offset: contentType.offset)
        }
        var explicit = ASN1Reader(try contentInfo.elementOfAnyLength(.context(0), document))
        try contentInfo.end()
        var members = ASN1Reader(try explicit.elementOfAnyLength(.sequence, document))
        try explicit.end()

        let version = try members.element(.integer, document)
        guard version.contentEquals(Self.version1, document) else {
            throw PaymentTokenError(.unsupportedCMSVersion, offset: version.offset)
        }
        try Self.checkDigestAlgorithms(&members, document)
        try Self.checkEncapsulatedContentInfo(&members, document)
        guard members.nextTag(document) == .context(0) else {
            throw PaymentTokenError(.noCertificates, offset: members.offset)
        }
        certificates = try Self.certificates(&members, document)
        if members.nextTag(document) == .context(1) {
            // The sender chose these revocation lists, so they prove nothing; only their bounds are read.
            _ = try members.elementOfAnyLength(.context(1), document)
        }
        let signer = try Self.signer(&members, document)
        try members.end()
        self.signer = signer
    }

    /// The contents of INTEGER 1, the version of SignedData and of SignerInfo.
    static let version1: InlineArray<1, UInt8> = [1]

    private static func checkDigestAlgorithms(
        _ members: inout ASN1Reader,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) {
        let set = try members.elementOfAnyLength(.set, document)
        var reader = ASN1Reader(set)
        guard !reader.isAtEnd else {
            throw PaymentTokenError(.unsupportedDigestAlgorithm, offset: set.offset)
        }
        let algorithm = try AlgorithmIdentifier(&reader, document)
        guard algorithm.isSHA256, reader.isAtEnd else {
            throw PaymentTokenError(.unsupportedDigestAlgorithm, offset: algorithm.offset)
        }
    }

    private static func checkEncapsulatedContentInfo(
        _ members: inout ASN1Reader,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) {
        var reader = ASN1Reader(try members.elementOfAnyLength(.sequence, document))
        let type = try reader.element(.objectIdentifier, document)
        guard type.contentEquals(ObjectIdentifiers.data, document) else {
            throw PaymentTokenError(.unsupportedContentType, offset: type.offset)
        }
        guard reader.isAtEnd else {
            throw PaymentTokenError(.attachedContent, offset: reader.offset)
        }
    }

    private static func certificates(
        _ members: inout ASN1Reader,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) -> [Certificate] {
        let element = try members.elementOfAnyLength(.context(0), document)
        var certificates: [Certificate] = []
        certificates.reserveCapacity(2)
        var reader = ASN1Reader(element)
        while !reader.isAtEnd {
            guard certificates.count < maximumCertificateCount else {
                throw PaymentTokenError(.tooManyCertificates, offset: reader.offset)
            }
            certificates.append(try Certificate(&reader, document))
        }
        guard !certificates.isEmpty else {
            throw PaymentTokenError(.noCertificates, offset: element.offset)
        }
        return certificates
    }

    private static func signer(
        _ members: inout ASN1Reader,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) -> SignerInfo {
        let set = try members.elementOfAnyLength(.set, document)
        var reader = ASN1Reader(set)
        guard !reader.isAtEnd else { throw PaymentTokenError(.signerCount, offset: set.offset) }
        let signer = try reader.elementOfAnyLength(.sequence, document)
        guard reader.isAtEnd else { throw PaymentTokenError(.signerCount, offset: reader.offset) }
        return try SignerInfo(signer, document)
    }
}
