internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayTokenTestingPrimitives
public import FoundationEssentials

extension TestPKI {
    /// The kinds of certificates that Apple's portal issues for a merchant's request.
    public enum CertificateKind: String, CaseIterable, Sendable {
        /// A payment processing certificate, whose key opens tokens.
        case payment
        /// A merchant identity certificate, for TLS with Apple's servers; its key is RSA.
        case identity
    }

    /// Issues the certificate for a request, as Apple's portal does, so that a rotation can be rehearsed.
    ///
    /// As at Apple, the request's subject is ignored. Its signature is not verified.
    ///
    /// - Parameters:
    ///   - path: A file with one certificate signing request, PEM or DER; 1 MiB at most.
    ///   - identifier: The merchant identifier, as in `merchant.example.shop`; not empty.
    ///   - kind: What the certificate is for.
    ///   - start: When the certificate becomes valid.
    ///   - days: How long it is valid. Apple's are valid for 25 months.
    /// - Returns: The certificate, DER.
    /// - Throws: ``TestTokenError`` if the file cannot be read, does not contain exactly one request, or if its key is
    ///   neither P-256 nor RSA of 2048 bits, or does not fit the kind.
    public func certificate(
        forRequestAt path: String,
        merchantIdentifier identifier: String,
        kind: CertificateKind = .payment,
        from start: Date = Date(),
        days: Int = 761
    ) throws(TestTokenError) -> Data {
        let requests: [RecipientPublicKey?]
        do throws(KeyringError) {
            requests = try KeyFile(path, passphrases: []).requestKeys
        } catch {
            throw TestTokenError(error.description)
        }
        guard requests.count == 1 else {
            throw TestTokenError(
                "\(path) has \(requests.count) certificate signing requests; it needs one.")
        }
        guard let encoding = requests[0]?.subjectPublicKeyInfo,
            let key = PublicKey(subjectPublicKeyInfo: encoding)
        else {
            throw TestTokenError(
                "\(path) is for another key than P-256 or RSA of 2048 bits with the exponent 65537."
            )
        }
        guard kind == .payment || key.version == .rsa else {
            throw TestTokenError(
                "\(path) has an EC key, and a merchant identity certificate needs an RSA key.")
        }
        do throws(TestingError) {
            let issuer = try processingAuthority
            // The authority's key stands in for the merchant's private key, which an issuer does not have; all that is
            // made of it is replaced.
            var recipe =
                switch kind {
                case .payment: try processingCertificate(identifier, issuer.key, issuer: issuer)
                case .identity: try identityCertificate(identifier, issuer.key, issuer: issuer)
                }
            recipe.subjectPublicKeyInfo = encoding
            recipe.setExtension(
                CertificateExtension(.subjectKeyIdentifier, .octetString(try key.keyIdentifier())))
            recipe.serialNumber = try serialNumber(
                "request \(kind.rawValue) \(identifier) \(start.timeIntervalSince1970) \(encoding)")
            recipe.notBefore = start
            recipe.notAfter = start.addingTimeInterval(Double(days) * 86_400)
            return Data(try recipe.issued(by: issuer.key).der)
        } catch {
            throw TestTokenError(error)
        }
    }
}
