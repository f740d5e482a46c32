/// What is needed of an X.509 certificate before OpenSSL reads it, as parts of its bytes.
///
///     Certificate ::= SEQUENCE {
///         tbsCertificate      TBSCertificate,
///         signatureAlgorithm  AlgorithmIdentifier,
///         signatureValue      BIT STRING }
///
///     TBSCertificate ::= SEQUENCE {
///         version         [0] EXPLICIT INTEGER { v3(2) },
///         serialNumber        INTEGER,
///         signature           AlgorithmIdentifier,
///         issuer              Name,
///         validity            SEQUENCE { notBefore Time, notAfter Time },
///         subject             Name,
///         subjectPublicKeyInfo SubjectPublicKeyInfo,
///         issuerUniqueID  [1] IMPLICIT BIT STRING OPTIONAL,
///         subjectUniqueID [2] IMPLICIT BIT STRING OPTIONAL,
///         extensions      [3] EXPLICIT SEQUENCE OF Extension OPTIONAL }
///
/// Source: RFC 5280 §4.1.
package struct Certificate: Sendable {
    /// The whole encoding.
    package let der: ArraySlice<UInt8>

    /// The contents of the serial number, in the fewest octets.
    package let serialNumber: ArraySlice<UInt8>

    /// The encoding of the issuer's name.
    package let issuer: ArraySlice<UInt8>

    /// The first instant of validity.
    package let notBefore: ASN1Time

    /// The last instant of validity.
    package let notAfter: ASN1Time

    /// The encoding of the subject's name.
    package let subject: ArraySlice<UInt8>

    /// Reads a certificate's members in their order, in DER.
    init(_ element: ASN1Element) throws(CMSError) {
        do throws(CMSError) {
            try self.init(reading: element)
        } catch {
            throw CMSError(.malformedCertificate, error.offset)
        }
    }

    private init(reading element: ASN1Element) throws(CMSError) {
        der = element.encoding
        var certificate = ASN1Reader(element.content)
        var members = ASN1Reader(try certificate.element(.sequence).content)
        _ = try certificate.element(.sequence)
        _ = try certificate.element(.bitString)
        try certificate.end()

        let version = try members.element(.context(0))
        guard version.content.elementsEqual([0x02, 0x01, 0x02]) else {
            throw CMSError(.malformedCertificate, version.offset)
        }
        let serial = try members.element(.integer)
        guard DERStructure.isMinimalInteger(serial.content) else {
            throw CMSError(.malformedCertificate, serial.offset)
        }
        serialNumber = serial.content
        _ = try members.element(.sequence)
        issuer = try members.element(.sequence).encoding
        var validity = ASN1Reader(try members.element(.sequence).content)
        notBefore = try Self.time(&validity)
        notAfter = try Self.time(&validity)
        try validity.end()
        subject = try members.element(.sequence).encoding
        _ = try members.element(.sequence)
        for tag in [ASN1Tag.primitiveContext(1), .primitiveContext(2), .context(3)]
        where members.nextTag == tag {
            _ = try members.element()
        }
        try members.end()
    }

    private static func time(_ reader: inout ASN1Reader) throws(CMSError) -> ASN1Time {
        let element = try reader.element()
        guard let time = ASN1Time(element) else {
            throw CMSError(.malformedCertificate, element.offset)
        }
        return time
    }
}
