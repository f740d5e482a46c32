internal import ApplePayWire

/// An algorithm and the form of its parameters; the algorithms used here have NULL parameters or none.
///
///     AlgorithmIdentifier ::= SEQUENCE {
///         algorithm   OBJECT IDENTIFIER,
///         parameters  ANY DEFINED BY algorithm OPTIONAL }
///
/// Source: RFC 5280 §4.1.1.2.
struct AlgorithmIdentifier {
    enum Algorithm {
        case sha256
        case ecdsaWithSHA256
        case rsaWithSHA256
        case other
    }

    enum Parameters {
        case absent
        case null
        case other
    }

    /// The algorithm; `other` if it is not one of those used here.
    let algorithm: Algorithm

    /// The form of the algorithm's parameters.
    let parameters: Parameters

    /// The position of the first octet in the document.
    let offset: Int

    /// Reads the next element, which is a SEQUENCE or has an implicit tag instead.
    init(
        _ outer: inout ASN1Reader,
        tag: ASN1Tag = .sequence,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) {
        let element = try outer.element(tag, document)
        offset = element.offset
        var reader = ASN1Reader(element)
        let identifier = try reader.element(.objectIdentifier, document)
        if identifier.contentEquals(ObjectIdentifiers.sha256, document) {
            algorithm = .sha256
        } else if identifier.contentEquals(ObjectIdentifiers.ecdsaWithSHA256, document) {
            algorithm = .ecdsaWithSHA256
        } else if identifier.contentEquals(ObjectIdentifiers.rsaWithSHA256, document) {
            algorithm = .rsaWithSHA256
        } else {
            algorithm = .other
        }
        if reader.isAtEnd {
            parameters = .absent
        } else {
            let element = try reader.element(document)
            parameters = element.tag == .null && element.content.isEmpty ? .null : .other
        }
        try reader.end()
    }

    /// Whether the algorithm is SHA-256 with NULL or absent parameters (RFC 5754 §2).
    ///
    /// Apple wrote NULL until 2022, and has omitted the parameters since.
    var isSHA256: Bool {
        algorithm == .sha256 && parameters != .other
    }

    /// The signature algorithm; nil for another algorithm, or for parameters that are not permitted.
    ///
    /// The parameters must be absent for ECDSA (RFC 5754 §3.3). For RSA they are NULL, but absent ones must
    /// be accepted as well (RFC 4055 §5).
    var signatureAlgorithm: SignatureAlgorithm? {
        if algorithm == .ecdsaWithSHA256, parameters == .absent { return .ecdsaWithSHA256 }
        if algorithm == .rsaWithSHA256, parameters != .other { return .rsaWithSHA256 }
        return nil
    }
}

/// The two algorithms with which Apple signs tokens.
package enum SignatureAlgorithm: Hashable, Sendable {
    /// ecdsa-with-SHA256: EC_v1.
    case ecdsaWithSHA256

    /// sha256WithRSAEncryption, PKCS#1 v1.5: RSA_v1.
    case rsaWithSHA256
}
