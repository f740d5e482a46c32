internal import ApplePayPrimitives

/// The reason why merchant keys could not be loaded, with the file and the action to take.
public struct KeyringError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or folder at fault.
    public let path: String

    /// A sentence without its subject, which is the path.
    public let reason: String

    init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }

    /// Creates an error from a primitive's error about the contents of `path`.
    init(_ path: String, _ error: PrimitivesError) {
        reason =
            switch error {
            case .malformedPEM: "holds a PEM block that does not end or is not base64"
            case .malformedCertificate: "holds a certificate that cannot be read"
            case .malformedPrivateKey: "holds a private key that cannot be read"
            case .unsupportedKey(let kind):
                "holds \(kind); Apple Pay encrypts to EC keys on P-256 and RSA keys of 2048 bits"
            case .passphraseNeeded: "is encrypted, and no passphrase was given"
            case .wrongPassphrase: "is encrypted, and no passphrase that was given opens it"
            case .unsupportedEncryption:
                "is encrypted with an algorithm that this OpenSSL does not have; RC2-40, as in .p12 files "
                    + "from Keychain, needs its legacy provider, in Debian 13 the package "
                    + "openssl-provider-legacy"
            case .costlyDerivation: "asks for too long a derivation of its passphrase"
            case .keyUnavailable(let device): "cannot be used: \(device)"
            case .libraryFailure(let function):
                "could not be loaded: libcrypto failed in \(function)"
            default: "could not be loaded"
            }
        self.path = path
    }

    /// Creates an error for two certificates of one key, at `path` and at `other`, that name different merchants.
    init(_ path: String, ofAnotherMerchantThan other: String) {
        self.init(
            path,
            "holds a certificate of another merchant for the private key of the one in \(other)")
    }

    /// The path and the reason.
    public var description: String { "\(path) \(reason)." }
}
