package import ApplePayPrimitives

/// The purpose for which Apple issued a merchant's certificate.
package enum CertificatePurpose: String, Sendable {
    /// Apple encrypts tokens to the key of this certificate.
    case paymentProcessing = "payment-processing"

    /// The merchant's server shows this certificate to Apple when it asks for a merchant session (TLS).
    case merchantIdentity = "merchant-identity"

    /// The extension that marks merchant identity certificates; payment processing certificates lack it.
    private static let identityMarker = "1.2.840.113635.100.6.46"

    /// The beginning of the common name of merchant identity certificates.
    private static let identityName = "Apple Pay Merchant Identity"

    /// Returns the purpose of a certificate that is not an authority's.
    ///
    /// The key usage, Apple's extension or the name of a merchant identity certificate shows its purpose. Any other
    /// certificate counts as a payment processing certificate.
    ///
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    package static func of(
        _ certificate: X509Certificate
    ) throws(PrimitivesError) -> CertificatePurpose {
        if certificate.isForTLSClients { return .merchantIdentity }
        if try certificate.extensionValue(identityMarker) != nil { return .merchantIdentity }
        let name = try certificate.subjectCommonName()
        return name?.utf8.starts(with: identityName.utf8) == true
            ? .merchantIdentity : .paymentProcessing
    }

    /// The name of such a certificate in Apple's portal, in lower case.
    package var certificateName: String {
        switch self {
        case .paymentProcessing: "payment processing certificate"
        case .merchantIdentity: "merchant identity certificate"
        }
    }
}
