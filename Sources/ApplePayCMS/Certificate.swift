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
    package var serialNumber: ArraySlice<UInt8> { der[serialNumberRange] }

    /// The encoding of the issuer's name.
    package var issuer: ArraySlice<UInt8> { der[issuerRange] }

    /// The first instant of validity.
    package let notBefore: ASN1Time

    /// The last instant of validity.
    package let notAfter: ASN1Time

    /// The encoding of the subject's name.
    package var subject: ArraySlice<UInt8> { der[subjectRange] }

    // Positions instead of slices: one reference to count for each certificate, not four.
    private let serialNumberRange: Range<Int>
    private let issuerRange: Range<Int>
    private let subjectRange: Range<Int>

    /// Reads a certificate's members in their order, in DER.
    init(_ reader: inout ASN1Reader) throws(CMSError) {
        let element = try reader.element(.sequence)
        do throws(CMSError) {
            try self.init(reading: element, reader.contents(of: element))
        } catch {
            throw CMSError(.malformedCertificate, error.offset)
        }
    }

    private init(
        reading element: ASN1Element,
        _ contents: consuming ASN1Reader
    ) throws(CMSError) {
        var certificate = contents
        let document = certificate.document
        der = document[element.encoding]
        let tbsCertificate = try certificate.element(.sequence)
        _ = try certificate.element(.sequence)
        _ = try certificate.element(.bitString)
        try certificate.end()

        var members = certificate.contents(of: tbsCertificate)
        let version = try members.element(.context(0))
        guard members.contents(of: version, are: [0x02, 0x01, 0x02]) else {
            throw CMSError(.malformedCertificate, version.offset)
        }
        let serial = try members.element(.integer)
        guard DERStructure.isMinimalInteger(document[serial.content]) else {
            throw CMSError(.malformedCertificate, serial.offset)
        }
        serialNumberRange = serial.content
        _ = try members.element(.sequence)
        issuerRange = try members.element(.sequence).encoding
        let period = try members.element(.sequence)
        var validity = members.contents(of: period)
        notBefore = try Self.time(&validity)
        notAfter = try Self.time(&validity)
        try validity.end()
        subjectRange = try members.element(.sequence).encoding
        _ = try members.element(.sequence)
        if members.nextTag == .primitiveContext(1) { _ = try members.element() }
        if members.nextTag == .primitiveContext(2) { _ = try members.element() }
        if members.nextTag == .context(3) { _ = try members.element() }
        try members.end()
    }

    private static func time(_ reader: inout ASN1Reader) throws(CMSError) -> ASN1Time {
        let element = try reader.element()
        guard let time = ASN1Time(element, in: reader.document) else {
            throw CMSError(.malformedCertificate, element.offset)
        }
        return time
    }
}
