package import ApplePayPrimitives

/// The reason why merchant keys could not be loaded, with the file and the action to take.
public struct KeyringError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or folder at fault.
    public let path: String

    /// A sentence without its subject, which is the path.
    public let reason: String

    /// What makes these keys usable.
    package enum Remedy: Sendable {
        /// A value that the caller can add, without changing a file: a passphrase, another passphrase, or the merchant
        /// identifier.
        case passphrase, otherPassphrase, merchantIdentifier

        /// The file of the merchant identity certificate that belongs to the key.
        case identityCertificate

        /// A file that the caller can add: the private key of the certificate or the request in the file, or any key.
        case privateKey, anyKey

        /// Another copy of the file, because this one is damaged.
        case copy

        /// The removal of the file, which is not a key, or is one of two that contradict each other.
        case removal, choice

        /// A new key, because Apple Pay has no use for this kind.
        case newKey

        /// A disk or a network that answers; whatever else examines the file may hang.
        case answer
    }

    /// The remedy; nil if it is not known.
    package let remedy: Remedy?

    /// The merchant identity certificate that was given as one to decrypt with; nil for any other reason.
    package let identity: MerchantCertificate?

    /// Whether the file is encrypted, and nothing given decrypts it.
    package let isEncrypted: Bool

    init(
        _ path: String, _ reason: String, remedy: Remedy? = nil,
        identity: MerchantCertificate? = nil
    ) {
        self.path = path
        self.reason = reason
        self.remedy = remedy
        self.identity = identity
        isEncrypted = false
    }

    /// Creates an error for a file that cannot be read.
    init(_ error: FileError) {
        self.init(error.path, error.reason, remedy: error.isLate ? .answer : nil)
    }

    /// Creates an error for a merchant identity certificate.
    init(identity: MerchantCertificate) {
        self.init(
            identity.path,
            "contains a merchant identity certificate, which is for TLS with Apple's servers; give the "
                + "payment processing certificate, to which tokens are encrypted",
            identity: identity.namesMerchant ? identity : nil)
    }

    /// Creates an error from a primitive's error about the contents of `path`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - error: The error.
    ///   - remark: What is unusual about the given passphrases; nil if nothing is.
    package init(_ path: String, _ error: PrimitivesError, remark: String? = nil) {
        reason =
            switch error {
            case .malformedPEM:
                "contains a PEM block that is empty, lacks its END line or is not base64; copy or export it again"
            case .malformedCertificate:
                "contains a certificate that cannot be read; download it again"
            case .malformedPrivateKey:
                "contains a private key that cannot be read; copy or export it again"
            case .unsupportedKey(let kind):
                "contains \(kind); Apple Pay encrypts only to EC keys on P-256 and RSA keys of 2048 bits"
            case .passphraseNeeded:
                "is encrypted; give its passphrase"
            case .wrongPassphrase:
                "is encrypted, and none of the given passphrases decrypts it"
                    + (remark.map { ": \($0)" } ?? "")
            case .unsupportedEncryption where FIPSMode.isRequired:
                "is encrypted with an algorithm that FIPS does not allow, and OpenSSL's configuration here allows no "
                    + "other; encrypt the key with AES on a machine without this restriction: "
                    + "`openssl pkcs8 -topk8 -provider default -provider legacy -in \(path.shellWord) -out \(Self.converted(path))`"
            case .unsupportedMAC where FIPSMode.isRequired:
                "has a MAC that FIPS does not allow (PKCS12KDF), and OpenSSL's configuration here allows no other; "
                    + "convert the file to PEM on a machine without this restriction: "
                    + "`openssl pkcs12 -legacy -aes256 -in \(path.shellWord) -out \(Self.converted(path))`"
            case .unsupportedEncryption:
                "is encrypted with an algorithm that this OpenSSL lacks; RC2-40, as in .p12 files from "
                    + "Keychain, needs its legacy provider (on Debian 13 the package "
                    + "openssl-provider-legacy)"
            case .unsupportedMAC:
                "has a MAC that this OpenSSL cannot verify; PBMAC1 needs OpenSSL 3.4 or later, so export the file "
                    + "without it"
            case .costlyDerivation:
                "derives the key from its passphrase with more iterations than are permitted; encrypt it again "
                    + "with fewer"
            case .keyUnavailable(let device): "cannot be used: \(device)"
            case .libraryFailure(let function) where FIPSMode.isRequired:
                "could not be loaded: libcrypto failed in \(function); its configuration allows only FIPS algorithms, so make "
                    + "sure that `openssl list -providers` lists a FIPS provider and the base provider"
            case .libraryFailure(let function):
                "could not be loaded: libcrypto failed in \(function)"
            default: "could not be loaded"
            }
        self.path = path
        remedy =
            switch error {
            case .malformedPEM, .malformedCertificate, .malformedPrivateKey: .copy
            case .unsupportedKey: .newKey
            case .passphraseNeeded: .passphrase
            case .wrongPassphrase: .otherPassphrase
            default: nil
            }
        identity = nil
        isEncrypted = [
            .passphraseNeeded, .wrongPassphrase, .unsupportedEncryption, .unsupportedMAC,
            .costlyDerivation,
        ].contains(error)
    }

    /// Returns the name of a file in the working folder to which a command in a message converts this file, as
    /// `shop.fips.pem` for `keys/shop.p12`.
    private static func converted(_ path: String) -> String {
        var parts = (path.split(separator: "/").last ?? "key").split(separator: ".")
        if parts.count > 1 { parts.removeLast() }
        return (parts.joined(separator: ".") + ".fips.pem").shellWord
    }

    /// Creates an error for two certificates of one key, at `path` and at `other`, that name different merchants.
    init(_ path: String, ofAnotherMerchantThan other: String) {
        self.init(
            path,
            "contains a certificate for the same private key as \(other), but for another merchant; remove "
                + "one of the two", remedy: .choice)
    }

    /// The path and the reason.
    public var description: String { "\(path) \(reason)." }
}
