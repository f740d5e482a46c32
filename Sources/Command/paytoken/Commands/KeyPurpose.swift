internal import ApplePayMerchantKeys
internal import ApplePayPrograms

extension CommandOption {
    static let keyPurpose = choice(
        "--for", of: KeyPurpose.self,
        "the certificate that the key is for: payment processing, or merchant identity, which needs an RSA key; "
            + "default: payment")
}

/// The certificate for which `keys new` and `keys csr` prepare a key: the value of `--for`.
enum KeyPurpose: String, CaseIterable {
    /// The payment processing certificate, to whose key Apple encrypts tokens.
    case payment

    /// The merchant identity certificate, for TLS with Apple's servers.
    case identity

    /// The common name of a request, which Apple replaces.
    var commonName: String {
        self == .payment ? "Apple Pay Payment Processing" : "Apple Pay Merchant Identity"
    }

    /// Returns where to upload a request, and where to save what comes back.
    ///
    /// - Parameter name: The path of the request without `.csr.pem`.
    /// - Returns: Two sentences.
    ///
    /// Source: Apple, *Configure Apple Pay on the web* and *Create a payment processing certificate* (Account Help).
    func nextSteps(_ name: String) -> String {
        let purpose: CertificatePurpose = self == .payment ? .paymentProcessing : .merchantIdentity
        let file = self == .payment ? "apple_pay.cer" : "merchant_id.cer"
        return
            "Upload it in Apple's portal, under the merchant identifier, as the request for a \(purpose.certificateName): "
            + "Certificates, Identifiers & Profiles > Identifiers > Merchant IDs > \(commonName) Certificate > Create "
            + "Certificate. Save the certificate that comes back, \(file), as \(name).cer."
    }
}
