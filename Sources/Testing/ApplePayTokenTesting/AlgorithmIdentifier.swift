package import ApplePayTokenTestingPrimitives

/// An algorithm and its parameters (RFC 5280 §4.1.1.2).
package struct AlgorithmIdentifier: Equatable, Sendable {
    /// The object identifier of the algorithm.
    package var algorithm: OID

    /// The parameters, or nil if the field is absent.
    package var parameters: ASN1Element?

    /// Creates an algorithm identifier, without parameters unless given.
    package init(_ algorithm: OID, parameters: ASN1Element? = nil) {
        self.algorithm = algorithm
        self.parameters = parameters
    }

    /// AlgorithmIdentifier.
    package var element: ASN1Element {
        .sequence([.objectIdentifier(algorithm)] + (parameters.map { [$0] } ?? []))
    }

    /// The same algorithm with NULL as its parameters.
    package var withNull: AlgorithmIdentifier {
        AlgorithmIdentifier(algorithm, parameters: .null)
    }

    /// The hash function that this names or contains, if it belongs to the SHA family.
    package var digest: Digest? {
        switch self.algorithm {
        case Self.sha1.algorithm, Self.ecdsaWithSHA1.algorithm, Self.rsaWithSHA1.algorithm: .sha1
        case Self.sha256.algorithm, Self.ecdsaWithSHA256.algorithm, Self.rsaWithSHA256.algorithm:
            .sha256
        case Self.sha384.algorithm, Self.ecdsaWithSHA384.algorithm, Self.rsaWithSHA384.algorithm:
            .sha384
        case Self.sha512.algorithm, Self.ecdsaWithSHA512.algorithm, Self.rsaWithSHA512.algorithm:
            .sha512
        default: nil
        }
    }

    /// id-sha1.
    package static let sha1 = AlgorithmIdentifier("1.3.14.3.2.26")
    /// id-sha256 without parameters.
    package static let sha256 = AlgorithmIdentifier("2.16.840.1.101.3.4.2.1")
    /// id-sha384 without parameters.
    package static let sha384 = AlgorithmIdentifier("2.16.840.1.101.3.4.2.2")
    /// id-sha512 without parameters.
    package static let sha512 = AlgorithmIdentifier("2.16.840.1.101.3.4.2.3")
    /// ecdsa-with-SHA1.
    package static let ecdsaWithSHA1 = AlgorithmIdentifier("1.2.840.10045.4.1")
    /// ecdsa-with-SHA256.
    package static let ecdsaWithSHA256 = AlgorithmIdentifier("1.2.840.10045.4.3.2")
    /// ecdsa-with-SHA384.
    package static let ecdsaWithSHA384 = AlgorithmIdentifier("1.2.840.10045.4.3.3")
    /// ecdsa-with-SHA512.
    package static let ecdsaWithSHA512 = AlgorithmIdentifier("1.2.840.10045.4.3.4")
    /// sha1WithRSAEncryption with NULL.
    package static let rsaWithSHA1 = AlgorithmIdentifier(
        "1.2.840.113549.1.1.5", parameters: .null)
    /// sha256WithRSAEncryption with NULL.
    package static let rsaWithSHA256 = AlgorithmIdentifier(
        "1.2.840.113549.1.1.11", parameters: .null)
    /// sha384WithRSAEncryption with NULL.
    package static let rsaWithSHA384 = AlgorithmIdentifier(
        "1.2.840.113549.1.1.12", parameters: .null)
    /// sha512WithRSAEncryption with NULL.
    package static let rsaWithSHA512 = AlgorithmIdentifier(
        "1.2.840.113549.1.1.13", parameters: .null)
    /// rsaEncryption with NULL.
    package static let rsaEncryption = AlgorithmIdentifier(
        "1.2.840.113549.1.1.1", parameters: .null)
    /// id-RSASSA-PSS without parameters.
    package static let rsaPSS = AlgorithmIdentifier("1.2.840.113549.1.1.10")
    /// Returns id-ecPublicKey on a named curve.
    package static func ecPublicKey(_ curve: NamedCurve) -> AlgorithmIdentifier {
        let name: OID = curve == .p256 ? "1.2.840.10045.3.1.7" : "1.3.132.0.34"
        return AlgorithmIdentifier("1.2.840.10045.2.1", parameters: .objectIdentifier(name))
    }
}
