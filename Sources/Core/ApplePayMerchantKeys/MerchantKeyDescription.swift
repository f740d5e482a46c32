internal import ApplePayPrimitives
internal import ApplePayWire
public import FoundationEssentials

/// The public properties of a merchant's key, for display.
public struct MerchantKeyDescription: Hashable, Sendable {
    /// The kind of key.
    public enum Kind: String, Hashable, Sendable {
        /// EC on P-256, for tokens of version EC_v1.
        case ec = "EC P-256"

        /// RSA of 2048 bits, for tokens of version RSA_v1.
        case rsa = "RSA 2048"
    }

    /// Whether the key can open tokens.
    public enum Status: String, Hashable, Sendable {
        /// The key opens tokens.
        case ready = "ready"

        /// The key is an EC key whose certificate has not been loaded.
        ///
        /// The content key of a token cannot be derived without the certificate or the merchant identifier.
        case awaitingCertificate = "awaiting-certificate"
    }

    /// The hash by which tokens name the key: base64 of the SHA-256 of its SubjectPublicKeyInfo.
    public let publicKeyHash: String

    /// The merchant identifier, such as `merchant.com.example`; nil when only its hash is known.
    public let merchantIdentifier: String?

    /// The SHA-256 of the merchant identifier: 64 hexadecimal digits.
    ///
    /// It is nil for a key without a certificate, unless the caller stated the merchant identifier.
    public let merchantIdentifierHash: String?

    /// The kind of key.
    public let kind: Kind

    /// Whether the key can open tokens.
    public let status: Status

    /// The first second of the certificate's validity; nil without a certificate.
    public let notBefore: Date?

    /// The last second of the certificate's validity; nil without a certificate.
    ///
    /// The key still opens tokens after this time, but Apple no longer encrypts to it.
    public let notAfter: Date?

    /// The file that contains the key.
    public let source: String

    init(_ key: MerchantKey) {
        publicKeyHash = MerchantKeyring.base64(key.publicKeyHash)
        merchantIdentifier = key.merchantIdentifier
        merchantIdentifierHash = key.merchantIdentifierHash?.withSpan(Hexadecimal.text)
        kind = key.kind == .p256 ? .ec : .rsa
        status = key.isAwaitingCertificate ? .awaitingCertificate : .ready
        notBefore = key.certificateValidity.map { Self.date($0.lowerBound) }
        notAfter = key.certificateValidity.map { Self.date($0.upperBound) }
        source = key.path
    }

    /// Describes the key of a certificate.
    package init(_ certificate: MerchantCertificate) {
        publicKeyHash = MerchantKeyring.base64(certificate.publicKeyHash)
        merchantIdentifier = certificate.merchantIdentifier
        merchantIdentifierHash = certificate.merchantIdentifierHash?.withSpan(Hexadecimal.text)
        kind = certificate.kind == .p256 ? .ec : .rsa
        status = .ready
        notBefore = Self.date(certificate.validity.lowerBound)
        notAfter = Self.date(certificate.validity.upperBound)
        source = certificate.path
    }

    private static func date(_ seconds: Int) -> Date {
        Date(timeIntervalSince1970: Double(seconds))
    }
}
