/// A signed attribute of a SignerInfo (RFC 5652 §5.3 and §11).
package struct SignedAttribute: Equatable, Sendable {
    /// A value, which may be known only when the message is signed.
    package enum Value: Equatable, Sendable {
        /// The recipe's signing time as UTCTime.
        case signingTime

        /// The hash of the message.
        case messageDigest

        /// The signer's two algorithms (RFC 6211 §2).
        case algorithmProtection

        /// Anything else.
        case element(ASN1Element)
    }

    /// The identifier.
    package var type: OID

    /// The values; CMS requires exactly one of each attribute used here.
    package var values: [Value]

    /// Creates an attribute with any values.
    package init(_ type: OID, _ values: [Value]) {
        self.type = type
        self.values = values
    }

    /// Creates an attribute with one value.
    package init(_ type: OID, _ element: ASN1Element) {
        self.init(type, [.element(element)])
    }

    /// contentType: id-data.
    package static let contentType = SignedAttribute(.contentType, .objectIdentifier(.data))

    /// signingTime.
    package static let signingTime = SignedAttribute(.signingTime, [.signingTime])

    /// messageDigest.
    package static let messageDigest = SignedAttribute(.messageDigest, [.messageDigest])

    /// CMSAlgorithmProtection.
    package static let algorithmProtection = SignedAttribute(
        .algorithmProtection, [.algorithmProtection])
}
