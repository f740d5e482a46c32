internal import ApplePayWire

/// An algorithm and whether it has parameters; none used here has any but NULL.
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

    /// The algorithm, if it is one of those used here.
    let algorithm: Algorithm

    /// Its parameters.
    let parameters: Parameters

    /// Where in the document it begins.
    let offset: Int

    /// Reads the next element, a SEQUENCE or what is tagged in its place.
    init(
        _ outer: inout ASN1Reader,
        tag: ASN1Tag = .sequence,
        _ document: Span<UInt8>
    ) throws(PaymentTokenError) {
        let element = try outer.element(tag, document)
        offset = element.offset
        var reader = ASN1Reader(element)
        let identifier = try reader.element(.objectIdentifier, document)
        if identifier.holds(ObjectIdentifiers.sha256, document) {
            algorithm = .sha256
        } else if identifier.holds(ObjectIdentifiers.ecdsaWithSHA256, document) {
            algorithm = .ecdsaWithSHA256
        } else if identifier.holds(ObjectIdentifiers.rsaWithSHA256, document) {
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

    /// SHA-256, its parameters NULL as Apple wrote them until 2022 or absent as since (RFC 5754 §2).
    var isSHA256: Bool {
        algorithm == .sha256 && parameters != .other
    }

    /// The signature algorithm; nil when it is another, or its parameters are not as prescribed:
    /// absent for ECDSA (RFC 5754 §3.3), NULL for RSA, where absent ones must be accepted as well
    /// (RFC 4055 §5).
    var signatureAlgorithm: SignatureAlgorithm? {
        if algorithm == .ecdsaWithSHA256, parameters == .absent {
            return .ecdsaWithSHA256
        }
        if algorithm == .rsaWithSHA256, parameters != .other {
            return .rsaWithSHA256
        }
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
