/// An algorithm and whether it has parameters; none used here has any but NULL.
///
///     AlgorithmIdentifier ::= SEQUENCE {
///         algorithm   OBJECT IDENTIFIER,
///         parameters  ANY DEFINED BY algorithm OPTIONAL }
///
/// Source: RFC 5280 §4.1.1.2.
struct AlgorithmIdentifier {
    enum Parameters {
        case absent
        case null
        case other
    }

    let algorithm: ArraySlice<UInt8>
    let parameters: Parameters
    let offset: Int

    /// Reads the contents of the SEQUENCE, or of what is tagged in its place.
    init(_ element: ASN1Element) throws(CMSError) {
        offset = element.offset
        var reader = ASN1Reader(element.content)
        algorithm = try reader.element(.objectIdentifier).content
        if reader.isAtEnd {
            parameters = .absent
        } else {
            let element = try reader.element()
            parameters = element.tag == .null && element.content.isEmpty ? .null : .other
        }
        try reader.end()
    }

    /// SHA-256, its parameters NULL as Apple wrote them until 2022 or absent as since (RFC 5754 §2).
    var isSHA256: Bool {
        algorithm.elementsEqual(ObjectIdentifiers.sha256) && parameters != .other
    }

    /// The signature algorithm; nil when it is another, or its parameters are not as prescribed:
    /// absent for ECDSA (RFC 5754 §3.3), NULL for RSA, where absent ones must be accepted as well
    /// (RFC 4055 §5).
    var signatureAlgorithm: SignatureAlgorithm? {
        if algorithm.elementsEqual(ObjectIdentifiers.ecdsaWithSHA256), parameters == .absent {
            return .ecdsaWithSHA256
        }
        if algorithm.elementsEqual(ObjectIdentifiers.rsaWithSHA256), parameters != .other {
            return .rsaWithSHA256
        }
        return nil
    }
}
