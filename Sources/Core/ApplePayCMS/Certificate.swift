internal import ApplePayWire

/// The members of an X.509 certificate that are needed before OpenSSL reads it.
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
    // The properties are positions in the signature, not slices of it, so that a certificate can be
    // used and passed on without counting references.

    /// The range of the whole encoding.
    package let der: Range<Int>

    /// The range of the serial number's contents octets, in their shortest form.
    package let serialNumber: Range<Int>

    /// The range of the issuer's encoded name.
    package let issuer: Range<Int>

    /// The first second of the validity.
    package let notBefore: ASN1Time

    /// The last second of the validity.
    package let notAfter: ASN1Time

    /// The range of the subject's encoded name.
    package let subject: Range<Int>

    /// The range of the contents of the explicit tag around the extensions; empty without extensions.
    private let extensions: Range<Int>

    /// Reads the members of a DER certificate in order.
    init(_ reader: inout ASN1Reader, _ document: Span<UInt8>) throws(PaymentTokenError) {
        let element = try reader.element(.sequence, document)
        do {
            try self.init(reading: element, document)
        } catch {
            throw PaymentTokenError(.malformedCertificate, offset: error.offset)
        }
    }

    private init(reading element: ASN1Element, _ document: Span<UInt8>) throws(PaymentTokenError) {
        der = element.encoding
        var certificate = ASN1Reader(element)
        let tbsCertificate = try certificate.element(.sequence, document)
        _ = try certificate.element(.sequence, document)
        _ = try certificate.element(.bitString, document)
        try certificate.end()

        var members = ASN1Reader(tbsCertificate)
        let version = try members.element(.context(0), document)
        guard version.contentEquals(Self.version3, document) else {
            throw PaymentTokenError(.malformedCertificate, offset: version.offset)
        }
        let serial = try members.element(.integer, document)
        guard DERStructure.isMinimalInteger(document.extracting(serial.content)) else {
            throw PaymentTokenError(.malformedCertificate, offset: serial.offset)
        }
        serialNumber = serial.content
        _ = try members.element(.sequence, document)
        issuer = try members.element(.sequence, document).encoding
        let period = try members.element(.sequence, document)
        var validity = ASN1Reader(period)
        notBefore = try Self.time(&validity, document)
        notAfter = try Self.time(&validity, document)
        try validity.end()
        subject = try members.element(.sequence, document).encoding
        _ = try members.element(.sequence, document)
        if members.nextTag(document) == .primitiveContext(1) { _ = try members.element(document) }
        if members.nextTag(document) == .primitiveContext(2) { _ = try members.element(document) }
        extensions =
            members.nextTag(document) == .context(3) ? try members.element(document).content : 0..<0
        try members.end()
    }

    /// Returns the number of extensions; reads only their lengths.
    ///
    /// OpenSSL reads all extensions of a certificate before it can count them.
    ///
    /// - Parameter document: The signature that contains the certificate.
    /// - Returns: The number of elements in the extensions' SEQUENCE, 0 without extensions; nil when the
    ///   extensions are not exactly one SEQUENCE of elements.
    ///
    /// Source: RFC 5280 §4.1.2.9.
    package func extensionCount(in document: Span<UInt8>) -> Int? {
        guard !extensions.isEmpty else { return 0 }
        var explicit = ASN1Reader(extensions)
        guard let sequence = try? explicit.element(.sequence, document), explicit.isAtEnd else {
            return nil
        }
        var elements = ASN1Reader(sequence)
        var count = 0
        while !elements.isAtEnd {
            guard (try? elements.element(document)) != nil else { return nil }
            count += 1
        }
        return count
    }

    /// Returns the first common name in the subject's name.
    ///
    /// - Parameter signedData: The signature that contains the certificate.
    /// - Returns: The text; nil when the name does not contain this attribute, or when the first one is not a
    ///   UTF8String or PrintableString in well-formed UTF-8.
    ///
    /// Source: RFC 5280 §4.1.2.4 and §4.1.2.6.
    package func subjectCommonName(in signedData: SignedData) -> String? {
        let document = signedData.encoding.span
        var whole = ASN1Reader(subject)
        guard let name = try? whole.element(.sequence, document) else { return nil }
        var relativeNames = ASN1Reader(name)
        while let relativeName = try? relativeNames.element(.set, document) {
            var attributes = ASN1Reader(relativeName)
            while let attribute = try? attributes.element(.sequence, document) {
                var members = ASN1Reader(attribute)
                let type = try? members.element(.objectIdentifier, document)
                guard type?.contentEquals(ObjectIdentifiers.commonName, document) == true else {
                    continue
                }
                guard let value = try? members.element(document),
                    value.tag == .utf8String || value.tag == .printableString
                else { return nil }
                return String(validating: signedData[value.content], as: UTF8.self)
            }
        }
        return nil
    }

    /// INTEGER 2.
    private static let version3: InlineArray<3, UInt8> = [0x02, 0x01, 0x02]

    private static func time(
        _ reader: inout ASN1Reader,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) -> ASN1Time {
        let element = try reader.element(document)
        guard let time = ASN1Time(element, document) else {
            throw PaymentTokenError(.malformedCertificate, offset: element.offset)
        }
        return time
    }
}
